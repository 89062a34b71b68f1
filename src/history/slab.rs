//! Numbered places of one size, in segments that come and go.
//!
//! ```text
//!  segment      0     1       2           3               ...   then all of one size
//!  places       4     8      16          32               ...   256 KiB at the most
//!
//!  number:    segment << log2 of the places of the largest | place in the segment
//! ```
//!
//! A number leads to its place by a shift, a mask and one look in a table of segments; those of the few small segments
//! leave a gap behind them. Segments with a free place are in
//! one doubly linked list, those without memory in another. A freed place heads its segment's free list and is
//! the next to be taken, so that a small working set stays in cache. A segment without a used place gives its
//! memory back; one such is kept while others are in use, so that a count that swings around a segment's edge
//! does not allocate at each swing, and the first is kept even when nothing is.
//!
//! A place's memory is not touched before it is first taken. The first four bytes of a free place hold the free
//! list; the rest stays as its user left it.
//!
//! Users that hand out generations (`live`) need a number of their own to survive a segment's memory: a floor per
//! segment, reported for a fresh place, at least as high as any number that came with a place given back in the
//! segment's earlier memory. A segment whose floor is used up is not given memory again.

use crate::memory::{Memory, Table};
use std::alloc::Layout;
use std::ptr::NonNull;

const FIRST_LOG2: u32 = 2;
const MAX_SEGMENT_BYTES: usize = 256 * 1024;
/// Numbers stay below this.
const MAX_PLACES: u64 = (1 << 31) - 1;
/// The end of a list of segments or of free places.
const END: u32 = u32::MAX;
const NO_PLACE: u16 = u16::MAX;
/// A floor from here on is used up.
pub(super) const MAX_FLOOR: u32 = u32::MAX - 3;
/// Segments are forgotten, and their floors merged, while floors are below this: a quarter of the range.
const MAX_MERGED_FLOOR: u32 = 1 << 30;

#[derive(Clone, Copy)]
struct Segment {
    /// Null while the segment has no memory.
    base: *mut u8,
    /// The first free place that has been used before, or NO_PLACE.
    free: u16,
    /// Places from here on have never been used since the segment got its memory.
    fresh: u16,
    used: u16,
    capacity: u16,
    previous: u32,
    next: u32,
    /// The floor when the segment got its memory, and the floor now.
    birth_floor: u32,
    floor: u32,
}

const _: () = assert!(size_of::<Segment>() == 32);

/// A place that was just taken.
pub(super) struct Taken {
    pub(super) number: u32,
    pub(super) place: NonNull<u8>,
    /// For a place that was never used since its segment got its memory, so that its bytes mean nothing: the
    /// floor at that time.
    pub(super) fresh_floor: Option<u32>,
}

pub(super) struct Slab {
    segments: Table<Segment>,
    /// Head of the list of segments that have memory and a free place.
    open: u32,
    /// Head of the list of segments that have no memory.
    vacant: u32,
    /// The unused segment that is kept, or END.
    spare: u32,
    used: u32,
    /// The floor of segments that are not in the table.
    floor: u32,
    stride: u16,
    align: u8,
    /// Segments have 2^this places at the most.
    last_log2: u8,
}

impl Slab {
    /// A slab of places of `stride` bytes, a multiple of `align` and at least 16, with `floor` to begin with.
    pub(super) fn new(stride: usize, align: usize, floor: u32) -> Slab {
        debug_assert!((16..=usize::from(u16::MAX)).contains(&stride) && stride.is_multiple_of(align));
        let last_log2 = (MAX_SEGMENT_BYTES / stride).max(1).ilog2().max(FIRST_LOG2);
        Slab {
            segments: Table::new(),
            open: END,
            vacant: END,
            spare: END,
            used: 0,
            floor,
            stride: stride as u16,
            align: align as u8,
            last_log2: last_log2 as u8,
        }
    }

    /// Places in use.
    pub(super) fn len(&self) -> u32 {
        self.used
    }

    /// Takes a place; `None` if there is no memory or no number left.
    #[inline(always)]
    pub(super) fn take(&mut self, memory: &Memory) -> Option<Taken> {
        let index = if self.open != END { self.open } else { self.add_segment(memory)? };
        let number = self.first_number(index);
        let stride = self.stride as usize;
        let segment = self.segments.get_mut(index as usize)?;
        let is_fresh = segment.free == NO_PLACE;
        let offset = if is_fresh { segment.fresh } else { segment.free };
        debug_assert!(offset < segment.capacity && !segment.base.is_null());
        // SAFETY: the segment is in the open list, so it has memory and is not full: a free place that was used is
        // in the free list, and if that is empty, fewer than `capacity` places are fresh no more.
        let place = unsafe { NonNull::new_unchecked(segment.base.add(usize::from(offset) * stride)) };
        let fresh_floor = if is_fresh {
            segment.fresh += 1;
            Some(segment.birth_floor)
        } else {
            // SAFETY: a free place that was used holds the list's next offset in its first four bytes.
            segment.free = unsafe { place.cast::<u32>().read() } as u16;
            None
        };
        segment.used += 1;
        let is_full = segment.used == segment.capacity;
        self.used += 1;
        if is_full {
            self.unlink(index, List::Open);
        }
        if self.spare == index {
            self.spare = END;
        }
        Some(Taken { number: number + u32::from(offset), place, fresh_floor })
    }

    /// Gives a place back, and raises its segment's floor to at least `floor`.
    ///
    /// # Safety
    /// The number was taken and not given back since.
    #[inline(always)]
    pub(super) unsafe fn give_back(&mut self, memory: &Memory, number: u32, floor: u32) {
        let (index, offset) = self.locate(number);
        let stride = self.stride as usize;
        debug_assert!((index as usize) < self.segments.len());
        // SAFETY: a number in use lies in a segment of the table.
        let segment = unsafe { self.segments.get_unchecked_mut(index as usize) };
        // SAFETY: that segment has memory while a place of it is in use, and the offset is below its capacity.
        let place = unsafe { segment.base.add(offset as usize * stride) };
        // SAFETY: the place is the slab's again, at least four bytes and aligned to four.
        unsafe { place.cast::<u32>().write(segment.free.into()) };
        segment.free = offset as u16;
        segment.floor = segment.floor.max(floor);
        let was_full = segment.used == segment.capacity;
        segment.used -= 1;
        let is_unused = segment.used == 0;
        self.used -= 1;
        if was_full {
            self.link(index, List::Open);
        }
        if is_unused {
            self.retire(memory, index);
        }
    }

    /// The place of a number in use.
    ///
    /// # Safety
    /// The number was taken and not given back since.
    #[inline(always)]
    pub(super) unsafe fn place(&self, number: u32) -> NonNull<u8> {
        let (index, offset) = self.locate(number);
        debug_assert!((index as usize) < self.segments.len());
        // SAFETY: a number in use lies in a segment of the table.
        let segment = unsafe { self.segments.get_unchecked(index as usize) };
        debug_assert!(!segment.base.is_null() && offset < u32::from(segment.fresh));
        // SAFETY: that segment has memory while a place of it is in use, and the offset is below its capacity.
        unsafe { NonNull::new_unchecked(segment.base.add(offset as usize * self.stride as usize)) }
    }

    /// The place of any number, if it has ever been taken since its segment got its memory. It may be free.
    #[inline(always)]
    pub(super) fn place_if_touched(&self, number: u32) -> Option<NonNull<u8>> {
        let (index, offset) = self.locate(number);
        let segment = self.segments.get(index as usize)?;
        if segment.base.is_null() || offset >= u32::from(segment.fresh) {
            return None;
        }
        // SAFETY: the segment has memory and the offset is below `fresh`, which is at most its capacity.
        Some(unsafe { NonNull::new_unchecked(segment.base.add(offset as usize * self.stride as usize)) })
    }

    /// Gives all memory of places back; no number is in use afterwards. Floors rise above every number that a place
    /// in use could have been given since it was taken: by 2, as a place's number rises by one.
    pub(super) fn clear(&mut self, memory: &Memory) {
        (self.open, self.vacant, self.spare, self.used) = (END, END, END, 0);
        for index in 0..self.segments.len() as u32 {
            self.free_memory(memory, index);
            if let Some(segment) = self.segments.get_mut(index as usize) {
                segment.floor = segment.floor.saturating_add(2) & !1;
            }
        }
        if self.max_floor() < MAX_MERGED_FLOOR {
            self.floor = self.max_floor();
            self.segments.release(memory);
        } else {
            (0..self.segments.len() as u32).for_each(|index| self.set_vacant(index));
        }
    }

    /// Gives all memory back; the slab is of no use afterwards.
    pub(super) fn release(&mut self, memory: &Memory) {
        self.clear(memory);
        self.segments.release(memory);
    }

    /// The segment of a number, and the place's number in it.
    #[inline(always)]
    fn locate(&self, number: u32) -> (u32, u32) {
        (number >> self.last_log2, number & ((1 << self.last_log2) - 1))
    }

    /// The inverse of `locate` at place 0.
    #[inline(always)]
    fn first_number(&self, index: u32) -> u32 {
        index << self.last_log2
    }

    #[inline(always)]
    fn capacity(&self, index: u32) -> u32 {
        1 << (index + FIRST_LOG2).min(self.last_log2.into())
    }

    fn layout(&self, index: u32) -> Option<Layout> {
        let bytes = (self.stride as usize).checked_mul(self.capacity(index) as usize)?;
        Layout::from_size_align(bytes, self.align as usize).ok()
    }

    /// A segment with memory and all places free, at the head of the open list.
    #[cold]
    fn add_segment(&mut self, memory: &Memory) -> Option<u32> {
        let index = if self.vacant != END { self.vacant } else { self.segments.len() as u32 };
        if (u64::from(index) + 1) << self.last_log2 > MAX_PLACES {
            return None;
        }
        let floor = self.segments.get(index as usize).map_or(self.floor, |segment| segment.floor);
        if floor >= MAX_FLOOR {
            return None;
        }
        let layout = self.layout(index)?;
        let base = memory.allocate(layout)?;
        let segment = Segment {
            base: base.as_ptr(),
            free: NO_PLACE,
            fresh: 0,
            used: 0,
            capacity: self.capacity(index) as u16,
            previous: END,
            next: END,
            birth_floor: floor,
            floor,
        };
        if self.vacant != END {
            self.unlink(index, List::Vacant);
            *self.segments.get_mut(index as usize)? = segment;
        } else if self.segments.push(memory, segment).is_none() {
            // SAFETY: the block was just allocated with this layout, and nothing refers to it.
            unsafe { memory.deallocate(base, layout) };
            return None;
        }
        self.link(index, List::Open);
        Some(index)
    }

    /// A segment has no used place any more: it is kept as the spare, or its memory goes. The first segment comes
    /// before any other as the spare, and it is all that is kept when nothing is in use.
    #[cold]
    fn retire(&mut self, memory: &Memory, index: u32) {
        if index == 0 || self.spare == END {
            let old = std::mem::replace(&mut self.spare, index);
            if old != END {
                self.vacate(memory, old);
            }
        } else {
            self.vacate(memory, index);
        }
        if self.used > 0 {
            return;
        }
        if self.spare != 0 {
            let spare = std::mem::replace(&mut self.spare, END);
            self.vacate(memory, spare);
        }
        if self.max_floor() < MAX_MERGED_FLOOR {
            self.floor = self.max_floor();
            self.vacant = END;
            self.segments.truncate(memory, if self.spare == 0 { 1 } else { 0 });
        }
    }

    fn max_floor(&self) -> u32 {
        self.segments.iter().map(|segment| segment.floor).fold(self.floor, u32::max)
    }

    /// A segment's memory goes. It is taken again later, unless its floor is used up.
    fn vacate(&mut self, memory: &Memory, index: u32) {
        self.unlink(index, List::Open);
        self.free_memory(memory, index);
        self.set_vacant(index);
    }

    fn set_vacant(&mut self, index: u32) {
        if self.segments.get(index as usize).is_some_and(|segment| segment.floor < MAX_FLOOR) {
            self.link(index, List::Vacant);
        }
    }

    fn free_memory(&mut self, memory: &Memory, index: u32) {
        let layout = self.layout(index);
        let Some(segment) = self.segments.get_mut(index as usize) else { return };
        if let (Some(base), Some(layout)) = (NonNull::new(segment.base), layout) {
            segment.base = std::ptr::null_mut();
            // SAFETY: the block was allocated with this layout in `add_segment`, and no place of it is in use.
            unsafe { memory.deallocate(base, layout) };
        }
    }

    fn head(&mut self, list: List) -> &mut u32 {
        match list {
            List::Open => &mut self.open,
            List::Vacant => &mut self.vacant,
        }
    }

    #[cold]
    fn link(&mut self, index: u32, list: List) {
        let head = std::mem::replace(self.head(list), index);
        if let Some(segment) = self.segments.get_mut(index as usize) {
            (segment.previous, segment.next) = (END, head);
        }
        if let Some(old) = self.segments.get_mut(head as usize) {
            old.previous = index;
        }
    }

    #[cold]
    fn unlink(&mut self, index: u32, list: List) {
        let Some(&Segment { previous, next, .. }) = self.segments.get(index as usize) else { return };
        match self.segments.get_mut(previous as usize) {
            Some(before) => before.next = next,
            None => *self.head(list) = next,
        }
        if let Some(after) = self.segments.get_mut(next as usize) {
            after.previous = previous;
        }
    }
}

#[derive(Clone, Copy)]
enum List {
    Open,
    Vacant,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_places_agree() {
        for stride in [16, 64, 1040, 60_000] {
            let slab = Slab::new(stride, 8, 0);
            let mut free_from = 0;
            for index in 0..40 {
                let (first, capacity) = (slab.first_number(index), slab.capacity(index));
                assert!(first >= free_from, "no number comes twice");
                assert_eq!(slab.locate(first), (index, 0));
                assert_eq!(slab.locate(first + capacity - 1), (index, capacity - 1));
                free_from = first + capacity;
            }
        }
    }

    #[test]
    fn takes_and_gives_back_in_any_order() {
        let memory = Memory::new(None, 0);
        let mut slab = Slab::new(16, 8, 0);
        let mut random = 1_u64;
        let mut taken: Vec<u32> = Vec::new();
        for round in 0..20_000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let grows = (round / 4000) % 2 == 0;
            if taken.is_empty() || (random >> 60 < if grows { 11 } else { 5 }) {
                let new = slab.take(&memory).unwrap();
                // SAFETY: just taken.
                assert_eq!(unsafe { slab.place(new.number) }, new.place);
                // SAFETY: the place is 16 bytes, aligned to 8.
                unsafe { new.place.cast::<u64>().add(1).write(u64::from(new.number)) };
                taken.push(new.number);
            } else {
                let number = taken.swap_remove((random >> 32) as usize % taken.len());
                // SAFETY: still in use, and written when it was taken.
                assert_eq!(unsafe { slab.place(number).cast::<u64>().add(1).read() }, u64::from(number));
                // SAFETY: taken, and removed from the list of taken ones.
                unsafe { slab.give_back(&memory, number, 0) };
            }
            assert_eq!(slab.len() as usize, taken.len());
        }
        let mut unique = taken.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), taken.len());
        for number in taken {
            // SAFETY: taken and not given back yet.
            unsafe { slab.give_back(&memory, number, 0) };
        }
        assert!(memory.usage().in_use < 400, "{:?}", memory.usage());
        slab.release(&memory);
        assert_eq!(memory.usage().in_use, 0);
        assert_eq!(memory.usage().allocations, memory.usage().deallocations);
    }
}
