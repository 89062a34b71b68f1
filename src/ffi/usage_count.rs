//! Calls that count: more, less, only if it fits, and a new number altogether.

use super::args::Out;
use super::guard::guard;
use super::status::qc_status;
use super::usage::{qc_usage, truth, written};
use crate::usage::raw;

/// Counts more, here and on every level above. Never blocks for want of space, and never refuses for it.
///
/// Parameters: `self` is the tracker; `amount_bytes` is 0, which does nothing, to 2^56.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56. QC_ERR_LEVEL: a level would be above 2^61.
///
/// Any thread. Usually one exchange on a line of this processor's own, and no line that others write; at worst the tree's
/// lock, one shared line for each level, and one for each active stripe below a level that is crossed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_increase(self_: *mut qc_usage, amount_bytes: u64) -> qc_status {
    guard!(quick self_, |node| {
        raw::take_at_once(node, amount_bytes)
    }, |node| {
        Ok(raw::increase(node, amount_bytes))
    })
}

/// Counts less, here and on every level above. A level below zero is counted and shown like any other.
///
/// Parameters: `self` is the tracker; `amount_bytes` is 0, which does nothing, to 2^56.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56. QC_ERR_LEVEL: a level would be below -2^61.
///
/// Any thread. Cost as of `qc_usage_increase`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_decrease(self_: *mut qc_usage, amount_bytes: u64) -> qc_status {
    guard!(quick self_, |node| {
        raw::put_back_at_once(node, amount_bytes)
    }, |node| {
        Ok(raw::decrease(node, amount_bytes))
    })
}

/// Counts more if it fits under the limit of every level, behind everybody who waits with a reservation; otherwise
/// changes nothing, and nobody sees a trace of it.
///
/// Parameters: `self` is the tracker; `amount_bytes` is 0, which always fits, to 2^56; `out_admitted` gets 1 if it was
/// counted, else 0. A level below zero makes no more room than an empty one.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_admitted` is NULL. QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56.
///
/// Any thread. Cost as of `qc_usage_increase`; near a limit the tree's lock, and a recall of what is lent below it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_try_reserve(
    self_: *mut qc_usage,
    amount_bytes: u64,
    out_admitted: *mut u8,
) -> qc_status {
    guard!(quick self_, |node| {
        // SAFETY: the caller gives a place for the answer, unless it is NULL.
        !out_admitted.is_null() && raw::take_at_once(node, amount_bytes) && unsafe { admitted(out_admitted) }
    }, |node| {
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_admitted", out_admitted) }?;
        written(raw::try_reserve(node, amount_bytes), |is_admitted| out.write(truth(is_admitted)))
    })
}

/// Says yes, there and to the caller.
///
/// # Safety
/// `out_admitted` is valid for writing.
#[inline(always)]
unsafe fn admitted(out_admitted: *mut u8) -> bool {
    // SAFETY: the caller's promise.
    unsafe { out_admitted.write(1) };
    true
}

/// Sets what the tracker itself counts, its children's part aside; the levels above follow by the same change, and
/// percents, events and waiters by theirs.
///
/// Parameters: `self` is the tracker; `usage_bytes` is -2^56 to 2^56. Operations of other threads that run meanwhile are
/// counted or overwritten.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_OUT_OF_RANGE: `usage_bytes` is outside its range. QC_ERR_LEVEL: a level would leave -2^61 to 2^61.
///
/// Any thread. The tree's lock, one shared line for each level and for each active stripe of the tracker.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_set_usage(self_: *mut qc_usage, usage_bytes: i64) -> qc_status {
    guard!(pinned self_, |node| {
        Ok(raw::set_usage(node, usage_bytes))
    })
}
