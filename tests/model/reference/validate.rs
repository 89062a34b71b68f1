//! The rules about arguments: which times are refused, and what accepting one changes.

use super::super::call::Refusal;
use super::Model;
use queuecore::history::MAX_TIME_NS;

fn out_of_range(time_ns: i64) -> bool {
    !(-MAX_TIME_NS..=MAX_TIME_NS).contains(&time_ns)
}

impl Model {
    /// The time that a call at `now_ns` happens at: clocks never run back.
    pub fn effective_now_ns(&self, now_ns: i64) -> i64 {
        self.seen_ns.map_or(now_ns, |seen_ns| seen_ns.max(now_ns))
    }

    /// Every reason to refuse a call at `now_ns`.
    pub(super) fn now_refusals(&self, now_ns: i64) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        if out_of_range(now_ns) {
            refusals.push(Refusal::TimeRange { what: "now_ns", time_ns: now_ns });
        }
        if let (Some(seen_ns), Some(max_step_ns)) = (self.seen_ns, self.setup.clock_step_ns())
            && i128::from(now_ns) - i128::from(seen_ns) > i128::from(max_step_ns)
        {
            refusals.push(Refusal::ClockStep { now_ns, seen_ns, max_step_ns });
        }
        refusals
    }

    /// Every reason to refuse an insert with these times.
    pub(super) fn insert_refusals(&self, inserted_at_ns: i64, now_ns: i64) -> Vec<Refusal> {
        let mut refusals = self.now_refusals(now_ns);
        if out_of_range(inserted_at_ns) {
            refusals.push(Refusal::TimeRange { what: "inserted_at_ns", time_ns: inserted_at_ns });
        }
        if inserted_at_ns > self.effective_now_ns(now_ns) {
            refusals.push(Refusal::InsertedInFuture { inserted_at_ns });
        }
        refusals
    }

    /// Takes `now_ns` as the present, once for a call that goes ahead.
    pub fn accept(&mut self, now_ns: i64) {
        if self.seen_ns.is_some_and(|seen_ns| now_ns < seen_ns) {
            self.counters.clock_regressions += 1;
        }
        self.seen_ns = Some(self.effective_now_ns(now_ns));
    }

    /// `clock_reset`: the present is what the host says, ahead or behind.
    pub(super) fn reset_clock(&mut self, now_ns: i64) -> Vec<Refusal> {
        if out_of_range(now_ns) {
            return vec![Refusal::TimeRange { what: "now_ns", time_ns: now_ns }];
        }
        self.seen_ns = Some(now_ns);
        Vec::new()
    }
}
