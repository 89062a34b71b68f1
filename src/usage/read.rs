//! Questions: percent, full, usage. Most are one load of what the last crossing published.

use super::events::Drain;
use super::node::{FULL, Node, OVER_MARK, STOPPED, UNKNOWN, level_of};
use super::operate::After;
use super::percent::percent_of;
use crate::sync::Ordering;

/// Whether any level of the path is at 100 % or more.
#[inline(always)]
pub(crate) fn is_full(node: &Node) -> bool {
    // Acquire: pairs with the release in `Held::recompute`.
    node.path().any(|level| level.front.state.load(Ordering::Acquire) & FULL != 0)
}

/// Whether no level of the path is full or stopped: then there is nothing to wait for.
pub(super) fn is_free(node: &Node) -> bool {
    // Acquire: as in `is_full`.
    node.path().all(|level| level.front.state.load(Ordering::Acquire) & (FULL | STOPPED) == 0)
}

/// Whether a level of the path is stopped.
pub(crate) fn is_stopped(node: &Node) -> bool {
    // Acquire: as in `is_full`.
    node.path().any(|level| level.front.state.load(Ordering::Acquire) & STOPPED != 0)
}

/// Whether the node itself is over its mark.
pub(crate) fn is_over_mark(node: &Node) -> bool {
    // Acquire: as in `is_full`.
    node.front.state.load(Ordering::Acquire) & OVER_MARK != 0
}

/// Whether any limited level of the path is at `percent` or more.
pub(crate) fn is_full_at(node: &Node, at: i32) -> After<bool> {
    let mut drain = None;
    let answer = node.path().any(|level| level.limit() > 0 && percent_of_node(level, &mut drain) >= at);
    After { answer: Ok(answer), drain }
}

/// Whether the node itself is limited and at `percent` or more.
pub(super) fn is_own_at(node: &Node, at: i32) -> After<bool> {
    let mut drain = None;
    let answer = node.limit() > 0 && percent_of_node(node, &mut drain) >= at;
    After { answer: Ok(answer), drain }
}

/// The node's own percent.
#[inline(always)]
pub(crate) fn percent(node: &Node) -> After<i32> {
    if let Some(kept) = kept_percent(node) {
        return After::with(kept);
    }
    let mut drain = None;
    let answer = Ok(unkept(node, &mut drain));
    After { answer, drain }
}

/// The node's own percent, if it is kept.
#[inline(always)]
pub(crate) fn kept_percent(node: &Node) -> Option<i32> {
    // Acquire: as in `is_full`.
    let kept = node.front.percent.load(Ordering::Acquire);
    (kept != UNKNOWN).then_some(kept as i32)
}

fn percent_of_node(node: &Node, drain: &mut Option<Drain>) -> i32 {
    kept_percent(node).unwrap_or_else(|| unkept(node, drain))
}

/// What a read that cannot tell the percent from the total alone counts for, in reads until it is kept.
const UNSURE_WEIGHT: u32 = 4;

/// Crossings of a node until its percent is not kept any more, the first time.
const LEAST_CROSSINGS: u16 = 16;

/// The percent of a node for which nobody keeps it. Read often enough, it is kept from then on.
#[cold]
fn unkept(node: &Node, drain: &mut Option<Drain>) -> i32 {
    let estimate = estimate(node);
    let weight = if estimate.is_some() { 1 } else { UNSURE_WEIGHT };
    // Relaxed, both: a hint; a lost update is one more read.
    let left = node.front.reads_left.load(Ordering::Relaxed);
    if left > weight {
        node.front.reads_left.store(left - weight, Ordering::Relaxed);
        return estimate.unwrap_or_else(|| {
            let usage = usage(node, drain);
            percent_of(usage, node.limit(), node.min_delta())
        });
    }
    let mut held = node.tree().lock();
    let cold = held.cold(node);
    if !cold.flags.steps {
        cold.flags.steps = true;
        cold.crossings_left = LEAST_CROSSINGS << cold.crossings_log2;
        held.shut(node);
        held.mark_stale(node);
        held.settle();
    }
    // Settling may have had to look again, and given the steps up again at once.
    let percent = kept_percent(node).unwrap_or_else(|| {
        let usage = node.committed() - held.credit_below(node);
        percent_of(usage, node.limit(), node.min_delta())
    });
    held.leave(drain);
    percent
}

/// The percent, if it is the same however the credit below will be spent.
///
/// Total and slack are read as of one moment: the version says if a holder of the lock was between the two. Writers of
/// the total alone may come in between; then the total's own moment counts.
fn estimate(node: &Node) -> Option<i32> {
    // Acquire: pairs with the release in `lend::end_change`.
    let version = node.total.version.load(Ordering::Acquire);
    if !version.is_multiple_of(2) {
        return None;
    }
    // Acquire, all four: keep the second look at the version behind them, and pair with the writers, so that whoever reads
    // a new value finds the version odd or changed.
    let slack = node.total.slack.load(Ordering::Acquire);
    let total = level_of(node.total.committed.load(Ordering::Acquire));
    let limit = node.front.limit.load(Ordering::Acquire);
    let step = node.front.min_delta.load(Ordering::Acquire);
    if node.total.version.load(Ordering::Relaxed) != version {
        return None;
    }
    let highest = percent_of(total, limit, step);
    (slack == 0 || percent_of(total - slack, limit, step) == highest).then_some(highest)
}

/// The usage: exact while nobody writes; otherwise each writer's operations of the time of the call count or not.
pub(crate) fn usage(node: &Node, drain: &mut Option<Drain>) -> i64 {
    // Acquire, all three: as in `estimate`.
    let version = node.total.version.load(Ordering::Acquire);
    if version.is_multiple_of(2) && node.total.slack.load(Ordering::Acquire) == 0 {
        let total = level_of(node.total.committed.load(Ordering::Acquire));
        if node.total.version.load(Ordering::Relaxed) == version {
            return total;
        }
    }
    let mut held = node.tree().lock();
    let credit = held.credit_below(node);
    let usage = node.committed() - credit;
    held.leave(drain);
    usage
}

/// The usage at one moment during the call: all credit is recalled.
pub(crate) fn usage_exact(node: &Node) -> After<i64> {
    let mut drain = None;
    let mut held = node.tree().lock();
    held.recall(node);
    let usage = node.committed();
    held.settle();
    held.leave(&mut drain);
    After { answer: Ok(usage), drain }
}
