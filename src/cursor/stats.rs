//! Figures: what is counted in passing, and how they are put together. Reading them changes nothing.

use super::Cursor;
use super::types::Stats;
use std::time::Instant;

/// What is counted in passing.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) pages: u64,
    pub(super) paged_messages: u64,
    pub(super) lent_pages: u64,
    pub(super) failed_fetches: u64,
    pub(super) requeued: u64,
    pub(super) blocked_ns: [u64; 4],
}

/// Nanoseconds since then.
pub(super) fn elapsed_ns(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl Cursor {
    /// Figures at this moment. O(1).
    pub fn stats(&self) -> Stats {
        let (window, writes, counters) = (&self.window, &self.writes, &self.counters);
        let memory = window.memory.usage();
        Stats {
            is_caching: self.mark.is_caching,
            is_filling: self.mark.is_filling,
            pending_count: u64::from(window.len()) + self.stored + u64::from(writes.stored),
            pending_bytes: self.stored_bytes.saturating_add(window.bytes + writes.stored_bytes),
            in_memory_count: window.in_memory().into(),
            in_memory_bytes: self.account.charged_bytes,
            in_flight_count: window.in_flight.into(),
            parked_count: window.parked.into(),
            dropped_count: window.dropped.into(),
            open_writes: writes.len().into(),
            pages: counters.pages,
            paged_messages: counters.paged_messages,
            lent_pages: counters.lent_pages,
            lent_bytes: self.account.lent_bytes,
            cache_on_turns: self.mark.on_turns,
            cache_off_turns: self.mark.off_turns,
            peak_bytes: self.account.peak_bytes,
            overshoot_bytes: self.account.overshoot_bytes,
            failed_fetches: counters.failed_fetches,
            requeued: counters.requeued,
            ready_calls: self.signal.calls(),
            blocked_ns: self.blocked_ns(),
            bytes_in_use: memory.in_use,
            bytes_peak: memory.peak,
        }
    }

    /// Time blocked by reason, up to now.
    fn blocked_ns(&self) -> [u64; 4] {
        let mut blocked_ns = self.counters.blocked_ns;
        if let Some((reason, since)) = self.blocked
            && let Some(total) = blocked_ns.get_mut(reason.index())
        {
            *total = total.saturating_add(elapsed_ns(since));
        }
        blocked_ns
    }

    /// Messages in the consumers' hands.
    pub fn in_flight_count(&self) -> u64 {
        self.window.in_flight.into()
    }
}
