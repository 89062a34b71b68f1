//! Paging: what is fetched, what is checked of it, and how it becomes part of the window.
//!
//! ```text
//!   next is ...            a message of the window that was dropped       beyond the window
//!   fetch after            the one before it                              position
//!   fetch up to            resolved                                       resolved
//! ```
//! What comes is checked as a whole before any of it counts. Then, in order:
//! * beyond the position: a new entry, and the position moves along;
//! * up to the position and dropped: its body is back;
//! * up to the position, and in memory or gone: it came by again (its ack has not reached the store, or it is in flight);
//!   the store is told to discard it.
//!
//! So a page that starts in the middle of the window, because of a priority, reads on from there; what it meets is told
//! apart by its sequence. If the message that the page was for does not come, the store has lost it, and so do we. If
//! nothing comes from beyond the position, nothing is there.

use super::Cursor;
use super::entry::{Entry, Flags};
use super::error::Error;
use super::policy::{Plan, Shortage};
use super::store::{Fetch, Store, Stored};
use super::types::Blocked;
use crate::memory::Table;

/// What came of the attempt to page in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Paged {
    /// Something was fetched.
    In,
    /// A page would be too short for now, and the window gave something.
    Enough,
    /// There is nothing to page in.
    Nothing,
    /// It has to wait.
    Wait(Blocked),
}

/// Where a fetch begins.
#[derive(Clone, Copy)]
pub(super) struct Start {
    after: u64,
    /// The dropped message that it is for.
    dropped: Option<u32>,
}

/// A page that was fetched and checked.
struct Page {
    table: Table<Stored>,
    count: usize,
}

impl Page {
    fn messages(&self) -> &[Stored] {
        self.table.get(..self.count).unwrap_or_default()
    }
}

impl Cursor {
    /// Takes a page if there is something to fetch and the policy allows.
    pub(super) fn page_in(&mut self, missing: u32, gave_some: bool) -> Result<Paged, Error> {
        let Some(start) = self.start_of_page() else { return Ok(Paged::Nothing) };
        let mut plan = self.plan(start, missing, gave_some);
        let mut early = None;
        if matches!(plan, Plan::Wait(Blocked::OwnMark | Blocked::Parent)) && self.can_make_room() {
            // No acknowledgement will free memory: see `drop_cache`. The page comes first: if it does not, nothing is gone.
            let messages = self.policy.longest_page(missing).min(self.room(start).max(1));
            early = Some(self.fetch_page(&self.next_fetch(start, messages))?);
            self.drop_bodies();
            plan = self.plan(start, missing, gave_some);
        }
        let paged = self.carry_out(start, plan, &mut early);
        if let Some(mut unused) = early {
            self.discard(unused.messages());
            unused.table.release(&self.window.memory);
        }
        paged
    }

    /// Does what was planned, with a page that was fetched early or a new one.
    fn carry_out(&mut self, start: Start, plan: Plan, early: &mut Option<Page>) -> Result<Paged, Error> {
        let (messages, is_lent) = match plan {
            Plan::Page { messages } => (messages, false),
            Plan::Borrow { messages } => (messages, true),
            Plan::Enough => return Ok(Paged::Enough),
            Plan::Wait(reason) => {
                // It does not ask for a loan, even if it had the turn: the others may.
                self.leave_line();
                return Ok(Paged::Wait(reason));
            }
        };
        let fetch = self.next_fetch(start, messages);
        if !is_lent {
            return self.take_page(start, &fetch, early.take(), false).map(|_| Paged::In);
        }
        let Some(member) = &self.account.member else { return Ok(Paged::Wait(Blocked::Parent)) };
        if !member.borrow(fetch.max_bytes) {
            return Ok(Paged::Wait(Blocked::Parent));
        }
        // From here on, so that it goes back with the cursor if the host's `fetch` unwinds.
        self.account.lent_bytes += fetch.max_bytes;
        let taken = self.take_page(start, &fetch, early.take(), true);
        let lent_bytes = *taken.as_ref().unwrap_or(&0);
        self.account.lent_bytes = self.account.lent_bytes + lent_bytes - fetch.max_bytes;
        if let Some(member) = &self.account.member {
            member.settle(fetch.max_bytes, lent_bytes);
        }
        self.counters.lent_pages += u64::from(lent_bytes > 0);
        taken.map(|_| Paged::In)
    }

    fn next_fetch(&self, start: Start, messages: u32) -> Fetch {
        Fetch {
            after: start.after,
            up_to: self.writes.resolved,
            max_messages: messages.min(self.fetch_cap),
            max_bytes: self.account.page_bytes(&self.policy),
        }
    }

    /// How many messages the window takes. Dropped ones have their entries.
    fn room(&self, start: Start) -> u32 {
        if start.dropped.is_some() { u32::MAX } else { self.max_entries - self.window.len() }
    }

    fn plan(&mut self, start: Start, missing: u32, gave_some: bool) -> Plan {
        let shortage = Shortage {
            zone: self.account.zone(),
            is_parent_over: self.account.is_parent_at(self.policy.parent_page_percent + 1),
            holds_nothing: self.window.in_memory() == 0,
            room: self.room(start),
            max_entries: self.max_entries,
            missing,
            gave_some,
            committed_beyond: self.stored + u64::from(self.window.dropped),
            has_open_writes: !self.writes.is_empty(),
        };
        self.mark.plan(&self.policy, shortage)
    }

    /// Where the next page begins; `None` if there is nothing to fetch.
    pub(super) fn start_of_page(&self) -> Option<Start> {
        match self.window.first() {
            // What is in memory has been handed out by the caller, so it is a dropped one.
            Some(slot) => Some(Start { after: self.window.at(slot).sequence - 1, dropped: Some(slot) }),
            None if self.position < self.writes.resolved => {
                Some(Start { after: self.position, dropped: None })
            }
            None => None,
        }
    }

    /// Takes a page in, and fetches it if it was not. Answers what was charged for it, in bytes.
    fn take_page(
        &mut self,
        start: Start,
        fetch: &Fetch,
        early: Option<Page>,
        is_lent: bool,
    ) -> Result<u64, Error> {
        let mut page = match early {
            Some(page) => page,
            None => self.fetch_page(fetch)?,
        };
        let taken = self.take_in(start, page.messages(), is_lent);
        page.table.release(&self.window.memory);
        taken
    }

    /// Fetches a page, which is to be taken in or discarded, and released.
    fn fetch_page(&mut self, fetch: &Fetch) -> Result<Page, Error> {
        let Cursor { window, store, .. } = self;
        let room = fetch.max_messages;
        let mut table = Table::filled(&window.memory, room, Stored::default()).ok_or(Error::NoMemory)?;
        match fetch_checked(store.as_mut(), fetch, &mut table) {
            Ok(count) => {
                self.fetch_cap = self.fetch_cap.saturating_mul(4);
                Ok(Page { table, count })
            }
            Err(error) => {
                self.counters.failed_fetches += 1;
                self.fetch_cap = (fetch.max_messages / 4).max(1);
                table.release(&self.window.memory);
                Err(error)
            }
        }
    }

    /// A page that was checked becomes part of the window. Answers what was charged for it, in bytes.
    fn take_in(&mut self, start: Start, page: &[Stored], is_lent: bool) -> Result<u64, Error> {
        // What is of no use is known only by looking each one up: it is charged first and released if so. No failure
        // can come in between.
        let bytes = page.iter().map(|message| u64::from(message.size_bytes)).sum();
        self.account.charge(bytes).inspect_err(|_| self.discard(page))?;
        let (mut charged, mut taken) = (0, 0);
        let mut ran_out = false;
        for message in page {
            if !ran_out && self.take_message(message, is_lent, &mut ran_out) {
                charged += u64::from(message.size_bytes);
                taken += 1;
            } else {
                self.store.discard(message);
            }
        }
        if charged < bytes {
            self.release_bytes(bytes - charged, false);
        }
        // If the page was for a dropped message, that one is lost, which makes room.
        let is_stuck = start.dropped.is_none() && ran_out && taken == 0;
        if is_stuck && page.first().is_some_and(|first| first.sequence > self.position) {
            return Err(Error::NoMemory);
        }
        let zone = self.account.zone();
        self.mark.charged(zone);
        self.close_gaps(start, page);
        self.counters.pages += u64::from(taken > 0);
        self.counters.paged_messages += taken;
        Ok(charged)
    }

    /// Takes one message in. Answers whether it is of use; `ran_out` says that there is no room for it.
    #[inline(always)]
    fn take_message(&mut self, message: &Stored, is_lent: bool, ran_out: &mut bool) -> bool {
        let size = message.size_bytes;
        let slot = if message.sequence > self.position {
            let entry = Entry::new(message.sequence, 0, message.user, size, message.priority);
            let has_room = self.window.len() < self.max_entries;
            let Some(slot) = has_room.then(|| self.window.add(entry)).flatten() else {
                *ran_out = true;
                return false;
            };
            self.window.show(slot);
            self.position = message.sequence;
            self.stored = self.stored.saturating_sub(1);
            self.stored_bytes = self.stored_bytes.saturating_sub(u64::from(size));
            slot
        } else {
            let Some(slot) = self.window.find(message.sequence) else { return false };
            if self.window.at(slot).is_in_memory() {
                return false;
            }
            self.window.restore_body(slot, message.user, size);
            slot
        };
        let entry = self.window.at_mut(slot);
        entry.charged_bytes = size;
        if is_lent {
            entry.flags.set(Flags::LENT);
        }
        true
    }

    /// What the store did not return although it was asked for is not there.
    fn close_gaps(&mut self, start: Start, page: &[Stored]) {
        if let Some(slot) = start.dropped {
            let sequence = start.after + 1;
            if page.first().is_none_or(|first| first.sequence != sequence)
                && self.window.find(sequence) == Some(slot)
            {
                self.free(slot);
            }
        } else if page.is_empty() {
            self.position = self.writes.resolved;
        }
        if self.position >= self.writes.resolved {
            (self.stored, self.stored_bytes) = (0, 0);
        }
    }

    fn discard(&mut self, page: &[Stored]) {
        for message in page {
            self.store.discard(message);
        }
    }
}

/// Asks the store, and checks that the answer is one. What is refused is discarded.
pub(super) fn fetch_checked(
    store: &mut dyn Store,
    fetch: &Fetch,
    out: &mut [Stored],
) -> Result<usize, Error> {
    let count = store.fetch(fetch, out).map_err(Error::Store)?;
    let page = out.get(..count).unwrap_or(out);
    let checked = check(fetch, count, page);
    if checked.is_err() {
        for message in page {
            store.discard(message);
        }
    }
    checked.map(|()| count)
}

fn check(fetch: &Fetch, count: usize, page: &[Stored]) -> Result<(), Error> {
    let refuse = |what, value, bound| Err(Error::BadFetch { what, value, bound });
    if count > page.len() {
        return refuse("too many messages", count as u64, fetch.max_messages.into());
    }
    let (mut last, mut bytes) = (fetch.after, 0);
    for message in page {
        if message.sequence <= last {
            return refuse("a sequence out of order", message.sequence, last);
        }
        last = message.sequence;
        bytes += u64::from(message.size_bytes);
    }
    if last > fetch.up_to {
        return refuse("a sequence beyond the range", last, fetch.up_to);
    }
    if count > 1 && bytes > fetch.max_bytes {
        return refuse("too many bytes", bytes, fetch.max_bytes);
    }
    Ok(())
}
