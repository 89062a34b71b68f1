//! The figures of a history as C sees them. The struct may belong to a program that was compiled against another
//! version: `struct_size` says how much room there is, and how much of it was filled.

use super::guard::guard;
use super::history::{Instance, qc_history};
use super::status::qc_status;
use super::versioned::{self, FIGURE_BYTES};
use crate::history::Stats;

/// The figures of a history. Set `struct_size` before the call. Counters run from creation.
///
/// Write `struct qc_history_stats`, in C++ too: the bare name is the function.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct qc_history_stats {
    /// In: the room, `sizeof(struct qc_history_stats)`. Out: the bytes that were filled.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// Live entries.
    pub live_len: u64,
    /// Historical entries held, expired ones that are not collected yet included.
    pub history_len: u64,
    /// Records of forgotten or re-admitted entries that wait for the collection to pass them.
    pub tombstones: u64,
    /// Bytes held now, the instance itself included.
    pub bytes_in_use: u64,
    /// The most bytes ever held.
    pub bytes_peak: u64,
    /// Blocks asked of the allocator.
    pub allocations: u64,
    /// Blocks given back.
    pub deallocations: u64,
    /// Expired entries collected.
    pub collected_total: u64,
    /// Entries that left before their window ended, because of `max_history`.
    pub evicted_early: u64,
    /// Inserts and readmits that were answered with a duplicate.
    pub duplicates: u64,
    /// Historical keys that became live again.
    pub readmitted: u64,
    /// Calls whose `now_ns` was smaller than one seen before.
    pub clock_regressions: u64,
    /// The most index entries that one call, or one element of a batch, has moved for growth or shrinking.
    pub max_entries_moved_per_call: u64,
    /// Buckets of the index, 64 bytes each.
    pub index_buckets: u64,
    /// Overflow buckets among them.
    pub overflow_buckets: u64,
    /// Index buckets examined so far: the work that a flood of collisions would raise.
    pub buckets_probed: u64,
}

const SIZE: usize = size_of::<qc_history_stats>();
const _: () = assert!(
    SIZE.is_multiple_of(FIGURE_BYTES) && std::mem::offset_of!(qc_history_stats, live_len) == FIGURE_BYTES
);

impl Instance {
    /// The core's figures, and what this library adds to them: the block of the instance, whose bytes the core counts.
    fn stats(&self) -> qc_history_stats {
        let Stats {
            live_len,
            history_len,
            tombstones,
            bytes_in_use,
            bytes_peak,
            allocations,
            deallocations,
            collected_total,
            evicted_early,
            duplicates,
            readmitted,
            clock_regressions,
            max_entries_moved_per_call,
            index_buckets,
            overflow_buckets,
            buckets_probed,
        } = self.history.stats();
        qc_history_stats {
            struct_size: SIZE as u32,
            reserved: 0,
            live_len,
            history_len,
            tombstones,
            bytes_in_use,
            bytes_peak,
            allocations: allocations + 1,
            deallocations,
            collected_total,
            evicted_early,
            duplicates,
            readmitted,
            clock_regressions,
            max_entries_moved_per_call,
            index_buckets,
            overflow_buckets,
            buckets_probed,
        }
    }
}

/// The figures of a history.
///
/// Parameters: `self` is the history; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and
/// gets as many whole fields as fit into it. Its `struct_size` afterwards is how many bytes were filled; bytes beyond
/// them stay as they are.
///
/// With allocator callbacks, `bytes_in_use` is the sum of the blocks that they have given and not got back.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `inout_stats` is NULL.
/// QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_stats(
    self_: *mut qc_history,
    inout_stats: *mut qc_history_stats,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let (to, filled) = unsafe { versioned::figures_that_fit("inout_stats", inout_stats) }?;
        let stats = qc_history_stats { struct_size: filled as u32, ..instance.stats() };
        // SAFETY: the two come from the line before the last.
        unsafe { versioned::write_figures(to, filled, &stats) };
        Ok(())
    })
}
