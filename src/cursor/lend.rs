//! Loans by the guaranteed share, and who has the turn.
//!
//! When the parent is over its paging mark, because other queues sit on its memory, a cursor with nothing in memory may
//! borrow one page. What is out on loan is bounded by `max_lent_bytes` (but one page is always lent, however small the
//! bound) and comes back message by message, as they leave memory.
//!
//! Who is refused stands in line. When something comes back, the next in line that fits, going round from the one that
//! was served last, *has the turn*: it is told by `on_ready`, and nobody else gets what it needs. It takes the turn with its
//! next pull. It passes it on with a pull that does not need it (without demand, or served otherwise, or with nothing
//! left to fetch), when the parent's level falls, and when it goes; and one that does not come loses it to the next cursor
//! that asks twice.
//!
//! What does not fit is passed over, so that a loan that stays out for long, in an idle consumer's hands, keeps nobody
//! from what is left. So a page that is much larger than those of the others may wait until all of theirs are back:
//! `max_lent_bytes` should be several of the largest page.
//!
//! Everything here is cold: it is reached by pulls that the parent's mark forbids a page, and by what was lent when it
//! leaves memory.

use super::group::{Member, NOBODY, Record, Shared};
use super::types::Blocked;
use crate::sync::lock;

impl Member {
    /// Asks for a loan of `bytes`, which are reserved if it is granted.
    pub(super) fn borrow(&self, bytes: u64) -> bool {
        let max = self.shared.max_lent_bytes();
        let mut state = lock(&self.shared.state);
        let lent = state.stats.lent_bytes;
        let fits = |bytes: u64| lent == 0 || lent.saturating_add(bytes) <= max;
        let turn = state.turn;
        let held = if turn == NOBODY || turn == self.id {
            0
        } else {
            state.records.get(turn as usize).map_or(0, |record| record.wants)
        };
        let is_others_turn = held > 0 && lent.saturating_add(held).saturating_add(bytes) > max;
        let turns = state.turns;
        let is_passed = state.records.get(self.id as usize).is_some_and(|record| record.refused_in == turns);
        if !fits(bytes) || (is_others_turn && !is_passed) {
            state.stats.refused += 1;
            // It wants more than it did when it got the turn.
            let had_turn = turn == self.id;
            if had_turn {
                state.turn = NOBODY;
            }
            state.wait(self.id, |record| {
                record.wants = bytes.max(1);
                record.refused_in = if is_others_turn { turns } else { 0 };
            });
            drop(state);
            if had_turn {
                self.shared.offer();
            }
            return false;
        }
        if is_others_turn || turn == self.id {
            state.turn = NOBODY;
        }
        let _ = state.stop_waiting(self.id);
        state.stats.lent_bytes += bytes;
        state.stats.lent_pages += 1;
        state.stats.lent_peak_bytes = state.stats.lent_peak_bytes.max(state.stats.lent_bytes);
        state.next = self.id + 1;
        true
    }

    /// A page came that is not as large as what was reserved for it.
    pub(super) fn settle(&self, reserved_bytes: u64, lent_bytes: u64) {
        let mut state = lock(&self.shared.state);
        state.stats.lent_bytes = state.stats.lent_bytes + lent_bytes - reserved_bytes;
        state.stats.lent_peak_bytes = state.stats.lent_peak_bytes.max(state.stats.lent_bytes);
        state.stats.lent_pages -= u64::from(lent_bytes == 0);
        let someone_waits = state.stats.waiting > 0;
        drop(state);
        // Also if it is as large: whoever had the turn may have left some.
        if someone_waits {
            self.shared.offer();
        }
    }

    /// Something that was lent has left memory.
    pub(super) fn give_back(&self, bytes: u64) {
        let mut state = lock(&self.shared.state);
        state.stats.lent_bytes -= bytes;
        let someone_waits = state.stats.waiting > 0;
        drop(state);
        if someone_waits {
            self.shared.offer();
        }
    }

    /// The cursor needs neither a loan nor the parent's level to fall.
    pub(super) fn leave_line(&self) {
        self.give_up(|_| 0);
    }

    /// The cursor has no demand for a loan; it still waits for the parent's level.
    pub(super) fn decline_loan(&self) {
        self.give_up(|record| record.waits);
    }

    /// Takes the cursor out of the line, and back as one that waits for a level. Passes its turn on.
    fn give_up(&self, waits: impl Fn(&Record) -> u32) {
        let mut state = lock(&self.shared.state);
        let waits = state.records.get(self.id as usize).map_or(0, waits);
        drop(state.stop_waiting(self.id));
        if waits > 0 {
            state.wait(self.id, |record| record.waits = waits);
        }
        let had_turn = state.turn == self.id;
        if had_turn {
            state.turn = NOBODY;
        }
        drop(state);
        if had_turn {
            self.shared.offer();
        }
    }
}

impl Shared {
    /// Gives the turn to the next in line for whom there is what it wants, if nobody has it.
    pub(super) fn offer(&self) {
        let max = self.max_lent_bytes();
        let mut state = lock(&self.state);
        if state.turn != NOBODY {
            return;
        }
        let lent = state.stats.lent_bytes;
        let fits =
            |record: &Record| record.wants > 0 && (lent == 0 || lent.saturating_add(record.wants) <= max);
        let from = state.next;
        let Some(id) = state.next_waiting(from, fits).or_else(|| state.next_waiting(0, fits)) else {
            return;
        };
        let Some(record) = state.records.get(id as usize).copied() else { return };
        (state.turn, state.next) = (id, id + 1);
        state.turns += 1;
        let signal = record.signal();
        drop(state);
        signal.fire(Blocked::Parent);
    }
}
