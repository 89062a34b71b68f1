//! Recall: all credit below a node goes back, so that its committed total is its usage.
//!
//! Every word below is exchanged for 0 and what was in it is summed, node by node from the leaves up; each node takes
//! out its own sum, and the ancestors of the recalled node take out the whole of it, once. Only children that have
//! slack are visited: they stand in a list of their own, the one that got slack last first. Cost: one line for each
//! active stripe and one for each node with slack.

use super::node::Node;
use super::tree::Held;
use super::word;
use crate::sync::Ordering;
use std::ptr;

impl Held<'_> {
    /// Recalls all credit of a node and below. The gates of the path are shut; settle before the lock is left.
    pub(super) fn recall(&mut self, node: &Node) {
        self.shut_path(node);
        // Relaxed: written under the lock.
        if node.total.slack.load(Ordering::Relaxed) == 0 {
            return;
        }
        self.state.counters.recalls += 1;
        let (credit, cap) = self.collect(node);
        for level in node.path().skip(1) {
            self.take_out(level, credit, cap);
        }
    }

    /// Recalls the node below the same root that got its slack longest ago, of those that stand last in their lists.
    /// The inner nodes on the way there move to the front, so the next one is looked for elsewhere: a clock's hand.
    pub(super) fn recall_oldest(&mut self, node: &Node) {
        let mut oldest = node.path().last().unwrap_or(node);
        // SAFETY: the children of a node that is alive are alive while the lock is held.
        while let Some(first) = unsafe { self.cold(oldest).active.as_ref() } {
            // SAFETY: as above; the list is circular, so the first one's previous is the last.
            let Some(last) = (unsafe { self.cold(first).previous.as_ref() }) else { return };
            if !ptr::eq(first, last) {
                self.unlink(oldest, last, true);
                self.link(oldest, last, true);
            }
            oldest = last;
        }
        self.recall(oldest);
    }

    /// Takes the credit of every stripe of a node and below. Answers the sum of credit and of caps, which the node's
    /// own total and slack have lost already.
    fn collect(&mut self, node: &Node) -> (i64, i64) {
        self.shut(node);
        let (mut credit, mut cap) = (0, 0);
        if node.is_leaf() && self.cold(node).active_stripes > 0 {
            for stripe in node.stripes() {
                // Relaxed: only the holder of the lock makes a 0 into something else.
                if stripe.load(Ordering::Relaxed) == 0 {
                    continue;
                }
                // AcqRel: as in `Held::refill`.
                let (taken, room) = word::unpack(stripe.swap(0, Ordering::AcqRel));
                credit += taken;
                cap += taken + room;
                self.count_stripe(node, true, false);
            }
            // Relaxed: a hint.
            node.total.patience_left.store(self.tree.tuning.patience, Ordering::Relaxed);
        }
        // SAFETY: the children of a node that is alive are alive while the lock is held.
        while let Some(child) = unsafe { self.cold(node).active.as_ref() } {
            let (below, caps) = self.collect(child);
            credit += below;
            cap += caps;
            debug_assert_eq!(
                child.total.slack.load(Ordering::Relaxed),
                0,
                "slack is the sum of the caps below"
            );
        }
        self.take_out(node, credit, cap);
        (credit, cap)
    }

    /// The credit that is lent at a node and below. Exact if nobody uses it meanwhile.
    pub(super) fn credit_below(&mut self, node: &Node) -> i64 {
        let mut credit = if node.is_leaf() { node.own_credit() } else { 0 };
        let first = self.cold(node).active;
        let mut next = first;
        // SAFETY: the children of a node that is alive are alive while the lock is held.
        while let Some(child) = unsafe { next.as_ref() } {
            credit += self.credit_below(child);
            next = self.cold(child).next;
            if ptr::eq(next, first) {
                break;
            }
        }
        credit
    }

    /// Puts a child in front of its parent's children with slack, or of those without.
    pub(super) fn link(&mut self, parent: &Node, child: &Node, active: bool) {
        let head = *self.list(parent, active);
        // SAFETY: the children of a node that is alive are alive while the lock is held.
        if let Some(first) = unsafe { head.as_ref() } {
            let last = std::mem::replace(&mut self.cold(first).previous, child);
            // SAFETY: as above.
            if let Some(last) = unsafe { last.as_ref() } {
                self.cold(last).next = child;
            }
            let cold = self.cold(child);
            (cold.next, cold.previous) = (head, last);
        } else {
            let cold = self.cold(child);
            (cold.next, cold.previous) = (child, child);
        }
        *self.list(parent, active) = child;
    }

    /// Takes a child out of one of its parent's lists.
    pub(super) fn unlink(&mut self, parent: &Node, child: &Node, active: bool) {
        let cold = self.cold(child);
        let (next, previous) = (cold.next, cold.previous);
        // SAFETY: the children of a node that is alive are alive while the lock is held.
        if let (Some(after), Some(before)) = unsafe { (next.as_ref(), previous.as_ref()) } {
            self.cold(after).previous = previous;
            self.cold(before).next = next;
        }
        let head = self.list(parent, active);
        if ptr::eq(*head, child) {
            *head = if ptr::eq(next, child) { ptr::null() } else { next };
        }
    }

    fn list<'a>(&'a mut self, parent: &'a Node, active: bool) -> &'a mut *const Node {
        let cold = self.cold(parent);
        if active { &mut cold.active } else { &mut cold.idle }
    }
}
