//! The window, changed while entries are stored.
//!
//! Expiry is computed, not stored, so a new window holds for all entries at once. One thing has to be kept: what had
//! expired when the window was raised stays expired, collected or not. Such entries are told by a line and a time. All
//! records that were in the log then lie before the line, and of these the ones older than the time had expired. A live
//! entry among them goes by the new window: when it is erased it gets a new record, behind the line.
//!
//! ```text
//!   head                        line              tail
//!    | 17  99  20  18  97  101   |  102  16  103   |     raised when ticks below 19 had expired:
//!      ++          ++                                    these two, and not the 16, which came later
//! ```
//!
//! A window of 0 draws a line too, before which everything has expired, should the clock be set back or the window be
//! raised again. A line is forgotten when collection has passed it.

use super::clock::Tick;
use super::log::Mark;
use super::rare::Rare;
use super::{Error, History};

/// How often the window can be raised while what had expired before is not collected.
pub const MAX_WINDOW_RAISES: u32 = 16;

/// Records before `line` of ticks below `horizon` had expired when the window was raised.
#[derive(Clone, Copy)]
pub(super) struct Raised {
    line: Mark,
    horizon: Tick,
}

impl History {
    /// Changes how long keys are remembered, in ns from their insert, 0 (no history) to
    /// [`MAX_TIME_NS`](super::MAX_TIME_NS); rounded up to the resolution. It applies to the insert times that are stored, at once: after
    /// a window is lowered, what is older has expired, and collection takes it away in its usual steps; after it is
    /// raised, entries that had not expired at the largest time seen stay longer. What had expired stays so. O(1).
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::NoMemory`], [`Error::WindowRaises`]: nothing is changed.
    pub fn set_window(&mut self, window_ns: i64) -> Result<(), Error> {
        let window_ticks = self.clock.window_of(window_ns)?;
        self.forget_passed_lines();
        if let Some(horizon) = self.clock.horizon_of(window_ticks)
            && !self.log.is_empty()
        {
            self.draw_line(horizon)?;
        }
        self.clock.set_window(window_ticks);
        self.watch_head();
        Ok(())
    }

    /// The window, in ns, as rounded up.
    pub fn window_ns(&self) -> i64 {
        self.clock.window_ns()
    }

    fn draw_line(&mut self, horizon: Tick) -> Result<(), Error> {
        let full = Error::WindowRaises { limit: MAX_WINDOW_RAISES };
        let Self { rare, memory, log, .. } = self;
        let rare = rare.get_or_make(memory, Rare::new).ok_or(Error::NoMemory)?;
        // Lines come later and later: where their times do not go down, the last says it all.
        let useful = rare.raised.iter().take_while(|raised| raised.horizon > horizon).count() as u32;
        if useful >= MAX_WINDOW_RAISES {
            return Err(full);
        }
        let line = Raised { line: log.seal(), horizon };
        if let Some(replaced) = rare.raised.get_mut(useful as usize) {
            *replaced = line;
            rare.raised.truncate(memory, useful + 1);
        } else {
            rare.raised.push(memory, line).ok_or(Error::NoMemory)?;
        }
        self.is_raised = true;
        Ok(())
    }

    /// Whether a record had expired when the window was raised. To be asked while `is_raised` only.
    ///
    /// The record is between head and tail.
    #[cold]
    #[inline(never)]
    pub(super) fn had_expired(&self, record: u32, tick: Tick) -> bool {
        let Some(rare) = self.rare.get() else { return false };
        // SAFETY: the callers pass positions of the index, origins of slots in use, and the log's own head.
        let mark = unsafe { self.log.mark(record) };
        rare.raised.iter().any(|raised| mark < raised.line && tick < raised.horizon)
    }

    /// Lines that collection has passed have nothing before them.
    pub(super) fn forget_passed_lines(&mut self) {
        if !self.is_raised {
            return;
        }
        let Self { rare, memory, log, .. } = self;
        let Some(rare) = rare.get_mut() else { return };
        let head = log.head_mark();
        let passed = rare.raised.iter().take_while(|raised| raised.line <= head).count();
        let left = rare.raised.len() - passed;
        rare.raised.copy_within(passed.., 0);
        rare.raised.truncate(memory, left as u32);
        self.is_raised = left > 0;
    }
}
