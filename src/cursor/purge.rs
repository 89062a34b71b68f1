//! purge: everything that is pending goes, whether it is a million messages or ten, without one of them being fetched.
//!
//! The broker deletes its messages from the store with an operation of its own; the cursor needs no more than to know of
//! it. What lies beyond the window goes at once: the position moves up to the barrier, and nothing before it is asked for
//! again. What is in the window goes message by message, as many as the caller allows, so that a purge of a large window
//! is many short calls with others in between. Messages that are pushed meanwhile come behind the bound that the first
//! call has set, and stay.
//!
//! What is in consumers' hands stays with them, and so does what is behind an open write: to consumers the queue is what
//! lies before the barrier.

use super::entry::State;
use super::error::Error;
use super::types::{Purge, Purged};
use super::{Cursor, options};

impl Cursor {
    /// Removes what is pending up to the oldest open write and is in nobody's hands: with [`Purge::Begin`] all that lies
    /// beyond the window, at once, and with either part up to `max_messages` of the window, each of which is told to
    /// [`Store::discard`](super::Store::discard) if it was in memory. Go on with `Purge::Continue` and the answer's `up_to`
    /// while `more` is set; what is requeued or parked before the last part goes as well. Then the host deletes from the
    /// store what is up to `up_to` and not in flight when the last part has answered; until it has, its `fetch` may return
    /// it. A host that deletes earlier also deletes what comes back between the parts.
    ///
    /// O(`max_messages`), and a look at each message in flight.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a bound that no purge has answered.
    pub fn purge(&mut self, part: Purge, max_messages: u32) -> Result<Purged, Error> {
        let mut purged = Purged { up_to: self.writes.resolved, ..Purged::default() };
        match part {
            Purge::Begin => {
                purged.stored_messages = self.stored;
                (self.stored, self.stored_bytes) = (0, 0);
                self.position = self.position.max(purged.up_to);
                self.purge_from = 0;
            }
            Purge::Continue(up_to) => {
                options::in_range("up_to", up_to, 0, purged.up_to.min(self.position))?;
                purged.up_to = up_to;
            }
        }
        let mut next = self.next_to_purge(purged.up_to);
        while let Some(slot) = next.filter(|_| purged.messages < max_messages.into()) {
            self.purge_one(slot, &mut purged);
            next = self.next_to_purge(purged.up_to);
        }
        purged.more = next.is_some();
        self.look_again();
        if self.start_of_page().is_none() {
            self.leave_line();
        }
        Ok(purged)
    }

    /// The next message of the window that a purge up to a sequence takes, from where the last one stopped.
    fn next_to_purge(&mut self, up_to: u64) -> Option<u32> {
        while let Some(slot) = self.window.next_waiting(self.purge_from) {
            if self.window.at(slot).sequence <= up_to {
                self.purge_from = slot;
                return Some(slot);
            }
            self.purge_from = slot + 1;
        }
        None
    }

    fn purge_one(&mut self, slot: u32, purged: &mut Purged) {
        let entry = self.window.at(slot);
        debug_assert!(!matches!(entry.state, State::Hidden | State::InFlight));
        let told = entry.is_in_memory().then(|| entry.as_stored());
        let released = self.free(slot);
        purged.messages += 1;
        purged.released_bytes += released.released_bytes;
        if let Some(told) = told {
            self.store.discard(&told);
        }
    }
}
