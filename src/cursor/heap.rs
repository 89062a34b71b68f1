//! A pairing heap of entries by sequence, for messages that were put back: those come in any order, and the first of
//! them goes first.
//!
//! ```text
//!      root            `child`: the first child            `next`: the sibling behind
//!       |              `previous`: the sibling before, or the parent of a first child
//!       a --- no siblings
//!       |
//!       c --- e --- b        each with children of its own, all later than itself
//! ```
//! The links stand in the entries, so putting a message back needs no memory. Adding is O(1); taking out the first, or
//! any other, is O(log n) amortised. (Fredman, Sedgewick, Sleator and Tarjan, 1986.)

use super::entry::NO_SLOT;
use super::slab::Slab;

/// Joins two heaps by their roots. Answers the root, whose own links to siblings are empty.
fn join(slab: &mut Slab, one: u32, other: u32) -> u32 {
    if one == NO_SLOT {
        return other;
    }
    if other == NO_SLOT {
        return one;
    }
    let (first, second) =
        if slab.at(one).sequence < slab.at(other).sequence { (one, other) } else { (other, one) };
    let child = slab.at(first).child;
    let entry = slab.at_mut(second);
    (entry.previous, entry.next) = (first, child);
    if child != NO_SLOT {
        slab.at_mut(child).previous = second;
    }
    slab.at_mut(first).child = second;
    first
}

/// Adds an entry, whose links are of no meaning before. Answers the new root.
pub(super) fn insert(slab: &mut Slab, root: u32, slot: u32) -> u32 {
    let entry = slab.at_mut(slot);
    (entry.previous, entry.next, entry.child) = (NO_SLOT, NO_SLOT, NO_SLOT);
    join(slab, root, slot)
}

/// Takes an entry out. Answers the new root.
pub(super) fn remove(slab: &mut Slab, root: u32, slot: u32) -> u32 {
    let below = join_children(slab, slot);
    if slot == root {
        return below;
    }
    let (previous, next) = (slab.at(slot).previous, slab.at(slot).next);
    let before = slab.at_mut(previous);
    if before.child == slot {
        before.child = next;
    } else {
        before.next = next;
    }
    if next != NO_SLOT {
        slab.at_mut(next).previous = previous;
    }
    join(slab, root, below)
}

/// Joins the children of an entry, in pairs from the front and then from the back. Answers their root.
fn join_children(slab: &mut Slab, parent: u32) -> u32 {
    let mut next = slab.at(parent).child;
    slab.at_mut(parent).child = NO_SLOT;
    // Pairs, the last one first, linked by `next`.
    let mut pairs = NO_SLOT;
    while next != NO_SLOT {
        let one = next;
        let other = slab.at(one).next;
        next = if other == NO_SLOT { NO_SLOT } else { slab.at(other).next };
        for slot in [one, other] {
            if slot != NO_SLOT {
                let entry = slab.at_mut(slot);
                (entry.previous, entry.next) = (NO_SLOT, NO_SLOT);
            }
        }
        let pair = join(slab, one, other);
        slab.at_mut(pair).next = pairs;
        pairs = pair;
    }
    let mut root = NO_SLOT;
    while pairs != NO_SLOT {
        let pair = pairs;
        pairs = slab.at(pair).next;
        slab.at_mut(pair).next = NO_SLOT;
        root = join(slab, root, pair);
    }
    root
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::entry::Entry;
    use super::*;
    use crate::memory::Memory;
    use std::collections::BTreeMap;

    #[test]
    fn the_first_comes_first_whatever_is_added_and_taken_out() {
        let memory = Memory::new(None, 0);
        let mut slab = Slab::new();
        let mut root = NO_SLOT;
        let mut model = BTreeMap::new();
        let mut random = 88_172_645_463_325_252_u64;
        for _ in 0..20_000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let sequence = random >> 40;
            let any = model.range(sequence..).next().map(|(sequence, slot)| (*sequence, *slot));
            match random % 5 {
                0..=2 if !model.contains_key(&sequence) => {
                    let slot = slab.take(&memory, Entry::new(sequence, 0, 0, 0, 0)).expect("memory");
                    root = insert(&mut slab, root, slot);
                    model.insert(sequence, slot);
                }
                3 => {
                    if let Some((sequence, slot)) = model.pop_first() {
                        assert_eq!((slab.at(root).sequence, root), (sequence, slot));
                        root = remove(&mut slab, root, root);
                        slab.give_back(&memory, slot);
                    }
                }
                _ => {
                    if let Some((sequence, slot)) = any {
                        root = remove(&mut slab, root, slot);
                        slab.give_back(&memory, slot);
                        model.remove(&sequence);
                    }
                }
            }
            assert_eq!(root == NO_SLOT, model.is_empty());
        }
        slab.release(&memory);
    }
}
