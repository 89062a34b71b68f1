//! A usage tracker behind its handle: making one, ending one, and the words for what its core refuses.
//!
//! Exports here are `create`, `create_child` and `destroy`; the other calls stand in the files beside, one concern each:
//! `usage_count` counts and reserves, `usage_wait` waits, `usage_read` asks, `usage_settings` changes, `usage_events`
//! tells of percent steps, `usage_stats` measures, `usage_layout` opens the memory to other languages. What stands behind
//! a handle is the core's node itself.

use super::args::Out;
use super::callbacks::{forget_misaligned, last_was_misaligned};
use super::guard::{guard, publish_as};
use super::handle::Kind;
use super::last_error::{Failed, fail};
use super::status::qc_status;
use super::usage_options::{self, qc_usage_options};
use crate::usage::raw::{self, After, Node};
use crate::usage::{Error, Tracker};
use std::ptr::NonNull;

/// A memory meter with a limit, alone or below another one: what it counts, all above it count too. Any number of threads
/// may call at once, and destroy it meanwhile.
pub struct qc_usage {
    _opaque: [u8; 0],
}

/// The status and the words for what the core, or an allocation for it, refused.
#[cold]
#[inline(never)]
pub(super) fn refused(error: &Error) -> Failed {
    match error {
        Error::NoMemory if last_was_misaligned() => fail!(
            QC_ERR_CALLBACK,
            "options.alloc gave a block that is not aligned as asked; it was given back"
        ),
        Error::NoMemory => fail!(QC_ERR_NO_MEMORY, "{error}"),
        Error::Amount { .. } | Error::OutOfRange { .. } => fail!(QC_ERR_OUT_OF_RANGE, "{error}"),
        Error::Level { .. } => fail!(QC_ERR_LEVEL, "{error}"),
        Error::Contradiction { .. } => fail!(QC_ERR_INVALID_ARGUMENT, "{error}"),
        Error::TooMany { .. } => fail!(QC_ERR_CAPACITY, "{error}"),
        Error::NeverFits { .. } => fail!(QC_ERR_NEVER_FITS, "{error}"),
        Error::NoDescriptor { .. } => fail!(QC_ERR_NO_DESCRIPTOR, "{error}"),
    }
}

/// The core's answer with what the call writes: an output is written only on success.
pub(super) fn written<T>(after: After<T>, write: impl FnOnce(T)) -> Result<After<()>, Failed> {
    let After { answer, drain } = after;
    Ok(After { answer: answer.map(write), drain })
}

/// A number that C takes for a truth value.
pub(super) fn truth(value: bool) -> u8 {
    u8::from(value)
}

/// Gives out a handle for a node, which belongs to the handle from now on. Without a handle the node is ended.
fn publish(node: NonNull<Node>) -> Result<*mut qc_usage, Failed> {
    publish_as(Kind::Usage, node.cast()).inspect_err(|_| {
        // A fresh node has neither waits nor a listener; an error of ending it would hide the one that counts.
        let _ = raw::close(node).finish();
    })
}

/// Makes a tracker without a parent: the root of a tree of its own.
///
/// Parameters: `options` are the settings, from `qc_usage_options_init`; they are copied, except that the callback context
/// must stay good: see `alloc_ctx`. `out_usage` gets the handle, which is the caller's to
/// give to `qc_usage_destroy` at the end. A handle is a number, not an address: nothing can be read through it.
///
/// An option struct of an older version (smaller `struct_size`) takes the defaults for the fields that do not lie
/// wholly inside it; one of a newer version (larger) is accepted if the bytes that this version does not know are zero.
///
/// QC_ERR_NULL_ARGUMENT: `options` or `out_usage` is NULL.
/// QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, `struct_size` is not 4 to 4096, only one of `alloc` and `free` is
/// set, `release` is set without them, or `share_ppm` is set, for which there has to be a parent.
/// QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there, or `reserved` is not 0.
/// QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. With callbacks in the
/// options, a few dozen bytes that keep them come from the process; if it has none left, it ends.
/// QC_ERR_CAPACITY: all 16,777,152 handles of the process are in use.
///
/// Any thread. Constant time; a quiet tracker takes 256 bytes, and each tree about 512 more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_create(
    options: *const qc_usage_options,
    out_usage: *mut *mut qc_usage,
) -> qc_status {
    guard!(|| {
        forget_misaligned();
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let given = unsafe { usage_options::read(options) }?;
        // SAFETY: the caller gives a place for a handle.
        let out = unsafe { Out::required("out_usage", out_usage) }?;
        let (settings, host) = usage_options::of_root(&given)?;
        let tracker = Tracker::new(settings).map_err(|error| refused(&error))?;
        out.write(publish(tracker.into_node())?);
        if let Some(host) = host {
            host.take_over_ctx();
        }
        Ok(())
    })
}

/// Makes a tracker below another one: whatever it counts, that one and all above it count too.
///
/// A tracker stays what it is by its own handle while it has children: destroying it takes off what it counted itself, and
/// leaves it as a level for its children until the last of them is destroyed. With its first child a tracker gets a hidden
/// one that counts its own part; so make the first child before the tracker's own operations, or while none of them runs:
/// one that runs at that moment may be counted in the total and not in its own part.
///
/// Parameters: `parent` is the tracker above, of the same tree from now on; `options` are the settings, see
/// `qc_usage_create`: memory comes from the allocator of the root, so `alloc`, `free`, `release` and `max_stripes` must
/// be 0.
/// `out_usage` gets the handle.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file; they are about `parent`.
/// QC_ERR_NULL_ARGUMENT, QC_ERR_UNSUPPORTED, QC_ERR_OUT_OF_RANGE, QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: as for
/// `qc_usage_create`.
/// QC_ERR_INVALID_ARGUMENT: also if `share_ppm` and `limit_bytes` are both set, or a setting that is the root's.
/// QC_ERR_CAPACITY: the tree has 2^20 trackers (hidden ones included) or 16 levels, or as for `qc_usage_create`.
///
/// Any thread. Takes the tree's lock; constant time, but for a recall of what `parent` has lent with its first child.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_create_child(
    parent: *mut qc_usage,
    options: *const qc_usage_options,
    out_usage: *mut *mut qc_usage,
) -> qc_status {
    guard!(pinned parent, |node| {
        forget_misaligned();
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let given = unsafe { usage_options::read(options) }?;
        // SAFETY: the caller gives a place for a handle.
        unsafe { Out::required("out_usage", out_usage) }?;
        Ok(raw::make_child(node, &usage_options::of_child(&given)?))
    }, |made| {
        let handle = publish(made)?;
        // SAFETY: as above.
        unsafe { Out::required("out_usage", out_usage) }?.write(handle);
        Ok(())
    })
}

/// Ends a tracker, and makes its handle say QC_ERR_DESTROYED from now on.
///
/// What it still counted itself (its children's part aside) is taken off every level above; but while cursors use it, it
/// stays counted until the last of them is destroyed. Waits on it end with QC_ERR_DESTROYED, and notices that were asked
/// for on it are called with that. Other calls that run on it end first, as if they had come before. Parents and children
/// may be destroyed in any order, and stopping first is not needed.
///
/// Parameters: `self` is the tracker, or NULL, which does nothing and answers QC_OK. `out_residual_bytes` gets what was
/// taken off, in bytes; NULL if it is of no interest. With NULL as `self` it is not written.
///
/// QC_ERR_INVALID_ARGUMENT: `out_residual_bytes` is not aligned.
/// QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no tracker; nothing was done. Of two threads that
/// destroy the same one, one gets QC_ERR_DESTROYED. It works on a poisoned tracker too.
/// QC_ERR_NO_MEMORY: this is the thread's first call, and there are no 128 bytes for it; nothing was done.
/// QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same, some memory may be lost.
///
/// Any thread, also while other threads are inside calls on it or wait on it, and from within listeners and notices. From
/// an allocator's callback of another tree it takes effect when the call that allocates ends, and what is answered is what
/// was counted at the time. An allocator's callback must not wait for a thread that destroys a tracker.
///
/// Takes the tree's lock, some microseconds for a barrier that all threads of the process pass, and time in proportion to
/// the threads that have ever called, the tracker's active stripes and those who wait in the tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_destroy(self_: *mut qc_usage, out_residual_bytes: *mut i64) -> qc_status {
    guard!(destroy_pinned self_, out_residual_bytes)
}
