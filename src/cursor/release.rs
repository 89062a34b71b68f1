//! ack, requeue, park, remove: what becomes of a message after it was pulled, or instead.

use super::Cursor;
use super::entry::{Flags, NO_SLOT, State};
use super::error::Error;
use super::types::Released;

impl Cursor {
    /// A message in flight is done with: it leaves the window and its charge is released. O(1).
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::NotInFlight`] if it was requeued or not pulled yet.
    #[inline]
    pub fn ack(&mut self, sequence: u64) -> Result<Released, Error> {
        let slot = self.find_in_flight(sequence)?;
        let released = self.free(slot);
        self.look_again();
        Ok(released)
    }

    /// A message in flight goes back to its place in the order, with one more redelivery. O(1).
    ///
    /// # Errors
    /// As for [`ack`](Self::ack).
    pub fn requeue(&mut self, sequence: u64) -> Result<(), Error> {
        let slot = self.find_in_flight(sequence)?;
        self.window.requeue(slot);
        self.purge_from = self.purge_from.min(slot);
        self.counters.requeued += 1;
        self.look_again();
        Ok(())
    }

    /// A message in flight that no consumer took is put aside: the pulls that continue the round leave it alone, the
    /// next round offers it at its place. It stays in memory, and no redelivery is counted. O(1).
    ///
    /// # Errors
    /// As for [`ack`](Self::ack).
    pub fn park(&mut self, sequence: u64) -> Result<(), Error> {
        let slot = self.find_in_flight(sequence)?;
        self.window.park(slot);
        self.purge_from = self.purge_from.min(slot);
        self.look_again();
        Ok(())
    }

    /// A message is gone: expired, purged or moved, in memory or not, in flight or not.
    ///
    /// One that is not in memory is believed to be in the store, which must not return it from now on; nor may it return
    /// one that was removed from memory before its write was answered, once that is. `stored_bytes` is its size, for `pending_bytes` alone. O(1), or O(open writes) for one behind an open write.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that has left the window, or whose write is open and that is not in memory, or not under
    /// this sequence yet.
    pub fn remove(&mut self, sequence: u64, stored_bytes: u32) -> Result<Released, Error> {
        let released = match self.window.find(sequence) {
            Some(slot) => self.free(slot),
            None => self.remove_stored(sequence, stored_bytes)?,
        };
        self.look_again();
        Ok(released)
    }

    fn remove_stored(&mut self, sequence: u64, stored_bytes: u32) -> Result<Released, Error> {
        let released = Released { user: 0, released_bytes: 0, was_in_memory: false };
        if sequence > self.position && sequence <= self.writes.resolved && self.stored > 0 {
            self.stored -= 1;
            self.stored_bytes = self.stored_bytes.saturating_sub(u64::from(stored_bytes));
            return Ok(released);
        }
        if sequence <= self.writes.resolved {
            return Err(Error::NotFound { sequence });
        }
        let position = self.writes.find_sequence(sequence).ok_or(Error::NotFound { sequence })?;
        let record = *self.writes.at(position);
        if record.is_gone || !record.is_answered {
            return Err(Error::NotFound { sequence });
        }
        self.writes.uncount_stored(record.size_bytes);
        if let Some(record) = self.writes.at_mut(position) {
            record.is_gone = true;
        }
        Ok(released)
    }

    #[inline(always)]
    fn find_in_flight(&self, sequence: u64) -> Result<u32, Error> {
        let slot = self.window.find(sequence).ok_or(Error::NotFound { sequence })?;
        if self.window.at(slot).state != State::InFlight {
            return Err(Error::NotInFlight { sequence });
        }
        Ok(slot)
    }

    /// A message leaves the window, and its charge goes.
    #[inline(always)]
    pub(super) fn free(&mut self, slot: u32) -> Released {
        let entry = self.window.free(slot);
        if entry.flags.has(Flags::WRITE) {
            self.forget_write(entry.token);
        }
        let released_bytes = u64::from(entry.charged_bytes);
        if released_bytes > 0 {
            self.release_bytes(released_bytes, entry.flags.has(Flags::LENT));
        }
        Released { user: entry.user, released_bytes, was_in_memory: entry.is_in_memory() }
    }

    /// The record of a write whose message is gone leads to no slot any more.
    #[cold]
    fn forget_write(&mut self, token: u64) {
        if let Some(position) = self.writes.find(token)
            && let Some(record) = self.writes.at_mut(position)
        {
            (record.slot, record.is_gone) = (NO_SLOT, true);
        }
    }
}
