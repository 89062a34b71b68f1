//! The settings of a history as C gives them: their layout, their defaults, and the way into the core's own.
//!
//! A struct may come from a program that was compiled against another version; `struct_size` tells.

use super::callbacks::{HostAllocator, HostHasher, qc_alloc_fn, qc_free_fn, qc_hash_fn};
use super::guard::guard;
use super::history_group::qc_history_group;
use super::last_error::{Failed, fail};
use super::status::qc_status;
use super::versioned::{self, Settings};
use crate::history::{GcPolicy, MAX_GC_STEP, Options, Overflow, Visibility};
use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::Arc;

/// Who collects expired entries. `qc_history_options` keeps it as a `uint32_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_gc_policy {
    /// Every insert collects up to `gc_step` expired entries (default 4), every erase one. No call ever pays for
    /// much, and a backlog drains while traffic flows; call `qc_history_gc` on an idle history.
    QC_GC_STEADY = 0,
    /// When `qc_history_gc` stops at its maximum with more to do, each following insert collects up to `gc_step`
    /// (default 1000) until none is left.
    QC_GC_ON_DEMAND = 1,
    /// Only `qc_history_gc` collects, and to make room for their own entries an insert at `max_entries` and an erase at
    /// `max_history` (`qc_overflow`). `gc_step` has no meaning.
    QC_GC_SCHEDULED = 2,
}

/// When an expired key stops being visible. `qc_history_options` keeps it as a `uint32_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_visibility {
    /// At its expiry: every answer depends on keys and times alone.
    QC_VISIBLE_UNTIL_EXPIRY = 0,
    /// When it is collected.
    QC_VISIBLE_UNTIL_COLLECTED = 1,
}

/// What an erase does when the history is full. `qc_history_options` keeps it as a `uint32_t`.
///
/// Under every policy it first looks for an expired entry to collect. It looks at the oldest 64 records at most, those
/// of live and forgotten entries included, so that it takes constant time: an expired entry behind 64 live ones is not
/// found. Another erase, or `qc_history_gc`, begins where this one ended and gets further.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_overflow {
    /// If it finds none, it answers QC_ERR_CAPACITY, and the entry stays live.
    QC_OVERFLOW_REJECT = 0,
    /// The oldest historical entry leaves early, and `evicted_early` counts it. If there is none among the oldest 64
    /// records either, or no memory to pass a live one, the erased entry itself is not remembered: the erase answers
    /// QC_ERASED_GONE inside the window, and `evicted_early` counts that.
    QC_OVERFLOW_EVICT_OLDEST = 1,
}

/// The settings of a history. Fill it with `qc_history_options_init`, then change what you want changed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct qc_history_options {
    /// `sizeof(qc_history_options)`; the init function sets it.
    pub struct_size: u32,
    /// Bytes of value stored with each live entry, 0 to 1024. Default 0.
    pub value_size: u32,
    /// How long a key is remembered, from its insert, in ns: 0 (no history) to 2^62. Rounded up to a multiple of the
    /// resolution. Default 300 s.
    pub window_ns: i64,
    /// The grain of time, in ns, 1 to 2^62: insert times and the present are rounded down to it, so that a key expires
    /// less than one of it early or late. 0 means the default, 1000.
    pub resolution_ns: i64,
    /// How far `now_ns` may lie ahead of the largest one seen, in ns, before a call answers QC_ERR_CLOCK: 1 to 2^62,
    /// or 0 for any distance. Default one hour. A history that is told no time for longer than that refuses the next
    /// one, however right: call `qc_history_gc` more often from a timer, or `qc_history_clock_reset` after a pause, or
    /// set 0.
    pub max_clock_step_ns: i64,
    /// The most entries, live and historical together, 1 to 2^31-1. 0 means the default, 2^31-1. An insert that reaches
    /// it looks for an expired entry to collect, among the oldest 64 records, before it answers QC_ERR_CAPACITY.
    pub max_entries: u64,
    /// The most historical entries, any number. 0, the default: no limit of their own.
    pub max_history: u64,
    /// A `qc_overflow`: what an erase does at `max_history`. Default QC_OVERFLOW_REJECT.
    pub overflow: u32,
    /// A `qc_visibility`. Default QC_VISIBLE_UNTIL_EXPIRY.
    pub visibility: u32,
    /// A `qc_gc_policy`. Default QC_GC_STEADY.
    pub gc_policy: u32,
    /// Entries an insert may collect, up to 2^20. 0, the default, means the policy's own default.
    pub gc_step: u32,
    /// The seed of the key hash. 0, the default: a random one, so that nobody can aim at collisions. Set it only to
    /// repeat a run exactly.
    pub seed: u64,
    /// The host's allocator, with `free`; both or neither. Default NULL: the process's own.
    pub alloc: qc_alloc_fn,
    /// See `alloc`.
    pub free: qc_free_fn,
    /// Handed to `alloc` and `free` as it is. It must stay good until the history is destroyed.
    pub alloc_ctx: *mut c_void,
    /// The host's own hash of keys. Default NULL: the built-in keyed one.
    pub hash: qc_hash_fn,
    /// Handed to `hash` as it is. It must stay good until the history is destroyed.
    pub hash_ctx: *mut c_void,
    /// The group to join (`qc_history_group_create`); its seed and its allocator count then, so `seed` has to be 0 and
    /// `alloc` NULL. Default NULL: no group.
    pub group: *mut qc_history_group,
}

const DEFAULTS: qc_history_options = qc_history_options {
    struct_size: SIZE as u32,
    value_size: 0,
    window_ns: 300_000_000_000,
    resolution_ns: 1000,
    max_clock_step_ns: 3_600_000_000_000,
    max_entries: 0,
    max_history: 0,
    overflow: qc_overflow::QC_OVERFLOW_REJECT as u32,
    visibility: qc_visibility::QC_VISIBLE_UNTIL_EXPIRY as u32,
    gc_policy: qc_gc_policy::QC_GC_STEADY as u32,
    gc_step: 0,
    seed: 0,
    alloc: None,
    free: None,
    alloc_ctx: std::ptr::null_mut(),
    hash: None,
    hash_ctx: std::ptr::null_mut(),
    group: std::ptr::null_mut(),
};

const SIZE: usize = size_of::<qc_history_options>();

/// Where each field ends, in order. A field starts where the one before it ends: the struct has no gaps.
const ENDS: &[usize] = &[
    offset_of!(qc_history_options, value_size),
    offset_of!(qc_history_options, window_ns),
    offset_of!(qc_history_options, resolution_ns),
    offset_of!(qc_history_options, max_clock_step_ns),
    offset_of!(qc_history_options, max_entries),
    offset_of!(qc_history_options, max_history),
    offset_of!(qc_history_options, overflow),
    offset_of!(qc_history_options, visibility),
    offset_of!(qc_history_options, gc_policy),
    offset_of!(qc_history_options, gc_step),
    offset_of!(qc_history_options, seed),
    offset_of!(qc_history_options, alloc),
    offset_of!(qc_history_options, free),
    offset_of!(qc_history_options, alloc_ctx),
    offset_of!(qc_history_options, hash),
    offset_of!(qc_history_options, hash_ctx),
    offset_of!(qc_history_options, group),
    SIZE,
];

// SAFETY: `struct_size` is the first field; all others are numbers, pointers and callbacks.
unsafe impl Settings for qc_history_options {
    const DEFAULTS: qc_history_options = DEFAULTS;
    const ENDS: &'static [usize] = ENDS;
}

/// Fills the settings of a history with their defaults.
///
/// Parameters: `out_options` is what to fill; `struct_size` is `sizeof(qc_history_options)` as the caller knows it, 4
/// to 4096. No byte beyond it is written. Bytes that this version of the library does not know are set to zero.
///
/// QC_ERR_NULL_ARGUMENT: `out_options` is NULL. QC_ERR_INVALID_ARGUMENT: `out_options` is not aligned, or
/// `struct_size` is out of its range.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_options_init(
    out_options: *mut qc_history_options,
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
pub(super) unsafe fn read(options: *const qc_history_options) -> Result<qc_history_options, Failed> {
    // SAFETY: the same promise.
    unsafe { versioned::read(options) }
}

/// The core's settings.
///
/// The adapters of the callbacks are the one thing that comes from the process and ends it if it has no memory: a few
/// dozen bytes per history, which the header exempts, for the core takes them as an `Arc` and a `Box`.
pub(super) fn to_core(given: &qc_history_options) -> Result<Options, Failed> {
    let host = HostAllocator::new(given.alloc, given.free, given.alloc_ctx, None)?.map(Arc::new);
    let hasher = HostHasher::new(given.hash, given.hash_ctx);
    Ok(Options {
        window_ns: given.window_ns,
        value_size: given.value_size as usize,
        resolution_ns: given.resolution_ns,
        max_clock_step_ns: Some(given.max_clock_step_ns),
        max_entries: given.max_entries,
        max_history: given.max_history,
        overflow: overflow(given.overflow)?,
        visibility: visibility(given.visibility)?,
        gc: gc_policy(given.gc_policy, given.gc_step)?,
        seed: (given.seed != 0).then_some(given.seed),
        hasher: hasher.map(|hasher| Box::new(hasher) as _),
        allocator: host.map(|host| host as _),
        group: None,
    })
}

fn overflow(given: u32) -> Result<Overflow, Failed> {
    const REJECT: u32 = qc_overflow::QC_OVERFLOW_REJECT as u32;
    const EVICT_OLDEST: u32 = qc_overflow::QC_OVERFLOW_EVICT_OLDEST as u32;
    match given {
        REJECT => Ok(Overflow::Reject),
        EVICT_OLDEST => Ok(Overflow::EvictOldest),
        _ => Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.overflow = {given} is no qc_overflow")),
    }
}

fn visibility(given: u32) -> Result<Visibility, Failed> {
    const UNTIL_EXPIRY: u32 = qc_visibility::QC_VISIBLE_UNTIL_EXPIRY as u32;
    const UNTIL_COLLECTED: u32 = qc_visibility::QC_VISIBLE_UNTIL_COLLECTED as u32;
    match given {
        UNTIL_EXPIRY => Ok(Visibility::UntilExpiry),
        UNTIL_COLLECTED => Ok(Visibility::UntilCollected),
        _ => Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.visibility = {given} is no qc_visibility")),
    }
}

fn gc_policy(given: u32, step: u32) -> Result<GcPolicy, Failed> {
    const STEADY: u32 = qc_gc_policy::QC_GC_STEADY as u32;
    const ON_DEMAND: u32 = qc_gc_policy::QC_GC_ON_DEMAND as u32;
    const SCHEDULED: u32 = qc_gc_policy::QC_GC_SCHEDULED as u32;
    if given != SCHEDULED && step > MAX_GC_STEP {
        return Err(fail!(
            QC_ERR_OUT_OF_RANGE,
            "options.gc_step = {step} is out of range; it must be 0 to {MAX_GC_STEP}"
        ));
    }
    match given {
        STEADY => Ok(GcPolicy::Steady { step: if step == 0 { 4 } else { step } }),
        ON_DEMAND => Ok(GcPolicy::OnDemand { batch: if step == 0 { 1000 } else { step } }),
        SCHEDULED => Ok(GcPolicy::Scheduled),
        _ => Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.gc_policy = {given} is no qc_gc_policy")),
    }
}
