//! Figures of a tracker, and the list of its children.

use super::node::{Node, STOPPED};
use super::operate::After;
use super::percent::percent_of;
use crate::sync::Ordering;
use std::ptr;

/// A tracker's figures at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// What is counted, in bytes. Exact while nobody writes.
    pub usage_bytes: i64,
    /// The committed total: usage and what is lent.
    pub committed_bytes: i64,
    /// How far the usage may lie below the committed total.
    pub slack_bytes: i64,
    /// The node's own share of the usage: what its children do not count.
    pub own_bytes: i64,
    /// The limit; 0 means unlimited.
    pub limit_bytes: i64,
    /// The percent.
    pub percent: i32,
    /// Whether the tracker itself (not one above it) is at 100 % or more.
    pub is_full: bool,
    /// Whether it is stopped.
    pub is_stopped: bool,
    /// Children.
    pub children: u32,
    /// Stripes of this tracker that hold credit.
    pub active_stripes: u32,
    /// Stripes that this tracker has.
    pub stripes: u32,
    /// Those who wait at this tracker and below: for space, with a reservation, or for a notice.
    pub waiters: u32,
    /// Bytes that reservations are waiting for here and below.
    pub waiting_bytes: i64,
    /// Of the whole tree: trackers, the hidden ones of parents included.
    pub tree_trackers: u32,
    /// Of the whole tree: stripes that hold credit.
    pub tree_active_stripes: u32,
    /// Of the whole tree, since it was made: times a stripe was filled.
    pub tree_refills: u64,
    /// Of the whole tree, since it was made: times credit was recalled.
    pub tree_recalls: u64,
    /// Of the whole tree, since it was made: times bounds were computed anew.
    pub tree_crossings: u64,
    /// Of the whole tree, since it was made: events that were merged for want of room.
    pub tree_merged_events: u64,
    /// Of the whole tree, since it was made: listeners and callbacks that panicked.
    pub tree_listener_panics: u64,
    /// Of the whole tree: bytes from its allocator.
    pub bytes_in_use: u64,
    /// Of the whole tree: the most bytes ever.
    pub bytes_peak: u64,
}

/// A child in an enumeration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Child {
    /// Its tag.
    pub tag: u64,
    /// Its usage in bytes. Exact while nobody writes.
    pub usage_bytes: i64,
    /// Its limit; 0 means unlimited.
    pub limit_bytes: i64,
    /// Its percent.
    pub percent: i32,
    /// Unused.
    pub reserved: u32,
}

/// A node's figures. Linear in the active stripes and the waiters below.
pub(crate) fn stats(node: &Node) -> After<Stats> {
    let mut held = node.tree().lock();
    let credit = held.credit_below(node);
    let usage = node.committed() - credit;
    let leaf = node.leaf();
    let own = leaf.committed() - if ptr::eq(leaf, node) { credit } else { held.credit_below(leaf) };
    let waiters = held.waiters_below(node);
    let active_stripes = u32::from(held.cold(leaf).active_stripes);
    let memory = held.memory_usage();
    let counters = held.state.counters;
    let (tree_trackers, tree_active_stripes) = (held.state.nodes, held.state.active_stripes);
    let tree_crossings = held.state.crossings;
    // Relaxed: written under the lock.
    let is_stopped = node.front.state.load(Ordering::Relaxed) & STOPPED != 0;
    let cold = held.cold(node);
    let percent = percent_of(usage, node.limit(), node.min_delta());
    let stats = Stats {
        usage_bytes: usage,
        committed_bytes: usage + credit,
        // Relaxed: written under the lock.
        slack_bytes: node.total.slack.load(Ordering::Relaxed),
        own_bytes: own,
        limit_bytes: node.limit(),
        percent,
        is_full: node.limit() > 0 && percent >= 100,
        is_stopped,
        children: cold.children - u32::from(!ptr::eq(leaf, node)),
        active_stripes,
        stripes: leaf.stripe_count(),
        waiters,
        waiting_bytes: node.held_bytes(),
        tree_trackers,
        tree_active_stripes,
        tree_refills: counters.refills,
        tree_recalls: counters.recalls,
        tree_crossings,
        tree_merged_events: counters.merged_events,
        tree_listener_panics: counters.listener_panics,
        bytes_in_use: memory.in_use,
        bytes_peak: memory.peak,
    };
    let mut drain = None;
    held.leave(&mut drain);
    After { answer: Ok(stats), drain }
}

/// Writes the children of a node into `children` as far as they fit, in no particular order. Answers how many there
/// are. Linear in the children and the active stripes below.
pub(crate) fn children(node: &Node, children: &mut [Child]) -> After<usize> {
    let mut held = node.tree().lock();
    let share = node.leaf();
    let mut count = 0;
    for active in [true, false] {
        let cold = held.cold(node);
        let first = if active { cold.active } else { cold.idle };
        let mut next = first;
        // SAFETY: the children of a node that is alive are alive while the lock is held.
        while let Some(child) = unsafe { next.as_ref() } {
            if !ptr::eq(child, share) {
                if let Some(place) = children.get_mut(count) {
                    let usage_bytes = child.committed() - held.credit_below(child);
                    *place = Child {
                        tag: child.total.tag,
                        usage_bytes,
                        limit_bytes: child.limit(),
                        percent: percent_of(usage_bytes, child.limit(), child.min_delta()),
                        reserved: 0,
                    };
                }
                count += 1;
            }
            next = held.cold(child).next;
            if ptr::eq(next, first) {
                break;
            }
        }
    }
    let mut drain = None;
    held.leave(&mut drain);
    After { answer: Ok(count), drain }
}
