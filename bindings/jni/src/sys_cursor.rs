//! The C ABI of `libqueuecore.so` for cursors, as far as this crate calls it. What each call does stands in
//! `include/queuecore.h`.

use crate::sys::{Handle, Status};
use std::ffi::c_void;

/// `qc_cursor_policy`.
#[repr(C)]
pub(crate) struct Policy {
    pub(crate) struct_size: u32,
    pub(crate) high_percent: u32,
    pub(crate) low_percent: u32,
    pub(crate) parent_cache_percent: u32,
    pub(crate) parent_page_percent: u32,
    pub(crate) page_messages: u32,
    pub(crate) page_bytes: u64,
    pub(crate) min_page_messages: u32,
    pub(crate) lazy_dispatch: u8,
    pub(crate) use_cache: u8,
    pub(crate) deliver_uncommitted: u8,
    reserved: u8,
}

/// `qc_cursor_options`.
#[repr(C)]
pub(crate) struct CursorOptions {
    pub(crate) struct_size: u32,
    pub(crate) accounting: u32,
    pub(crate) max_entries: u32,
    pub(crate) max_open_writes: u32,
    alloc: *const c_void,
    free: *const c_void,
    alloc_ctx: *mut c_void,
}

/// `qc_cursor_group_options`.
#[repr(C)]
pub(crate) struct GroupOptions {
    pub(crate) struct_size: u32,
    pub(crate) divides_limit: u32,
    pub(crate) max_lent_bytes: u64,
    alloc: *const c_void,
    free: *const c_void,
    alloc_ctx: *mut c_void,
    release: *const c_void,
}

/// `qc_stored`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Stored {
    pub(crate) sequence: u64,
    pub(crate) user: u64,
    pub(crate) size_bytes: u32,
    pub(crate) priority: u8,
    pub(crate) reserved: [u8; 3],
}

/// `qc_fetch_fn`.
pub(crate) type Fetch = unsafe extern "C" fn(*mut c_void, u64, u64, u32, u64, *mut Stored, *mut usize) -> i32;
/// `qc_discard_fn`.
pub(crate) type Discard = unsafe extern "C" fn(*mut c_void, *const Stored);

/// `qc_store`.
#[repr(C)]
pub(crate) struct Store {
    pub(crate) struct_size: u32,
    reserved: u32,
    pub(crate) ctx: *mut c_void,
    pub(crate) fetch: Option<Fetch>,
    pub(crate) discard: Option<Discard>,
}

/// `qc_message`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub(crate) token: u64,
    pub(crate) sequence: u64,
    pub(crate) user: u64,
    pub(crate) size_bytes: u32,
    pub(crate) priority: u8,
    pub(crate) write: u8,
    pub(crate) reserved: u16,
}

/// `qc_released`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Released {
    pub(crate) user: u64,
    pub(crate) released_bytes: u64,
    pub(crate) was_in_memory: u32,
    reserved: u32,
}

/// `qc_delivered`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Delivered {
    pub(crate) sequence: u64,
    pub(crate) token: u64,
    pub(crate) user: u64,
    pub(crate) size_bytes: u32,
    pub(crate) redeliveries: u32,
    pub(crate) priority: u8,
    reserved: [u8; 7],
}

/// `qc_pulled`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Pulled {
    pub(crate) count: u64,
    pub(crate) end: u32,
    pub(crate) blocked: u32,
}

/// `qc_browsed`.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Browsed {
    pub(crate) count: u64,
    pub(crate) after: u64,
    pub(crate) more: u32,
    reserved: u32,
}

/// `qc_purged`.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Purged {
    pub(crate) up_to: u64,
    pub(crate) messages: u64,
    pub(crate) stored_messages: u64,
    pub(crate) released_bytes: u64,
    pub(crate) more: u32,
    reserved: u32,
}

/// `qc_dropped`.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Dropped {
    pub(crate) messages: u64,
    pub(crate) released_bytes: u64,
}

/// How many 64-bit figures follow the head of `struct qc_cursor_stats`.
pub(crate) const CURSOR_FIGURES: usize = 25;
/// How many 64-bit figures follow the head of `struct qc_cursor_group_stats`.
pub(crate) const GROUP_FIGURES: usize = 5;

/// `struct qc_cursor_stats`, `struct qc_cursor_group_stats`: a head with two figures of 32 bits, then figures of 64 bits
/// each.
#[repr(C)]
pub(crate) struct Stats<const FIGURES: usize> {
    pub(crate) struct_size: u32,
    reserved: u32,
    pub(crate) first: u32,
    pub(crate) second: u32,
    pub(crate) figures: [u64; FIGURES],
}

impl<const FIGURES: usize> Stats<FIGURES> {
    pub(crate) fn new() -> Stats<FIGURES> {
        let struct_size = size_of::<Stats<FIGURES>>() as u32;
        Stats { struct_size, reserved: 0, first: 0, second: 0, figures: [0; FIGURES] }
    }
}

/// `qc_ready_fn`.
pub(crate) type Ready = unsafe extern "C" fn(*mut c_void);

#[link(name = "queuecore", kind = "dylib")]
unsafe extern "C" {
    pub(crate) fn qc_cursor_policy_init(out: *mut Policy, struct_size: usize) -> Status;
    pub(crate) fn qc_cursor_options_init(out: *mut CursorOptions, struct_size: usize) -> Status;
    pub(crate) fn qc_store_init(out: *mut Store, struct_size: usize) -> Status;
    pub(crate) fn qc_cursor_group_options_init(out: *mut GroupOptions, struct_size: usize) -> Status;
    pub(crate) fn qc_cursor_group_create(
        options: *const GroupOptions,
        parent: Handle,
        out: *mut Handle,
    ) -> Status;
    pub(crate) safe fn qc_cursor_group_destroy(this: Handle) -> Status;
    pub(crate) fn qc_cursor_group_stats(this: Handle, inout: *mut Stats<GROUP_FIGURES>) -> Status;
    pub(crate) fn qc_cursor_create(
        options: *const CursorOptions,
        policy: *const Policy,
        usage: Handle,
        group: Handle,
        store: *const Store,
        out: *mut Handle,
    ) -> Status;
    pub(crate) safe fn qc_cursor_destroy(this: Handle) -> Status;
    pub(crate) safe fn qc_cursor_open(this: Handle, count: u64, bytes: u64, last_sequence: u64) -> Status;
    pub(crate) fn qc_cursor_push(this: Handle, message: *const Message, out: *mut u32) -> Status;
    pub(crate) fn qc_cursor_push_batch(
        this: Handle,
        messages: *const Message,
        count: usize,
        out_pushed: *mut u32,
        out_done: *mut usize,
    ) -> Status;
    pub(crate) safe fn qc_cursor_committed(this: Handle, token: u64, sequence: u64) -> Status;
    pub(crate) fn qc_cursor_committed_batch(
        this: Handle,
        tokens: *const u64,
        sequences: *const u64,
        count: usize,
        out_done: *mut usize,
    ) -> Status;
    pub(crate) fn qc_cursor_aborted(this: Handle, token: u64, out: *mut Released) -> Status;
    pub(crate) fn qc_cursor_pull(
        this: Handle,
        demand: u32,
        round: u32,
        out_messages: *mut Delivered,
        capacity: usize,
        out: *mut Pulled,
    ) -> Status;
    pub(crate) fn qc_cursor_browse(
        this: Handle,
        after: u64,
        out_messages: *mut Stored,
        capacity: usize,
        out: *mut Browsed,
    ) -> Status;
    pub(crate) fn qc_cursor_ack(this: Handle, sequence: u64, out: *mut Released) -> Status;
    pub(crate) fn qc_cursor_ack_batch(
        this: Handle,
        sequences: *const u64,
        count: usize,
        out_released: *mut Released,
        out_done: *mut usize,
    ) -> Status;
    pub(crate) safe fn qc_cursor_requeue(this: Handle, sequence: u64) -> Status;
    pub(crate) safe fn qc_cursor_park(this: Handle, sequence: u64) -> Status;
    pub(crate) fn qc_cursor_remove(
        this: Handle,
        sequence: u64,
        stored_bytes: u32,
        out: *mut Released,
    ) -> Status;
    pub(crate) fn qc_cursor_purge(this: Handle, up_to: u64, max_messages: u32, out: *mut Purged) -> Status;
    pub(crate) fn qc_cursor_drop_cache(this: Handle, out: *mut Dropped) -> Status;
    pub(crate) fn qc_cursor_on_ready(
        this: Handle,
        ready: Option<Ready>,
        ctx: *mut c_void,
        release: Option<unsafe extern "C" fn(*mut c_void)>,
    ) -> Status;
    pub(crate) fn qc_cursor_set_policy(this: Handle, policy: *const Policy) -> Status;
    pub(crate) safe fn qc_cursor_set_marks(this: Handle, low: u32, high: u32) -> Status;
    pub(crate) fn qc_cursor_get_policy(this: Handle, inout: *mut Policy) -> Status;
    pub(crate) safe fn qc_cursor_refresh(this: Handle) -> Status;
    pub(crate) fn qc_cursor_stats(this: Handle, inout: *mut Stats<CURSOR_FIGURES>) -> Status;
}
