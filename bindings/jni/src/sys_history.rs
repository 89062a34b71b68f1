//! The C ABI of `libqueuecore.so` for histories, as far as this crate calls it. What each call does stands in
//! `include/queuecore.h`.

use crate::sys::{Handle, Status};
use std::ffi::c_void;

/// `qc_key`.
pub(crate) type Key = [u8; 16];

/// `qc_history_options`.
#[repr(C)]
pub(crate) struct HistoryOptions {
    pub(crate) struct_size: u32,
    pub(crate) value_size: u32,
    pub(crate) window_ns: i64,
    pub(crate) resolution_ns: i64,
    pub(crate) max_clock_step_ns: i64,
    pub(crate) max_entries: u64,
    pub(crate) max_history: u64,
    pub(crate) overflow: u32,
    pub(crate) visibility: u32,
    pub(crate) gc_policy: u32,
    pub(crate) gc_step: u32,
    pub(crate) seed: u64,
    alloc: *const c_void,
    free: *const c_void,
    alloc_ctx: *mut c_void,
    hash: *const c_void,
    hash_ctx: *mut c_void,
    pub(crate) group: Handle,
}

/// `qc_history_group_options`.
#[repr(C)]
pub(crate) struct GroupOptions {
    pub(crate) struct_size: u32,
    reserved: u32,
    pub(crate) limit_bytes: u64,
    pub(crate) cache_bytes: u64,
    pub(crate) max_clock_step_ns: i64,
    pub(crate) seed: u64,
    alloc: *const c_void,
    free: *const c_void,
    alloc_ctx: *mut c_void,
}

/// `qc_insert_result`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct InsertResult {
    pub(crate) entry: u64,
    pub(crate) outcome: u32,
    reserved: u32,
}

/// `qc_entry_info`.
#[repr(C)]
pub(crate) struct EntryInfo {
    pub(crate) key: Key,
    pub(crate) inserted_at_ns: i64,
    value: *mut c_void,
}

/// `qc_gc_result`.
#[repr(C)]
#[derive(Default)]
pub(crate) struct GcResult {
    pub(crate) collected: u64,
    pub(crate) more: u32,
    reserved: u32,
}

/// `qc_history_item`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Item {
    pub(crate) key: Key,
    pub(crate) inserted_at_ns: i64,
    pub(crate) entry: u64,
}

/// `qc_export_result`.
#[repr(C)]
#[derive(Default)]
pub(crate) struct ExportResult {
    pub(crate) bytes: u64,
    pub(crate) entries: u32,
    pub(crate) more: u32,
}

/// `qc_import_result`.
#[repr(C)]
#[derive(Default)]
pub(crate) struct ImportResult {
    pub(crate) live: u64,
    pub(crate) historical: u64,
    pub(crate) duplicates: u64,
    pub(crate) expired: u64,
    pub(crate) evicted: u64,
    pub(crate) is_last: u32,
    reserved: u32,
}

/// `qc_buffer_info`.
#[repr(C)]
#[derive(Default)]
pub(crate) struct BufferInfo {
    pub(crate) export_id: u64,
    pub(crate) present_ns: i64,
    pub(crate) window_ns: i64,
    pub(crate) number: u32,
    pub(crate) entries: u32,
    pub(crate) value_size: u32,
    pub(crate) is_last: u32,
}

/// How many 64-bit figures follow the head of `struct qc_history_stats`.
pub(crate) const HISTORY_FIGURES: usize = 16;
/// How many 64-bit figures follow the head of `struct qc_history_group_stats`.
pub(crate) const GROUP_FIGURES: usize = 7;

/// `struct qc_history_stats`, `struct qc_history_group_stats`: a head, then figures of 64 bits each.
#[repr(C)]
pub(crate) struct Stats<const FIGURES: usize> {
    pub(crate) struct_size: u32,
    reserved: u32,
    pub(crate) figures: [u64; FIGURES],
}

impl<const FIGURES: usize> Stats<FIGURES> {
    pub(crate) fn new() -> Stats<FIGURES> {
        Stats { struct_size: size_of::<Stats<FIGURES>>() as u32, reserved: 0, figures: [0; FIGURES] }
    }
}

#[link(name = "queuecore", kind = "dylib")]
unsafe extern "C" {
    pub(crate) fn qc_history_options_init(out: *mut HistoryOptions, struct_size: usize) -> Status;
    pub(crate) fn qc_history_create(options: *const HistoryOptions, out: *mut Handle) -> Status;
    pub(crate) safe fn qc_history_destroy(this: Handle) -> Status;
    pub(crate) fn qc_history_insert(
        this: Handle,
        key: *const Key,
        value: *const c_void,
        value_len: usize,
        inserted_at_ns: i64,
        now_ns: i64,
        out: *mut InsertResult,
    ) -> Status;
    pub(crate) fn qc_history_readmit(
        this: Handle,
        key: *const Key,
        value: *const c_void,
        value_len: usize,
        inserted_at_ns: i64,
        now_ns: i64,
        out: *mut InsertResult,
    ) -> Status;
    pub(crate) safe fn qc_history_forget(this: Handle, entry: u64) -> Status;
    pub(crate) fn qc_history_forget_key(this: Handle, key: *const Key) -> Status;
    pub(crate) fn qc_history_erase(this: Handle, entry: u64, now_ns: i64, out: *mut u32) -> Status;
    pub(crate) fn qc_history_erase_key(this: Handle, key: *const Key, now_ns: i64, out: *mut u32) -> Status;
    pub(crate) fn qc_history_insert_batch(
        this: Handle,
        keys: *const Key,
        values: *const c_void,
        inserted_at_ns: *const i64,
        count: usize,
        now_ns: i64,
        out_results: *mut InsertResult,
        out_done: *mut usize,
    ) -> Status;
    pub(crate) fn qc_history_readmit_batch(
        this: Handle,
        keys: *const Key,
        values: *const c_void,
        inserted_at_ns: *const i64,
        count: usize,
        now_ns: i64,
        out_results: *mut InsertResult,
        out_done: *mut usize,
    ) -> Status;
    pub(crate) fn qc_history_contains_batch(
        this: Handle,
        keys: *const Key,
        count: usize,
        now_ns: i64,
        out_presences: *mut u32,
    ) -> Status;
    pub(crate) fn qc_history_erase_batch(
        this: Handle,
        entries: *const u64,
        count: usize,
        now_ns: i64,
        out_erased: *mut u32,
        out_done: *mut usize,
    ) -> Status;
    pub(crate) fn qc_history_find(this: Handle, key: *const Key, out: *mut u64) -> Status;
    pub(crate) fn qc_history_contains(this: Handle, key: *const Key, now_ns: i64, out: *mut u32) -> Status;
    pub(crate) fn qc_history_first(this: Handle, out: *mut u64) -> Status;
    pub(crate) fn qc_history_last(this: Handle, out: *mut u64) -> Status;
    pub(crate) fn qc_history_next(this: Handle, entry: u64, out: *mut u64) -> Status;
    pub(crate) fn qc_history_prev(this: Handle, entry: u64, out: *mut u64) -> Status;
    pub(crate) fn qc_history_next_from(this: Handle, key: *const Key, out: *mut u64) -> Status;
    pub(crate) fn qc_history_value(this: Handle, entry: u64, out: *mut *mut c_void) -> Status;
    pub(crate) fn qc_history_entry_info(this: Handle, entry: u64, out: *mut EntryInfo) -> Status;
    pub(crate) fn qc_history_live_len(this: Handle, out: *mut u64) -> Status;
    pub(crate) fn qc_history_history_len(this: Handle, out: *mut u64) -> Status;
    pub(crate) fn qc_history_gc(this: Handle, now_ns: i64, max: u64, out: *mut GcResult) -> Status;
    pub(crate) fn qc_history_erase_all_live(this: Handle, now_ns: i64, out: *mut u64) -> Status;
    pub(crate) safe fn qc_history_clear(this: Handle) -> Status;
    pub(crate) fn qc_history_clear_step(this: Handle, max: u64, out: *mut GcResult) -> Status;
    pub(crate) safe fn qc_history_set_window(this: Handle, window_ns: i64) -> Status;
    pub(crate) safe fn qc_history_clock_reset(this: Handle, now_ns: i64) -> Status;
    pub(crate) safe fn qc_history_iter_begin(this: Handle) -> Status;
    pub(crate) fn qc_history_iter_next(
        this: Handle,
        out_items: *mut Item,
        count: usize,
        out_done: *mut usize,
        out_more: *mut u32,
    ) -> Status;
    pub(crate) safe fn qc_history_export_begin(this: Handle) -> Status;
    pub(crate) fn qc_history_export(
        this: Handle,
        buffer: *mut c_void,
        len: usize,
        out: *mut ExportResult,
    ) -> Status;
    pub(crate) fn qc_history_import(
        this: Handle,
        buffer: *const c_void,
        len: usize,
        now_ns: i64,
        shift_ns: i64,
        out: *mut ImportResult,
    ) -> Status;
    pub(crate) fn qc_history_buffer_info(buffer: *const c_void, len: usize, out: *mut BufferInfo) -> Status;
    pub(crate) fn qc_history_stats(this: Handle, inout: *mut Stats<HISTORY_FIGURES>) -> Status;
    pub(crate) fn qc_history_group_options_init(out: *mut GroupOptions, struct_size: usize) -> Status;
    pub(crate) fn qc_history_group_create(options: *const GroupOptions, out: *mut Handle) -> Status;
    pub(crate) safe fn qc_history_group_destroy(this: Handle) -> Status;
    pub(crate) fn qc_history_group_gc_many(this: Handle, now_ns: i64, max: u64, out: *mut GcResult)
    -> Status;
    pub(crate) safe fn qc_history_group_clock_reset(this: Handle, now_ns: i64) -> Status;
    pub(crate) fn qc_history_group_stats(this: Handle, inout: *mut Stats<GROUP_FIGURES>) -> Status;
}
