//! drop_cache: the window's memory goes back, and the messages stay pending.
//!
//! What was shown and is in nobody's hands keeps its entry, without its body, at its place in the order. What is hidden
//! behind an open write leaves the window: its record says from now on that only the store has it. In flight messages
//! stay, and with `deliver_uncommitted` those whose own write is open: the store cannot give them back yet.
//!
//! A pull does the same to help itself when the marks forbid a page and nothing is in flight: then no acknowledgement
//! will ever free memory, and what holds it is parked, or waits behind a message that was dropped.

use super::Cursor;
use super::entry::{Flags, NO_SLOT};
use super::types::Dropped;

impl Cursor {
    /// Gives back the memory of all messages that nobody has in hand; caching ends until the store has nothing beyond
    /// the window. Each is told to [`Store::discard`](super::Store::discard), in no particular order, so that the host
    /// can let go of its body. O(window).
    pub fn drop_cache(&mut self) -> Dropped {
        let dropped = self.drop_bodies();
        self.look_again();
        dropped
    }

    /// Whether a pull gains memory that way, and cannot otherwise. O(window).
    pub(super) fn can_make_room(&self) -> bool {
        if self.window.in_flight > 0 || self.window.in_memory() == 0 {
            return false;
        }
        let is_hidden = |position| {
            let record = self.writes.at(position);
            record.is_cached && !record.is_aborted && record.slot != NO_SLOT
        };
        let mut from = 0;
        while let Some(slot) = self.window.next_waiting(from) {
            let entry = self.window.at(slot);
            if entry.is_in_memory() && !entry.flags.has(Flags::WRITE) {
                return true;
            }
            from = slot + 1;
        }
        (self.shown..self.writes.len()).any(is_hidden)
    }

    /// The same, for a pull.
    pub(super) fn drop_bodies(&mut self) -> Dropped {
        self.mark.stop_caching();
        let mut dropped = Dropped::default();
        let mut lent_bytes = 0;
        let mut from = 0;
        while let Some(slot) = self.window.next_waiting(from) {
            from = slot + 1;
            let entry = self.window.at_mut(slot);
            if !entry.is_in_memory() || entry.flags.has(Flags::WRITE) {
                continue;
            }
            let bytes = u64::from(entry.charged_bytes);
            lent_bytes += if entry.flags.has(Flags::LENT) { bytes } else { 0 };
            entry.charged_bytes = 0;
            entry.flags.clear(Flags::LENT);
            let told = entry.as_stored();
            self.window.drop_body(slot);
            self.store.discard(&told);
            dropped.messages += 1;
            dropped.released_bytes += bytes;
        }
        self.release_bytes(dropped.released_bytes - lent_bytes, false);
        if lent_bytes > 0 {
            self.release_bytes(lent_bytes, true);
        }
        self.drop_hidden(&mut dropped);
        dropped
    }

    /// What is cached behind an open write is in the store only.
    fn drop_hidden(&mut self, dropped: &mut Dropped) {
        for position in self.shown..self.writes.len() {
            let record = *self.writes.at(position);
            if !record.is_cached || record.is_aborted {
                continue;
            }
            if record.slot != NO_SLOT {
                let entry = self.window.at_mut(record.slot);
                // Its record must not count as one whose message is gone.
                entry.flags.clear(Flags::WRITE);
                let told = entry.as_stored();
                let released = self.free(record.slot);
                self.store.discard(&told);
                dropped.messages += 1;
                dropped.released_bytes += released.released_bytes;
                self.writes.count_stored(&record);
            }
            if let Some(record) = self.writes.at_mut(position) {
                (record.is_cached, record.slot) = (false, NO_SLOT);
            }
        }
    }
}
