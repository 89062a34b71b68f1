//! A node's own share, once it has children.
//!
//! What is counted on a node with children itself has to be told apart from what its children count there: only the
//! first is what `set_usage` sets and `destroy` takes away. So with its first child a node gets a hidden child besides,
//! its *share node*, which is a leaf like any other: unlimited, without events, and with the stripes that the node's own
//! operations use. `Front::stripes` of the node then leads to the words of the share node, so the fast path is the
//! same. What the node counted before moves into it.
//!
//! An operation that runs at that very moment may have taken the node for a leaf. It belongs to the share if it adds to
//! the node's total after the move, and is part of the move if it adds before. The total itself says which: moving puts
//! it ahead by `INNER`.

use super::node::{INNER, Node};
use super::options::Error;
use super::tree::Held;
use crate::sync::Ordering;
use std::ptr;

impl Held<'_> {
    /// Makes a node's share node, unless it has one. Settle afterwards.
    pub(super) fn split_off(&mut self, node: &Node) -> Result<(), Error> {
        if !node.is_leaf() {
            return Ok(());
        }
        let tag = node.total.tag;
        let share = self.add_node(Some(node), 0, 1, tag)?;
        // SAFETY: it was just made, and is freed together with the node.
        let share = unsafe { share.as_ref() };
        // It is part of the node, and does not keep it alive as a child does.
        self.cold(node).references -= 1;
        self.recall(node);
        if node.stripe_count() > 1 {
            let first = node.stripes().next().map_or(ptr::null(), ptr::from_ref);
            share.publish_stripes(first, node.stripe_count().ilog2());
            let group = std::mem::replace(&mut self.cold(node).group, ptr::null_mut());
            self.cold(share).group = group;
        }
        // Release: pairs with the acquire in `Node::leaf`. Before the words: who finds the new words and misses the
        // share node meets inactive ones, and comes to the lock.
        node.total.own.store(ptr::from_ref(share).cast_mut(), Ordering::Release);
        if node.stripe_count() == 1 {
            node.publish_stripes(&raw const share.front.word, 0);
        }
        // AcqRel: see `gate::add`. An operation that took the node for a leaf and added to it before this is in what
        // moves; one that adds after this learns it from the sum, and adds to the share node as well.
        let moved = node.total.committed.fetch_add(INNER, Ordering::AcqRel);
        share.total.committed.fetch_add(moved, Ordering::AcqRel);
        self.mark_stale(node);
        Ok(())
    }

    /// Takes a node's own share away from it and from its ancestors, for good. Answers what it was. Settle afterwards.
    pub(super) fn take_share(&mut self, node: &Node) -> i64 {
        let leaf = node.leaf();
        self.recall(leaf);
        // AcqRel: see `gate::add`.
        let residual = leaf.total.committed.swap(0, Ordering::AcqRel);
        for level in leaf.path().skip(1) {
            level.total.committed.fetch_sub(residual, Ordering::AcqRel);
        }
        self.state.unsettled = true;
        self.settle();
        residual
    }

    /// Sets a node's own share to `level`; all ancestors follow by the same change.
    pub(super) fn set_share(&mut self, node: &Node, level: i64) -> Result<(), Error> {
        let leaf = node.leaf();
        self.recall(leaf);
        let change = level - leaf.committed();
        for above in leaf.path().skip(1) {
            let now = above.committed();
            if now.saturating_add(change).unsigned_abs() > super::percent::MAX_LEVEL as u64 {
                return Err(Error::Level { level: now, change });
            }
        }
        // AcqRel, both: see `gate::add`. The leaf is set and not changed, so what was added meanwhile is gone, and its
        // ancestors lose it too.
        let change = level - leaf.total.committed.swap(level, Ordering::AcqRel);
        for above in leaf.path().skip(1) {
            above.total.committed.fetch_add(change, Ordering::AcqRel);
        }
        self.state.unsettled = true;
        Ok(())
    }
}
