//! The settings of a usage tracker as C gives them: their layout, their defaults, and the way into the core's own.
//!
//! A struct may come from a program that was compiled against another version; `struct_size` tells.

use super::callbacks::{HostAllocator, qc_alloc_fn, qc_free_fn, qc_release_fn};
use super::guard::guard;
use super::last_error::{Failed, fail};
use super::status::qc_status;
use super::versioned::{self, Settings};
use crate::usage::Options;
use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::Arc;

/// The settings of a tracker. Fill it with `qc_usage_options_init`, then change what you want changed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct qc_usage_options {
    /// `sizeof(qc_usage_options)`; the init function sets it.
    pub struct_size: u32,
    /// A share of the parent's limit instead of a limit, in parts per million: 1 to 1,000,000. 0, the default: none. Not
    /// beside `limit_bytes`, and not on a root.
    pub share_ppm: u32,
    /// The limit in bytes, up to 2^62. 0, the default, means unlimited: never full, 0 percent.
    pub limit_bytes: u64,
    /// The caller's name for the tracker, any number: events and enumerations carry it. Default 0.
    pub tag: u64,
    /// Percents count in whole multiples of this; 1 or more. Default 1.
    pub min_delta_percent: u32,
    /// Room for percent steps that wait to be delivered, 1 to 65536. When it is used up they merge: the first one's old
    /// percent, the last one's new one. It takes 16 bytes each once somebody listens. Default 64.
    pub event_capacity: u32,
    /// The most stripes of a busy tracker, each of 8 bytes. 0, the default: one for each processor. Of a root, for its
    /// whole tree; of a child it must be 0.
    pub max_stripes: u32,
    /// 0.
    pub reserved: u32,
    /// The host's allocator, with `free`; both or neither. Default NULL: the process's own. Of a root, for its whole tree;
    /// of a child it must be NULL. It is called under the tree's lock: it must not call into any tracker of that tree, nor a cursor
    /// that uses one.
    pub alloc: qc_alloc_fn,
    /// See `alloc`.
    pub free: qc_free_fn,
    /// Handed to `alloc` and `free` as it is. It must stay good until the last tracker of the tree is destroyed and every
    /// call, listener and notice of the tree has returned: see `release`.
    pub alloc_ctx: *mut c_void,
    /// Called once with `alloc_ctx` after the tree gave its last block back; NULL, the default, if nobody need know. If
    /// `qc_usage_create` fails, it is not called, and `alloc_ctx` stays the caller's. Of a child it must be NULL.
    pub release: qc_release_fn,
}

const SIZE: usize = size_of::<qc_usage_options>();

// SAFETY: `struct_size` is the first field; all others are numbers, pointers and callbacks.
unsafe impl Settings for qc_usage_options {
    const DEFAULTS: qc_usage_options = qc_usage_options {
        struct_size: SIZE as u32,
        share_ppm: 0,
        limit_bytes: 0,
        tag: 0,
        min_delta_percent: 1,
        event_capacity: 64,
        max_stripes: 0,
        reserved: 0,
        alloc: None,
        free: None,
        alloc_ctx: std::ptr::null_mut(),
        release: None,
    };
    // A field starts where the one before it ends: the struct has no gaps.
    const ENDS: &'static [usize] = &[
        offset_of!(qc_usage_options, share_ppm),
        offset_of!(qc_usage_options, limit_bytes),
        offset_of!(qc_usage_options, tag),
        offset_of!(qc_usage_options, min_delta_percent),
        offset_of!(qc_usage_options, event_capacity),
        offset_of!(qc_usage_options, max_stripes),
        offset_of!(qc_usage_options, reserved),
        offset_of!(qc_usage_options, alloc),
        offset_of!(qc_usage_options, free),
        offset_of!(qc_usage_options, alloc_ctx),
        offset_of!(qc_usage_options, release),
        SIZE,
    ];
}

/// Fills the settings of a tracker with their defaults.
///
/// Parameters: `out_options` is what to fill; `struct_size` is `sizeof(qc_usage_options)` as the caller knows it, 4
/// to 4096. No byte beyond it is written. Bytes that this version of the library does not know are set to zero.
///
/// QC_ERR_NULL_ARGUMENT: `out_options` is NULL. QC_ERR_INVALID_ARGUMENT: `out_options` is not aligned, or
/// `struct_size` is out of its range.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_options_init(
    out_options: *mut qc_usage_options,
    struct_size: usize,
) -> qc_status {
    guard!(|| {
        // SAFETY: the caller says that `struct_size` bytes are theirs to write.
        unsafe { versioned::init(out_options, struct_size) }
    })
}

/// Reads the settings from a struct of any version.
///
/// # Safety
/// `options` is NULL or valid for reading as many bytes as its `struct_size` says.
pub(super) unsafe fn read(options: *const qc_usage_options) -> Result<qc_usage_options, Failed> {
    // SAFETY: the same promise.
    let given = unsafe { versioned::read(options) }?;
    if given.reserved != 0 {
        return Err(fail!(
            QC_ERR_UNSUPPORTED,
            "options.reserved = {} has no meaning; it must be 0",
            given.reserved
        ));
    }
    Ok(given)
}

/// The core's settings of a root, and its allocator once more. The adapter of the callbacks is the one thing that comes
/// from the process.
pub(super) fn of_root(given: &qc_usage_options) -> Result<(Options, Option<Arc<HostAllocator>>), Failed> {
    if given.release.is_some() && given.alloc.is_none() {
        return Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.release is set but options.alloc is NULL"));
    }
    let host = HostAllocator::new(given.alloc, given.free, given.alloc_ctx, given.release)?.map(Arc::new);
    Ok((Options { allocator: host.clone().map(|host| host as _), ..common(given) }, host))
}

/// The core's settings of a child.
pub(super) fn of_child(given: &qc_usage_options) -> Result<Options, Failed> {
    let roots = [
        ("alloc", given.alloc.is_some()),
        ("free", given.free.is_some()),
        ("release", given.release.is_some()),
        ("max_stripes", given.max_stripes != 0),
    ];
    match roots.iter().find(|(_, is_set)| *is_set) {
        Some((name, _)) => Err(fail!(
            QC_ERR_INVALID_ARGUMENT,
            "options.{name} is set for a child; it is the root's, for the whole tree"
        )),
        None => Ok(common(given)),
    }
}

fn common(given: &qc_usage_options) -> Options {
    Options {
        limit_bytes: given.limit_bytes,
        share_ppm: given.share_ppm,
        min_delta_percent: given.min_delta_percent,
        tag: given.tag,
        event_capacity: given.event_capacity,
        max_stripes: given.max_stripes,
        allocator: None,
    }
}
