//! A cursor's account: what it charges to its tracker, where that is against the marks, and what it has on loan.
//!
//! With `Accounting::Own` the usage that counts against the marks is what this cursor has charged, kept here: asking the
//! tracker would take its lock while credit is lent. So the tracker is this cursor's alone; what others charge to it
//! is not seen. With `Accounting::Host` it is the tracker's percent, one load, in the tracker's steps (keep its
//! `min_delta_percent` at 1), and nothing is charged.

use super::error::Error;
use super::group::Member;
use super::options::{Accounting, Policy};
use super::policy::Zone;
use super::ready::Signal;
use super::types::Blocked;
use crate::usage::{MAX_AMOUNT, Notified, Scope, Tracker};
use std::sync::Arc;

/// The marks in bytes, for one limit and one pair of percents.
#[derive(Clone, Copy)]
struct Marks {
    limit: u64,
    low: u64,
    high: u64,
}

pub(super) struct Account {
    tracker: Arc<Tracker>,
    pub(super) accounting: Accounting,
    pub(super) member: Option<Member>,
    percents: (u32, u32),
    marks: Marks,
    /// What the messages in memory are charged with.
    pub(super) charged_bytes: u64,
    pub(super) peak_bytes: u64,
    pub(super) overshoot_bytes: u64,
    pub(super) lent_bytes: u64,
}

/// The smallest usage that is `percent` of a limit: `usage * 100 >= limit * percent`.
fn mark(limit: u64, percent: u32) -> u64 {
    (u128::from(limit) * u128::from(percent)).div_ceil(100) as u64
}

impl Account {
    pub(super) fn new(
        tracker: Arc<Tracker>,
        accounting: Accounting,
        policy: &Policy,
        member: Option<Member>,
    ) -> Account {
        let mut account = Account {
            tracker,
            accounting,
            member,
            percents: (policy.low_percent, policy.high_percent),
            marks: Marks { limit: 0, low: u64::MAX, high: u64::MAX },
            charged_bytes: 0,
            peak_bytes: 0,
            overshoot_bytes: 0,
            lent_bytes: 0,
        };
        account.set_marks(policy);
        account
    }

    /// Takes on new percents.
    pub(super) fn set_marks(&mut self, policy: &Policy) {
        self.percents = (policy.low_percent, policy.high_percent);
        self.compute_marks(self.tracker.limit_bytes());
    }

    #[cold]
    fn compute_marks(&mut self, limit: u64) {
        let (low, high) = self.percents;
        self.marks = if limit == 0 {
            Marks { limit, low: u64::MAX, high: u64::MAX }
        } else {
            Marks { limit, low: mark(limit, low), high: mark(limit, high) }
        };
    }

    /// Where the usage is.
    #[inline(always)]
    pub(super) fn zone(&mut self) -> Zone {
        if self.accounting == Accounting::Host {
            return self.zone_of_host();
        }
        let limit = self.tracker.limit_bytes();
        if limit != self.marks.limit {
            self.compute_marks(limit);
        }
        if self.charged_bytes < self.marks.low {
            Zone::Low
        } else if self.charged_bytes < self.marks.high {
            Zone::Middle
        } else {
            Zone::High
        }
    }

    fn zone_of_host(&self) -> Zone {
        let percent = i64::from(self.tracker.percent());
        if percent < i64::from(self.percents.0) {
            Zone::Low
        } else if percent < i64::from(self.percents.1) {
            Zone::Middle
        } else {
            Zone::High
        }
    }

    /// The bytes of a whole page: no more than fits above the high mark, but 1 % of the limit at least.
    pub(super) fn page_bytes(&self, policy: &Policy) -> u64 {
        let limit = self.tracker.limit_bytes();
        if limit == 0 {
            return policy.page_bytes;
        }
        let above = u128::from(limit) * u128::from((100 - policy.high_percent).max(1)) / 100;
        policy.page_bytes.min(u64::try_from(above).unwrap_or(u64::MAX)).max(1)
    }

    /// Charges bytes.
    ///
    /// # Errors
    /// [`Error::Usage`], and nothing is charged.
    #[inline(always)]
    pub(super) fn charge(&mut self, bytes: u64) -> Result<(), Error> {
        if self.accounting == Accounting::Own {
            self.tracker.increase(bytes)?;
        }
        self.charged_bytes += bytes;
        if self.charged_bytes > self.peak_bytes {
            self.peak_bytes = self.charged_bytes;
        }
        if self.charged_bytes > self.marks.high {
            self.overshoot_bytes = self.overshoot_bytes.max(self.charged_bytes - self.marks.high);
        }
        Ok(())
    }

    /// Releases what was charged for a message, or for many.
    #[inline(always)]
    pub(super) fn release(&mut self, bytes: u64, is_lent: bool) {
        self.uncharge(bytes);
        if is_lent && let Some(member) = &self.member {
            self.lent_bytes -= bytes;
            member.give_back(bytes);
        }
    }

    #[inline(always)]
    fn uncharge(&mut self, bytes: u64) {
        self.charged_bytes -= bytes;
        if self.accounting == Accounting::Host {
            return;
        }
        let mut left = bytes;
        while left > 0 {
            let part = left.min(MAX_AMOUNT as u64);
            // It cannot fail: the level was higher by as much before, within bounds.
            let _ = self.tracker.decrease(part);
            left -= part;
        }
    }

    /// Whether the parent has reached a percent.
    #[inline(always)]
    pub(super) fn is_parent_at(&self, percent: u32) -> bool {
        self.member.as_ref().is_some_and(|member| member.shared.is_at(percent))
    }

    /// With a host that charges: has the tracker call `on_ready` when its level falls below the low mark. One notice for
    /// each percent at a time.
    ///
    /// # Errors
    /// [`Error::Usage`]: nobody would tell.
    pub(super) fn wait_for_host(&self, signal: &Arc<Signal>) -> Result<(), Error> {
        let percent = self.percents.0;
        if self.accounting == Accounting::Own || signal.add_notice(percent) {
            return Ok(());
        }
        let told = Arc::downgrade(signal);
        let told = move |_| {
            if let Some(signal) = told.upgrade() {
                signal.end_notice(percent);
                signal.fire(Blocked::OwnMark);
            }
        };
        let notified = self.tracker.watch_below(percent as i32, Scope::Own, told);
        if notified != Ok(Notified::Later) {
            signal.end_notice(percent);
        }
        if notified == Ok(Notified::NotFull) {
            signal.fire(Blocked::OwnMark);
        }
        notified.map(drop).map_err(Error::Usage)
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.uncharge(self.charged_bytes);
        if let Some(member) = &self.member
            && self.lent_bytes > 0
        {
            member.give_back(self.lent_bytes);
        }
    }
}
