//! The invariants of `gate.rs` as a check of a tree at rest. For the tests and the loom models.

use super::node::Node;
use super::tree::Held;
use super::{Tracker, word};
use crate::sync::Ordering;

/// Checks the invariants of a node at rest. For the loom models too.
pub(super) fn check(tracker: &Tracker) {
    let node = tracker.node();
    let mut held = node.tree().lock();
    check_node(&mut held, node);
    let mut drain = None;
    held.leave(&mut drain);
}

fn check_node(held: &mut Held<'_>, node: &Node) {
    let total = node.committed();
    let slack = node.total.slack.load(Ordering::Relaxed);
    let flags = held.cold(node).flags;
    let (lo, hi) = held.bounds(node);
    assert!(!flags.gated && !flags.stale, "at rest every gate is open");
    assert!(lo.saturating_add(slack) <= total && total < hi, "[{lo} + {slack}, {hi}) holds {total}");
    assert_eq!(node.total.version.load(Ordering::Relaxed) % 2, 0, "no change is under way");
    assert_eq!(caps_below(held, node), slack, "slack is the sum of the caps below");
    if slack > 0 && node.limit() > 0 {
        assert!(hi <= node.limit(), "nothing is lent at or above a limit");
    }
}

fn caps_below(held: &mut Held<'_>, node: &Node) -> i64 {
    let mut caps = 0;
    if node.is_leaf() {
        caps += node
            .stripes()
            .map(|stripe| {
                let (credit, room) = word::unpack(stripe.load(Ordering::Relaxed));
                credit + room
            })
            .sum::<i64>();
    }
    for active in [true, false] {
        let cold = held.cold(node);
        let first = if active { cold.active } else { cold.idle };
        let mut next = first;
        // SAFETY: children are alive while the lock is held.
        while let Some(child) = unsafe { next.as_ref() } {
            let below = caps_below(held, child);
            assert_eq!(below > 0, active, "children with slack stand in the list for those");
            caps += below;
            next = held.cold(child).next;
            if std::ptr::eq(next, first) {
                break;
            }
        }
    }
    caps
}
