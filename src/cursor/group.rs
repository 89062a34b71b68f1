//! What the cursors below one parent share: the division of the limit, and the notices that wake them when the parent's
//! level falls. Loans by the guaranteed share are in `lend`.
//!
//! # Cost
//! A cursor comes here when it is made and dropped, when it asks for a page that the parent's mark forbids, and for
//! every message on loan that leaves memory. Each takes one lock that nobody holds while it calls anything.

use super::error::Error;
use super::options::in_range;
use super::ready::Signal;
use super::types::Blocked;
use crate::memory::{Allocator, Memory, Table};
use crate::sync::{Mutex, lock};
use crate::usage::{MAX_LIMIT, Notified, Scope, Tracker, WHOLE_PPM};
use std::ptr::NonNull;
use std::sync::Arc;

pub(super) const NOBODY: u32 = u32::MAX;
/// The most cursors of one group.
pub const MAX_MEMBERS: u32 = 1 << 20;
/// The part of the parent's limit that is lent unless the options say otherwise.
const LENT_PERCENT: u64 = 10;

/// The settings of a [`Group`].
#[derive(Clone, Default)]
pub struct GroupOptions {
    /// The most bytes on loan by the guaranteed share; 0 means 10 % of the parent's limit, as it is when asked.
    pub max_lent_bytes: u64,
    /// Whether the parent's limit is divided evenly among the trackers of the cursors, anew whenever one comes or goes.
    pub divides_limit: bool,
    /// The host's allocator; `None` means the process's own.
    pub allocator: Option<Arc<dyn Allocator>>,
}

/// Figures of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GroupStats {
    /// Cursors.
    pub members: u32,
    /// Those that wait for the parent's level or for a loan.
    pub waiting: u32,
    /// Bytes on loan.
    pub lent_bytes: u64,
    /// The most bytes ever on loan.
    pub lent_peak_bytes: u64,
    /// Pages lent.
    pub lent_pages: u64,
    /// Requests for a page that were refused.
    pub refused: u64,
    /// Bytes from the allocator.
    pub bytes_in_use: u64,
}

/// The cursors below one parent tracker. Clones are handles to the same group; any thread may call.
#[derive(Clone)]
pub struct Group {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    tracker: Arc<Tracker>,
    max_lent_bytes: u64,
    divides_limit: bool,
    pub(super) state: Mutex<State>,
}

#[derive(Clone, Copy)]
pub(super) struct Record {
    /// From `Arc::into_raw`; null if the record is unused.
    signal: *const Signal,
    tracker: *const Tracker,
    /// Bytes that it asked for in vain, at least 1; 0 if it did not.
    pub(super) wants: u64,
    /// The turn during which it was refused for another's sake.
    pub(super) refused_in: u64,
    /// It waits for a parent's level below this percent; 0 if it does not.
    pub(super) waits: u32,
    next_unused: u32,
}

pub(super) struct State {
    memory: Memory,
    pub(super) records: Table<Record>,
    /// The percents for whose level a notice of the parent is registered: one for each, however many wait.
    armed: Table<u32>,
    unused: u32,
    pub(super) stats: GroupStats,
    /// Where the round robin goes on.
    pub(super) next: u32,
    /// Who has the turn, and how many there were.
    pub(super) turn: u32,
    pub(super) turns: u64,
    /// How often a member has come or gone.
    changes: u64,
}

// SAFETY: the pointers are to reference-counted values that any thread may use, each kept alive by its record; the
// memory's cell is reached under the lock only.
unsafe impl Send for State {}

/// A cursor's place in a group, given up when dropped.
pub(super) struct Member {
    pub(super) shared: Arc<Shared>,
    pub(super) id: u32,
}

impl Group {
    /// A group of cursors below `parent`. Their trackers should be children of it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn new(parent: Arc<Tracker>, options: GroupOptions) -> Result<Group, Error> {
        in_range("max_lent_bytes", options.max_lent_bytes, 0, MAX_LIMIT as u64)?;
        let state = State {
            memory: Memory::new(options.allocator, size_of::<Shared>()),
            records: Table::new(),
            armed: Table::new(),
            unused: NOBODY,
            stats: GroupStats::default(),
            next: 0,
            turn: NOBODY,
            turns: 0,
            changes: 0,
        };
        let shared = Shared {
            tracker: parent,
            max_lent_bytes: options.max_lent_bytes,
            divides_limit: options.divides_limit,
            state: Mutex::new(state),
        };
        Ok(Group { shared: Arc::new(shared) })
    }

    /// The parent.
    pub fn tracker(&self) -> &Arc<Tracker> {
        &self.shared.tracker
    }

    /// Figures at this moment.
    pub fn stats(&self) -> GroupStats {
        let state = lock(&self.shared.state);
        GroupStats { bytes_in_use: state.memory.usage().in_use, ..state.stats }
    }
}

/// For the C ABI, whose handle keeps a reference.
#[cfg_attr(loom, allow(dead_code, reason = "a loom build has no C ABI"))]
impl Group {
    /// The group as a pointer that keeps it, until [`Group::from_raw`].
    pub(crate) fn into_raw(self) -> NonNull<()> {
        // SAFETY: the pointer of an `Arc` is never null.
        unsafe { NonNull::new_unchecked(Arc::into_raw(self.shared).cast_mut()) }.cast()
    }

    /// The group of a pointer, which keeps it no more.
    ///
    /// # Safety
    /// `raw` came from [`Group::into_raw`] and is used no more.
    pub(crate) unsafe fn from_raw(raw: NonNull<()>) -> Group {
        // SAFETY: the caller's promise.
        Group { shared: unsafe { Arc::from_raw(raw.cast::<Shared>().as_ptr()) } }
    }

    /// One more reference to the group of a pointer.
    ///
    /// # Safety
    /// `raw` came from [`Group::into_raw`] and keeps the group still.
    pub(crate) unsafe fn clone_raw(raw: NonNull<()>) -> Group {
        // SAFETY: the caller's promise; the reference that this makes is the one that `from_raw` takes.
        unsafe {
            Arc::increment_strong_count(raw.cast::<Shared>().as_ptr().cast_const());
            Group::from_raw(raw)
        }
    }
}

impl Shared {
    /// Whether the parent or a level above it is at `percent` or more.
    #[inline(always)]
    pub(super) fn is_at(&self, percent: u32) -> bool {
        if percent == 100 { self.tracker.is_full() } else { self.tracker.is_full_at(percent as i32) }
    }

    pub(super) fn max_lent_bytes(&self) -> u64 {
        match self.max_lent_bytes {
            0 => self.tracker.limit_bytes() / 100 * LENT_PERCENT,
            bytes => bytes,
        }
    }

    pub(super) fn join(
        self: &Arc<Self>,
        signal: &Arc<Signal>,
        tracker: &Arc<Tracker>,
    ) -> Result<Member, Error> {
        let mut state = lock(&self.state);
        let id = state.reserve()?;
        let record = Record {
            signal: Arc::into_raw(Arc::clone(signal)),
            tracker: Arc::into_raw(Arc::clone(tracker)),
            wants: 0,
            refused_in: 0,
            waits: 0,
            next_unused: NOBODY,
        };
        if let Some(place) = state.records.get_mut(id as usize) {
            state.unused = std::mem::replace(place, record).next_unused;
        }
        state.stats.members += 1;
        state.changes += 1;
        drop(state);
        let member = Member { shared: Arc::clone(self), id };
        self.divide();
        Ok(member)
    }

    /// Divides the parent's limit anew. O(members). More room may have come to some: they are told. Whoever finds at the
    /// end that members came or went meanwhile starts over: others may have divided for more or fewer in between.
    fn divide(&self) {
        if !self.divides_limit {
            return;
        }
        loop {
            let changes = lock(&self.state).changes;
            let mut at = 0;
            while let Some((signal, tracker, members)) = self.member_from(&mut at) {
                let before = tracker.limit_bytes();
                // It fails on a tracker that is not below the parent, which then keeps its own limit.
                let _ = tracker.set_share_ppm((WHOLE_PPM / members.max(1)).max(1));
                let after = tracker.limit_bytes();
                // 0 is no limit.
                if before != 0 && (after > before || after == 0) {
                    signal.fire(Blocked::OwnMark);
                }
            }
            if lock(&self.state).changes == changes {
                return;
            }
        }
    }

    /// The next member from `at` on, kept alive.
    fn member_from(&self, at: &mut u32) -> Option<(Arc<Signal>, Arc<Tracker>, u32)> {
        let state = lock(&self.state);
        while let Some(record) = state.records.get(*at as usize) {
            *at += 1;
            if !record.signal.is_null() {
                return Some((record.signal(), record.tracker(), state.stats.members));
            }
        }
        None
    }

    /// The parent's level has fallen below `percent`: whoever waits for that, or for a loan besides, is told.
    fn wake(&self, percent: u32) {
        let mut at = 0;
        loop {
            let mut state = lock(&self.state);
            let Some(id) = state.next_waiting(at, |record| record.waits >= percent) else { break };
            let signal = state.stop_waiting(id);
            if state.turn == id {
                state.turn = NOBODY;
            }
            drop(state);
            if let Some(signal) = signal {
                signal.fire(Blocked::Parent);
            }
            at = id + 1;
        }
        // Whoever had the turn may be among them.
        self.offer();
    }

    /// Has the parent tell when its level is below `percent`: one notice for the whole group. Whoever waits says so
    /// before: a notice that is being served takes its percent off the list first and goes through the records then.
    fn arm(self: &Arc<Self>, percent: u32) -> Result<(), Error> {
        let mut state = lock(&self.state);
        if state.armed.contains(&percent) {
            return Ok(());
        }
        let State { armed, memory, .. } = &mut *state;
        armed.push(memory, percent).ok_or(Error::NoMemory)?;
        drop(state);
        let group = Arc::downgrade(self);
        let told = move |_| {
            if let Some(group) = group.upgrade() {
                group.disarm(percent);
                group.wake(percent);
            }
        };
        match self.tracker.watch_below(percent as i32, Scope::Path, told) {
            Ok(Notified::Later) => Ok(()),
            Ok(Notified::NotFull) => {
                self.disarm(percent);
                self.wake(percent);
                Ok(())
            }
            Err(error) => {
                // Others may have relied on this notice since it was on the list.
                self.disarm(percent);
                self.wake(percent);
                Err(Error::Usage(error))
            }
        }
    }

    fn disarm(&self, percent: u32) {
        let mut state = lock(&self.state);
        let State { armed, memory, .. } = &mut *state;
        if let Some(at) = armed.iter().position(|armed| *armed == percent) {
            let last = armed.len() - 1;
            armed.swap(at, last);
            armed.truncate(memory, last as u32);
        }
    }
}

impl Member {
    /// The cursor waits for the parent's level to be below `percent`, having noted that it is blocked. If it was given
    /// the turn before it noted that, it is told now.
    ///
    /// # Errors
    /// [`Error::NoMemory`], [`Error::Usage`]: nobody would tell it.
    pub(super) fn wait_for_parent(&self, percent: u32, signal: &Signal) -> Result<(), Error> {
        let mut state = lock(&self.shared.state);
        if state.turn == self.id {
            drop(state);
            signal.fire(Blocked::Parent);
            return Ok(());
        }
        state.wait(self.id, |record| record.waits = percent);
        drop(state);
        self.shared.arm(percent)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut state = lock(&self.shared.state);
        drop(state.stop_waiting(self.id));
        let unused = state.unused;
        let mut left = None;
        if let Some(record) = state.records.get_mut(self.id as usize) {
            left = Some(*record);
            record.signal = std::ptr::null();
            record.next_unused = unused;
        }
        state.unused = self.id;
        state.stats.members -= 1;
        state.changes += 1;
        if state.turn == self.id {
            state.turn = NOBODY;
        }
        drop(state);
        if let Some(record) = left {
            // SAFETY: both pointers came from `Arc::into_raw` in `join`, and the record leads to them no more.
            unsafe {
                drop(Arc::from_raw(record.signal));
                drop(Arc::from_raw(record.tracker));
            }
        }
        self.shared.offer();
        self.shared.divide();
    }
}

impl Record {
    pub(super) fn signal(&self) -> Arc<Signal> {
        // SAFETY: the record keeps one reference, and the caller, who has it from the table under the lock, has checked
        // that it is in use; this makes another one.
        unsafe {
            Arc::increment_strong_count(self.signal);
            Arc::from_raw(self.signal)
        }
    }

    fn tracker(&self) -> Arc<Tracker> {
        // SAFETY: as in `signal`.
        unsafe {
            Arc::increment_strong_count(self.tracker);
            Arc::from_raw(self.tracker)
        }
    }

    fn is_waiting(&self) -> bool {
        !self.signal.is_null() && (self.waits > 0 || self.wants > 0)
    }
}

impl State {
    /// An unused record, which stays unused until the caller takes it.
    fn reserve(&mut self) -> Result<u32, Error> {
        if self.unused == NOBODY {
            let id = self.records.len() as u32;
            if id >= MAX_MEMBERS {
                return Err(Error::TooMany { what: "cursors of a group", limit: MAX_MEMBERS.into() });
            }
            let record = Record {
                signal: std::ptr::null(),
                tracker: std::ptr::null(),
                wants: 0,
                refused_in: 0,
                waits: 0,
                next_unused: NOBODY,
            };
            self.records.push(&self.memory, record).ok_or(Error::NoMemory)?;
            self.unused = id;
        }
        Ok(self.unused)
    }

    pub(super) fn wait(&mut self, id: u32, change: impl FnOnce(&mut Record)) {
        if let Some(record) = self.records.get_mut(id as usize) {
            self.stats.waiting += u32::from(!record.is_waiting());
            change(record);
        }
    }

    /// Takes a member out of the line. Answers its signal if it stood there.
    pub(super) fn stop_waiting(&mut self, id: u32) -> Option<Arc<Signal>> {
        let record = self.records.get_mut(id as usize).filter(|record| record.is_waiting())?;
        (record.waits, record.wants) = (0, 0);
        let signal = record.signal();
        self.stats.waiting -= 1;
        Some(signal)
    }

    /// The first member from `from` on that waits in a certain way.
    pub(super) fn next_waiting(&self, from: u32, test: impl Fn(&Record) -> bool) -> Option<u32> {
        if self.stats.waiting == 0 {
            return None;
        }
        let rest = self.records.get(from as usize..)?;
        let found = rest.iter().position(|record| record.is_waiting() && test(record))?;
        Some(from + found as u32)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // Members keep the group alive: no record is in use.
        self.records.release(&self.memory);
        self.armed.release(&self.memory);
    }
}
