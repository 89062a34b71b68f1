//! What the calls on a history answer, as C sees it: numbers with names, and small structs.
//!
//! The files of `ffi` that export calls on histories use these; the core's own types are turned into them here.

use super::callbacks::qc_key;
use crate::history::{Collected, Entry, Erased, Inserted, Presence};
use std::ffi::c_void;

/// The handle of one live entry of one history; 0 stands for none.
///
/// It is good until its entry is erased, forgotten or cleared. After that every call answers QC_ERR_STALE_HANDLE for
/// it: it never comes to mean another entry. It has no meaning for another history.
pub type qc_entry = u64;

/// What `qc_history_insert` and `qc_history_readmit` did. Structs keep it as a `uint32_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_outcome {
    /// The key is live now, last in the live order.
    QC_ADDED = 0,
    /// The key was live already. Nothing was changed.
    QC_DUPLICATE_LIVE = 1,
    /// The key was erased, and its window has not ended. Nothing was changed.
    QC_DUPLICATE_HISTORY = 2,
}

/// What a history knows of a key. Calls write it as a `uint32_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_presence {
    /// Nothing.
    QC_ABSENT = 0,
    /// It is live, at any age.
    QC_LIVE = 1,
    /// It was erased, and its window has not ended.
    QC_HISTORICAL = 2,
}

/// What an erase left behind. Calls write it as a `uint32_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_erased {
    /// The key is in the history until its window ends.
    QC_ERASED_HISTORICAL = 0,
    /// Nothing: its window had ended, or is 0. Or the history was full, with QC_OVERFLOW_EVICT_OLDEST, and no room was
    /// found for it (`qc_overflow`): then its window had not ended, and `evicted_early` counts it.
    QC_ERASED_GONE = 1,
}

/// What an insert or readmit did, and to which entry.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_insert_result {
    /// QC_ADDED: the new entry. QC_DUPLICATE_LIVE: the entry that was there. QC_DUPLICATE_HISTORY: 0.
    pub entry: qc_entry,
    /// A `qc_outcome`.
    pub outcome: u32,
    /// 0.
    pub reserved: u32,
}

/// What a collection did.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_gc_result {
    /// Expired entries that this call removed.
    pub collected: u64,
    /// 1 if the call stopped at its maximum and another would find work at once, else 0. 0 also if there is work but no
    /// memory for it.
    pub more: u32,
    /// 0.
    pub reserved: u32,
}

/// What is known of a live entry.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_entry_info {
    /// Its key.
    pub key: qc_key,
    /// Its insert time in ns, rounded down to a multiple of the resolution.
    pub inserted_at_ns: i64,
    /// Its value: `value_size` bytes that stay where they are until the entry leaves; NULL if `value_size` is 0.
    pub value: *mut c_void,
}

impl From<Inserted> for qc_insert_result {
    #[inline(always)]
    fn from(inserted: Inserted) -> qc_insert_result {
        let (entry, outcome) = match inserted {
            Inserted::Added(entry) => (entry.to_bits(), qc_outcome::QC_ADDED),
            Inserted::DuplicateLive(entry) => (entry.to_bits(), qc_outcome::QC_DUPLICATE_LIVE),
            Inserted::DuplicateHistory => (0, qc_outcome::QC_DUPLICATE_HISTORY),
        };
        qc_insert_result { entry, outcome: outcome as u32, reserved: 0 }
    }
}

impl From<Collected> for qc_gc_result {
    fn from(done: Collected) -> qc_gc_result {
        qc_gc_result { collected: done.collected, more: u32::from(done.more), reserved: 0 }
    }
}

/// The number for a presence.
#[inline(always)]
pub(crate) fn presence(presence: Presence) -> u32 {
    let named = match presence {
        Presence::Absent => qc_presence::QC_ABSENT,
        Presence::Live => qc_presence::QC_LIVE,
        Presence::Historical => qc_presence::QC_HISTORICAL,
    };
    named as u32
}

/// The number for an erase.
#[inline(always)]
pub(crate) fn erased(erased: Erased) -> u32 {
    let named = match erased {
        Erased::Historical => qc_erased::QC_ERASED_HISTORICAL,
        Erased::Gone => qc_erased::QC_ERASED_GONE,
    };
    named as u32
}

/// The number for an entry or for none.
#[inline(always)]
pub(crate) fn entry_bits(entry: Option<Entry>) -> qc_entry {
    entry.map_or(0, Entry::to_bits)
}
