//! The figures of a cursor as C sees them. The struct may belong to a program that was compiled against another version:
//! `struct_size` says how much room there is, and how much of it was filled.

use super::cursor::{Instance, qc_cursor};
use super::guard::guard;
use super::status::qc_status;
use super::versioned::{self, FIGURE_BYTES};
use crate::cursor::{Cursor, Stats};

/// The figures of a cursor. Set `struct_size` before the call. Counters run from creation.
///
/// Write `struct qc_cursor_stats`, in C++ too: the bare name is the function.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct qc_cursor_stats {
    /// In: the room, `sizeof(struct qc_cursor_stats)`. Out: the bytes that were filled.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// 1 while new messages stay in memory, else 0.
    pub is_caching: u32,
    /// 1 while the window may take pages, else 0.
    pub is_filling: u32,
    /// Messages pushed and not acknowledged, removed or aborted. What was removed while it was in the store only is
    /// believed; where the store turns out to hold fewer, the count follows the store.
    pub pending_count: u64,
    /// Their bytes.
    pub pending_bytes: u64,
    /// Messages in memory.
    pub in_memory_count: u64,
    /// What is charged for them, in bytes; with QC_ACCOUNTING_HOST, what they take.
    pub in_memory_bytes: u64,
    /// Messages in the consumers' hands.
    pub in_flight_count: u64,
    /// Messages put aside in this round.
    pub parked_count: u64,
    /// Messages of the window that were dropped from memory and not paged in again.
    pub dropped_count: u64,
    /// Writes that are not answered, and answered ones behind them.
    pub open_writes: u64,
    /// Pages taken.
    pub pages: u64,
    /// Messages that came with them.
    pub paged_messages: u64,
    /// Pages taken by the guaranteed share.
    pub lent_pages: u64,
    /// Bytes in memory by the guaranteed share.
    pub lent_bytes: u64,
    /// Times caching was turned on.
    pub cache_on_turns: u64,
    /// Times caching was turned off.
    pub cache_off_turns: u64,
    /// The most bytes ever charged.
    pub peak_bytes: u64,
    /// How far the charge has been above the high mark at most, in bytes.
    pub overshoot_bytes: u64,
    /// Fetches that failed or were refused.
    pub failed_fetches: u64,
    /// Messages requeued.
    pub requeued: u64,
    /// Calls of the ready callback, also those that found none set.
    pub ready_calls: u64,
    /// Time from a pull that was blocked to the next pull, or to now, in ns: by QC_BLOCKED_OWN_MARK.
    pub blocked_own_mark_ns: u64,
    /// The same, by QC_BLOCKED_PARENT.
    pub blocked_parent_ns: u64,
    /// The same, by QC_BLOCKED_ENTRIES.
    pub blocked_entries_ns: u64,
    /// The same, by QC_BLOCKED_COMMIT.
    pub blocked_commit_ns: u64,
    /// Bytes held now, the instance itself included.
    pub bytes_in_use: u64,
    /// The most bytes ever held.
    pub bytes_peak: u64,
}

const SIZE: usize = size_of::<qc_cursor_stats>();
const _: () = assert!(
    SIZE.is_multiple_of(FIGURE_BYTES) && std::mem::offset_of!(qc_cursor_stats, is_caching) == FIGURE_BYTES
);

impl Instance {
    /// The core's figures, with the block of the instance in place of the core's own object.
    fn stats(&self) -> qc_cursor_stats {
        let bytes = |core: u64| core - Cursor::OWN_BYTES as u64 + size_of::<Instance>() as u64;
        let Stats {
            is_caching,
            is_filling,
            pending_count,
            pending_bytes,
            in_memory_count,
            in_memory_bytes,
            in_flight_count,
            parked_count,
            dropped_count,
            open_writes,
            pages,
            paged_messages,
            lent_pages,
            lent_bytes,
            cache_on_turns,
            cache_off_turns,
            peak_bytes,
            overshoot_bytes,
            failed_fetches,
            requeued,
            ready_calls,
            blocked_ns: [blocked_own_mark_ns, blocked_parent_ns, blocked_entries_ns, blocked_commit_ns],
            bytes_in_use,
            bytes_peak,
        } = self.cursor.stats();
        qc_cursor_stats {
            struct_size: SIZE as u32,
            reserved: 0,
            is_caching: is_caching.into(),
            is_filling: is_filling.into(),
            pending_count,
            pending_bytes,
            in_memory_count,
            in_memory_bytes,
            in_flight_count,
            parked_count,
            dropped_count,
            open_writes,
            pages,
            paged_messages,
            lent_pages,
            lent_bytes,
            cache_on_turns,
            cache_off_turns,
            peak_bytes,
            overshoot_bytes,
            failed_fetches,
            requeued,
            ready_calls,
            blocked_own_mark_ns,
            blocked_parent_ns,
            blocked_entries_ns,
            blocked_commit_ns,
            bytes_in_use: bytes(bytes_in_use),
            bytes_peak: bytes(bytes_peak),
        }
    }
}

/// The figures of a cursor. Asking changes nothing.
///
/// Parameters: `self` is the cursor; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and gets as
/// many whole fields as fit into it (`is_caching` and `is_filling` together). Its `struct_size` afterwards is how many bytes
/// were filled; bytes beyond them stay as they are.
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
pub unsafe extern "C" fn qc_cursor_stats(
    self_: *mut qc_cursor,
    inout_stats: *mut qc_cursor_stats,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let (to, filled) = unsafe { versioned::figures_that_fit("inout_stats", inout_stats) }?;
        let stats = qc_cursor_stats { struct_size: filled as u32, ..instance.stats() };
        // SAFETY: the two come from the line before the last.
        unsafe { versioned::write_figures(to, filled, &stats) };
        Ok(())
    })
}
