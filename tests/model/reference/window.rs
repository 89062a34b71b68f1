//! The rules of another window: it holds for all that is stored, but what had expired stays so.

use super::super::call::{Answer, Refusal};
use super::apply::Outcome;
use super::{Model, Record, State};
use queuecore::history::{MAX_TIME_NS, MAX_WINDOW_RAISES};

impl Model {
    pub(super) fn set_window(&mut self, window_ns: i64) -> Outcome {
        if !(0..=MAX_TIME_NS).contains(&window_ns) {
            return Err(vec![Refusal::OutOfRange]);
        }
        let before = self.window_ticks();
        let grain = i128::from(self.setup.grain_ns());
        let after = (i128::from(window_ns) + grain - 1).div_euclid(grain);
        let first = self.log.first();
        self.raises.retain(|(line, _)| *line > first);
        // A window of 0 leaves nothing that could be raised again, whatever the clock says.
        let horizon = if after == 0 { i128::MAX } else { self.now_tick() - before + 1 };
        let is_marked = (after > before && self.seen_ns.is_some() || after == 0 && before > 0)
            && self.log.head().is_some();
        if is_marked {
            self.raises.retain(|(_, other)| *other > horizon);
            if self.raises.len() >= MAX_WINDOW_RAISES as usize {
                return Err(vec![Refusal::WindowRaises]);
            }
            self.raises.push((self.log.end(), horizon));
            self.log.kill(|record| record.tick < horizon);
        }
        self.setup.window_ns = window_ns;
        Ok(Answer::Done)
    }

    /// A live entry whose record counts as expired becomes historical: it gets another, by its own time.
    pub(super) fn move_record(&mut self, record: u64) -> u64 {
        let Record { key, tick, .. } = self.log.get(record);
        let moved = self.log.push(Record { key, tick, state: State::Historical, is_dead: false });
        self.drop_or_bury(record);
        moved
    }
}
