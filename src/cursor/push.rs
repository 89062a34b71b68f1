//! push, committed, aborted: what is said of a message until the store has it for good.
//!
//! A committed push with nothing open before it is the fast path: no record, no barrier, one entry. Everything else gets
//! a record in `writes`, and two pointers run along those: `shown`, up to which messages are in the order, and the front,
//! which leaves when it is answered and takes `resolved` along. They differ only with `deliver_uncommitted`.

use super::Cursor;
use super::entry::{Entry, Flags, NO_SLOT};
use super::error::Error;
use super::policy::Arrival;
use super::types::{Message, Pushed, Released, Write};
use super::writes::Record;

impl Cursor {
    /// Takes note of a message that the broker has handed to its store. Tokens rise from push to push, and sequences
    /// with them, as far as they are known.
    ///
    /// CACHED: it is in the window and charged, and the host keeps its body. STORED: the host lets go of it; a page
    /// brings it back. O(1).
    ///
    /// # Errors
    /// [`Error::Order`] for the token or the sequence; [`Error::TooMany`] at `max_open_writes`, [`Error::NoMemory`] for
    /// a record: [`Error::Usage`]. In each case the message is not taken note of, and has to be pushed again before any other.
    #[inline]
    pub fn push(&mut self, message: &Message) -> Result<Pushed, Error> {
        self.check_token(message.token)?;
        let pushed = match message.write {
            Write::Committed(sequence) if self.writes.is_empty() => self.push_through(message, sequence)?,
            write => self.push_behind(message, write)?,
        };
        self.last_token = Some(message.token);
        self.look_again();
        Ok(pushed)
    }

    #[inline(always)]
    fn check_token(&self, token: u64) -> Result<(), Error> {
        match self.last_token {
            Some(last) if token <= last => {
                Err(Error::Order { what: "token", value: token, above: last, below: u64::MAX })
            }
            _ => Ok(()),
        }
    }

    /// It is committed and nothing is open before it.
    #[inline(always)]
    fn push_through(&mut self, message: &Message, sequence: u64) -> Result<Pushed, Error> {
        self.writes.check_new(sequence)?;
        let slot = self.cache(message, sequence)?;
        self.writes.pass(sequence);
        if slot == NO_SLOT {
            self.stored += 1;
            // Saturating, as everywhere: `open` may have said any number.
            self.stored_bytes = self.stored_bytes.saturating_add(message.size_bytes.into());
            return Ok(Pushed::Stored);
        }
        self.window.show(slot);
        self.position = sequence;
        Ok(Pushed::Cached)
    }

    /// It is open, or something before it is.
    fn push_behind(&mut self, message: &Message, write: Write) -> Result<Pushed, Error> {
        let sequence = match write {
            Write::Committed(sequence) | Write::OpenAt(sequence) => {
                self.writes.check_new(sequence)?;
                sequence
            }
            Write::Open => 0,
        };
        self.writes.reserve(&self.window.memory)?;
        let slot = self.cache(message, sequence)?;
        let is_cached = slot != NO_SLOT;
        if is_cached {
            self.window.at_mut(slot).flags.set(Flags::WRITE);
        }
        self.writes.push(Record {
            token: message.token,
            sequence,
            slot,
            size_bytes: message.size_bytes,
            is_cached,
            is_answered: matches!(write, Write::Committed(_)),
            is_aborted: false,
            is_gone: false,
        });
        self.show_next();
        Ok(if is_cached { Pushed::Cached } else { Pushed::Stored })
    }

    /// Puts a new message into the window, hidden, and charges it, if the policy keeps it and there is memory.
    #[inline(always)]
    fn cache(&mut self, message: &Message, sequence: u64) -> Result<u32, Error> {
        let arrival = Arrival {
            zone: self.account.zone(),
            is_parent_full: self.account.is_parent_at(self.policy.parent_cache_percent),
            is_more_beyond: self.is_more_beyond(),
            has_room: self.window.len() < self.max_entries,
        };
        if !self.mark.admit(&self.policy, arrival) {
            return Ok(NO_SLOT);
        }
        self.account.charge(u64::from(message.size_bytes))?;
        let mut entry =
            Entry::new(sequence, message.token, message.user, message.size_bytes, message.priority);
        entry.charged_bytes = message.size_bytes;
        let Some(slot) = self.window.add(entry) else {
            self.mark.stop_caching();
            self.release_bytes(u64::from(message.size_bytes), false);
            return Ok(NO_SLOT);
        };
        let zone = self.account.zone();
        self.mark.charged(zone);
        Ok(slot)
    }

    /// The store has a message whose write was open. O(1) when answers come in order; see `writes` for others.
    ///
    /// # Errors
    /// [`Error::UnknownToken`]; [`Error::Order`] for a sequence that does not fit between those of the messages pushed
    /// before and after, or is not the one announced.
    pub fn committed(&mut self, token: u64, sequence: u64) -> Result<(), Error> {
        let position = self.writes.find_open(token)?;
        self.writes.check_answer(position, sequence)?;
        self.writes.note(sequence);
        if let Some(record) = self.writes.at_mut(position) {
            record.is_answered = true;
            let slot = record.slot;
            if record.sequence == 0 {
                record.sequence = sequence;
                if slot != NO_SLOT {
                    self.window.number(slot, sequence);
                }
            }
        }
        self.settle_writes();
        self.look_again();
        Ok(())
    }

    /// The store has given up a write: the message is gone and its charge with it, even if it was delivered uncommitted.
    /// A sequence that was announced for it is not used again: what is pushed later has a larger one.
    ///
    /// # Errors
    /// [`Error::UnknownToken`].
    pub fn aborted(&mut self, token: u64) -> Result<Released, Error> {
        let position = self.writes.find_open(token)?;
        let mut released = Released { user: 0, released_bytes: 0, was_in_memory: false };
        let record = *self.writes.at(position);
        if record.slot != NO_SLOT {
            released = self.free(record.slot);
        } else if !record.is_cached && !record.is_gone {
            self.writes.uncount_stored(record.size_bytes);
        }
        if let Some(record) = self.writes.at_mut(position) {
            (record.is_answered, record.is_aborted, record.slot) = (true, true, NO_SLOT);
        }
        self.settle_writes();
        self.look_again();
        Ok(released)
    }

    /// A write was answered: what may be delivered now is shown, and what is settled leaves the list.
    fn settle_writes(&mut self) {
        self.show_next();
        while let Some(record) = self.writes.pop_answered(&self.window.memory) {
            self.shown = self.shown.saturating_sub(1);
            if record.is_aborted {
                continue;
            }
            if record.slot != NO_SLOT {
                self.window.at_mut(record.slot).flags.clear(Flags::WRITE);
            }
            if !record.is_cached && !record.is_gone {
                self.writes.uncount_stored(record.size_bytes);
                self.stored += 1;
                self.stored_bytes = self.stored_bytes.saturating_add(record.size_bytes.into());
            }
        }
    }

    /// Shows the messages that are next and may be delivered: answered ones, and with `deliver_uncommitted` all in
    /// memory whose sequence is known.
    pub(super) fn show_next(&mut self) {
        while self.shown < self.writes.len() {
            let record = *self.writes.at(self.shown);
            let is_over = record.is_aborted || (record.is_answered && record.is_gone);
            let is_due = record.is_answered || (self.policy.deliver_uncommitted && record.sequence != 0);
            if record.is_cached && is_due && !record.is_aborted {
                // It was cached, so nothing before it is left in the store.
                self.position = record.sequence;
                if record.slot != NO_SLOT {
                    self.window.show(record.slot);
                }
            } else if !is_over {
                break;
            }
            self.shown += 1;
        }
    }

    /// Releases a charge, which is no entry's any more.
    #[inline(always)]
    pub(super) fn release_bytes(&mut self, bytes: u64, is_lent: bool) {
        self.account.release(bytes, is_lent);
    }
}
