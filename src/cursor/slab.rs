//! Where the entries of a window are: slots that stay put, in segments of 32.
//!
//! ```text
//!   directory      segment:  | free: a bit for each slot | links | 32 entries of one cache line |
//!   +---+---+---+
//!   | * | - | * |            partial --> segments with a free slot, the one that got it last first
//!   +---+---+---+
//!   slot number:  segment number << 5 | place in the segment
//! ```
//! A slot that was just given back is the next to be taken: in a short window the same few lines are used again and
//! again. A segment without entries is kept, one of them; further ones go back. Every call is O(1) but for the
//! directory, which doubles.

use super::entry::{Entry, NO_SLOT};
use crate::memory::{Memory, Table};
use std::alloc::Layout;
use std::ptr::NonNull;

const PLACE_BITS: u32 = 5;
const PLACES: u32 = 1 << PLACE_BITS;
/// Segment numbers stay below this, so that slot numbers stay below `NO_SLOT`.
const MAX_SEGMENTS: u32 = NO_SLOT >> PLACE_BITS;
const END: u32 = u32::MAX;

#[repr(C, align(64))]
struct Segment {
    free: u32,
    /// In the list of segments with a free slot.
    previous: u32,
    next: u32,
    entries: [std::mem::MaybeUninit<Entry>; PLACES as usize],
}

#[derive(Clone, Copy)]
struct Directory {
    segment: Option<NonNull<Segment>>,
    /// The next number without a segment.
    next_unused: u32,
}

/// The slots. Whoever calls with a slot number has it from `take` and has not given it back.
pub(super) struct Slab {
    directory: Table<Directory>,
    partial: u32,
    unused: u32,
    empty_segments: u32,
    len: u32,
}

impl Slab {
    pub(super) const fn new() -> Slab {
        Slab { directory: Table::new(), partial: END, unused: END, empty_segments: 0, len: 0 }
    }

    /// Slots in use.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Takes a slot for `entry`; `None` without memory.
    #[inline(always)]
    pub(super) fn take(&mut self, memory: &Memory, entry: Entry) -> Option<u32> {
        if self.partial == END {
            self.add_segment(memory)?;
        }
        let number = self.partial;
        let segment = self.segment_mut(number);
        let place = segment.free.trailing_zeros();
        let was_empty = segment.free == u32::MAX;
        segment.free &= segment.free - 1;
        let is_full = segment.free == 0;
        if let Some(slot) = segment.entries.get_mut(place as usize) {
            slot.write(entry);
        }
        self.empty_segments -= u32::from(was_empty);
        if is_full {
            self.unlink(number);
        }
        self.len += 1;
        Some(number << PLACE_BITS | place)
    }

    /// Gives a slot back.
    #[inline(always)]
    pub(super) fn give_back(&mut self, memory: &Memory, slot: u32) {
        let (number, place) = (slot >> PLACE_BITS, slot & (PLACES - 1));
        let segment = self.segment_mut(number);
        debug_assert!(segment.free & (1 << place) == 0, "slot {slot} is free already");
        let was_full = segment.free == 0;
        segment.free |= 1 << place;
        let is_empty = segment.free == u32::MAX;
        self.len -= 1;
        if was_full {
            self.link(number);
        }
        if is_empty {
            self.leave_empty(memory, number);
        }
    }

    /// The entry in a slot.
    #[inline(always)]
    pub(super) fn at(&self, slot: u32) -> &Entry {
        // SAFETY: see `place`; nobody writes to it while the slab is borrowed.
        unsafe { self.place(slot).as_ref() }
    }

    /// The entry in a slot, to change it.
    #[inline(always)]
    pub(super) fn at_mut(&mut self, slot: u32) -> &mut Entry {
        // SAFETY: see `place`; the slab is borrowed mutably.
        unsafe { self.place(slot).as_mut() }
    }

    /// The first slot in use from `from` on, by number, whose entry passes `test`. A walk over all is O(segments).
    pub(super) fn next_after(&self, from: u32, test: impl Fn(&Entry) -> bool) -> Option<u32> {
        let mut passed = from & (PLACES - 1);
        for number in from >> PLACE_BITS..self.directory.len() as u32 {
            let segment = self.directory.get(number as usize).and_then(|entry| entry.segment);
            if let Some(segment) = segment {
                // SAFETY: segments of the directory are alive.
                let mut used = !unsafe { segment.as_ref() }.free & (u32::MAX << passed);
                while used != 0 {
                    let slot = number << PLACE_BITS | used.trailing_zeros();
                    if test(self.at(slot)) {
                        return Some(slot);
                    }
                    used &= used - 1;
                }
            }
            passed = 0;
        }
        None
    }

    /// Gives all memory back.
    pub(super) fn release(&mut self, memory: &Memory) {
        for entry in self.directory.iter() {
            if let Some(segment) = entry.segment {
                // SAFETY: `add_segment` got it with this layout, and the slab forgets it below.
                unsafe { memory.deallocate(segment.cast(), Layout::new::<Segment>()) };
            }
        }
        self.directory.release(memory);
        *self = Slab::new();
    }

    #[inline(always)]
    fn place(&self, slot: u32) -> NonNull<Entry> {
        let place = (slot & (PLACES - 1)) as usize;
        let segment = self.segment(slot >> PLACE_BITS);
        // SAFETY: the segment is alive, the place is below 32, and by the rule of this type the slot is in use, so an
        // entry is written there.
        unsafe {
            debug_assert!(segment.as_ref().free & (1 << place) == 0, "slot {slot} is free");
            NonNull::new_unchecked((&raw mut (*segment.as_ptr()).entries).cast::<Entry>().add(place))
        }
    }

    #[inline(always)]
    fn segment(&self, number: u32) -> NonNull<Segment> {
        debug_assert!(self.directory.get(number as usize).is_some_and(|entry| entry.segment.is_some()));
        // SAFETY: numbers come from slots in use and from the list, and both lie in segments of the directory.
        unsafe { self.directory.get_unchecked(number as usize).segment.unwrap_unchecked() }
    }

    #[inline(always)]
    fn segment_mut(&mut self, number: u32) -> &mut Segment {
        // SAFETY: as in `segment`; the slab is borrowed mutably.
        unsafe { self.segment(number).as_mut() }
    }

    /// Puts a segment first among those with a free slot.
    fn link(&mut self, number: u32) {
        let next = self.partial;
        let segment = self.segment_mut(number);
        (segment.previous, segment.next) = (END, next);
        if next != END {
            self.segment_mut(next).previous = number;
        }
        self.partial = number;
    }

    fn unlink(&mut self, number: u32) {
        let segment = self.segment_mut(number);
        let (previous, next) = (segment.previous, segment.next);
        if next != END {
            self.segment_mut(next).previous = previous;
        }
        if previous == END {
            self.partial = next;
        } else {
            self.segment_mut(previous).next = next;
        }
    }

    #[cold]
    fn add_segment(&mut self, memory: &Memory) -> Option<()> {
        if self.unused == END {
            let number = self.directory.len() as u32;
            if number >= MAX_SEGMENTS {
                return None;
            }
            self.directory.push(memory, Directory { segment: None, next_unused: END })?;
            self.unused = number;
        }
        let number = self.unused;
        let segment: NonNull<Segment> = memory.allocate(Layout::new::<Segment>())?.cast();
        // SAFETY: the block is fresh and fits; the entries stay unwritten until their slots are taken.
        unsafe {
            (&raw mut (*segment.as_ptr()).free).write(u32::MAX);
            (&raw mut (*segment.as_ptr()).previous).write(END);
            (&raw mut (*segment.as_ptr()).next).write(END);
        }
        let entry = self.directory.get_mut(number as usize)?;
        self.unused = entry.next_unused;
        entry.segment = Some(segment);
        self.empty_segments += 1;
        self.link(number);
        Some(())
    }

    /// A segment has lost its last entry. One such is kept.
    #[cold]
    fn leave_empty(&mut self, memory: &Memory, number: u32) {
        self.empty_segments += 1;
        if self.empty_segments == 1 {
            return;
        }
        self.empty_segments -= 1;
        self.unlink(number);
        let segment = self.segment(number);
        let unused = self.unused;
        if let Some(entry) = self.directory.get_mut(number as usize) {
            *entry = Directory { segment: None, next_unused: unused };
        }
        self.unused = number;
        // SAFETY: `add_segment` got it with this layout, and neither list nor directory lead to it any more.
        unsafe { memory.deallocate(segment.cast(), Layout::new::<Segment>()) };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn entry(n: u64) -> Entry {
        Entry::new(n, n, 0, 0, 0)
    }

    #[test]
    fn slots_keep_their_entries_and_drained_segments_go_back() {
        let memory = Memory::new(None, 0);
        let mut slab = Slab::new();
        let slots: Vec<u32> = (0..1000).map(|n| slab.take(&memory, entry(n)).expect("memory")).collect();
        assert_eq!(slab.len(), 1000);
        for (n, slot) in slots.iter().enumerate() {
            assert_eq!(slab.at(*slot).sequence, n as u64);
        }
        let full = memory.usage().in_use;
        for slot in slots.iter().rev() {
            slab.give_back(&memory, *slot);
        }
        assert_eq!(slab.len(), 0);
        assert!(memory.usage().in_use < full / 8, "{:?}", memory.usage());
        slab.release(&memory);
        assert_eq!(memory.usage().in_use, 0);
    }

    #[test]
    fn a_slot_that_was_given_back_is_the_next_one_taken() {
        let memory = Memory::new(None, 0);
        let mut slab = Slab::new();
        let slots: Vec<u32> = (0..100).map(|n| slab.take(&memory, entry(n)).expect("memory")).collect();
        slab.give_back(&memory, slots[10]);
        assert_eq!(slab.take(&memory, entry(7)), Some(slots[10]));
        slab.release(&memory);
    }
}
