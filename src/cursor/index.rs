//! From a sequence to the slot of its entry: a hash table of 8-byte buckets with linear probing.
//!
//! ```text
//!   bucket:  | low 32 bits of the sequence | passed: 1 bit | slot + 1: 31 bits, or all 0 for an empty bucket |
//!
//!   home of a sequence:  a line of 8 buckets by a hash of sequence / 8; in it the place sequence % 8
//! ```
//! So dense sequences fill one line after another, and a walk along a queue costs a miss in eight messages. A queue that
//! shares its numbers with others (every n-th) spreads over the lines by the hash. At most half of the buckets are in
//! use. Sequences that agree in 32 bits are told apart by their entries.
//!
//! *Passed* says that an insert once went past this bucket to find room. Behind one that nobody passed, nothing depends on
//! it: taking it out touches no other. Otherwise those behind are moved up, as far as one that was passed itself.
//!
//! Room is made before an entry is: an insert never needs memory. Doubling moves all buckets: O(1) amortised.

use super::entry::NO_SLOT;
use super::slab::Slab;
use crate::memory::{Memory, Table};

const MIN_BUCKETS: u32 = 32;
const LINE: u32 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(8))]
struct Bucket {
    tag: u32,
    /// Slot + 1, and `PASSED`. Slots stay below the most entries of a window, so there is room.
    slot: u32,
}

const PASSED: u32 = 1 << 31;
const _: () = assert!(super::options::MAX_ENTRIES < PASSED / 2);

const EMPTY: Bucket = Bucket { tag: 0, slot: 0 };

pub(super) struct Index {
    buckets: Table<Bucket>,
    len: u32,
}

impl Index {
    pub(super) const fn new() -> Index {
        Index { buckets: Table::new(), len: 0 }
    }

    /// Makes room for `entries` in all; `None` without memory. Gives room back when there is far too much.
    #[inline(always)]
    pub(super) fn reserve(&mut self, memory: &Memory, entries: u32) -> Option<()> {
        if entries as usize * 2 > self.buckets.len() { self.grow(memory, entries) } else { Some(()) }
    }

    #[cold]
    fn grow(&mut self, memory: &Memory, entries: u32) -> Option<()> {
        let buckets = entries.checked_next_power_of_two()?.checked_mul(2)?.max(MIN_BUCKETS);
        self.resize(memory, buckets)
    }

    /// Halves the table if a sixteenth of it would do for `entries`. Without memory it stays.
    #[inline(always)]
    pub(super) fn shrink(&mut self, memory: &Memory, entries: u32) {
        if self.buckets.len() > 16 * (entries as usize).max(MIN_BUCKETS as usize) {
            let half = self.buckets.len() as u32 / 2;
            let _ = self.resize(memory, half);
        }
    }

    #[cold]
    fn resize(&mut self, memory: &Memory, buckets: u32) -> Option<()> {
        let mut old = std::mem::replace(&mut self.buckets, Table::filled(memory, buckets, EMPTY)?);
        self.len = 0;
        for bucket in old.iter().filter(|bucket| bucket.slot != 0) {
            self.put(Bucket { slot: bucket.slot & !PASSED, ..*bucket });
        }
        old.release(memory);
        Some(())
    }

    /// Adds an entry for which there is room and whose sequence is not in the table.
    #[inline(always)]
    pub(super) fn insert(&mut self, sequence: u64, slot: u32) {
        self.put(Bucket { tag: sequence as u32, slot: slot + 1 });
    }

    #[inline(always)]
    fn put(&mut self, bucket: Bucket) {
        debug_assert!((self.len as usize) * 2 < self.buckets.len(), "no room was made");
        let mut at = self.home(bucket.tag);
        while let Some(place) = self.buckets.get_mut(at as usize) {
            if place.slot == 0 {
                *place = bucket;
                self.len += 1;
                return;
            }
            place.slot |= PASSED;
            at = self.after(at);
        }
    }

    /// The slot of a sequence, or [`NO_SLOT`].
    #[inline(always)]
    pub(super) fn find(&self, slab: &Slab, sequence: u64) -> u32 {
        let tag = sequence as u32;
        let mut at = self.home(tag);
        while let Some(bucket) = self.buckets.get(at as usize).filter(|bucket| bucket.slot != 0) {
            let slot = (bucket.slot & !PASSED) - 1;
            if bucket.tag == tag && slab.at(slot).sequence == sequence {
                return slot;
            }
            at = self.after(at);
        }
        NO_SLOT
    }

    /// Takes an entry out, which is in a slot.
    #[inline(always)]
    pub(super) fn remove(&mut self, sequence: u64, slot: u32) {
        let mut at = self.home(sequence as u32);
        while let Some(place) = self.buckets.get_mut(at as usize).filter(|place| place.slot != 0) {
            if place.slot & !PASSED == slot + 1 {
                let was_passed = place.slot & PASSED != 0;
                *place = EMPTY;
                self.len -= 1;
                if was_passed {
                    self.move_up(at);
                }
                return;
            }
            at = self.after(at);
        }
    }

    /// Moves up what may have passed a bucket that is empty now.
    #[cold]
    fn move_up(&mut self, mut hole: u32) {
        let mut at = hole;
        loop {
            at = self.after(at);
            let Some(bucket) = self.buckets.get(at as usize).copied().filter(|bucket| bucket.slot != 0)
            else {
                return;
            };
            // A bucket moves into the hole unless its home lies behind the hole.
            let home = self.home(bucket.tag);
            let mask = self.mask();
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(hole) & mask {
                // Others may have passed the hole.
                self.set(hole, Bucket { slot: bucket.slot | PASSED, ..bucket });
                self.set(at, EMPTY);
                hole = at;
            }
            if bucket.slot & PASSED == 0 {
                // Whoever passed the hole and is behind this one has passed this one too.
                return;
            }
        }
    }

    /// Gives all memory back.
    pub(super) fn release(&mut self, memory: &Memory) {
        self.buckets.release(memory);
        self.len = 0;
    }

    #[inline(always)]
    fn set(&mut self, at: u32, bucket: Bucket) {
        if let Some(place) = self.buckets.get_mut(at as usize) {
            *place = bucket;
        }
    }

    #[inline(always)]
    fn mask(&self) -> u32 {
        (self.buckets.len() as u32).wrapping_sub(1)
    }

    #[inline(always)]
    fn after(&self, at: u32) -> u32 {
        (at + 1) & self.mask()
    }

    /// Beyond the table if there is none.
    #[inline(always)]
    fn home(&self, tag: u32) -> u32 {
        // The high half of a multiplication by 2^64 over the golden ratio.
        let hash = (u64::from(tag / LINE).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
        (hash.wrapping_mul(LINE) + tag % LINE) & self.mask()
    }
}

#[allow(clippy::expect_used, reason = "tests")]
#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::entry::Entry;
    use super::*;

    fn fill(memory: &Memory, sequences: impl Iterator<Item = u64>) -> (Slab, Index, Vec<(u64, u32)>) {
        let (mut slab, mut index, mut all) = (Slab::new(), Index::new(), Vec::new());
        for sequence in sequences {
            index.reserve(memory, slab.len() + 1).expect("memory");
            let slot = slab.take(memory, Entry::new(sequence, 0, 0, 0, 0)).expect("memory");
            index.insert(sequence, slot);
            all.push((sequence, slot));
        }
        (slab, index, all)
    }

    #[test]
    fn every_stride_finds_and_forgets_its_sequences() {
        let memory = Memory::new(None, 0);
        for stride in [1, 2, 3, 7, 8, 64, 100, 1 << 12, 1 << 31, 1 << 32, (1 << 33) + 8] {
            let (mut slab, mut index, mut all) = fill(&memory, (1..500).map(|n| n * stride));
            while let Some((sequence, slot)) = all.pop() {
                assert_eq!(index.find(&slab, sequence), slot, "{sequence}");
                index.remove(sequence, slot);
                slab.give_back(&memory, slot);
                assert_eq!(index.find(&slab, sequence), NO_SLOT, "{sequence}");
                index.shrink(&memory, slab.len());
                if all.len() % 2 == 0 {
                    all.reverse();
                }
                for (sequence, slot) in all.iter().step_by(13) {
                    assert_eq!(index.find(&slab, *sequence), *slot, "{sequence}");
                }
            }
            index.release(&memory);
            slab.release(&memory);
        }
        assert_eq!(memory.usage().in_use, 0);
    }
}
