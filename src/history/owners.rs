//! Which records of the log have a live entry, and in which slot: a table beside each chunk that has one, made with its
//! first live entry and given back after its last.
//!
//! ```text
//!   directory of the log, number 7:  | chunk 7 | owners 7, live: 3 |
//!                                         |            |
//!   chunk 7:   | header | keys ... | times ...         |
//!   owners 7:  | slot, -, slot, -, -, slot, ... |  <---+     capacity numbers of slots, 4 B each
//! ```
//! So the index names an entry's record from its insert to its collection, live or historical, and an erase need not
//! look for it there: it would be a line, and a page, that nobody has touched since the insert. Live entries are mostly
//! young, so few chunks have a table: in a steady queue the last one or two. A chunk with a single old live entry has one
//! as well, 4 bytes a record.

use super::log::{Log, MAX_RECORDS, OFFSET_BITS};
use crate::memory::Memory;
use std::alloc::Layout;
use std::ptr::NonNull;

const OFFSET_MASK: u32 = (1 << OFFSET_BITS) - 1;
/// A record without a live entry.
const NOBODY: u32 = u32::MAX;

/// The table of one chunk.
#[derive(Clone, Copy)]
pub(super) struct Owners {
    slots: Option<NonNull<u32>>,
    live: u32,
}

impl Owners {
    pub(super) const NONE: Owners = Owners { slots: None, live: 0 };

    fn layout(capacity: u32) -> Option<Layout> {
        // Those of the largest chunks are whole pages.
        let places = if capacity == MAX_RECORDS { 1 << OFFSET_BITS } else { capacity };
        Layout::array::<u32>(places as usize).ok()
    }

    /// Makes the table of a chunk with `capacity` records, of which the first `len` have no live entry.
    fn make(memory: &Memory, spare: &mut Spare, capacity: u32, len: u32) -> Option<Owners> {
        let slots: NonNull<u32> = match spare.take(capacity) {
            Some(slots) => slots,
            None => memory.allocate(Self::layout(capacity)?)?.cast(),
        };
        for offset in 0..len as usize {
            // SAFETY: the table has a place for each record of the chunk, and `len` is at most `capacity`.
            unsafe { slots.add(offset).write(NOBODY) };
        }
        Some(Owners { slots: Some(slots), live: 0 })
    }

    /// The slot of a record's live entry.
    ///
    /// # Safety
    /// The record is one of the chunk's: `offset` is below its length, or the one that is being appended.
    #[inline(always)]
    unsafe fn slot(self, offset: u32) -> Option<u32> {
        // SAFETY: places up to the chunk's length are written, by `make` or by `note`.
        let slot = unsafe { self.slots?.add(offset as usize).read() };
        if slot == NOBODY { None } else { Some(slot) }
    }

    /// Notes whose a record is, if there is a table.
    ///
    /// # Safety
    /// As for `slot`.
    #[inline(always)]
    unsafe fn note(self, offset: u32, slot: u32) {
        if let Some(slots) = self.slots {
            // SAFETY: the table has a place for each record of the chunk.
            unsafe { slots.add(offset as usize).write(slot) };
        }
    }
}

/// A table that is kept for the next chunk: those of the largest chunks come and go with every few thousand inserts.
pub(super) struct Spare {
    slots: Option<NonNull<u32>>,
}

impl Spare {
    pub(super) const NONE: Spare = Spare { slots: None };

    fn take(&mut self, capacity: u32) -> Option<NonNull<u32>> {
        if capacity == MAX_RECORDS { self.slots.take() } else { None }
    }

    /// Keeps the table of a chunk, if it is of the largest size and none is kept, or gives its memory back.
    fn put(&mut self, memory: &Memory, slots: NonNull<u32>, capacity: u32) {
        if capacity == MAX_RECORDS && self.slots.is_none() {
            self.slots = Some(slots);
            return;
        }
        free(memory, slots, capacity);
        if capacity != MAX_RECORDS {
            // The log has become smaller than to ask for one.
            self.release(memory);
        }
    }

    pub(super) fn release(&mut self, memory: &Memory) {
        if let Some(slots) = self.slots.take() {
            free(memory, slots, MAX_RECORDS);
        }
    }
}

/// Gives a table's memory back, which nobody uses any more.
fn free(memory: &Memory, slots: NonNull<u32>, capacity: u32) {
    if let Some(layout) = Owners::layout(capacity) {
        // SAFETY: `Owners::make` took it with this layout, and the directory and the spare have forgotten it.
        unsafe { memory.deallocate(slots.cast(), layout) };
    }
}

impl Log {
    /// The slot of the live entry that a record has, if it has one.
    ///
    /// # Safety
    /// `append` returned the number, collection has not passed it, and it is not buried.
    #[inline(always)]
    pub(super) unsafe fn slot_of(&self, record: u32) -> Option<u32> {
        let owners = self.entry(record).owners;
        // SAFETY: the caller's promise.
        unsafe { owners.slot(record & OFFSET_MASK) }
    }

    /// Where `slot_of` will look, to prefetch.
    ///
    /// # Safety
    /// As for `slot_of`.
    #[inline(always)]
    pub(super) unsafe fn owner_address(&self, record: u32) -> Option<*const u32> {
        let slots = self.entry(record).owners.slots?;
        // SAFETY: the table has a place for each record of the chunk.
        Some(unsafe { slots.add((record & OFFSET_MASK) as usize) }.as_ptr())
    }

    /// Gives the record that was just appended to a live entry; `None` without memory for the table.
    #[inline(always)]
    pub(super) fn attach(&mut self, memory: &Memory, record: u32, slot: u32) -> Option<()> {
        if self.entry(record).owners.slots.is_none() {
            self.make_owners(memory, record)?;
        }
        let owners = &mut self.entry_mut(record).owners;
        owners.live += 1;
        // SAFETY: the record is the newest of its chunk.
        unsafe { owners.note(record & OFFSET_MASK, slot) };
        Some(())
    }

    /// Notes that the record that was just appended is nobody's.
    #[inline(always)]
    pub(super) fn leave_unowned(&mut self, record: u32) {
        // SAFETY: the record is the newest of its chunk.
        unsafe { self.entry(record).owners.note(record & OFFSET_MASK, NOBODY) };
    }

    /// The record's live entry is historical or gone.
    ///
    /// # Safety
    /// As for `slot_of`, and the record has a live entry.
    #[inline(always)]
    pub(super) unsafe fn detach(&mut self, memory: &Memory, record: u32) {
        let owners = &mut self.entry_mut(record).owners;
        // SAFETY: the caller's promise.
        unsafe { owners.note(record & OFFSET_MASK, NOBODY) };
        owners.live -= 1;
        if owners.live == 0 {
            self.release_owners(memory, record >> OFFSET_BITS);
        }
    }

    #[cold]
    fn make_owners(&mut self, memory: &Memory, record: u32) -> Option<()> {
        let capacity = self.capacity_of(record >> OFFSET_BITS);
        let owners = Owners::make(memory, &mut self.spare_owners, capacity, record & OFFSET_MASK)?;
        self.entry_mut(record).owners = owners;
        Some(())
    }

    /// Gives a chunk's table back if it has no live entry, unless it is the tail, which is about to get some.
    #[cold]
    pub(super) fn release_owners(&mut self, memory: &Memory, number: u32) {
        let is_idle = self.directory.get(number as usize).is_some_and(|entry| entry.owners.live == 0);
        if is_idle && number != self.tail_number {
            self.drop_owners(memory, number);
        }
    }

    /// Gives a chunk's table back, if it has one. Its live entries are gone, or have lost their records.
    pub(super) fn drop_owners(&mut self, memory: &Memory, number: u32) {
        let capacity = self.capacity_of(number);
        let Some(entry) = self.directory.get_mut(number as usize) else { return };
        if let Some(slots) = std::mem::replace(&mut entry.owners, Owners::NONE).slots {
            self.spare_owners.put(memory, slots, capacity);
        }
    }
}
