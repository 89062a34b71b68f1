//! Limits, shares, steps and marks, changed at run time: the tree answers by the new ones when the call returns.

use super::extra::{Marks, Receiver};
use super::lend::{begin_change, end_change};
use super::node::{Node, OVER_MARK, STOPPED};
use super::operate::After;
use super::options::{Error, WHOLE_PPM, in_range};
use super::percent::{MAX_AMOUNT, MAX_LIMIT, share_of};
use super::tree::Held;
use super::wait::Waited;
use crate::sync::Ordering;
use std::ptr;

/// Runs `change` under the lock, settles, and leaves.
fn under_lock<T>(node: &Node, change: impl FnOnce(&mut Held<'_>) -> Result<T, Error>) -> After<T> {
    let mut drain = None;
    let mut held = node.tree().lock();
    let answer = change(&mut held);
    held.settle();
    held.leave(&mut drain);
    After { answer, drain }
}

/// Sets a node's own share.
pub(crate) fn set_usage(node: &Node, usage_bytes: i64) -> After<()> {
    under_lock(node, |held| {
        in_range("usage_bytes", usage_bytes, -MAX_AMOUNT, MAX_AMOUNT)?;
        held.set_share(node, usage_bytes)
    })
}

/// Gives a node a limit of its own.
pub(crate) fn set_limit(node: &Node, limit_bytes: u64) -> After<()> {
    under_lock(node, |held| {
        in_range("limit_bytes", limit_bytes, 0, MAX_LIMIT as u64)?;
        held.cold(node).share_ppm = 0;
        held.apply_limit(node, limit_bytes as i64);
        Ok(())
    })
}

/// Gives a node a share of its parent's limit.
pub(crate) fn set_share(node: &Node, share_ppm: u32) -> After<()> {
    under_lock(node, |held| {
        in_range("share_ppm", u64::from(share_ppm), 1, u64::from(WHOLE_PPM))?;
        let Some(parent) = node.parent() else {
            return Err(Error::Contradiction {
                what: "share_ppm is set on a root, which has no parent to share with",
            });
        };
        held.cold(node).share_ppm = share_ppm;
        held.apply_limit(node, share_of(parent.limit(), share_ppm));
        Ok(())
    })
}

/// Changes the step in which percents count.
pub(crate) fn set_min_delta(node: &Node, min_delta_percent: u32) -> After<()> {
    under_lock(node, |held| {
        in_range("min_delta_percent", u64::from(min_delta_percent), 1, u64::from(u32::MAX))?;
        held.shut(node);
        held.recall(node);
        begin_change(node);
        // Release: pairs with the acquire in `read::estimate`, which sees the odd version with it.
        node.front.min_delta.store(min_delta_percent, Ordering::Release);
        end_change(node);
        held.mark_stale(node);
        Ok(())
    })
}

/// Sets or removes a node's pair of marks.
pub(crate) fn set_marks(node: &Node, marks: Option<Marks>) -> After<()> {
    under_lock(node, |held| {
        if let Some(marks) = marks {
            in_range("marks.high", marks.high, 1, i32::MAX)?;
            in_range("marks.low", marks.low, 1, i32::MAX)?;
            if marks.low > marks.high {
                return Err(Error::Contradiction { what: "marks.low is above marks.high" });
            }
            held.make_extra(node)?;
        }
        if let Some(extra) = held.extra(node) {
            extra.marks = marks;
        }
        // What was over the old marks is not over the new ones until it reaches them. Relaxed and Release: as in
        // `set_stopped`.
        let state = node.front.state.load(Ordering::Relaxed);
        node.front.state.store(state & !OVER_MARK, Ordering::Release);
        held.shut(node);
        held.mark_stale(node);
        Ok(())
    })
}

/// Changes who gets a node's events. Answers the old receiver, to be dropped by the caller.
pub(crate) fn set_receiver(node: &Node, receiver: Receiver) -> After<Receiver> {
    // It stays out here if there is no memory for it: dropping a listener is the host's code.
    let mut receiver = Some(receiver);
    under_lock(node, |held| {
        if matches!(receiver, Some(Receiver::Nobody)) && held.extra(node).is_none() {
            return Ok(Receiver::Nobody);
        }
        held.make_extra(node)?;
        held.recall(node);
        // What others changed up to here is published first: the chain begins at a percent that was the truth.
        held.settle();
        held.recall(node);
        let old = held.set_receiver(node, receiver.take().unwrap_or(Receiver::Nobody));
        held.mark_stale(node);
        Ok(old)
    })
}

/// Lets waits at the node and below begin again, or ends them and refuses new ones.
pub(crate) fn set_stopped(node: &Node, stopped: bool) -> After<()> {
    under_lock(node, |held| {
        // Relaxed: written under the lock. Release: pairs with the acquire in `read::is_free`.
        let state = node.front.state.load(Ordering::Relaxed);
        let state = if stopped { state | STOPPED } else { state & !STOPPED };
        node.front.state.store(state, Ordering::Release);
        if stopped {
            held.end_waits(node, Waited::Stopped, true);
        }
        Ok(())
    })
}

impl Held<'_> {
    /// Sets a limit, and those of all nodes below that share it. Settle afterwards.
    pub(super) fn apply_limit(&mut self, node: &Node, limit: i64) {
        self.shut(node);
        self.recall(node);
        begin_change(node);
        // Release: as in `set_min_delta`.
        node.front.limit.store(limit, Ordering::Release);
        end_change(node);
        self.mark_stale(node);
        for active in [true, false] {
            let cold = self.cold(node);
            let first = if active { cold.active } else { cold.idle };
            let mut next = first;
            // SAFETY: the children of a node that is alive are alive while the lock is held.
            while let Some(child) = unsafe { next.as_ref() } {
                let share_ppm = self.cold(child).share_ppm;
                if share_ppm > 0 {
                    self.apply_limit(child, share_of(limit, share_ppm));
                }
                next = self.cold(child).next;
                if ptr::eq(next, first) {
                    break;
                }
            }
        }
    }
}
