//! Calls that wait for space, in a thread or without one, and the two that end all waits and let them begin again.

use super::args::Out;
use super::callbacks::forget_misaligned;
use super::guard::guard;
use super::last_error::{Failed, fail};
use super::pinned::waited;
use super::status::qc_status;
use super::usage::{qc_usage, truth, written};
use crate::usage::raw::{self, After};
use crate::usage::{Notified, Reserving, Waited};
use std::ffi::c_void;
use std::time::{Duration, Instant};

/// Told once, when every level from a tracker up is below what was asked for, or a reservation is counted (QC_OK); or that
/// this will not be told: the tracker, or one above it, was stopped (QC_ERR_STOPPED), or it was destroyed
/// (QC_ERR_DESTROYED).
///
/// Called by any thread, whose call on a tracker of the same tree brought it about, after that call let go of everything:
/// it may call into any tracker. While it runs, no other event or notice of the tree is delivered. It must not throw,
/// longjmp or end the thread.
pub type qc_usage_notice_fn = Option<unsafe extern "C-unwind" fn(ctx: *mut c_void, reason: qc_status)>;

/// Without end if it is negative.
fn deadline(timeout_ns: i64) -> Option<Instant> {
    raw::deadline(u64::try_from(timeout_ns).ok().map(Duration::from_nanos))
}

/// As `qc_usage_try_reserve`, but waits for its turn, first come, first served: what becomes free is held for the first in
/// line.
///
/// Parameters: `self` is the tracker; `amount_bytes` is 0, which always fits, to 2^56; `timeout_ns` is the most time to
/// wait, in ns; 0 only tries, negative waits without end.
///
/// QC_OK: the amount is counted. After any other answer nothing is.
/// QC_ERR_TIMED_OUT: it did not come to its turn in time.
/// QC_ERR_STOPPED: the tracker, or one above it, is stopped, or was while it waited.
/// QC_ERR_DESTROYED: the tracker is destroyed, or was while it waited.
/// QC_ERR_NEVER_FITS: it is larger than the limit of some level. QC_ERR_LEVEL: what waits together would leave the range
/// of a level. QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56.
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
///
/// Any thread. Without waiting as `qc_usage_increase`; waiting needs no memory, and the tree's lock each time it wakes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_reserve_wait(
    self_: *mut qc_usage,
    amount_bytes: u64,
    timeout_ns: i64,
) -> qc_status {
    guard!(waiting self_, |node| {
        !raw::is_stopped(node) && raw::take_at_once(node, amount_bytes)
    }, |node| {
        Ok(raw::reserve_wait(node, amount_bytes, deadline(timeout_ns)))
    })
}

/// As `qc_usage_reserve_wait`, without a thread that waits: what does not fit now stands in the same line, and a function is
/// called once, when it is counted.
///
/// Parameters: `self` is the tracker; `amount_bytes` is 0, which always fits, to 2^56; `notice` is the function, `ctx` is
/// handed to it as it is; `out_ticket` gets 0 if the amount is counted now, and `notice` will not be called; else a number
/// above 0: `notice` will be called, exactly once, perhaps before this call returns, unless `qc_usage_reserve_cancel` takes
/// the reservation back by that number. No other reservation of the tree ever has it.
///
/// QC_OK: see `out_ticket`. After any other answer nothing is counted, and `notice` will not be called.
/// QC_ERR_STOPPED: the tracker, or one above it, is stopped.
/// QC_ERR_NEVER_FITS: it is larger than the limit of some level. QC_ERR_LEVEL: what waits together would leave the range
/// of a level. QC_ERR_OUT_OF_RANGE: `amount_bytes` is larger than 2^56.
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `notice` or `out_ticket` is NULL. QC_ERR_INVALID_ARGUMENT: `out_ticket` is not aligned.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
///
/// Any thread. Cost as of `qc_usage_try_reserve`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_reserve_notify(
    self_: *mut qc_usage,
    amount_bytes: u64,
    notice: qc_usage_notice_fn,
    ctx: *mut c_void,
    out_ticket: *mut u64,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the answer.
        let (out, notice) = unsafe { HostNotice::asked(notice, ctx, "out_ticket", out_ticket) }?;
        let After { answer, drain } = raw::reserve_later(node, amount_bytes, move |outcome| notice.tell(outcome));
        Ok(After { answer: answer.map(|reserving| (out, reserving)), drain })
    }, |answered| {
        let (out, reserving) = answered;
        match reserving {
            Reserving::Done => out.write(0),
            Reserving::Later(ticket) => out.write(ticket),
            Reserving::Ended(outcome) => return waited(outcome),
        }
        Ok(())
    })
}

/// Takes a reservation of `qc_usage_reserve_notify`, or a notice of `qc_usage_space_notify`, out of the line.
///
/// Parameters: `self` is the tracker that it was asked of; `ticket` is the number that was given out, or any other, which
/// finds nothing; `out_cancelled` gets 1 if it stood in line: nothing is counted for it, and its notice will not be called;
/// else 0: its notice was called, or will be in a moment.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_cancelled` is NULL.
///
/// Any thread. The tree's lock, and time in proportion to those who wait in the tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_reserve_cancel(
    self_: *mut qc_usage,
    ticket: u64,
    out_cancelled: *mut u8,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_cancelled", out_cancelled) }?;
        written(raw::withdraw_reservation(node, ticket), |withdrawn| out.write(truth(withdrawn)))
    })
}

/// Waits until every limited level, from the tracker up, is below a percent of its own limit. Nothing is held for whoever
/// waits: all wake together.
///
/// Parameters: `self` is the tracker; `timeout_ns` is the most time to wait for all levels together, in ns; 0 only looks,
/// negative waits without end; `percent` is 1 or more.
///
/// QC_OK: every level was below it at some moment of the call.
/// QC_ERR_TIMED_OUT: it did not happen in time.
/// QC_ERR_STOPPED: the tracker, or one above it, is stopped, or was while it waited.
/// QC_ERR_DESTROYED: the tracker is destroyed, or was while it waited.
/// QC_ERR_OUT_OF_RANGE: `percent` is below 1.
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
///
/// Any thread. Waiting needs no memory, and the tree's lock each time it wakes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_wait_for_space(
    self_: *mut qc_usage,
    timeout_ns: i64,
    percent: i32,
) -> qc_status {
    guard!(waiting self_, |_node| {
        false
    }, |node| {
        Ok(raw::wait_for_space(node, deadline(timeout_ns), percent))
    })
}

/// Has a function called once when no level, from the tracker up, is full any more. If none is full now, it is not called,
/// and the answer says so.
///
/// Parameters: `self` is the tracker; `notice` is the function, `ctx` is handed to it as it is; `out_registered` gets 1 if
/// it will be called, exactly once, perhaps before this call returns; 0 if nothing is full, and it will not.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `notice` or `out_registered` is NULL.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. `notice` will not be
/// called.
///
/// Any thread. The tree's lock if a level is full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_notify_when_not_full(
    self_: *mut qc_usage,
    notice: qc_usage_notice_fn,
    ctx: *mut c_void,
    out_registered: *mut u8,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the answer.
        let (out, notice) = unsafe { HostNotice::asked(notice, ctx, "out_registered", out_registered) }?;
        let after = raw::notify_when_not_full(node, move |outcome| notice.tell(outcome));
        written(after, |notified| out.write(truth(notified == Notified::Later)))
    })
}

/// As `qc_usage_notify_when_not_full`, when every limited level is below a percent of its own limit.
///
/// Parameters: `percent` is 1 or more; the others as there.
///
/// QC_ERR_OUT_OF_RANGE: `percent` is below 1. All else as there.
///
/// Any thread. The tree's lock if a level is at `percent` or more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_notify_when_below(
    self_: *mut qc_usage,
    percent: i32,
    notice: qc_usage_notice_fn,
    ctx: *mut c_void,
    out_registered: *mut u8,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the answer.
        let (out, notice) = unsafe { HostNotice::asked(notice, ctx, "out_registered", out_registered) }?;
        let after = raw::notify_when_below(node, percent, move |outcome| notice.tell(outcome));
        written(after, |notified| out.write(truth(notified == Notified::Later)))
    })
}

/// As `qc_usage_notify_when_below`, with a number by which the notice can be taken back (`qc_usage_reserve_cancel`) and asked
/// after (`qc_usage_is_in_line`).
///
/// Parameters: `out_ticket` gets 0 if every level is below `percent` now, and `notice` will not be called; else a number above
/// 0: `notice` will be called, exactly once, perhaps before this call returns, unless it is taken back. Nothing else that
/// waits in the tree ever has that number. The others as there.
///
/// QC_ERR_NULL_ARGUMENT: `notice` or `out_ticket` is NULL. QC_ERR_INVALID_ARGUMENT: `out_ticket` is not aligned. All else as
/// there.
///
/// Any thread. The tree's lock if a level is at `percent` or more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_space_notify(
    self_: *mut qc_usage,
    percent: i32,
    notice: qc_usage_notice_fn,
    ctx: *mut c_void,
    out_ticket: *mut u64,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the answer.
        let (out, notice) = unsafe { HostNotice::asked(notice, ctx, "out_ticket", out_ticket) }?;
        let after = raw::space_later(node, percent, raw::Scope::Path, false, move |outcome| notice.tell(outcome));
        written(after, |ticket| out.write(ticket.unwrap_or(0)))
    })
}

/// Whether what has a ticket still stands in line.
///
/// Parameters: `self` is the tracker that it was asked of; `ticket` is the number that `qc_usage_reserve_notify` or
/// `qc_usage_space_notify` gave out, or any other, which finds nothing; `out_in_line` gets 1 if it stands in line: what it waits
/// for has not come up to now; else 0: it was taken back, or its notice was called, or will be in a moment.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_in_line` is NULL.
///
/// Any thread. The tree's lock, and time in proportion to those who wait in the tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_is_in_line(
    self_: *mut qc_usage,
    ticket: u64,
    out_in_line: *mut u8,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_in_line", out_in_line) }?;
        let after = After { answer: Ok(raw::is_in_line(node, ticket)), drain: None };
        written(after, |is_in_line| out.write(truth(is_in_line)))
    })
}

/// A host's function, to be called once.
struct HostNotice {
    call: unsafe extern "C-unwind" fn(*mut c_void, qc_status),
    ctx: *mut c_void,
}

// SAFETY: the header tells the host that any thread may call it.
unsafe impl Send for HostNotice {}

impl HostNotice {
    /// What a host asked to be called, and where the answer goes.
    ///
    /// # Safety
    /// `out` is NULL or valid for writing until the end of the call.
    unsafe fn asked<T: Copy>(
        notice: qc_usage_notice_fn,
        ctx: *mut c_void,
        out_name: &'static str,
        out: *mut T,
    ) -> Result<(Out<T>, HostNotice), Failed> {
        forget_misaligned();
        let Some(call) = notice else { return Err(fail!(QC_ERR_NULL_ARGUMENT, "notice is NULL")) };
        // SAFETY: the caller's promise.
        let out = unsafe { Out::required(out_name, out) }?;
        Ok((out, HostNotice { call, ctx }))
    }

    fn tell(self, outcome: Waited) {
        let reason = match outcome {
            Waited::Done => qc_status::QC_OK,
            Waited::TimedOut => qc_status::QC_ERR_TIMED_OUT,
            Waited::Stopped => qc_status::QC_ERR_STOPPED,
            Waited::Destroyed => qc_status::QC_ERR_DESTROYED,
        };
        // SAFETY: the host's function, called as the header says.
        unsafe { (self.call)(self.ctx, reason) }
    }
}

/// Lets waits begin again after `qc_usage_stop`. A tracker is made started.
///
/// Parameters: `self` is the tracker.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
///
/// Any thread. The tree's lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_start(self_: *mut qc_usage) -> qc_status {
    guard!(pinned self_, |node| {
        Ok(raw::set_stopped(node, false))
    })
}

/// Ends all waits and notices here and below with QC_ERR_STOPPED, and answers new waits so. Everything else goes on.
///
/// Parameters: `self` is the tracker.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
///
/// Any thread. The tree's lock, and time in proportion to those who wait in the tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_stop(self_: *mut qc_usage) -> qc_status {
    guard!(pinned self_, |node| {
        Ok(raw::set_stopped(node, true))
    })
}
