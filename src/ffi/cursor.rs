//! A cursor behind its handle: making one, ending one, telling it what the store already holds, and the words for what its
//! core refuses.
//!
//! The other calls stand in the files beside, one concern each: `cursor_push` says what comes in, `cursor_pull` gives out
//! and looks, `cursor_release` takes back, `cursor_settings` changes the rules and tells when to pull, `cursor_stats`
//! measures, `cursor_group` ties cursors below one parent together; `cursor_store` is the host's store.

use super::args::Out;
use super::callbacks::{HostAllocator, forget_misaligned, last_was_misaligned};
use super::cursor_group::{self, qc_cursor_group};
use super::cursor_options::{self, qc_cursor_options, qc_cursor_policy};
use super::cursor_store::{self, qc_store};
use super::guard::{Opaque, guard, publish};
use super::handle::Kind;
use super::last_error::{Failed, fail};
use super::pinned;
use super::status::qc_status;
use super::usage::{self, qc_usage};
use crate::cursor::{Cursor, Error, Policy};
use crate::memory::Allocator;
use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;

/// The window of a store-backed queue that is held in memory: caches up to a high watermark, pages in by whole pages,
/// never starves. One handle, one thread at a time: calls of two threads that overlap are found out and refused.
pub struct qc_cursor {
    _opaque: [u8; 0],
}

/// What stands behind a handle. It lives in a block of the host's allocator, like everything it holds.
pub(crate) struct Instance {
    pub(super) cursor: Cursor,
    host: Option<Arc<HostAllocator>>,
}

impl Opaque for qc_cursor {
    type Instance = Instance;
    const KIND: Kind = Kind::Cursor;
    const NAME: &'static str = "cursor";

    unsafe fn dispose(instance: NonNull<Instance>) {
        // SAFETY: `place` wrote it there, and by the caller's promise nobody uses it any more.
        let Instance { cursor, host } = unsafe { instance.read() };
        if host.as_ref().is_some_and(|host| host.has_free_panicked()) {
            // Some block may have been given back already: losing the rest is better than giving one back twice.
            std::mem::forget(cursor);
            return;
        }
        drop(cursor);
        // SAFETY: `place` got the block in the same way, and what it held was moved out above.
        unsafe { give_back(host.as_deref(), instance) };
    }
}

impl Instance {
    /// The core's answer, or the words for its refusal.
    #[inline(always)]
    pub(super) fn accept<T>(&self, answer: Result<T, Error>) -> Result<T, Failed> {
        answer.map_err(|error| refused(self.host.as_deref(), &error, &""))
    }

    /// The words for the refusal of one element of a batch.
    #[cold]
    pub(super) fn refused_element(&self, error: &Error, array: &str, index: usize) -> Failed {
        refused(self.host.as_deref(), error, &format_args!("{array}[{index}]: "))
    }

    /// Puts an instance into memory of its own.
    fn place(self) -> Result<NonNull<Instance>, Failed> {
        let layout = Layout::new::<Instance>();
        let block = match &self.host {
            Some(host) => host.allocate(layout),
            // SAFETY: an instance has a size.
            None => NonNull::new(unsafe { std::alloc::alloc(layout) }),
        };
        let Some(block) = block.map(NonNull::cast::<Instance>) else {
            return Err(refused(self.host.as_deref(), &Error::NoMemory, &""));
        };
        // SAFETY: the block is fresh, and large and aligned enough for an instance.
        unsafe { block.write(self) };
        Ok(block)
    }
}

/// Gives back the block of an instance.
///
/// # Safety
/// `place` got the block from this very `host`, or from the process if there is none, and nobody uses it any more.
unsafe fn give_back(host: Option<&HostAllocator>, block: NonNull<Instance>) {
    let layout = Layout::new::<Instance>();
    match host {
        // SAFETY: the caller's promise is the callee's condition.
        Some(host) => unsafe { host.deallocate(block.cast(), layout) },
        // SAFETY: the process's allocator gave the block for this layout.
        None => unsafe { std::alloc::dealloc(block.as_ptr().cast(), layout) },
    }
}

/// The status and the words for what the core, or an allocation for it, refused. `place` says where, for a batch.
#[cold]
#[inline(never)]
pub(super) fn refused(host: Option<&HostAllocator>, error: &Error, place: &dyn std::fmt::Display) -> Failed {
    match error {
        Error::NoMemory if host.is_some() && last_was_misaligned() => fail!(
            QC_ERR_CALLBACK,
            "{place}options.alloc gave a block that is not aligned as asked; it was given back"
        ),
        Error::NoMemory => fail!(QC_ERR_NO_MEMORY, "{place}{error}"),
        Error::Order { .. } => fail!(QC_ERR_ORDER, "{place}{error}"),
        Error::UnknownToken { .. } | Error::NotFound { .. } => fail!(QC_ERR_NOT_FOUND, "{place}{error}"),
        Error::NotInFlight { .. } => fail!(QC_ERR_NOT_IN_FLIGHT, "{place}{error}"),
        Error::TooMany { .. } => fail!(QC_ERR_CAPACITY, "{place}{error}"),
        Error::OutOfRange { .. } => fail!(QC_ERR_OUT_OF_RANGE, "{place}{error}"),
        Error::Contradiction { .. } => fail!(QC_ERR_INVALID_ARGUMENT, "{place}{error}"),
        Error::Store(_) => fail!(QC_ERR_STORE, "{place}{error}"),
        Error::BadFetch { .. } => fail!(QC_ERR_BAD_FETCH, "{place}{error}"),
        Error::Usage(error) => usage::refused(error),
    }
}

/// Makes a cursor over an empty queue; see `qc_cursor_open` for one that the store already holds messages of.
///
/// Parameters: `options` are the settings, from `qc_cursor_options_init`; `policy` is the policy, from
/// `qc_cursor_policy_init`, or NULL for the default one; `usage` is this queue's own tracker; `group`, or NULL, is what the
/// cursors below the tracker's parent share: without one the parent is not looked at. `store` is the host's store, from
/// `qc_store_init`. All are copied, except that the contexts of callbacks must stay good until the cursor is destroyed.
/// `out_cursor` gets the handle, which is the caller's to give to `qc_cursor_destroy` at the end.
///
/// The cursor is an owner of the tracker beside its handle, and of the group. Destroying those handles first is fine: what
/// the cursor has charged stays counted, above too, and is taken off when it is released or the cursor is destroyed. So is
/// stopping a tracker, which ends the host's waits alone.
///
/// An option struct of an older version (smaller `struct_size`) takes the defaults for the fields that do not lie
/// wholly inside it; one of a newer version (larger) is accepted if the bytes that this version does not know are zero.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED: they are about `usage`
/// or `group`.
/// QC_ERR_NULL_ARGUMENT: `options`, `store`, its `fetch` or `out_cursor` is NULL.
/// QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, a `struct_size` is not 4 to 4096, an enum value is unknown, a field
/// that says yes or no is neither 0 nor 1, only one of `alloc` and `free` is set, or `low_percent` is above `high_percent`.
/// QC_ERR_UNSUPPORTED: a struct is larger than this version knows and not zero there, or `reserved` is not 0.
/// QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. About 300 bytes that
/// may outlive the handle come from the process; if it has none left, it ends.
/// QC_ERR_CAPACITY: the group has 2^20 cursors, or all 16,777,152 handles of the process are in use.
///
/// Any thread. Constant time; in a group that divides its limit, time in proportion to its cursors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_create(
    options: *const qc_cursor_options,
    policy: *const qc_cursor_policy,
    usage: *mut qc_usage,
    group: *mut qc_cursor_group,
    store: *const qc_store,
    out_cursor: *mut *mut qc_cursor,
) -> qc_status {
    guard!(|| {
        forget_misaligned();
        let policy = if policy.is_null() {
            Policy::default()
        } else {
            // SAFETY: the caller's struct is as long as its `struct_size` says.
            unsafe { cursor_options::read_policy(policy) }?
        };
        // SAFETY: likewise.
        let (settings, host) = unsafe { cursor_options::to_core(options, policy) }?;
        // SAFETY: likewise.
        let store = unsafe { cursor_store::read(store) }?;
        // SAFETY: the caller gives a place for a handle.
        let out = unsafe { Out::required("out_cursor", out_cursor) }?;
        let tracker = Arc::new(pinned::user_of("usage", usage)?);
        let group = if group.is_null() { None } else { Some(cursor_group::find("group", group)?) };
        let cursor = Cursor::new(settings, tracker, group.as_ref(), Box::new(store))
            .map_err(|error| refused(host.as_deref(), &error, &""))?;
        let instance = Instance { cursor, host }.place()?;
        match publish::<qc_cursor>(instance) {
            Ok(handle) => {
                out.write(handle);
                Ok(())
            }
            Err((instance, failed)) => {
                // SAFETY: `place` has just made it, and no handle of it is out.
                unsafe { qc_cursor::dispose(instance) };
                Err(failed)
            }
        }
    })
}

/// Ends a cursor: gives back all memory, takes off what it has charged, and makes its handle say QC_ERR_DESTROYED from now
/// on. The messages stay what they are in the store.
///
/// Parameters: `self` is the cursor, or NULL, which does nothing and answers QC_OK. The store is not told to discard what
/// was in memory: its bodies are the host's, who knows that it ends the queue. Its allocator's `free` is called for every
/// block, before the call returns.
///
/// QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no cursor; nothing was done.
/// QC_ERR_BUSY, QC_ERR_REENTRANT: another call is inside; nothing was done. It works on a poisoned cursor too.
/// QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same. Once `free` has panicked, in this
/// or an earlier call, the memory that is left is not given back.
///
/// One thread at a time: keeping other threads out of the cursor while it is destroyed is the caller's duty. Takes time in
/// proportion to the memory held; in a group that divides its limit, also to its cursors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_destroy(self_: *mut qc_cursor) -> qc_status {
    guard!(destroy self_)
}

/// Tells a new cursor what the store already holds: after a restart. Before every other call, once.
///
/// Parameters: `self` is the cursor; `pending_count` messages are pending, of `pending_bytes` together; `last_sequence` is
/// the last one's sequence or a later one, `pending_count` to 2^64-2: what is pushed comes behind it.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_INVALID_ARGUMENT: another call has used the cursor before. QC_ERR_OUT_OF_RANGE: `last_sequence`.
///
/// One thread at a time. Constant time: nothing is loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_open(
    self_: *mut qc_cursor,
    pending_count: u64,
    pending_bytes: u64,
    last_sequence: u64,
) -> qc_status {
    guard!(self_, |instance| {
        let answer = instance.cursor.open(pending_count, pending_bytes, last_sequence);
        instance.accept(answer)
    })
}
