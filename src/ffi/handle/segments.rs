//! The entries of the handle table: where they stand, and how their number grows. The table alone uses this file.
//!
//! Entries stand in segments, each twice as long as the one before. A segment is made when its first slot is
//! wanted, and is never moved or freed: a reference to an entry holds for the life of the process, which is what
//! lets a look-up run without a lock. The memory comes from the system page by page as slots are first used.

use super::word::Identity;
use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::ptr::{self, NonNull};

/// Entries of the first segment: one page of them.
const FIRST: u32 = 64;
/// Segments: 64, 128, ... 2^23 entries.
const SEGMENTS: usize = 18;
/// All slots that there can be, in use or retired.
pub(super) const MAX_SLOTS: u32 = FIRST * ((1 << SEGMENTS as u32) - 1);

/// One slot: a cache line of its own, so that calls on different handles never meet.
///
/// ```text
/// offset  0        8          16       24         28                    64
///         +--------+----------+--------+----------+---------------------+
///         | word   | identity | object | next_free| (empty)             |
///         +--------+----------+--------+----------+---------------------+
/// ```
#[cfg_attr(not(loom), repr(C, align(64)))]
pub(super) struct Entry {
    /// Who may enter, or who is inside: see `word.rs`.
    pub(super) word: AtomicU64,
    /// The identity of the object, or of the last one; 0 if there was none.
    pub(super) identity: AtomicU64,
    /// The object.
    pub(super) object: AtomicPtr<()>,
    /// While the slot is free: one more than the next free slot, or 0. Only the holder of the roster uses it. While the
    /// end of its object is put off: what is put off behind it; only the thread that destroys uses it.
    pub(super) next_free: AtomicU32,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Entry>() == 64);

impl Entry {
    pub(super) fn load_identity(&self) -> Identity {
        // Relaxed: a refused call comes here after an acquiring read of `word`. It pairs with the release in `publish`,
        // which follows the store of the identity, or with one in `leave` or `poison`, by a thread that had acquired
        // that. `publish` comes here too: the roster's lock orders it after the `publish` before.
        Identity::from_bits(self.identity.load(Ordering::Relaxed))
    }
}

/// The list of segments.
pub(super) struct Segments {
    starts: [AtomicPtr<Entry>; SEGMENTS],
}

impl Segments {
    #[cfg(not(loom))]
    pub(super) const fn new() -> Segments {
        Segments { starts: [const { AtomicPtr::new(ptr::null_mut()) }; SEGMENTS] }
    }

    #[cfg(loom)]
    pub(super) fn new() -> Segments {
        Segments { starts: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())) }
    }

    /// The entry of a slot; `None` if its segment does not exist (yet).
    #[inline(always)]
    pub(super) fn get(&self, slot: u32) -> Option<&Entry> {
        let (segment, offset) = place(slot);
        // Acquire: pairs with the release in `get_or_make`, so that the entries are there before their address is.
        let start = self.starts.get(segment)?.load(Ordering::Acquire);
        if start.is_null() {
            return None;
        }
        // SAFETY: `place` gives an offset below the segment's length, and a segment that is not null has that many
        // entries.
        let entry = unsafe { start.add(offset) };
        // SAFETY: the entry is there, and it is never freed. Entries are only ever shared: all their fields are
        // atomic.
        Some(unsafe { &*entry })
    }

    /// The entry of a slot, for the holder of the roster: makes the segment if it is not there yet. `None` if the
    /// process has no memory for it, or if there is no such slot.
    pub(super) fn get_or_make(&self, slot: u32) -> Option<&Entry> {
        if let Some(entry) = self.get(slot) {
            return Some(entry);
        }
        let (segment, _) = place(slot);
        let start = self.starts.get(segment)?;
        let made = allocate((FIRST as usize) << segment)?;
        // Release: pairs with the acquire in `get`. Nobody else stores here: the caller holds the roster.
        start.store(made.as_ptr(), Ordering::Release);
        self.get(slot)
    }
}

/// The segment of a slot, and the place in it.
#[inline(always)]
fn place(slot: u32) -> (usize, usize) {
    // Slot 0 counts as FIRST: then the highest set bit names the segment and the bits below it the place.
    let counted = slot + FIRST;
    let top = counted.ilog2();
    ((top - FIRST.ilog2()) as usize, (counted - (1 << top)) as usize)
}

/// Fresh zeroed entries that live for ever.
#[cfg(not(loom))]
fn allocate(len: usize) -> Option<NonNull<Entry>> {
    // SAFETY: a new private mapping at an address that the system chooses changes no memory of anybody's.
    let mapped = unsafe {
        libc::mmap(
            ptr::null_mut(),
            len * size_of::<Entry>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    // An anonymous mapping is page-aligned and reads as zeros, which is a valid value of each field of an entry.
    if mapped == libc::MAP_FAILED { None } else { NonNull::new(mapped.cast()) }
}

/// Fresh entries that live for ever: loom's atomics cannot be made of zeros. Loom models use few.
#[cfg(loom)]
fn allocate(len: usize) -> Option<NonNull<Entry>> {
    let entries: Vec<Entry> = (0..len)
        .map(|_| Entry {
            word: AtomicU64::new(0),
            identity: AtomicU64::new(0),
            object: AtomicPtr::new(ptr::null_mut()),
            next_free: AtomicU32::new(0),
        })
        .collect();
    NonNull::new(entries.leak().as_mut_ptr())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn slots_fill_one_segment_after_the_other() {
        let mut expected = (0, 0);
        for slot in 0..10_000 {
            assert_eq!(place(slot), expected, "slot {slot}");
            expected.1 += 1;
            if expected.1 == (FIRST as usize) << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(place(MAX_SLOTS - 1), (SEGMENTS - 1, ((FIRST as usize) << (SEGMENTS - 1)) - 1));
        assert_eq!(place(MAX_SLOTS).0, SEGMENTS);
    }

    #[test]
    fn an_entry_is_there_once_its_segment_is_made_and_stays_where_it_is() {
        let segments = Segments::new();
        assert!(segments.get(0).is_none());
        let first = ptr::from_ref(segments.get_or_make(0).expect("there is memory"));
        assert!(segments.get(FIRST - 1).is_some());
        assert!(segments.get(FIRST).is_none());
        assert!(segments.get_or_make(FIRST).is_some());
        assert_eq!(segments.get(0).map(ptr::from_ref), Some(first));
        assert!(segments.get(MAX_SLOTS).is_none());
        assert!(segments.get_or_make(MAX_SLOTS).is_none());
    }
}
