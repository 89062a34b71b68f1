//! How the index grows and shrinks: one bucket is split, or two are merged, and never more than a few per call.
//! `index` explains why that is enough.

use super::bucket::Bucket;
use super::chain::Draft;
use super::index::{Entries, Index, path_of};
use super::level::Level;
use super::prefetch::prefetch;
use crate::memory::Memory;

/// Grow from this many entries per bucket on, in fifths.
const GROW_FIFTHS: u64 = 33;
/// Shrink below this many, in fifths: a tenth less, so that a steady size rests.
const SHRINK_FIFTHS: u64 = 30;
/// A little more slack, in entries, for small sizes.
const SHRINK_SLACK: u64 = 4;
/// The most entries that one call moves (a step, for a gc), but for a host's hash that gives many keys one
/// number.
const MAX_MOVED_PER_CALL: u16 = 256;
/// What a split or a merge moves at the most, with the same exception.
const MAX_MOVED_AT_ONCE: u16 = 64;
/// The most splits after an insert, or merges after a removal: one more than keeps pace.
const MAX_AT_ONCE: u32 = 2;

impl Index {
    /// A new call begins: its moves are counted from here.
    #[inline(always)]
    pub(super) fn begin_call(&mut self) {
        self.moved = 0;
    }

    /// Whether an insert makes it due to grow. To be asked before each insert.
    #[inline(always)]
    pub(super) fn is_growth_due(&self) -> bool {
        self.len >= self.grow_from
    }

    /// Shrinks by a bucket if a removal makes that due, by two if shrinking has fallen behind.
    #[inline(always)]
    pub(super) fn shrink_if_due(&mut self, memory: &Memory) {
        if self.len < self.shrink_below {
            self.shrink(memory);
        }
    }

    pub(super) fn set_thresholds(&mut self) {
        let first = u64::from(self.first);
        let mut shrink_below = ((first - 1) * SHRINK_FIFTHS / 5).saturating_sub(SHRINK_SLACK);
        if first > 1 {
            // An empty index is one bucket, whatever the slack says.
            shrink_below = shrink_below.max(1);
        }
        // There are at most 2^31 entries: more than that is never.
        (self.grow_from, self.shrink_below) = (as_len(first * GROW_FIFTHS / 5), as_len(shrink_below));
    }

    /// Grows by a bucket, by two if growth has fallen behind. Without memory for a segment the index just gets fuller,
    /// and tries again.
    pub(super) fn grow(&mut self, memory: &Memory, entries: &impl Entries) {
        for _ in 0..MAX_AT_ONCE {
            if self.len < self.grow_from || !self.may_move() || self.split(memory, entries).is_none() {
                break;
            }
        }
        self.max_moved = self.max_moved.max(self.moved);
        self.prefetch_splits(entries);
    }

    #[cold]
    fn shrink(&mut self, memory: &Memory) {
        for _ in 0..MAX_AT_ONCE {
            if self.len >= self.shrink_below || !self.may_move() || self.merge(memory).is_none() {
                break;
            }
        }
        self.max_moved = self.max_moved.max(self.moved);
    }

    fn may_move(&self) -> bool {
        self.moved.saturating_add(MAX_MOVED_AT_ONCE) <= MAX_MOVED_PER_CALL
    }

    /// Splits bucket `first` into 2 * first and 2 * first + 1. `None` without memory, and nothing is changed.
    fn split(&mut self, memory: &Memory, entries: &impl Entries) -> Option<()> {
        let first = self.first;
        let (left, right) = (2 * first, 2 * first + 1);
        self.levels[1].open(memory, &mut self.spare, left)?;
        let source = self.bucket(first);
        let mut children = [left, right].map(|number| {
            // SAFETY: the segment of `left` is open, and it holds `right` too: levels but the lowest have segments
            // of an even number of buckets.
            let bucket = unsafe { self.levels[1].bucket(number) };
            // SAFETY: so they are in an open segment, and above all that is in use.
            unsafe { Draft::begin(bucket) }
        });
        // The hash may be the host's and may panic, so nothing in use changes before all have been asked.
        let split = self.copy_chain(source, |index, tag, position| {
            let path = path_of(entries.hash_at(position.decode()));
            let child = &mut children[(path >> (index.shift - 1)) as usize & 1];
            index.push(memory, child, tag, position)
        });
        if split.is_none() {
            children.iter().for_each(|child| self.drop_chain(memory, child.home));
            return None;
        }
        self.drop_chain(memory, source);
        self.first += 1;
        if first + 1 == 2 << self.levels[0].log2() {
            self.leave_low_level(memory);
        } else if self.levels[0].ends_segment(first) {
            self.levels[0].close(memory, &mut self.spare, first);
        }
        self.shape = self.shape.wrapping_add(1);
        self.set_thresholds();
        Some(())
    }

    /// Merges the last two buckets into `first - 1`. `None` without memory, and nothing is changed.
    fn merge(&mut self, memory: &Memory) -> Option<()> {
        let into = self.first - 1;
        if into == 0 {
            return None;
        }
        // `first` at the beginning of its level: then the high level is not in use, and a lower one begins.
        let begins_level = into.ilog2() < self.levels[0].log2();
        if begins_level {
            let lower = Level::opened(memory, &mut self.spare, into.ilog2(), into)?;
            self.levels[1].release(memory);
            self.levels.swap(0, 1);
            self.levels[0] = lower;
            self.shift += 1;
        } else {
            self.levels[0].open(memory, &mut self.spare, into)?;
        }
        // SAFETY: the segment of `into` is open in the low level.
        let target = unsafe { self.levels[0].bucket(into) };
        // SAFETY: so it is; and it is below all that is in use.
        let mut target = unsafe { Draft::begin(target) };
        // SAFETY: the last two buckets in use lie in what is the high level (now).
        let sources = [2 * into, 2 * into + 1].map(|number| unsafe { self.levels[1].bucket(number) });
        let merged = sources.into_iter().try_for_each(|source| {
            self.copy_chain(source, |index, tag, position| index.push(memory, &mut target, tag, position))
        });
        if merged.is_none() {
            self.drop_chain(memory, target.home);
            if begins_level {
                self.leave_low_level(memory);
            }
            return None;
        }
        sources.into_iter().for_each(|source| self.drop_chain(memory, source));
        self.first = into;
        if into == 1 {
            self.spare.release(memory);
        }
        if self.levels[1].begins_segment(2 * into) {
            self.levels[1].close(memory, &mut self.spare, 2 * into);
        }
        self.shape = self.shape.wrapping_add(1);
        self.set_thresholds();
        Some(())
    }

    /// No bucket of the low level is in use: the high one becomes the low one.
    fn leave_low_level(&mut self, memory: &Memory) {
        self.levels[0].release(memory);
        self.levels.swap(0, 1);
        self.levels[1] = Level::absent(self.levels[0].log2() + 1);
        self.shift -= 1;
    }

    /// Forgets all entries and gives the memory back at once. Without memory for the one bucket that remains, the
    /// buckets are emptied in place instead.
    pub(super) fn clear(&mut self, memory: &Memory) {
        self.release_overflow(memory);
        self.spare.release(memory);
        self.len = 0;
        if let Some(lowest) = Level::of_first_bucket(memory) {
            self.levels.iter_mut().for_each(|level| level.release(memory));
            self.levels = [lowest, Level::absent(1)];
            (self.first, self.shift) = (1, 31);
        } else {
            for number in self.first..2 * self.first {
                // SAFETY: buckets in use are in memory, and no reference to one is held.
                unsafe { self.bucket(number).write(Bucket::EMPTY) };
            }
        }
        self.shape = self.shape.wrapping_add(1);
        self.set_thresholds();
    }

    /// The next splits are known: brings near the keys of the next, the overflow of the second, and the third.
    fn prefetch_splits(&self, entries: &impl Entries) {
        let [next, second, third] = [self.first, self.first + 1, self.first + 2];
        if u64::from(third) >= 2 * u64::from(self.first) {
            return;
        }
        prefetch(self.bucket(third).as_ptr());
        // SAFETY: buckets in use are in memory and initialised.
        if let Some(overflow) = self.next(unsafe { self.bucket(second).as_ref() }) {
            prefetch(overflow.as_ptr());
        }
        for (bucket, _) in self.chain(self.bucket(next)) {
            for lane in bucket.full_lanes() {
                entries.prefetch_key(bucket.position(lane).decode());
            }
        }
    }
}

fn as_len(entries: u64) -> u32 {
    u32::try_from(entries).unwrap_or(u32::MAX)
}
