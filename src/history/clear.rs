//! Forgetting everything: at once, or in steps.

use super::History;
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
        self.requires_gc = false;
        self.forget_victims();
        self.end_walks();
        self.forget_passed_lines();
    }

    /// Forgets up to `max` entries, live ones first, then historical ones, oldest first: [`clear`](Self::clear) in steps
    /// of a bounded length. What is not forgotten yet is there as ever, and what is inserted meanwhile gets its turn like the rest. The place of
    /// an entry that was forgotten or re-admitted before costs a step too. `collected` in the answer is how many entries
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
        self.watch_head();
        let more = self.index.len > 0;
        if !more {
            // What is left are the places of forgotten entries, and blocks that are kept for more of them.
            self.clear();
        }
        Collected { collected: forgotten, more }
    }

    /// The oldest live entry goes; if there is none, the oldest record, and its entry. Answers whether an entry did;
    /// `None` if nothing is there.
    fn forget_oldest(&mut self) -> Option<bool> {
        if let Some(slot) = self.live.first() {
            self.remove_live(slot);
            // Its record is the oldest more often than not: then it goes in the same step.
            if let Some(head) = self.log.head().filter(|head| head.tick.is_none()) {
                self.pass_head(&head);
            }
            return Some(true);
        }
        let head = self.log.head()?;
        let mut is_entry = false;
        if head.tick.is_some()
            && let Owner::Historical(place) = self.owner(head.record, self.home_of_head(head.record))
        {
            self.index.remove(&self.memory, place);
            is_entry = true;
        }
        self.pass_head(&head);
        Some(is_entry)
    }
}
