//! One level of the index: the buckets numbered 2^log2 to 2^(log2 + 1), in segments.
//!
//! A segment is a 128th of its level, between 4 and 4,096 buckets (256 B and 256 KiB); levels of up to 4
//! buckets are one segment. The directory is made with the level, in full, so nothing is copied later: 8 bytes
//! per segment. Only one end of a level has segments in memory, except while the level is all in use.

use super::bucket::Bucket;
use crate::memory::{Memory, Table};
use std::alloc::Layout;
use std::ptr::NonNull;

const MIN_SEGMENT_LOG2: u32 = 2;
const MAX_SEGMENT_LOG2: u32 = 12;
/// A level has 2^this segments, where the limits on a segment's size allow.
const SEGMENTS_LOG2: u32 = 7;

/// One drained segment that is kept for the next that is needed: growth drains one for every two it needs, and
/// giving memory back to the system to ask for it again at once costs more than the split in between.
pub(super) struct Spare {
    segment: Option<NonNull<Bucket>>,
}

impl Spare {
    /// Only the largest are kept: neighbouring levels have them in common, and they are not cheap to get anew.
    const KEPT_LOG2: u32 = MAX_SEGMENT_LOG2;

    pub(super) const NONE: Spare = Spare { segment: None };

    fn take(&mut self, segment_log2: u32) -> Option<NonNull<Bucket>> {
        if segment_log2 == Self::KEPT_LOG2 { self.segment.take() } else { None }
    }

    /// Keeps the segment, if it is of the largest size and none is kept, or gives its memory back.
    fn put(&mut self, memory: &Memory, segment: NonNull<Bucket>, segment_log2: u32) {
        if segment_log2 == Self::KEPT_LOG2 && self.segment.is_none() {
            self.segment = Some(segment);
            return;
        }
        free(memory, segment, segment_log2);
        if segment_log2 != Self::KEPT_LOG2 {
            // The index has become smaller than to ask for one.
            self.release(memory);
        }
    }

    pub(super) fn release(&mut self, memory: &Memory) {
        if let Some(segment) = self.segment.take() {
            free(memory, segment, Self::KEPT_LOG2);
        }
    }
}

fn layout(segment_log2: u32) -> Option<Layout> {
    Layout::array::<Bucket>(1 << segment_log2).ok()
}

/// Gives a segment's memory back, which nobody uses any more.
fn free(memory: &Memory, segment: NonNull<Bucket>, segment_log2: u32) {
    if let Some(layout) = layout(segment_log2) {
        // SAFETY: `Level::open` allocated the segment with this layout, and its directory has forgotten it or goes.
        unsafe { memory.deallocate(segment.cast(), layout) };
    }
}

pub(super) struct Level {
    /// Empty while the level is absent; a segment without memory is `None`.
    directory: Table<Option<NonNull<Bucket>>>,
    /// The number of the level's first segment, if segments were counted from bucket 0 on.
    first_segment: u32,
    /// 2^segment_log2 - 1.
    within_mask: u16,
    log2: u8,
    segment_log2: u8,
}

impl Level {
    /// A level of which nothing is in memory.
    pub(super) fn absent(log2: u32) -> Level {
        let segment_log2 =
            log2.saturating_sub(SEGMENTS_LOG2).clamp(MIN_SEGMENT_LOG2, MAX_SEGMENT_LOG2).min(log2);
        Level {
            directory: Table::new(),
            first_segment: 1 << (log2 - segment_log2),
            within_mask: (1 << segment_log2) - 1,
            log2: log2 as u8,
            segment_log2: segment_log2 as u8,
        }
    }

    /// A level of which the segment of `number` is in memory; `None` without memory.
    pub(super) fn opened(memory: &Memory, spare: &mut Spare, log2: u32, number: u32) -> Option<Level> {
        let mut level = Level::absent(log2);
        if level.open(memory, spare, number).is_none() {
            level.release(memory);
            return None;
        }
        Some(level)
    }

    /// The level of the one bucket numbered 1, empty; `None` without memory.
    pub(super) fn of_first_bucket(memory: &Memory) -> Option<Level> {
        let mut no_spare = Spare::NONE;
        let level = Level::opened(memory, &mut no_spare, 0, 1)?;
        // SAFETY: the bucket was just opened, and is memory of the level's own.
        unsafe { level.bucket(1).write(Bucket::EMPTY) };
        Some(level)
    }

    pub(super) fn log2(&self) -> u32 {
        self.log2.into()
    }

    /// The bucket of a number.
    ///
    /// # Safety
    /// The number belongs to this level and its segment is open.
    #[inline(always)]
    pub(super) unsafe fn bucket(&self, number: u32) -> NonNull<Bucket> {
        let segment = self.segment_of(number);
        debug_assert!(number >> self.log2 == 1 && self.directory.get(segment).is_some_and(Option::is_some));
        let within = number & u32::from(self.within_mask);
        // SAFETY: the number belongs to the level, so the directory reaches that far; the segment is open.
        let base = unsafe { self.directory.get_unchecked(segment).unwrap_unchecked() };
        // SAFETY: a segment has 2^segment_log2 buckets.
        unsafe { base.add(within as usize) }
    }

    /// Gives the number's segment memory if it has none; its buckets are not initialised. `None` without memory.
    pub(super) fn open(&mut self, memory: &Memory, spare: &mut Spare, number: u32) -> Option<()> {
        if self.directory.is_empty() {
            self.directory = Table::filled(memory, 1 << (self.log2 - self.segment_log2), None)?;
        }
        let (segment, segment_log2) = (self.segment_of(number), self.segment_log2.into());
        let entry = self.directory.get_mut(segment)?;
        if entry.is_none() {
            let segment = match spare.take(segment_log2) {
                Some(segment) => segment,
                None => memory.allocate(layout(segment_log2)?)?.cast(),
            };
            *entry = Some(segment);
        }
        Some(())
    }

    /// Whether the number is the first of its segment.
    pub(super) fn begins_segment(&self, number: u32) -> bool {
        number & u32::from(self.within_mask) == 0
    }

    /// Whether the number is the last of its segment.
    pub(super) fn ends_segment(&self, number: u32) -> bool {
        self.begins_segment(number + 1)
    }

    /// The number's segment goes: to the spare, or its memory is given back. None of its buckets is in use any more.
    pub(super) fn close(&mut self, memory: &Memory, spare: &mut Spare, number: u32) {
        let segment = self.segment_of(number);
        if let Some(segment) = self.directory.get_mut(segment).and_then(Option::take) {
            spare.put(memory, segment, self.segment_log2.into());
        }
    }

    /// Gives all memory back; no bucket of the level is in use any more.
    pub(super) fn release(&mut self, memory: &Memory) {
        for segment in self.directory.iter().flatten() {
            free(memory, *segment, self.segment_log2.into());
        }
        self.directory.release(memory);
    }

    #[inline(always)]
    fn segment_of(&self, number: u32) -> usize {
        ((number >> self.segment_log2) - self.first_segment) as usize
    }
}
