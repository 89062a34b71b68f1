//! What cursors below one parent share, behind its handle. Calls on a group may overlap, as those on a tracker.
//!
//! Behind the handle is a counted reference to the core's group. A call is pinned (`pins.rs`) while it finds the group and
//! takes a reference of its own, so that destroy can wait for those that found it.

use super::args::Out;
use super::callbacks::{HostAllocator, forget_misaligned, qc_alloc_fn, qc_free_fn, qc_release_fn};
use super::cursor::refused;
use super::cursor_options::truth;
use super::guard::{HANDLES, guard, panicked, publish_as, words_for};
use super::handle::{Kind, Refusal};
use super::last_error::{Failed, fail};
use super::pin_record::{PINS, mine};
use super::pinned::{leave, no_record, user_of};
use super::status::qc_status;
use super::usage::qc_usage;
use super::versioned::{self, FIGURE_BYTES, Settings};
use crate::cursor::{Group, GroupOptions, GroupStats};
use crate::sync::ThreadId;
use std::ffi::c_void;
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

/// What the cursors below one parent tracker share: notices of the parent's level, loans by the guaranteed share, and the
/// division of the parent's limit. Any number of threads may call at once.
pub struct qc_cursor_group {
    _opaque: [u8; 0],
}

/// The settings of a group. Fill it with `qc_cursor_group_options_init`, then change what you want changed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct qc_cursor_group_options {
    /// `sizeof(qc_cursor_group_options)`; the init function sets it.
    pub struct_size: u32,
    /// 1: the parent's limit is divided evenly among the trackers of the cursors, anew whenever one comes or goes; those
    /// have to be children of the parent. Default 0.
    pub divides_limit: u32,
    /// The most bytes on loan by the guaranteed share, up to 2^62. 0, the default, means 10 % of the parent's limit.
    pub max_lent_bytes: u64,
    /// The host's allocator, with `free`; both or neither. Default NULL: the process's own. It is called under the group's
    /// lock: it must not call into this group or a cursor of it.
    pub alloc: qc_alloc_fn,
    /// See `alloc`.
    pub free: qc_free_fn,
    /// Handed to `alloc` and `free` as it is. It must stay good until the group's handle and all its cursors are destroyed:
    /// see `release`.
    pub alloc_ctx: *mut c_void,
    /// Called once with `alloc_ctx` after the group gave its last block back; NULL, the default, if nobody need know. If
    /// `qc_cursor_group_create` fails, it is not called, and `alloc_ctx` stays the caller's.
    pub release: qc_release_fn,
}

// SAFETY: `struct_size` is the first field; all others are numbers, pointers and callbacks, and there are no gaps.
unsafe impl Settings for qc_cursor_group_options {
    const NAME: &'static str = "options";
    const DEFAULTS: qc_cursor_group_options = qc_cursor_group_options {
        struct_size: size_of::<qc_cursor_group_options>() as u32,
        divides_limit: 0,
        max_lent_bytes: 0,
        alloc: None,
        free: None,
        alloc_ctx: std::ptr::null_mut(),
        release: None,
    };
    const ENDS: &'static [usize] = &[
        offset_of!(qc_cursor_group_options, divides_limit),
        offset_of!(qc_cursor_group_options, max_lent_bytes),
        offset_of!(qc_cursor_group_options, alloc),
        offset_of!(qc_cursor_group_options, free),
        offset_of!(qc_cursor_group_options, alloc_ctx),
        offset_of!(qc_cursor_group_options, release),
        size_of::<qc_cursor_group_options>(),
    ];
}

/// The figures of a group. Set `struct_size` before the call. Counters run from creation.
///
/// Write `struct qc_cursor_group_stats`, in C++ too: the bare name is the function.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct qc_cursor_group_stats {
    /// In: the room, `sizeof(struct qc_cursor_group_stats)`. Out: the bytes that were filled.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// Cursors.
    pub members: u32,
    /// Those that wait for the parent's level or for a loan.
    pub waiting: u32,
    /// Bytes on loan.
    pub lent_bytes: u64,
    /// The most bytes ever on loan.
    pub lent_peak_bytes: u64,
    /// Pages lent.
    pub lent_pages: u64,
    /// Requests for a page that were refused.
    pub refused: u64,
    /// Bytes held now, about 200 of the group itself included, which come from the process.
    pub bytes_in_use: u64,
}

const _: () = assert!(
    size_of::<qc_cursor_group_stats>().is_multiple_of(FIGURE_BYTES)
        && offset_of!(qc_cursor_group_stats, members) == FIGURE_BYTES
);

/// Fills the settings of a group with their defaults.
///
/// Parameters and statuses: as for `qc_cursor_policy_init`, with `out_options` and `sizeof(qc_cursor_group_options)`.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_group_options_init(
    out_options: *mut qc_cursor_group_options,
    struct_size: usize,
) -> qc_status {
    guard!(|| {
        // SAFETY: the caller says that `struct_size` bytes are theirs to write.
        unsafe { versioned::init(out_options, struct_size) }
    })
}

/// Makes a group without cursors.
///
/// Parameters: `options` are the settings; `parent` is the tracker above those of the cursors, of which the group is an
/// owner beside its handle; `out_group` gets the handle, which is the caller's to give to `qc_cursor_group_destroy`.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED: they are about `parent`.
/// QC_ERR_NULL_ARGUMENT: `options` or `out_group` is NULL.
/// QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, `struct_size` is not 4 to 4096, `divides_limit` is neither 0 nor 1,
/// only one of `alloc` and `free` is set, or `release` is set without them.
/// QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there.
/// QC_ERR_OUT_OF_RANGE: `max_lent_bytes`.
/// QC_ERR_CAPACITY: all 16,777,152 handles of the process are in use.
/// QC_ERR_NO_MEMORY: the process has no memory for a handle. About 200 bytes of the group itself come from the process; if
/// it has none left, it ends.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_group_create(
    options: *const qc_cursor_group_options,
    parent: *mut qc_usage,
    out_group: *mut *mut qc_cursor_group,
) -> qc_status {
    guard!(|| {
        forget_misaligned();
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let given = unsafe { versioned::read(options) }?;
        // SAFETY: the caller gives a place for a handle.
        let out = unsafe { Out::required("out_group", out_group) }?;
        if given.release.is_some() && given.alloc.is_none() {
            return Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.release is set but options.alloc is NULL"));
        }
        let host = HostAllocator::new(given.alloc, given.free, given.alloc_ctx, given.release)?.map(Arc::new);
        let settings = GroupOptions {
            max_lent_bytes: given.max_lent_bytes,
            divides_limit: truth("options.divides_limit", given.divides_limit)?,
            allocator: host.clone().map(|host| host as _),
        };
        let parent = Arc::new(user_of("parent", parent)?);
        let group =
            Group::new(parent, settings).map_err(|error| refused(host.as_deref(), &error, &"options."))?;
        let raw = group.into_raw();
        match publish_as(Kind::CursorGroup, raw.cast()) {
            Ok(handle) => out.write(handle),
            Err(failed) => {
                // SAFETY: just made, and no handle of it is out.
                drop(unsafe { Group::from_raw(raw) });
                return Err(failed);
            }
        }
        if let Some(host) = host {
            host.take_over_ctx();
        }
        Ok(())
    })
}

/// Ends a group's handle, which says QC_ERR_DESTROYED from now on. Its cursors keep the group and go on as before; the last
/// of them ends it.
///
/// Parameters: `self` is the group, or NULL, which does nothing and answers QC_OK.
///
/// QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no group; nothing was done. Of two threads that
/// destroy the same one, one gets QC_ERR_DESTROYED. It works on a poisoned group too.
/// QC_ERR_REENTRANT: the call comes from an allocator's callback; nothing was done.
/// QC_ERR_NO_MEMORY: this is the thread's first call of its kind, and there are no 128 bytes for it; nothing was done.
/// QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same.
///
/// Any thread, also while other threads are inside calls with it. Some microseconds for a barrier that all threads of the
/// process pass.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_group_destroy(self_: *mut qc_cursor_group) -> qc_status {
    guard!(destroy_shared self_)
}

/// The figures of a group.
///
/// Parameters: `self` is the group; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and gets as
/// many whole fields as fit into it (`members` and `waiting` together). Its `struct_size` afterwards is how many bytes were
/// filled; bytes beyond them stay as they are.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `inout_stats` is NULL.
/// QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
///
/// Any thread. The group's lock; constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_group_stats(
    self_: *mut qc_cursor_group,
    inout_stats: *mut qc_cursor_group_stats,
) -> qc_status {
    guard!(shared self_, |group| {
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let (to, filled) = unsafe { versioned::figures_that_fit("inout_stats", inout_stats) }?;
        let GroupStats { members, waiting, lent_bytes, lent_peak_bytes, lent_pages, refused, bytes_in_use } =
            group.stats();
        let stats = qc_cursor_group_stats {
            struct_size: filled as u32,
            reserved: 0,
            members,
            waiting,
            lent_bytes,
            lent_peak_bytes,
            lent_pages,
            refused,
            bytes_in_use,
        };
        // SAFETY: the two come from `figures_that_fit`, in this call.
        unsafe { versioned::write_figures(to, filled, &stats) };
        Ok(())
    })
}

/// The group of a handle, by a reference of the caller's own.
pub(super) fn find(what: &str, handle: *const qc_cursor_group) -> Result<Group, Failed> {
    let Some(record) = mine() else { return Err(no_record()) };
    let pin = record.enter();
    let found = HANDLES.look(handle.addr(), Kind::CursorGroup).and_then(|object| {
        let raw = NonNull::new(object).ok_or(Refusal::Foreign)?;
        // SAFETY: `create` put it there, and the handle's reference stays while this call is pinned.
        Ok(unsafe { Group::clone_raw(raw.cast()) })
    });
    leave(pin);
    found.map_err(|refusal| not_found(what, handle, refusal))
}

/// A call on a group.
pub(crate) fn call_on(
    handle: *const qc_cursor_group,
    body: impl FnOnce(&Group) -> Result<(), Failed>,
) -> qc_status {
    let group = match find("self", handle) {
        Ok(group) => group,
        Err(failed) => return failed.status(),
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let answer = body(&group);
        // It may be the last reference: another thread may have destroyed the handle.
        drop(group);
        answer
    }));
    match outcome {
        Ok(result) => result.map_or_else(Failed::status, |()| qc_status::QC_OK),
        Err(payload) => {
            HANDLES.poison(handle.addr(), Kind::CursorGroup);
            panicked(payload, "only destroy works on this handle from now on")
        }
    }
}

/// Ends a group's handle. NULL is fine.
pub(crate) fn destroy(handle: *mut qc_cursor_group) -> qc_status {
    if handle.is_null() {
        return qc_status::QC_OK;
    }
    let Some(record) = mine() else { return no_record().status() };
    if record.is_inside() {
        // Waiting for all calls would be waiting for the one that this comes from.
        return fail!(
            QC_ERR_REENTRANT,
            "self = {:#x}: a cursor group cannot be destroyed from an allocator's callback; destroy it after that call",
            handle.addr()
        )
        .status();
    }
    let entered = HANDLES.enter_to_destroy(handle.addr(), Kind::CursorGroup, ThreadId::current());
    let inside = match entered {
        Ok(inside) => inside,
        Err(refusal) => return not_found("self", handle, refusal).status(),
    };
    let alone = PINS.wait_for_all();
    let raw = NonNull::new(inside.object());
    HANDLES.retire(inside);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // If the kernel has taken back its word, calls may use the group still: it is never freed.
        if let Some(raw) = raw.filter(|_| alone) {
            // SAFETY: the handle's reference, which nobody finds any more.
            drop(unsafe { Group::from_raw(raw.cast()) });
        }
    }));
    match outcome {
        Ok(()) => qc_status::QC_OK,
        Err(payload) => panicked(payload, "the handle is destroyed, some of its memory may be lost"),
    }
}

/// The words for a group that was not found.
#[cold]
#[inline(never)]
fn not_found(what: &str, handle: *const qc_cursor_group, refusal: Refusal) -> Failed {
    // Whoever is inside exclusively is about to destroy.
    let refusal = match refusal {
        Refusal::Busy | Refusal::Reentrant => Refusal::Destroyed,
        other => other,
    };
    words_for("cursor group", what, handle.addr(), refusal)
}
