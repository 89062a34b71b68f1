//! Arguments that stand in the library's own memory: the values of live entries. A key may even stand in the value of
//! the entry that the call removes; the memory that goes with it is given back here, and made unreadable by its bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use queuecore::ffi::callbacks::qc_key;
use queuecore::ffi::history::{qc_history, qc_history_destroy};
use queuecore::ffi::history_batch::{qc_history_contains_batch, qc_history_insert_batch};
use queuecore::ffi::history_change::*;
use queuecore::ffi::history_options::qc_history_options;
use queuecore::ffi::history_read::*;
use queuecore::ffi::history_types::*;
use queuecore::ffi::status::qc_status::*;
use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr;
use support::{create, defaults, key};

/// A value is a key.
const VALUE: usize = size_of::<qc_key>();
const NOW: i64 = 1;

unsafe extern "C-unwind" fn alloc(_: *mut c_void, size: usize, align: usize) -> *mut c_void {
    // SAFETY: the library asks for no empty blocks.
    unsafe { std::alloc::alloc(Layout::from_size_align(size, align).unwrap()).cast() }
}

/// Overwrites what it takes back, so that a key that is read later is another one.
unsafe extern "C-unwind" fn free(_: *mut c_void, block: *mut c_void, size: usize, align: usize) {
    // SAFETY: the block is `size` bytes, and came from `alloc` for this layout.
    unsafe {
        block.cast::<u8>().write_bytes(0xdb, size);
        std::alloc::dealloc(block.cast(), Layout::from_size_align(size, align).unwrap());
    }
}

fn history() -> *mut qc_history {
    create(&qc_history_options {
        value_size: VALUE as u32,
        alloc: Some(alloc),
        free: Some(free),
        ..defaults()
    })
}

fn destroy(history: *mut qc_history) {
    // SAFETY: a live handle.
    assert_eq!(unsafe { qc_history_destroy(history) }, QC_OK);
}

fn value_of(history: *mut qc_history, number: u64) -> *const qc_key {
    let mut entry = 0;
    let mut value = ptr::null_mut();
    // SAFETY: a live handle and good places.
    unsafe {
        assert_eq!(qc_history_find(history, &key(number), &mut entry), QC_OK);
        assert_eq!(qc_history_value(history, entry, &mut value), QC_OK);
    }
    value.cast()
}

/// An insert of a key with a value, wherever they stand.
fn insert(history: *mut qc_history, key: *const qc_key, value: *const qc_key) -> u32 {
    let mut result = qc_insert_result { entry: 9, outcome: 9, reserved: 9 };
    // SAFETY: a live handle and good pointers.
    let status = unsafe { qc_history_insert(history, key, value.cast(), VALUE, NOW, NOW, &mut result) };
    assert_eq!(status, QC_OK, "{}", support::last_error());
    result.outcome
}

fn presence(history: *mut qc_history, key: *const qc_key) -> u32 {
    let mut presence = 9;
    // SAFETY: a live handle and good pointers.
    assert_eq!(unsafe { qc_history_contains(history, key, NOW, &mut presence) }, QC_OK);
    presence
}

#[test]
fn a_key_in_the_value_of_the_entry_that_goes() {
    let history = history();
    for number in 0..3000 {
        assert_eq!(insert(history, &key(number), &key(number)), qc_outcome::QC_ADDED as u32);
    }
    for number in 0..3000 {
        let own = value_of(history, number);
        let mut erased = 9;
        // SAFETY: a live handle, a key in the history's memory that is there when the call begins, a good place.
        unsafe {
            if number % 2 == 0 {
                assert_eq!(qc_history_forget_key(history, own), QC_OK);
            } else {
                assert_eq!(qc_history_erase_key(history, own, NOW, &mut erased), QC_OK);
                assert_eq!(erased, qc_erased::QC_ERASED_HISTORICAL as u32);
            }
        }
    }
    for number in 0..3000 {
        let left = if number % 2 == 0 { qc_presence::QC_ABSENT } else { qc_presence::QC_HISTORICAL };
        assert_eq!(presence(history, &key(number)), left as u32, "{number}");
    }
    destroy(history);
}

#[test]
fn keys_and_values_in_the_value_of_a_live_entry() {
    let history = history();
    insert(history, &key(1), &key(2));
    let within = value_of(history, 1);
    assert_eq!(presence(history, within), qc_presence::QC_ABSENT as u32);
    assert_eq!(insert(history, within, within), qc_outcome::QC_ADDED as u32);
    assert_eq!(insert(history, within, within), qc_outcome::QC_DUPLICATE_LIVE as u32);
    assert_eq!(presence(history, within), qc_presence::QC_LIVE as u32);
    // SAFETY: the address of a value that is live.
    assert_eq!(unsafe { *value_of(history, 2) }, key(2));
    destroy(history);
}

#[test]
fn batches_of_keys_and_values_in_the_value_of_a_live_entry() {
    const COUNT: usize = 64;
    let size = VALUE * COUNT;
    let history = create(&qc_history_options { value_size: size as u32, ..defaults() });
    let keys: Vec<qc_key> = (100..100 + COUNT as u64).map(key).collect();
    let mut result = qc_insert_result { entry: 9, outcome: 9, reserved: 9 };
    let mut value = ptr::null_mut();
    let mut results = vec![result; COUNT];
    let mut presences = vec![9; COUNT];
    let mut done = 0;
    // SAFETY: live handles, and good places; the keys stand in a value of a live entry, and the one value of the
    // batch of one as well.
    unsafe {
        let status = qc_history_insert(history, &key(1), keys.as_ptr().cast(), size, NOW, NOW, &mut result);
        assert_eq!(status, QC_OK);
        assert_eq!(qc_history_value(history, result.entry, &mut value), QC_OK);
        let (within, no_times) = (value.cast_const().cast::<qc_key>(), ptr::null());
        let (out, done) = (results.as_mut_ptr(), &mut done);
        let status = qc_history_insert_batch(history, within, value, no_times, 1, NOW, out, done);
        assert_eq!((status, *done), (QC_OK, 1));
        let none = ptr::null();
        let status = qc_history_insert_batch(history, within, none, no_times, COUNT, NOW, out, done);
        assert_eq!((status, *done), (QC_OK, COUNT));
        let status = qc_history_contains_batch(history, within, COUNT, NOW, presences.as_mut_ptr());
        assert_eq!(status, QC_OK);
    }
    assert_eq!(results[0].outcome, qc_outcome::QC_DUPLICATE_LIVE as u32);
    assert!(results[1..].iter().all(|result| result.outcome == qc_outcome::QC_ADDED as u32));
    assert_eq!(presences, vec![qc_presence::QC_LIVE as u32; COUNT]);
    let copy = value_of(history, 100);
    // SAFETY: the value is live and as long as the keys.
    assert_eq!(unsafe { std::slice::from_raw_parts(copy, COUNT) }, keys);
    destroy(history);
}
