//! What may change while a cursor is in use: the policy, and who is told when to pull again.

use super::callbacks::{Release, qc_release_fn};
use super::cursor::qc_cursor;
use super::cursor_options::{self, policy_of, qc_cursor_policy};
use super::guard::guard;
use super::status::qc_status;
use super::versioned;
use crate::cursor::OnReady;
use std::ffi::c_void;
use std::sync::Arc;

/// Told that a pull that was blocked can make progress now: an edge, once for each blocked pull.
///
/// Called by the thread that is inside a call on the cursor, or by any other whose call on a tracker or on another cursor
/// freed what was waited for; it may come before the pull that it answers has returned. It must not call the cursor: it
/// tells whoever pulls. It must not throw, longjmp or end the thread.
pub type qc_ready_fn = Option<unsafe extern "C-unwind" fn(ctx: *mut c_void)>;

/// A host's callback, and its context until the last one who may call it is done.
struct HostReady {
    call: unsafe extern "C-unwind" fn(*mut c_void),
    ctx: *mut c_void,
    _release: Release,
}

// SAFETY: the header tells the host that any thread may call it.
unsafe impl Send for HostReady {}
// SAFETY: as above, also several at once.
unsafe impl Sync for HostReady {}

impl HostReady {
    fn call(&self) {
        // SAFETY: the host's function, called as the header says.
        unsafe { (self.call)(self.ctx) }
    }
}

/// Has a function called when a pull that was blocked can make progress: because messages were acknowledged, a write was
/// answered, the parent's level fell, or a turn of the guaranteed share came. It takes the place of the one before.
///
/// Parameters: `self` is the cursor; `ready` is the function, or NULL to have none; `ctx` is handed to it as it is;
/// `release`, or NULL, is called once with `ctx` when `ready` is not called any more: after another one took its place or
/// the cursor was destroyed, and no call of it is running. `ctx` must stay good until then. If this call fails, `ctx` stays
/// the caller's and `release` is not called; with NULL as `ready` it is called before this returns.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// A few dozen bytes that keep the callback come from the process; if it has none left, it ends.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_on_ready(
    self_: *mut qc_cursor,
    ready: qc_ready_fn,
    ctx: *mut c_void,
    release: qc_release_fn,
) -> qc_status {
    guard!(self_, |instance| {
        let release = Release::new(release, ctx);
        release.take_over();
        let callback = ready.map(|call| {
            let ready = HostReady { call, ctx, _release: release };
            Arc::new(move || ready.call()) as OnReady
        });
        instance.cursor.on_ready(callback);
        Ok(())
    })
}

/// Takes on a new policy, at once: the next push and pull go by it. What is in memory stays.
///
/// Parameters: `self` is the cursor; `policy` is the new policy, see `qc_cursor_policy_init`; `qc_cursor_get_policy` gives
/// the present one.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `policy` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned, its `struct_size` is not 4 to 4096, a
/// field that says yes or no is neither 0 nor 1, or `low_percent` is above `high_percent`.
/// QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there, or `reserved` is not 0.
/// QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field. The old policy stays.
///
/// One thread at a time. Constant time; in proportion to the open writes if `deliver_uncommitted` is new.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_set_policy(
    self_: *mut qc_cursor,
    policy: *const qc_cursor_policy,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let policy = unsafe { cursor_options::read_policy(policy) }?;
        let answer = instance.cursor.set_policy(policy);
        instance.accept(answer)
    })
}

/// Sets the pair of marks, at once; the rest of the policy stays.
///
/// Parameters: `self` is the cursor; `low_percent` and `high_percent` are 1 to 100 percent of the tracker's limit, the
/// first not above the second.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_OUT_OF_RANGE: a percent. QC_ERR_INVALID_ARGUMENT: `low_percent` is above `high_percent`. The old pair stays.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_set_marks(
    self_: *mut qc_cursor,
    low_percent: u32,
    high_percent: u32,
) -> qc_status {
    guard!(self_, |instance| {
        let answer = instance.cursor.set_marks(low_percent, high_percent);
        instance.accept(answer)
    })
}

/// The present policy.
///
/// Parameters: `self` is the cursor; `inout_policy` has its `struct_size` set to the room there is, 8 to 4096, and gets as
/// much of the policy as fits, in whole eights of bytes. Its `struct_size` afterwards is how many bytes were filled.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `inout_policy` is NULL.
/// QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_get_policy(
    self_: *mut qc_cursor,
    inout_policy: *mut qc_cursor_policy,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let (to, filled) = unsafe { versioned::figures_that_fit("inout_policy", inout_policy) }?;
        let policy = qc_cursor_policy { struct_size: filled as u32, ..policy_of(instance.cursor.policy()) };
        // SAFETY: the two come from the line before the last.
        unsafe { versioned::write_figures(to, filled, &policy) };
        Ok(())
    })
}

/// Looks again whether a blocked pull can make progress, and calls the ready callback if so: after something changed that
/// the cursor could not see, as the tracker's limit, which the host has raised.
///
/// Parameters: `self` is the cursor.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_refresh(self_: *mut qc_cursor) -> qc_status {
    guard!(self_, |instance| {
        instance.cursor.refresh();
        Ok(())
    })
}
