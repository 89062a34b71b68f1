//! From a position to the key and insert time there, wherever they are: what the index asks of the rest.

use super::bucket::{Decoded, Position};
use super::clock::Tick;
use super::hash::Hash;
use super::index::Entries;
use super::live::{Live, Origin, Slot};
use super::log::Log;
use super::prefetch::prefetch;
use super::types::Key;

/// The records and slots of one history, to look at.
///
/// The positions given to it come from the index, or are the origin of a slot in use. That is what makes its
/// reads sound: the index and the slots only ever name slots in use, records that collection has not passed and
/// that are not buried, and aged records in use, because whoever frees one of those removes or changes the
/// position first.
#[derive(Clone, Copy)]
pub(super) struct Records<'a> {
    pub(super) log: &'a Log,
    pub(super) live: &'a Live,
    pub(super) hash: &'a Hash,
}

/// An entry of the index: live, in a slot, or historical, with its record.
pub(super) enum Found {
    Live(Slot),
    Historical(u32),
}

impl<'a> Records<'a> {
    #[inline(always)]
    pub(super) fn key(self, at: Decoded) -> &'a Key {
        match at {
            // SAFETY: a position of the index; see above.
            Decoded::Record(record) => unsafe { self.log.key(record) },
            Decoded::Slot(number) => self.key_of_slot(self.slot(number)),
        }
    }

    /// What the entry at a position is.
    #[inline(always)]
    pub(super) fn found(self, at: Decoded) -> Found {
        match at {
            // SAFETY: a position of the index; see above.
            Decoded::Record(record) => match unsafe { self.log.slot_of(record) } {
                Some(number) => Found::Live(self.slot(number)),
                None => Found::Historical(record),
            },
            Decoded::Slot(number) => Found::Live(self.slot(number)),
        }
    }

    /// The position under which the index names a live entry.
    #[inline(always)]
    pub(super) fn position_of(self, slot: Slot) -> Position {
        match self.live.origin(slot) {
            Origin::Record(record) => Position::of_record(record),
            Origin::Aged(_) => Position::of_slot(slot.number),
        }
    }

    /// The slot of a number that the index, the order or an owner's note names.
    #[inline(always)]
    pub(super) fn slot(self, number: u32) -> Slot {
        // SAFETY: a position of the index; see above.
        unsafe { self.live.slot(number) }
    }

    #[inline(always)]
    pub(super) fn key_of_slot(self, slot: Slot) -> &'a Key {
        match self.live.origin(slot) {
            // SAFETY: the origin of a slot in use; see above.
            Origin::Record(record) => unsafe { self.log.key(record) },
            // SAFETY: likewise.
            Origin::Aged(aged) => unsafe { &self.live.aged(aged).key },
        }
    }

    #[inline(always)]
    pub(super) fn tick_of_slot(self, slot: Slot) -> Tick {
        match self.live.origin(slot) {
            Origin::Record(record) => self.tick_of_record(record),
            // SAFETY: the origin of a slot in use; see above.
            Origin::Aged(aged) => unsafe { self.live.aged(aged).tick },
        }
    }

    /// Brings near what an erase touches of a slot's record.
    #[inline(always)]
    pub(super) fn prefetch_record_of(self, slot: Slot) {
        if let Origin::Record(record) = self.live.origin(slot) {
            // SAFETY: the origin of a slot in use; see above.
            prefetch(unsafe { self.log.time_address(record) });
            // SAFETY: likewise.
            if let Some(owner) = unsafe { self.log.owner_address(record) } {
                prefetch(owner);
            }
        }
    }

    /// The tick of a record that the index or a slot names.
    #[inline(always)]
    pub(super) fn tick_of_record(self, record: u32) -> Tick {
        // SAFETY: a position of the index or the origin of a slot in use; see above.
        unsafe { self.log.tick(record) }
    }
}

impl Entries for Records<'_> {
    #[inline(always)]
    fn hash_at(&self, at: Decoded) -> u64 {
        self.hash.of(self.key(at))
    }

    #[inline(always)]
    fn prefetch_key(&self, at: Decoded) {
        match at {
            // SAFETY: a position of the index; see above.
            Decoded::Record(record) => prefetch(unsafe { self.log.key_address(record) }),
            // The key is two steps away, and live entries are few beside historical ones.
            Decoded::Slot(_) => {}
        }
    }
}
