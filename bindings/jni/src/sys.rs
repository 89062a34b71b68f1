//! The C ABI of `libqueuecore.so`, as far as this crate calls it. What each call does stands in `include/queuecore.h`.

use std::ffi::{c_char, c_void};

/// A tracker's handle: a number, not an address.
pub(crate) type Handle = *mut c_void;
/// A hold's handle.
pub(crate) type Hold = *mut c_void;
/// `qc_status`.
pub(crate) type Status = i32;
/// `QC_OK`.
pub(crate) const OK: Status = 0;
/// `QC_ERR_NULL_ARGUMENT`.
pub(crate) const NULL_ARGUMENT: Status = 9;
/// `QC_ERR_INVALID_ARGUMENT`.
pub(crate) const INVALID_ARGUMENT: Status = 10;
/// `QC_ERR_OUT_OF_RANGE`.
pub(crate) const OUT_OF_RANGE: Status = 11;
/// `QC_ERR_STOPPED`.
pub(crate) const STOPPED: Status = 21;
/// `QC_ERR_NO_MEMORY`.
pub(crate) const NO_MEMORY: Status = 14;

/// `qc_usage_options`.
#[repr(C)]
pub(crate) struct UsageOptions {
    pub(crate) struct_size: u32,
    pub(crate) share_ppm: u32,
    pub(crate) limit_bytes: u64,
    pub(crate) tag: u64,
    pub(crate) min_delta_percent: u32,
    pub(crate) event_capacity: u32,
    pub(crate) max_stripes: u32,
    pub(crate) reserved: u32,
    pub(crate) alloc: Option<unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void>,
    pub(crate) free: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, usize, usize)>,
    pub(crate) alloc_ctx: *mut c_void,
    pub(crate) release: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// `struct qc_usage_layout`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct UsageLayout {
    pub(crate) struct_size: u32,
    pub(crate) version: u32,
    pub(crate) node_bytes: u32,
    pub(crate) stripe_bytes: u32,
    pub(crate) stripes_offset: u32,
    pub(crate) stripes_log2_mask: u32,
    pub(crate) parent_offset: u32,
    pub(crate) percent_offset: u32,
    pub(crate) state_offset: u32,
    pub(crate) state_full_mask: u32,
    pub(crate) percent_unknown: i64,
    pub(crate) inline_word_offset: u32,
    pub(crate) last_user_offset: u32,
    pub(crate) state_stopped_mask: u32,
    pub(crate) reserved: u32,
}

/// `qc_usage_event`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct UsageEvent {
    pub(crate) tag: u64,
    pub(crate) old_percent: i32,
    pub(crate) new_percent: i32,
}

/// How many 64-bit figures follow the head of `struct qc_usage_stats`.
pub(crate) const FIGURES: usize = 22;

/// `struct qc_usage_stats`: a head, then figures of 64 bits each.
#[repr(C)]
pub(crate) struct UsageStats {
    pub(crate) struct_size: u32,
    pub(crate) reserved: u32,
    pub(crate) figures: [i64; FIGURES],
}

/// `qc_usage_listener_fn`.
pub(crate) type Listener = unsafe extern "C" fn(*mut c_void, *const UsageEvent);
/// `qc_usage_notice_fn`.
pub(crate) type Notice = unsafe extern "C" fn(*mut c_void, Status);

#[link(name = "queuecore", kind = "dylib")]
unsafe extern "C" {
    pub(crate) safe fn qc_abi_version() -> u32;
    pub(crate) safe fn qc_last_error() -> *const c_char;
    pub(crate) safe fn qc_status_string(code: i32) -> *const c_char;
    pub(crate) safe fn qc_usage_layout() -> *const UsageLayout;
    pub(crate) fn qc_usage_options_init(out: *mut UsageOptions, struct_size: usize) -> Status;
    pub(crate) fn qc_usage_create(options: *const UsageOptions, out: *mut Handle) -> Status;
    pub(crate) fn qc_usage_create_child(
        parent: Handle,
        options: *const UsageOptions,
        out: *mut Handle,
    ) -> Status;
    pub(crate) fn qc_usage_destroy(this: Handle, out_residual: *mut i64) -> Status;
    pub(crate) fn qc_usage_keep_node(
        this: Handle,
        out_hold: *mut Hold,
        out_node: *mut *const c_void,
    ) -> Status;
    pub(crate) safe fn qc_usage_hold_destroy(hold: Hold) -> Status;
    pub(crate) safe fn qc_usage_increase(this: Handle, amount: u64) -> Status;
    pub(crate) safe fn qc_usage_decrease(this: Handle, amount: u64) -> Status;
    pub(crate) fn qc_usage_try_reserve(this: Handle, amount: u64, out: *mut u8) -> Status;
    pub(crate) fn qc_usage_percent(this: Handle, out: *mut i32) -> Status;
    pub(crate) fn qc_usage_is_full(this: Handle, out: *mut u8) -> Status;
    pub(crate) fn qc_usage_is_full_at(this: Handle, percent: i32, out: *mut u8) -> Status;
    pub(crate) fn qc_usage_is_over_mark(this: Handle, out: *mut u8) -> Status;
    pub(crate) fn qc_usage_usage(this: Handle, out: *mut i64) -> Status;
    pub(crate) fn qc_usage_usage_exact(this: Handle, out: *mut i64) -> Status;
    pub(crate) fn qc_usage_limit(this: Handle, out: *mut u64) -> Status;
    pub(crate) safe fn qc_usage_set_usage(this: Handle, usage: i64) -> Status;
    pub(crate) safe fn qc_usage_set_limit(this: Handle, limit: u64) -> Status;
    pub(crate) safe fn qc_usage_set_share(this: Handle, share_ppm: u32) -> Status;
    pub(crate) safe fn qc_usage_set_min_delta(this: Handle, percent: u32) -> Status;
    pub(crate) safe fn qc_usage_set_marks(this: Handle, low: i32, high: i32) -> Status;
    pub(crate) safe fn qc_usage_clear_marks(this: Handle) -> Status;
    pub(crate) safe fn qc_usage_start(this: Handle) -> Status;
    pub(crate) safe fn qc_usage_stop(this: Handle) -> Status;
    pub(crate) fn qc_usage_set_listener(
        this: Handle,
        listener: Option<Listener>,
        ctx: *mut c_void,
        release: Option<unsafe extern "C" fn(*mut c_void)>,
    ) -> Status;
    pub(crate) safe fn qc_usage_clear_events(this: Handle) -> Status;
    pub(crate) fn qc_usage_space_notify(
        this: Handle,
        percent: i32,
        notice: Option<Notice>,
        ctx: *mut c_void,
        out_ticket: *mut u64,
    ) -> Status;
    pub(crate) fn qc_usage_is_in_line(this: Handle, ticket: u64, out_in_line: *mut u8) -> Status;
    pub(crate) fn qc_usage_reserve_notify(
        this: Handle,
        amount: u64,
        notice: Option<Notice>,
        ctx: *mut c_void,
        out_ticket: *mut u64,
    ) -> Status;
    pub(crate) fn qc_usage_reserve_cancel(this: Handle, ticket: u64, out_cancelled: *mut u8) -> Status;
    pub(crate) fn qc_usage_stats(this: Handle, inout: *mut UsageStats) -> Status;
}
