//! Forgetting everything: at once, or in steps.

use super::History;
use super::bucket::Decoded;
use super::gc::Owner;
use super::types::Collected;

impl History {
    /// Forgets everything, at once; all handles are stale, and the memory is given back. Settings, counters, the window
    /// and the time stay. O(memory blocks).
    pub fn clear(&mut self) {
        self.log.release(&self.memory);
        self.live.clear(&self.memory);
        self.index.clear(&self.memory);
        self.live_len = 0;
        self.history_len = 0;
        self.requires_gc = false;
        self.prefetched = 0;
        self.end_walks();
        self.forget_passed_lines();
    }

    /// Forgets up to `max` entries, live or historical, oldest first: [`clear`](Self::clear) in steps of a bounded
    /// length. The place of an entry that was forgotten before costs a step too. What is not forgotten yet is there as
    /// ever, and what is inserted meanwhile gets its turn like the rest. `collected` in the answer is how many entries
    /// were forgotten, `more` whether any are left. O(max); memory goes back in pace.
    pub fn clear_step(&mut self, max: u64) -> Collected {
        let mut forgotten = 0;
        for _ in 0..max {
            self.index.begin_call();
            match self.forget_oldest() {
                Some(is_entry) => forgotten += u64::from(is_entry),
                None => break,
            }
        }
        let more = self.live_len + self.history_len > 0;
        if !more {
            // What is left are the places of forgotten entries, and blocks that are kept for more of them.
            self.clear();
        }
        Collected { collected: forgotten, more }
    }

    /// The oldest record goes, with its entry; if there is none, the oldest live entry. Answers whether an entry did;
    /// `None` if nothing is there.
    fn forget_oldest(&mut self) -> Option<bool> {
        let Some(head) = self.log.head() else {
            let slot = self.live.first()?;
            let home = self.home_of_slot(slot);
            self.remove_live(slot, home);
            return Some(true);
        };
        let mut is_entry = false;
        if head.tick.is_some() {
            match self.owner(head.record) {
                Owner::Historical(place) => {
                    self.index.remove(&self.memory, place);
                    self.history_len -= 1;
                    is_entry = true;
                }
                Owner::Live(slot) => {
                    let home = self.home_of_slot(slot);
                    if let Some(place) = self.index.locate(home, |at| at == Decoded::Slot(slot.number)) {
                        self.index.remove(&self.memory, place);
                    }
                    self.release_slot(slot);
                    is_entry = true;
                }
                Owner::Nobody => debug_assert!(false, "a record that is not buried has an entry"),
            }
        }
        self.pass_head(&head);
        Some(is_entry)
    }
}
