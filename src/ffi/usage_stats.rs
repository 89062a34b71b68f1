//! The figures of a tracker, and the list of its children, as C sees them.

use super::args::{self, Out};
use super::guard::guard;
use super::status::qc_status;
use super::usage::{qc_usage, written};
use super::versioned::{self, FIGURE_BYTES};
use crate::usage::raw;
use crate::usage::{Child, Stats};
use std::mem::offset_of;

/// The figures of a tracker. Set `struct_size` before the call. Those that say "of the tree" are of all trackers that hang
/// together; its counters run from the creation of the root.
///
/// Write `struct qc_usage_stats`, in C++ too: the bare name is the function.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct qc_usage_stats {
    /// In: the room, `sizeof(struct qc_usage_stats)`. Out: the bytes that were filled.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// What is counted, in bytes. Exact while nobody writes.
    pub usage_bytes: i64,
    /// The committed total: usage, and what is lent to stripes.
    pub committed_bytes: i64,
    /// How far the usage may lie below the committed total.
    pub slack_bytes: i64,
    /// The tracker's own part of the usage: what its children do not count.
    pub own_bytes: i64,
    /// The limit in bytes; 0 means unlimited.
    pub limit_bytes: u64,
    /// The percent.
    pub percent: i64,
    /// 1 if the tracker itself (not one above it) is at 100 percent or more, else 0.
    pub is_full: u64,
    /// 1 if it is stopped, else 0.
    pub is_stopped: u64,
    /// Children.
    pub children: u64,
    /// Its stripes that hold something.
    pub active_stripes: u64,
    /// Its stripes.
    pub stripes: u64,
    /// Those who wait at it and below: for space, with a reservation, or for a notice.
    pub waiters: u64,
    /// Bytes that reservations wait for, at it and below.
    pub waiting_bytes: i64,
    /// Of the tree: trackers, hidden ones included.
    pub tree_trackers: u64,
    /// Of the tree: stripes that hold something.
    pub tree_active_stripes: u64,
    /// Of the tree: times a stripe was filled.
    pub tree_refills: u64,
    /// Of the tree: times what was lent was recalled.
    pub tree_recalls: u64,
    /// Of the tree: times the bounds of a level were computed anew.
    pub tree_crossings: u64,
    /// Of the tree: percent steps that were merged for want of room.
    pub tree_merged_events: u64,
    /// Of the tree: listeners and notices that panicked. 0 in a C program.
    pub tree_listener_panics: u64,
    /// Of the tree: bytes held now.
    pub bytes_in_use: u64,
    /// Of the tree: the most bytes ever held.
    pub bytes_peak: u64,
}

const SIZE: usize = size_of::<qc_usage_stats>();
const _: () =
    assert!(SIZE.is_multiple_of(FIGURE_BYTES) && offset_of!(qc_usage_stats, usage_bytes) == FIGURE_BYTES);

impl From<Stats> for qc_usage_stats {
    fn from(stats: Stats) -> qc_usage_stats {
        qc_usage_stats {
            struct_size: SIZE as u32,
            reserved: 0,
            usage_bytes: stats.usage_bytes,
            committed_bytes: stats.committed_bytes,
            slack_bytes: stats.slack_bytes,
            own_bytes: stats.own_bytes,
            limit_bytes: stats.limit_bytes.unsigned_abs(),
            percent: i64::from(stats.percent),
            is_full: u64::from(stats.is_full),
            is_stopped: u64::from(stats.is_stopped),
            children: u64::from(stats.children),
            active_stripes: u64::from(stats.active_stripes),
            stripes: u64::from(stats.stripes),
            waiters: u64::from(stats.waiters),
            waiting_bytes: stats.waiting_bytes,
            tree_trackers: u64::from(stats.tree_trackers),
            tree_active_stripes: u64::from(stats.tree_active_stripes),
            tree_refills: stats.tree_refills,
            tree_recalls: stats.tree_recalls,
            tree_crossings: stats.tree_crossings,
            tree_merged_events: stats.tree_merged_events,
            tree_listener_panics: stats.tree_listener_panics,
            bytes_in_use: stats.bytes_in_use,
            bytes_peak: stats.bytes_peak,
        }
    }
}

/// The figures of a tracker.
///
/// Parameters: `self` is the tracker; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and
/// gets as many whole fields as fit into it. Its `struct_size` afterwards is how many bytes were filled; bytes beyond
/// them stay as they are.
///
/// With allocator callbacks, `bytes_in_use` is the sum of the blocks that they have given and not got back.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `inout_stats` is NULL.
/// QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
///
/// Any thread. The tree's lock, and time in proportion to the active stripes below and those who wait in the tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_stats(self_: *mut qc_usage, inout_stats: *mut qc_usage_stats) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let (to, filled) = unsafe { versioned::figures_that_fit("inout_stats", inout_stats) }?;
        written(raw::stats(node), |stats| {
            let stats = qc_usage_stats { struct_size: filled as u32, ..stats.into() };
            // SAFETY: the two come from `figures_that_fit`, in this call.
            unsafe { versioned::write_figures(to, filled, &stats) };
        })
    })
}

/// A child in an enumeration.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_usage_child {
    /// Its tag.
    pub tag: u64,
    /// Its usage in bytes. Exact while nobody writes.
    pub usage_bytes: i64,
    /// Its limit in bytes; 0 means unlimited.
    pub limit_bytes: u64,
    /// Its percent.
    pub percent: i32,
    /// 0.
    pub reserved: u32,
}

// The core's children have the layout of C's.
const _: () = assert!(
    size_of::<Child>() == size_of::<qc_usage_child>()
        && align_of::<Child>() == align_of::<qc_usage_child>()
        && offset_of!(Child, tag) == offset_of!(qc_usage_child, tag)
        && offset_of!(Child, usage_bytes) == offset_of!(qc_usage_child, usage_bytes)
        && offset_of!(Child, limit_bytes) == offset_of!(qc_usage_child, limit_bytes)
        && offset_of!(Child, percent) == offset_of!(qc_usage_child, percent)
        && offset_of!(Child, reserved) == offset_of!(qc_usage_child, reserved)
);

/// The children of a tracker at one moment, in no particular order: as many as fit.
///
/// Parameters: `self` is the tracker; `out_children` has room for `capacity` children, NULL is fine if that is 0; the room
/// that is left over is filled with zeros. `out_count` gets how many children there are, which may be more than
/// `capacity`: then call again with more room. A child without a handle that has children itself is one of them.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_children` or `out_count` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
/// QC_ERR_OVERFLOW: `capacity` children are larger than an address space.
///
/// Any thread. The tree's lock, and time in proportion to the children and the active stripes below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_children(
    self_: *mut qc_usage,
    out_children: *mut qc_usage_child,
    capacity: usize,
    out_count: *mut usize,
) -> qc_status {
    guard!(pinned self_, |node| {
        args::bytes::<qc_usage_child>("out_children", capacity)?;
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_count", out_count) }?;
        let mut none = [];
        let room: &mut [Child] = if capacity == 0 {
            &mut none
        } else {
            let start = args::pointer("out_children", out_children)?.cast::<Child>();
            // SAFETY: the caller gives room for `capacity` children.
            unsafe { start.write_bytes(0, capacity) };
            // SAFETY: as above; it is aligned, and zeros are children. Nobody else uses it during the call.
            unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), capacity) }
        };
        written(raw::children(node, room), |count| out.write(count))
    })
}
