//! What goes in and what comes out of a history: keys, entries, answers and figures.

use std::fmt;
use std::num::NonZeroU64;

/// A message's identifier: 16 bytes, compared as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Key(pub [u8; 16]);

impl Key {
    /// The key that stands in these bytes, if they are 16.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<&Key> {
        let bytes: &[u8; 16] = bytes.try_into().ok()?;
        // SAFETY: a key is these 16 bytes and nothing else.
        Some(unsafe { &*std::ptr::from_ref(bytes).cast::<Key>() })
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The handle of a live entry: 32 bits of generation over 32 bits of slot, never 0.
///
/// It names one entry for good: once that entry is erased, forgotten or cleared the handle is stale, and it
/// never comes to mean another entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct Entry(NonZeroU64);

impl Entry {
    /// The handle as a number, for a host that stores it as one.
    pub fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// The handle that `to_bits` gave; `None` for 0. Any other number is accepted here and found out when used.
    pub fn from_bits(bits: u64) -> Option<Entry> {
        NonZeroU64::new(bits).map(Entry)
    }
}

/// The answer of `insert` and `readmit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    /// The key is live now, last in the live order.
    Added(Entry),
    /// The key was live already; nothing changed. The handle is the existing entry's.
    DuplicateLive(Entry),
    /// The key was erased less than a window after its insert; nothing changed.
    DuplicateHistory,
}

/// The answer of `contains`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// Neither live nor in the history.
    Absent,
    /// Inserted and not yet erased, at any age.
    Live,
    /// Erased, and still inside its window.
    Historical,
}

/// The answer of `erase`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Erased {
    /// The entry stays in the history until its window ends.
    Historical,
    /// Nothing of it is left: its window had ended (or is 0), or the history was full and it left early.
    Gone,
}

/// The answer of `gc`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Collected {
    /// How many expired historical entries this call removed.
    pub collected: u64,
    /// Whether the oldest record is due as well, so that another call would find work at once.
    pub more: bool,
}

/// What is known of a live entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryInfo {
    /// Its key.
    pub key: Key,
    /// Its insert time, rounded down to the resolution.
    pub inserted_at_ns: i64,
}

/// One entry, live or historical, as an iteration gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Item {
    /// Its key.
    pub key: Key,
    /// Its insert time, rounded down to the resolution.
    pub inserted_at_ns: i64,
    /// Its handle if it is live; `None` if it is historical.
    pub entry: Option<Entry>,
}

/// Figures of one history. Counters run from creation and do not wrap in practice (64 bits).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Entries inserted and not yet erased.
    pub live_len: u64,
    /// Historical entries held, expired ones that are not collected yet included.
    pub history_len: u64,
    /// Places in the log whose entry was forgotten or re-admitted, waiting for collection to pass them.
    pub tombstones: u64,
    /// Bytes held now, the instance itself included.
    pub bytes_in_use: u64,
    /// The most bytes ever held.
    pub bytes_peak: u64,
    /// Blocks asked of the allocator.
    pub allocations: u64,
    /// Blocks given back.
    pub deallocations: u64,
    /// Entries collected after they expired.
    pub collected_total: u64,
    /// Entries that left the history before their window ended, because of `max_history`.
    pub evicted_early: u64,
    /// Inserts answered with a duplicate (live or historical).
    pub duplicates: u64,
    /// Historical keys that became live again.
    pub readmitted: u64,
    /// Calls whose `now` was smaller than one seen before.
    pub clock_regressions: u64,
    /// The most index entries that one call, one element of a batch or 64 steps of a longer collection have moved
    /// for growth or shrinking. A constant bounds it, at any size: 256.
    pub max_entries_moved_per_call: u64,
    /// Buckets of the index, 64 bytes each, without overflow buckets.
    pub index_buckets: u64,
    /// Overflow buckets, 64 bytes each.
    pub overflow_buckets: u64,
    /// Index buckets examined by probes so far: the work that a flood of collisions would raise.
    pub buckets_probed: u64,
}
