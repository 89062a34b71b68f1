//! Settings that may change while a tracker is in use: limit, share, step and marks. When a call returns, the whole tree
//! answers by the new ones.

use super::callbacks::forget_misaligned;
use super::guard::guard;
use super::status::qc_status;
use super::usage::qc_usage;
use crate::usage::{Marks, raw};

/// Sets a limit. A share of the parent's limit is given up. Percents, events and waiters follow, and the limits of those
/// below that have a share of this one.
///
/// Parameters: `self` is the tracker; `limit_bytes` is up to 2^62; 0 means unlimited.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_OUT_OF_RANGE: `limit_bytes` is larger than 2^62.
///
/// Any thread. The tree's lock, and one shared line for each active stripe and each tracker below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_set_limit(self_: *mut qc_usage, limit_bytes: u64) -> qc_status {
    guard!(pinned self_, |node| {
        Ok(raw::set_limit(node, limit_bytes))
    })
}

/// Takes a share of the parent's limit instead of a limit, now and whenever that changes.
///
/// Parameters: `self` is the tracker; `share_ppm` is 1 to 1,000,000 parts per million.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_OUT_OF_RANGE: `share_ppm` is outside its range. QC_ERR_INVALID_ARGUMENT: the tracker is a root.
///
/// Any thread. Cost as of `qc_usage_set_limit`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_set_share(self_: *mut qc_usage, share_ppm: u32) -> qc_status {
    guard!(pinned self_, |node| {
        Ok(raw::set_share(node, share_ppm))
    })
}

/// Sets the step in which percents count.
///
/// Parameters: `self` is the tracker; `min_delta_percent` is 1 or more.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_OUT_OF_RANGE: `min_delta_percent` is 0.
///
/// Any thread. The tree's lock, and one shared line for each active stripe below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_set_min_delta(self_: *mut qc_usage, min_delta_percent: u32) -> qc_status {
    guard!(pinned self_, |node| {
        Ok(raw::set_min_delta(node, min_delta_percent))
    })
}

/// Sets the pair of percents of `qc_usage_is_over_mark`: over the upper one a tracker is over its mark, and stays so until
/// it is below the lower one.
///
/// Parameters: `self` is the tracker; `low_percent` and `high_percent` are 1 or more, the first not above the second.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_OUT_OF_RANGE: a percent is below 1. QC_ERR_INVALID_ARGUMENT: `low_percent` is above `high_percent`.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
///
/// Any thread. The tree's lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_set_marks(
    self_: *mut qc_usage,
    low_percent: i32,
    high_percent: i32,
) -> qc_status {
    guard!(pinned self_, |node| {
        forget_misaligned();
        Ok(raw::set_marks(node, Some(Marks { low: low_percent, high: high_percent })))
    })
}

/// Removes the marks: the tracker is over none from now on.
///
/// Parameters: `self` is the tracker.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
///
/// Any thread. The tree's lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_clear_marks(self_: *mut qc_usage) -> qc_status {
    guard!(pinned self_, |node| {
        Ok(raw::set_marks(node, None))
    })
}
