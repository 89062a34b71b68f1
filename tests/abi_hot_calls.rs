//! Calls that succeed ask the process for no memory: the guard in front of them has none of its own, and what a
//! history needs comes from the host's allocator.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use queuecore::ffi::history::qc_history_destroy;
use queuecore::ffi::history_batch::*;
use queuecore::ffi::history_change::*;
use queuecore::ffi::history_options::qc_history_options;
use queuecore::ffi::history_read::*;
use queuecore::ffi::history_stats::{qc_history_stats, qc_history_stats as read_stats};
use queuecore::ffi::history_types::*;
use queuecore::ffi::history_upkeep::*;
use queuecore::ffi::status::qc_status::*;
use queuecore::ffi::usage::{qc_usage_create, qc_usage_create_child, qc_usage_destroy};
use queuecore::ffi::usage_count::*;
use queuecore::ffi::usage_events::{qc_usage_event, qc_usage_keep_events, qc_usage_poll_events};
use queuecore::ffi::usage_options::{qc_usage_options, qc_usage_options_init};
use queuecore::ffi::usage_read::*;
use queuecore::ffi::usage_settings::*;
use queuecore::ffi::usage_stats::{qc_usage_stats, qc_usage_stats as read_usage_stats};
use queuecore::ffi::usage_wait::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use support::{create, defaults, key};

/// The process's allocator, which counts what each thread asks of it.
struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    ASKED.with(|asked| asked.set(asked.get() + 1));
}

fn asked() -> u64 {
    ASKED.with(Cell::get)
}

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The host's allocator goes past the one that counts.
unsafe extern "C-unwind" fn alloc(_: *mut c_void, size: usize, align: usize) -> *mut c_void {
    // SAFETY: the library asks for no empty blocks.
    unsafe { System.alloc(Layout::from_size_align(size, align).unwrap()).cast() }
}

unsafe extern "C-unwind" fn free(_: *mut c_void, block: *mut c_void, size: usize, align: usize) {
    // SAFETY: `alloc` gave the block for this layout.
    unsafe { System.dealloc(block.cast(), Layout::from_size_align(size, align).unwrap()) }
}

#[test]
fn the_count_sees_what_is_asked_of_the_process() {
    let before = asked();
    drop(std::hint::black_box(Box::new(7)));
    assert_eq!(asked() - before, 2);
}

#[test]
fn a_call_that_succeeds_asks_the_process_for_nothing() {
    const SECOND: i64 = 1_000_000_000;
    const BATCH: usize = 100;
    let options = qc_history_options { value_size: 8, alloc: Some(alloc), free: Some(free), ..defaults() };
    let history = create(&options);
    let keys: Vec<_> = (1_000_000..1_000_000 + BATCH as u64).map(key).collect();
    let mut result = qc_insert_result { entry: 9, outcome: 9, reserved: 9 };
    let mut results = vec![result; BATCH];
    let mut entries = vec![0; BATCH];
    let mut numbers = vec![9; BATCH];
    let mut info = qc_entry_info { key: key(0), inserted_at_ns: 0, value: ptr::null_mut() };
    let mut collected = qc_gc_result { collected: 9, more: 9, reserved: 9 };
    let mut stats =
        qc_history_stats { struct_size: size_of::<qc_history_stats>() as u32, ..Default::default() };
    let (mut number, mut length, mut entry, mut value, mut done) = (9, 9, 0, ptr::null_mut(), 0);
    let (none, no_values, no_times) = (ptr::null(), ptr::null(), ptr::null());
    let before = asked();
    // SAFETY: a live handle, arrays of the lengths given, and good places.
    unsafe {
        for round in 0..3000 {
            let (own, now) = (key(round), round as i64 * SECOND);
            assert_eq!(qc_history_insert(history, &own, none, 0, now, now, &mut result), QC_OK);
            assert_eq!(qc_history_insert(history, &own, none, 0, now, now, &mut result), QC_OK);
            assert_eq!(qc_history_find(history, &own, &mut entry), QC_OK);
            assert_eq!(qc_history_contains(history, &own, now, &mut number), QC_OK);
            assert_eq!(qc_history_value(history, entry, &mut value), QC_OK);
            assert_eq!(qc_history_entry_info(history, entry, &mut info), QC_OK);
            assert_eq!(qc_history_first(history, &mut entry), QC_OK);
            assert_eq!(qc_history_last(history, &mut entry), QC_OK);
            assert_eq!(qc_history_prev(history, result.entry, &mut entry), QC_OK);
            assert_eq!(qc_history_next(history, result.entry, &mut entry), QC_OK);
            assert_eq!(qc_history_live_len(history, &mut length), QC_OK);
            assert_eq!(qc_history_history_len(history, &mut length), QC_OK);
            assert_eq!(read_stats(history, &mut stats), QC_OK);
            match round % 4 {
                0 => assert_eq!(qc_history_erase(history, result.entry, now, &mut number), QC_OK),
                1 => assert_eq!(qc_history_erase_key(history, &own, now, &mut number), QC_OK),
                2 => assert_eq!(qc_history_forget_key(history, &own), QC_OK),
                _ => assert_eq!(qc_history_forget(history, result.entry), QC_OK),
            }
            assert_eq!(qc_history_readmit(history, &own, none, 0, now, now, &mut result), QC_OK);
            assert_eq!(qc_history_gc(history, now, 10, &mut collected), QC_OK);
        }
        let (now, first, out) = (3000 * SECOND, keys.as_ptr(), results.as_mut_ptr());
        let put = qc_history_insert_batch(history, first, no_values, no_times, BATCH, now, out, &mut done);
        assert_eq!(put, QC_OK);
        for (entry, result) in entries.iter_mut().zip(&results) {
            *entry = result.entry;
        }
        assert_eq!(qc_history_contains_batch(history, first, BATCH, now, numbers.as_mut_ptr()), QC_OK);
        let (first_entry, out) = (entries.as_ptr(), numbers.as_mut_ptr());
        assert_eq!(qc_history_erase_batch(history, first_entry, BATCH, now, out, &mut done), QC_OK);
        assert_eq!(qc_history_erase_all_live(history, now, &mut length), QC_OK);
        assert_eq!(qc_history_clock_reset(history, now + SECOND), QC_OK);
        assert_eq!(qc_history_clear(history), QC_OK);
    }
    assert_eq!(asked() - before, 0);
    assert!(stats.allocations > 10, "the history asked its host for memory {} times", stats.allocations);
    // SAFETY: a live handle.
    assert_eq!(unsafe { qc_history_destroy(history) }, QC_OK);
}

#[test]
fn a_call_on_a_tracker_that_succeeds_asks_the_process_for_nothing() {
    let mut options = std::mem::MaybeUninit::<qc_usage_options>::uninit();
    let (mut root, mut usage) = (ptr::null_mut(), ptr::null_mut());
    let mut event = qc_usage_event { tag: 0, old_percent: 0, new_percent: 0 };
    let mut stats = qc_usage_stats { struct_size: size_of::<qc_usage_stats>() as u32, ..Default::default() };
    let (mut answer, mut percent, mut bytes, mut limit, mut count) = (9, 9, 9, 9, 9);
    // SAFETY: good places, live handles, and options that the first call fills.
    unsafe {
        assert_eq!(qc_usage_options_init(options.as_mut_ptr(), size_of::<qc_usage_options>()), QC_OK);
        let child = options.assume_init();
        let of_root =
            qc_usage_options { limit_bytes: 100_000, alloc: Some(alloc), free: Some(free), ..child };
        assert_eq!(qc_usage_create(&of_root, &mut root), QC_OK);
        assert_eq!(qc_usage_create_child(root, &child, &mut usage), QC_OK);
        assert_eq!(qc_usage_keep_events(root), QC_OK);
        // The thread's first call made its record.
        let before = asked();
        for round in 0..3000 {
            assert_eq!(qc_usage_increase(usage, 40), QC_OK);
            assert_eq!(qc_usage_try_reserve(usage, 5, &mut answer), QC_OK);
            assert_eq!(qc_usage_reserve_wait(usage, 5, 0), QC_OK);
            assert_eq!(qc_usage_wait_for_space(usage, 0, 100), QC_OK);
            assert_eq!(qc_usage_is_full(usage, &mut answer), QC_OK);
            assert_eq!(qc_usage_is_full_at(usage, 50, &mut answer), QC_OK);
            assert_eq!(qc_usage_percent(root, &mut percent), QC_OK);
            assert_eq!(qc_usage_usage(root, &mut bytes), QC_OK);
            assert_eq!(qc_usage_usage_exact(root, &mut bytes), QC_OK);
            assert_eq!(qc_usage_limit(root, &mut limit), QC_OK);
            assert_eq!(qc_usage_set_limit(usage, 90_000 + round), QC_OK);
            assert_eq!(qc_usage_poll_events(usage, &mut event, 1, &mut count), QC_OK);
            assert_eq!(read_usage_stats(usage, &mut stats), QC_OK);
            assert_eq!(qc_usage_decrease(usage, if round % 100 == 99 { 3000 } else { 20 }), QC_OK);
        }
        assert_eq!(asked() - before, 0);
        assert_eq!(qc_usage_destroy(usage, ptr::null_mut()), QC_OK);
        assert_eq!(qc_usage_destroy(root, ptr::null_mut()), QC_OK);
        assert_eq!(asked() - before, 2, "the adapter of the callbacks and its box go back to the process");
    }
}
