//! Questions: percent, full, usage, limit.

use super::args::Out;
use super::guard::guard;
use super::status::qc_status;
use super::usage::{qc_usage, truth, written};
use crate::usage::raw::{self, After};

/// Where a quick answer goes: `None` sends the call to the checks that tell what is wrong with the pointer.
#[inline(always)]
fn place<T>(to: *mut T) -> Option<std::ptr::NonNull<T>> {
    std::ptr::NonNull::new(to).filter(|to| to.is_aligned())
}

/// The percent of the tracker's own limit that is used, truncated to a multiple of its step; 0 if it is unlimited.
///
/// Parameters: `self` is the tracker; `out_percent` gets the percent, negative for a level below zero.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_percent` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
///
/// Any thread. Usually two lines read and no shared line written; while nobody keeps the percent, the tree's lock at worst.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_percent(self_: *mut qc_usage, out_percent: *mut i32) -> qc_status {
    guard!(quick self_, |node| {
        let (Some(out), Some(percent)) = (place(out_percent), raw::kept_percent(node)) else { return false };
        // SAFETY: the caller gives a place for the number, which is aligned.
        unsafe { out.write(percent) };
        true
    }, |node| {
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_percent", out_percent) }?;
        written(raw::percent(node), |percent| out.write(percent))
    })
}

/// Whether the tracker, or one above it, is at 100 percent or more.
///
/// Parameters: `self` is the tracker; `out_full` gets 1 or 0.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_full` is NULL.
///
/// Any thread. One line read for each level, none written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_is_full(self_: *mut qc_usage, out_full: *mut u8) -> qc_status {
    guard!(quick self_, |node| {
        let Some(out) = place(out_full) else { return false };
        // SAFETY: the caller gives a place for the answer.
        unsafe { out.write(truth(raw::is_full(node))) };
        true
    }, |node| {
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_full", out_full) }?;
        written(After { answer: Ok(raw::is_full(node)), drain: None }, |full| out.write(truth(full)))
    })
}

/// Whether the tracker, or one above it, is at a percent or more of its own limit, by its own step. Unlimited ones never
/// are.
///
/// Parameters: `self` is the tracker; `percent` is any number; `out_full` gets 1 or 0.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_full` is NULL.
///
/// Any thread. One line read for each level; for a level whose percent nobody keeps, the tree's lock at worst.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_is_full_at(
    self_: *mut qc_usage,
    percent: i32,
    out_full: *mut u8,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_full", out_full) }?;
        written(raw::is_full_at(node, percent), |full| out.write(truth(full)))
    })
}

/// Whether the percent reached the upper mark and has not been below the lower one since: `qc_usage_set_marks`.
///
/// Parameters: `self` is the tracker; `out_over` gets 1 or 0.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_over` is NULL.
///
/// Any thread. One line read, none written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_is_over_mark(self_: *mut qc_usage, out_over: *mut u8) -> qc_status {
    guard!(quick self_, |node| {
        let Some(out) = place(out_over) else { return false };
        // SAFETY: the caller gives a place for the answer.
        unsafe { out.write(truth(raw::is_over_mark(node))) };
        true
    }, |node| {
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_over", out_over) }?;
        written(After { answer: Ok(raw::is_over_mark(node)), drain: None }, |over| out.write(truth(over)))
    })
}

/// What is counted, in bytes. Exact while nobody writes; otherwise operations that run at the same time count or not.
///
/// Parameters: `self` is the tracker; `out_usage_bytes` gets the number, negative if more was taken off than put on.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_usage_bytes` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
///
/// Any thread. One line read if nothing is lent below; otherwise the tree's lock, and one line read for each active stripe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_usage(self_: *mut qc_usage, out_usage_bytes: *mut i64) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_usage_bytes", out_usage_bytes) }?;
        let mut drain = None;
        let usage_bytes = raw::usage(node, &mut drain);
        written(After { answer: Ok(usage_bytes), drain }, |usage_bytes| out.write(usage_bytes))
    })
}

/// What is counted at one moment during the call, whoever writes. It recalls all that is lent below: not for every message.
///
/// Parameters: `self` is the tracker; `out_usage_bytes` gets the number.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_usage_bytes` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
///
/// Any thread. The tree's lock, one shared line for each level and for each active stripe below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_usage_exact(self_: *mut qc_usage, out_usage_bytes: *mut i64) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_usage_bytes", out_usage_bytes) }?;
        written(raw::usage_exact(node), |usage_bytes| out.write(usage_bytes))
    })
}

/// The limit in bytes; 0 means unlimited.
///
/// Parameters: `self` is the tracker; `out_limit_bytes` gets the number.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_limit_bytes` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
///
/// Any thread. One line read, none written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_limit(self_: *mut qc_usage, out_limit_bytes: *mut u64) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_limit_bytes", out_limit_bytes) }?;
        written(After { answer: Ok(raw::limit(node)), drain: None }, |limit_bytes| out.write(limit_bytes))
    })
}
