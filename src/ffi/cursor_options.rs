//! The settings of a cursor as C gives them: its policy, which may change at any time, and the rest.
//!
//! A struct may come from a program that was compiled against another version; `struct_size` tells.

use super::callbacks::{HostAllocator, qc_alloc_fn, qc_free_fn};
use super::guard::guard;
use super::last_error::{Failed, fail};
use super::status::qc_status;
use super::versioned::{self, Settings};
use crate::cursor::{Accounting, Options, Policy};
use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::Arc;

/// Who charges a cursor's tracker. `qc_cursor_options` keeps it as a `uint32_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_accounting {
    /// The cursor, and nobody else: its usage is what it has charged.
    QC_ACCOUNTING_OWN = 0,
    /// The host, as its own reference counts say. The cursor reads the tracker's percent and charges nothing; keep the
    /// tracker's `min_delta_percent` at 1.
    QC_ACCOUNTING_HOST = 1,
}

/// What decides when messages stay in memory and when they are paged in. Fill it with `qc_cursor_policy_init`, then change
/// what you want changed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct qc_cursor_policy {
    /// `sizeof(qc_cursor_policy)`; the init function sets it.
    pub struct_size: u32,
    /// Caching and filling stop when the usage reaches this percent of the limit: 1 to 100. Default 70.
    pub high_percent: u32,
    /// Filling begins when the usage is below this percent of the limit: 1 to `high_percent`. Default 50. The classic rule
    /// is both the same.
    pub low_percent: u32,
    /// Caching stops when the parent, or a level above it, reaches this percent of its limit: 1 to 1000. Default 100. It
    /// takes a group.
    pub parent_cache_percent: u32,
    /// Pages are taken while the parent, and every level above it, is at or below this percent of its limit: 1 to 1000.
    /// Default 90. It takes a group. The parent's percent moves in steps of its `min_delta_percent`: with coarse
    /// steps this mark moves to the next one.
    pub parent_page_percent: u32,
    /// The messages of a whole page: 1 to 65536. Default 200.
    pub page_messages: u32,
    /// The bytes of a whole page: 1 to 2^40; at most (100 - `high_percent`) % of the limit counts, and 1 % where that
    /// leaves nothing. Default 1 MiB.
    pub page_bytes: u64,
    /// A page that open writes or demand cut shorter than this is not taken while the window has something to give: up to
    /// `page_messages`. 0, the default, means a quarter of that.
    pub min_page_messages: u32,
    /// 1: pages are not longer than the demand. Default 0.
    pub lazy_dispatch: u8,
    /// 1, the default: new messages stay in memory while there is room. 0: they never do.
    pub use_cache: u8,
    /// 1: messages whose write is open are delivered all the same, once their sequence is known. Default 0. Turned
    /// off, it holds for what is pushed from then on: what could be delivered already still is.
    pub deliver_uncommitted: u8,
    /// 0.
    pub reserved: u8,
}

/// The settings of a cursor. Fill it with `qc_cursor_options_init`, then change what you want changed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct qc_cursor_options {
    /// `sizeof(qc_cursor_options)`; the init function sets it.
    pub struct_size: u32,
    /// A `qc_accounting`. Default QC_ACCOUNTING_OWN.
    pub accounting: u32,
    /// The most messages in the window, in flight ones included, up to 2^26. 0, the default, means that many.
    pub max_entries: u32,
    /// The most writes open at a time, answered ones behind an open one included, up to 2^20. 0, the default, means 65536.
    pub max_open_writes: u32,
    /// The host's allocator, with `free`; both or neither. Default NULL: the process's own.
    pub alloc: qc_alloc_fn,
    /// See `alloc`.
    pub free: qc_free_fn,
    /// Handed to `alloc` and `free` as it is. It must stay good until the cursor is destroyed.
    pub alloc_ctx: *mut c_void,
}

// SAFETY: `struct_size` is the first field; all others are numbers, and there are no gaps.
unsafe impl Settings for qc_cursor_policy {
    const NAME: &'static str = "policy";
    const DEFAULTS: qc_cursor_policy = qc_cursor_policy {
        struct_size: size_of::<qc_cursor_policy>() as u32,
        high_percent: 70,
        low_percent: 50,
        parent_cache_percent: 100,
        parent_page_percent: 90,
        page_messages: 200,
        page_bytes: 1 << 20,
        min_page_messages: 0,
        lazy_dispatch: 0,
        use_cache: 1,
        deliver_uncommitted: 0,
        reserved: 0,
    };
    const ENDS: &'static [usize] = &[
        offset_of!(qc_cursor_policy, high_percent),
        offset_of!(qc_cursor_policy, low_percent),
        offset_of!(qc_cursor_policy, parent_cache_percent),
        offset_of!(qc_cursor_policy, parent_page_percent),
        offset_of!(qc_cursor_policy, page_messages),
        offset_of!(qc_cursor_policy, page_bytes),
        offset_of!(qc_cursor_policy, min_page_messages),
        offset_of!(qc_cursor_policy, lazy_dispatch),
        offset_of!(qc_cursor_policy, use_cache),
        offset_of!(qc_cursor_policy, deliver_uncommitted),
        offset_of!(qc_cursor_policy, reserved),
        size_of::<qc_cursor_policy>(),
    ];
}

// SAFETY: `struct_size` is the first field; all others are numbers, pointers and callbacks, and there are no gaps.
unsafe impl Settings for qc_cursor_options {
    const NAME: &'static str = "options";
    const DEFAULTS: qc_cursor_options = qc_cursor_options {
        struct_size: size_of::<qc_cursor_options>() as u32,
        accounting: qc_accounting::QC_ACCOUNTING_OWN as u32,
        max_entries: 0,
        max_open_writes: 0,
        alloc: None,
        free: None,
        alloc_ctx: std::ptr::null_mut(),
    };
    const ENDS: &'static [usize] = &[
        offset_of!(qc_cursor_options, accounting),
        offset_of!(qc_cursor_options, max_entries),
        offset_of!(qc_cursor_options, max_open_writes),
        offset_of!(qc_cursor_options, alloc),
        offset_of!(qc_cursor_options, free),
        offset_of!(qc_cursor_options, alloc_ctx),
        size_of::<qc_cursor_options>(),
    ];
}

/// Fills a policy with the defaults.
///
/// Parameters: `out_policy` is what to fill; `struct_size` is `sizeof(qc_cursor_policy)` as the caller knows it, 4 to 4096.
/// No byte beyond it is written. Bytes that this version of the library does not know are set to zero.
///
/// QC_ERR_NULL_ARGUMENT: `out_policy` is NULL. QC_ERR_INVALID_ARGUMENT: `out_policy` is not aligned, or `struct_size` is
/// out of its range.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_policy_init(
    out_policy: *mut qc_cursor_policy,
    struct_size: usize,
) -> qc_status {
    guard!(|| {
        // SAFETY: the caller says that `struct_size` bytes are theirs to write.
        unsafe { versioned::init(out_policy, struct_size) }
    })
}

/// Fills the settings of a cursor with their defaults.
///
/// Parameters and statuses: as for `qc_cursor_policy_init`, with `out_options` and `sizeof(qc_cursor_options)`.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_options_init(
    out_options: *mut qc_cursor_options,
    struct_size: usize,
) -> qc_status {
    guard!(|| {
        // SAFETY: the caller says that `struct_size` bytes are theirs to write.
        unsafe { versioned::init(out_options, struct_size) }
    })
}

/// Reads a policy from a struct of any version.
///
/// # Safety
/// `policy` is NULL or valid for reading as many bytes as its `struct_size` says.
pub(super) unsafe fn read_policy(policy: *const qc_cursor_policy) -> Result<Policy, Failed> {
    // SAFETY: the same promise.
    let given = unsafe { versioned::read(policy) }?;
    if given.reserved != 0 {
        let reserved = given.reserved;
        return Err(fail!(QC_ERR_UNSUPPORTED, "policy.reserved = {reserved} has no meaning; it must be 0"));
    }
    Ok(Policy {
        high_percent: given.high_percent,
        low_percent: given.low_percent,
        parent_cache_percent: given.parent_cache_percent,
        parent_page_percent: given.parent_page_percent,
        page_messages: given.page_messages,
        page_bytes: given.page_bytes,
        min_page_messages: given.min_page_messages,
        lazy_dispatch: truth("policy.lazy_dispatch", given.lazy_dispatch.into())?,
        use_cache: truth("policy.use_cache", given.use_cache.into())?,
        deliver_uncommitted: truth("policy.deliver_uncommitted", given.deliver_uncommitted.into())?,
    })
}

/// A policy as C sees it.
pub(super) fn policy_of(policy: &Policy) -> qc_cursor_policy {
    qc_cursor_policy {
        struct_size: size_of::<qc_cursor_policy>() as u32,
        high_percent: policy.high_percent,
        low_percent: policy.low_percent,
        parent_cache_percent: policy.parent_cache_percent,
        parent_page_percent: policy.parent_page_percent,
        page_messages: policy.page_messages,
        page_bytes: policy.page_bytes,
        min_page_messages: policy.min_page_messages,
        lazy_dispatch: u8::from(policy.lazy_dispatch),
        use_cache: u8::from(policy.use_cache),
        deliver_uncommitted: u8::from(policy.deliver_uncommitted),
        reserved: 0,
    }
}

/// A number that stands for yes or no.
pub(super) fn truth(name: &str, given: u32) -> Result<bool, Failed> {
    match given {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(fail!(QC_ERR_INVALID_ARGUMENT, "{name} = {given} must be 0 or 1")),
    }
}

/// The core's settings, and the host's allocator once more, for asking it later what went wrong. The adapter of the
/// callbacks is the one thing that comes from the process.
///
/// # Safety
/// `options` is NULL or valid for reading as many bytes as its `struct_size` says.
pub(super) unsafe fn to_core(
    options: *const qc_cursor_options,
    policy: Policy,
) -> Result<(Options, Option<Arc<HostAllocator>>), Failed> {
    const OWN: u32 = qc_accounting::QC_ACCOUNTING_OWN as u32;
    const HOST: u32 = qc_accounting::QC_ACCOUNTING_HOST as u32;
    // SAFETY: the caller's promise.
    let given = unsafe { versioned::read(options) }?;
    let accounting = match given.accounting {
        OWN => Accounting::Own,
        HOST => Accounting::Host,
        other => {
            return Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.accounting = {other} is no qc_accounting"));
        }
    };
    let host = HostAllocator::new(given.alloc, given.free, given.alloc_ctx, None)?.map(Arc::new);
    let settings = Options {
        policy,
        accounting,
        max_entries: given.max_entries,
        max_open_writes: given.max_open_writes,
        allocator: host.clone().map(|host| host as _),
    };
    Ok((settings, host))
}
