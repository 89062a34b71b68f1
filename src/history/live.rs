//! The live entries: values that stay put, the order of insertion, and handles that cannot be confused.
//!
//! ```text
//!  slot:  | value, padded to 8 (16 from 16 bytes on) | previous | next | generation | origin |
//!                                                       4 B        4 B      4 B         4 B
//!  handle:  generation << 32 | slot number
//!  origin:  where key and insert time are: a record of the log, or (top bit set) an aged record
//! ```
//!
//! A generation is odd while its slot is in use and rises by one when the slot is taken and when it is given
//! back, so a handle fits one use of one slot. The slab carries generations over when a segment's memory goes,
//! and a slot or segment whose generations are used up (2^31 uses) is retired: no handle ever comes to mean
//! another entry. Histories start at a random generation (by their seed), so that a handle of another one is
//! found out too, but for one chance in millions.
//!
//! An entry that outlives its window leaves the log; its key and time move to an aged record, which is as large
//! as they are and not in any order.

use super::boxed::Boxed;
use super::clock::Tick;
use super::slab::{MAX_FLOOR, Slab};
use super::types::{Entry, Key};
use crate::memory::Memory;
use std::ptr::NonNull;

const END: u32 = u32::MAX;

/// Where a live entry's key and insert time are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// A record of the log.
    Record(u32),
    /// An aged record.
    Aged(u32),
}

const AGED: u32 = 1 << 31;

impl Origin {
    #[inline(always)]
    fn encode(self) -> u32 {
        match self {
            Origin::Record(number) => number,
            Origin::Aged(number) => number | AGED,
        }
    }

    #[inline(always)]
    fn decode(bits: u32) -> Origin {
        if bits & AGED == 0 { Origin::Record(bits) } else { Origin::Aged(bits & !AGED) }
    }
}

#[repr(C)]
struct Meta {
    previous: u32,
    next: u32,
    generation: u32,
    origin: u32,
}

/// Key and insert time of an entry that is not in the log.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Aged {
    pub(super) key: Key,
    pub(super) tick: Tick,
}

/// A slot that is in use: its number and where it is. Only this file makes one, from a number that is in use, so
/// holding one is proof, until the slot is given back; the files around keep to that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) number: u32,
    place: NonNull<u8>,
    meta: NonNull<Meta>,
}

pub(super) struct Live {
    slots: Slab,
    aged: Boxed<Slab>,
    value_size: u16,
    meta_offset: u16,
    first: u32,
    last: u32,
}

impl Live {
    /// For values of `value_size` bytes; generations start above `floor`.
    pub(super) fn new(value_size: usize, floor: u32) -> Live {
        let align = if value_size < 16 { 8 } else { 16 };
        let meta_offset = value_size.next_multiple_of(align);
        Live {
            slots: Slab::new(meta_offset + size_of::<Meta>(), align, floor & !1),
            aged: Boxed::EMPTY,
            value_size: value_size as u16,
            meta_offset: meta_offset as u16,
            first: END,
            last: END,
        }
    }

    #[inline(always)]
    pub(super) fn value_size(&self) -> usize {
        self.value_size as usize
    }

    /// A slot with `value` in it (or zeros, if that is empty), not in the order yet; `None` without memory.
    #[inline(always)]
    pub(super) fn take(&mut self, memory: &Memory, value: &[u8]) -> Option<Slot> {
        let taken = self.slots.take(memory)?;
        let slot = self.slot_at(taken.number, taken.place);
        let generation = match taken.fresh_floor {
            Some(floor) => (floor + 1) | 1,
            // SAFETY: a slot that was used before has its meta record written; its generation is even now.
            None => unsafe { slot.meta.as_ref().generation + 1 },
        };
        // SAFETY: the slot ends with a meta record.
        unsafe { slot.meta.write(Meta { previous: END, next: END, generation, origin: AGED | END }) };
        self.set_value(slot, value);
        Some(slot)
    }

    /// Two common sizes are copied without a call. A value of another length than `value_size` counts as zeros.
    #[inline(always)]
    fn set_value(&mut self, slot: Slot, value: &[u8]) {
        let bytes = slot.place.as_ptr();
        if value.len() != self.value_size() {
            // SAFETY: the slot begins with `value_size` bytes, and nobody has a reference into it.
            unsafe { bytes.write_bytes(0, self.value_size()) };
        } else if let Ok(value) = <&[u8; 16]>::try_from(value) {
            // SAFETY: likewise; that is 16 bytes here.
            unsafe { bytes.cast::<[u8; 16]>().write(*value) };
        } else if let Ok(value) = <&[u8; 8]>::try_from(value) {
            // SAFETY: likewise; that is 8 bytes here.
            unsafe { bytes.cast::<[u8; 8]>().write(*value) };
        } else {
            // SAFETY: likewise; the value is a reference of the caller's, so it does not lie in this free slot.
            unsafe { bytes.copy_from_nonoverlapping(value.as_ptr(), value.len()) };
        }
    }

    /// The slot is unused from now on; it is not in the order. Its origin is the caller's to release.
    #[inline(always)]
    pub(super) fn give_back(&mut self, memory: &Memory, slot: Slot) {
        let meta = self.meta_mut(slot);
        meta.generation += 1;
        let generation = meta.generation;
        if generation < MAX_FLOOR {
            // SAFETY: a `Slot` is in use.
            unsafe { self.slots.give_back(memory, slot.number, generation) };
        }
        // Else the slot is retired: it stays taken, and no handle fits it.
    }

    #[inline(always)]
    pub(super) fn entry(&self, slot: Slot) -> Entry {
        let bits = u64::from(self.meta(slot).generation) << 32 | u64::from(slot.number);
        // SAFETY: generations in use are odd, so the number is not 0.
        unsafe { Entry::from_bits(bits).unwrap_unchecked() }
    }

    /// The slot of a handle, if its entry is live.
    #[inline(always)]
    pub(super) fn resolve(&self, entry: Entry) -> Option<Slot> {
        let (number, generation) = (entry.to_bits() as u32, (entry.to_bits() >> 32) as u32);
        let slot = self.slot_at(number, self.slots.place_if_touched(number)?);
        // A slot that was taken since its segment got memory has a meta record, in use or not.
        if self.meta(slot).generation == generation && generation & 1 == 1 { Some(slot) } else { None }
    }

    /// The slot of a number in use.
    ///
    /// # Safety
    /// The number is that of a slot in use: it comes from the index or from the order.
    #[inline(always)]
    pub(super) unsafe fn slot(&self, number: u32) -> Slot {
        // SAFETY: the caller's promise.
        self.slot_at(number, unsafe { self.slots.place(number) })
    }

    /// Where the slot of any number would be, to prefetch.
    #[inline(always)]
    pub(super) fn address_of_number(&self, number: u32) -> Option<NonNull<u8>> {
        self.slots.place_if_touched(number)
    }

    /// Where the slot's value is.
    #[inline(always)]
    pub(super) fn value(&self, slot: Slot) -> NonNull<u8> {
        slot.place
    }

    #[inline(always)]
    pub(super) fn origin(&self, slot: Slot) -> Origin {
        Origin::decode(self.meta(slot).origin)
    }

    #[inline(always)]
    pub(super) fn set_origin(&mut self, slot: Slot, origin: Origin) {
        self.meta_mut(slot).origin = origin.encode();
    }

    /// Puts the slot at the end of the order.
    #[inline(always)]
    pub(super) fn link_last(&mut self, slot: Slot) {
        let last = std::mem::replace(&mut self.last, slot.number);
        let meta = self.meta_mut(slot);
        (meta.previous, meta.next) = (last, END);
        match self.in_order(last) {
            None => self.first = slot.number,
            Some(last) => self.meta_mut(last).next = slot.number,
        }
    }

    /// Takes the slot out of the order.
    #[inline(always)]
    pub(super) fn unlink(&mut self, slot: Slot) {
        let &Meta { previous, next, .. } = self.meta(slot);
        match self.in_order(previous) {
            None => self.first = next,
            Some(previous) => self.meta_mut(previous).next = next,
        }
        match self.in_order(next) {
            None => self.last = previous,
            Some(next) => self.meta_mut(next).previous = previous,
        }
    }

    pub(super) fn first(&self) -> Option<Slot> {
        self.in_order(self.first)
    }

    pub(super) fn last(&self) -> Option<Slot> {
        self.in_order(self.last)
    }

    pub(super) fn next(&self, slot: Slot) -> Option<Slot> {
        self.in_order(self.meta(slot).next)
    }

    pub(super) fn previous(&self, slot: Slot) -> Option<Slot> {
        self.in_order(self.meta(slot).previous)
    }

    /// Keeps key and time outside the log; `None` without memory.
    pub(super) fn add_aged(&mut self, memory: &Memory, key: &Key, tick: Tick) -> Option<u32> {
        let make = || Slab::new(size_of::<Aged>(), align_of::<Aged>(), 0);
        let taken = self.aged.get_or_make(memory, make)?.take(memory)?;
        // SAFETY: the place is as large and aligned as an aged record.
        unsafe { taken.place.cast::<Aged>().write(Aged { key: *key, tick }) };
        Some(taken.number)
    }

    /// An aged record of a slot's origin.
    ///
    /// # Safety
    /// `add_aged` returned the number, and it was not removed since.
    #[inline(always)]
    pub(super) unsafe fn aged(&self, number: u32) -> &Aged {
        // SAFETY: `add_aged` made the slab.
        let aged = unsafe { self.aged.get().unwrap_unchecked() };
        // SAFETY: the number is in use.
        let place = unsafe { aged.place(number) };
        // SAFETY: so the place holds a record, and the borrow of `self` guards it.
        unsafe { place.cast::<Aged>().as_ref() }
    }

    /// Drops an aged record.
    ///
    /// # Safety
    /// As for `aged`.
    pub(super) unsafe fn remove_aged(&mut self, memory: &Memory, number: u32) {
        let Some(aged) = self.aged.get_mut() else { return };
        // SAFETY: the number is in use.
        unsafe { aged.give_back(memory, number, 0) };
        if aged.len() == 0 {
            self.release_aged(memory);
        }
    }

    #[cold]
    fn release_aged(&mut self, memory: &Memory) {
        if let Some(mut aged) = self.aged.take(memory) {
            aged.release(memory);
        }
    }

    /// Nothing is live afterwards, all handles are stale, and the memory is given back.
    pub(super) fn clear(&mut self, memory: &Memory) {
        self.slots.clear(memory);
        self.release_aged(memory);
        (self.first, self.last) = (END, END);
    }

    /// Gives all memory back; the list is of no use afterwards.
    pub(super) fn release(&mut self, memory: &Memory) {
        self.slots.release(memory);
        self.release_aged(memory);
    }

    #[inline(always)]
    fn slot_at(&self, number: u32, place: NonNull<u8>) -> Slot {
        // SAFETY: the meta record follows the value inside the slot.
        let meta = unsafe { place.add(self.meta_offset as usize).cast() };
        Slot { number, place, meta }
    }

    /// The slot of a number that the order holds; `None` for its end.
    #[inline(always)]
    fn in_order(&self, number: u32) -> Option<Slot> {
        // SAFETY: the order holds numbers of slots in use.
        if number == END { None } else { Some(unsafe { self.slot(number) }) }
    }

    #[inline(always)]
    fn meta(&self, slot: Slot) -> &Meta {
        // SAFETY: a `Slot` has its meta record written, and the borrow of `self` guards it.
        unsafe { slot.meta.as_ref() }
    }

    #[inline(always)]
    fn meta_mut(&mut self, mut slot: Slot) -> &mut Meta {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { slot.meta.as_mut() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retired_slot_does_not_take_the_others_with_it() {
        let memory = Memory::new(None, 0);
        let mut live = Live::new(0, MAX_FLOOR - 7);
        let mut handles = Vec::new();
        for round in 0..40 {
            let slot = live.take(&memory, &[]).expect("slots are left");
            let entry = live.entry(slot);
            assert!(!handles.contains(&entry), "round {round}: a handle came twice");
            handles.push(entry);
            assert!(live.resolve(entry).is_some());
            match round % 8 {
                7 => live.clear(&memory),
                _ => live.give_back(&memory, slot),
            }
            assert!(live.resolve(entry).is_none(), "round {round}");
        }
        live.release(&memory);
        assert_eq!(memory.usage().in_use, 0);
    }
}
