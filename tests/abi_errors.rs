//! Every status that arguments can earn, on every function, and the words that go with it: they name the argument
//! and its value, and the failed call has changed and written nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use queuecore::ffi::callbacks::qc_key;
use queuecore::ffi::history::*;
use queuecore::ffi::history_change::*;
use queuecore::ffi::history_options::*;
use queuecore::ffi::history_read::*;
use queuecore::ffi::history_types::*;
use queuecore::ffi::history_upkeep::*;
use queuecore::ffi::status::qc_status::{self, *};
use std::ptr;
use support::{create, defaults, key};

const SECOND: i64 = 1_000_000_000;
const LIMIT: i64 = 1 << 62;

/// One failing call: its status, and what its words contain.
fn check(status: qc_status, expected: qc_status, words: &[&str]) {
    assert_eq!(status, expected, "{}", support::last_error());
    for word in words {
        assert!(support::last_error().contains(word), "{word:?} is not in {:?}", support::last_error());
    }
}

/// A history with some entries, live and historical, and room for 8 bytes of value.
struct Fixture {
    history: *mut qc_history,
    live: qc_entry,
    stale: qc_entry,
}

impl Fixture {
    fn new() -> Fixture {
        let history = create(&qc_history_options { value_size: 8, window_ns: SECOND, ..defaults() });
        let stale = support::insert(history, 100, 0).unwrap().entry;
        // SAFETY: a live handle and entry.
        assert_eq!(unsafe { qc_history_erase(history, stale, 0, ptr::null_mut()) }, QC_OK);
        let live = support::insert(history, 101, 0).unwrap().entry;
        Fixture { history, live, stale }
    }

    fn insert(&self, value: &[u8], len: usize, inserted_at_ns: i64, now_ns: i64) -> qc_status {
        let value = if value.is_empty() { ptr::null() } else { value.as_ptr().cast() };
        let mut result = qc_insert_result { entry: 9, outcome: 9, reserved: 9 };
        let before = result;
        for call in [qc_history_insert, qc_history_readmit] {
            // SAFETY: good pointers; the library has to judge the length.
            let status =
                unsafe { call(self.history, &key(1), value, len, inserted_at_ns, now_ns, &mut result) };
            assert_eq!(result, before);
            assert_ne!(status, QC_OK);
        }
        // SAFETY: as above.
        unsafe { qc_history_insert(self.history, &key(1), value, len, inserted_at_ns, now_ns, &mut result) }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let (mut live, mut history) = (0, 0);
        // SAFETY: a live handle and good places.
        unsafe {
            assert_eq!(qc_history_live_len(self.history, &mut live), QC_OK);
            assert_eq!(qc_history_history_len(self.history, &mut history), QC_OK);
            assert_eq!(qc_history_destroy(self.history), QC_OK);
        }
        assert_eq!((live, history), (1, 1), "the failed calls changed nothing");
    }
}

#[test]
fn settings_out_of_range() {
    let rows: [(qc_history_options, qc_status, &[&str]); 15] = [
        (
            qc_history_options { value_size: 1025, ..defaults() },
            QC_ERR_OUT_OF_RANGE,
            &["options.value_size = 1025"],
        ),
        (
            qc_history_options { window_ns: -1, ..defaults() },
            QC_ERR_OUT_OF_RANGE,
            &["options.window_ns = -1"],
        ),
        (
            qc_history_options { window_ns: LIMIT + 1, ..defaults() },
            QC_ERR_OUT_OF_RANGE,
            &["options.window_ns = 4611686018427387905"],
        ),
        (
            qc_history_options { resolution_ns: -5, ..defaults() },
            QC_ERR_OUT_OF_RANGE,
            &["options.resolution_ns = -5"],
        ),
        (
            qc_history_options { max_clock_step_ns: -5, ..defaults() },
            QC_ERR_OUT_OF_RANGE,
            &["options.max_clock_step_ns = -5"],
        ),
        (
            qc_history_options { max_entries: 1 << 31, ..defaults() },
            QC_ERR_OUT_OF_RANGE,
            &["options.max_entries = 2147483648", "2147483647"],
        ),
        (
            qc_history_options { gc_step: (1 << 20) + 1, ..defaults() },
            QC_ERR_OUT_OF_RANGE,
            &["options.gc_step = 1048577"],
        ),
        (
            qc_history_options { gc_step: u32::MAX, gc_policy: 1, ..defaults() },
            QC_ERR_OUT_OF_RANGE,
            &["options.gc_step = 4294967295"],
        ),
        (
            qc_history_options { overflow: 2, ..defaults() },
            QC_ERR_INVALID_ARGUMENT,
            &["options.overflow = 2"],
        ),
        (
            qc_history_options { visibility: 2, ..defaults() },
            QC_ERR_INVALID_ARGUMENT,
            &["options.visibility = 2"],
        ),
        (
            qc_history_options { gc_policy: 3, ..defaults() },
            QC_ERR_INVALID_ARGUMENT,
            &["options.gc_policy = 3"],
        ),
        (
            qc_history_options { gc_policy: u32::MAX, ..defaults() },
            QC_ERR_INVALID_ARGUMENT,
            &["options.gc_policy = 4294967295"],
        ),
        (
            qc_history_options { alloc: Some(alloc), ..defaults() },
            QC_ERR_INVALID_ARGUMENT,
            &["options.free is NULL"],
        ),
        (
            qc_history_options { free: Some(free), ..defaults() },
            QC_ERR_INVALID_ARGUMENT,
            &["options.alloc is NULL"],
        ),
        (qc_history_options { struct_size: 2, ..defaults() }, QC_ERR_INVALID_ARGUMENT, &["struct_size = 2"]),
    ];
    for (options, status, words) in rows {
        check(support::try_create(&options).map(drop).expect_err("it is out of range"), status, words);
    }
}

#[test]
fn settings_at_the_ends_of_their_ranges() {
    let rows = [
        qc_history_options { value_size: 1024, window_ns: LIMIT, ..defaults() },
        qc_history_options { window_ns: 0, resolution_ns: LIMIT, ..defaults() },
        qc_history_options { resolution_ns: 1, max_clock_step_ns: 0, ..defaults() },
        qc_history_options { resolution_ns: 0, max_clock_step_ns: LIMIT, ..defaults() },
        qc_history_options { max_entries: 1, max_history: u64::MAX, ..defaults() },
        qc_history_options { max_entries: (1 << 31) - 1, overflow: 1, visibility: 1, ..defaults() },
        qc_history_options { gc_policy: 1, gc_step: 1 << 20, ..defaults() },
        qc_history_options { gc_policy: 2, gc_step: u32::MAX, seed: u64::MAX, ..defaults() },
    ];
    for options in rows {
        // SAFETY: a live handle.
        assert_eq!(unsafe { qc_history_destroy(create(&options)) }, QC_OK);
    }
}

unsafe extern "C-unwind" fn alloc(_: *mut std::ffi::c_void, _: usize, _: usize) -> *mut std::ffi::c_void {
    panic!("nobody calls it");
}

unsafe extern "C-unwind" fn free(_: *mut std::ffi::c_void, _: *mut std::ffi::c_void, _: usize, _: usize) {
    panic!("nobody calls it");
}

#[test]
fn values_of_another_length() {
    let fixture = Fixture::new();
    let bytes = [0; 16];
    check(
        fixture.insert(&bytes, 7, 0, 0),
        QC_ERR_INVALID_ARGUMENT,
        &["value_len = 7 must be value_size = 8"],
    );
    check(fixture.insert(&bytes, 9, 0, 0), QC_ERR_INVALID_ARGUMENT, &["value_len = 9 "]);
    check(fixture.insert(&bytes, 0, 0, 0), QC_ERR_INVALID_ARGUMENT, &["value_len = 0 "]);
    check(
        fixture.insert(&bytes, usize::MAX, 0, 0),
        QC_ERR_INVALID_ARGUMENT,
        &["value_len = 18446744073709551615"],
    );
    check(fixture.insert(&[], 8, 0, 0), QC_ERR_NULL_ARGUMENT, &["value is NULL but value_len = 8"]);
}

#[test]
fn times_out_of_range() {
    let fixture = Fixture::new();
    check(fixture.insert(&[], 0, 6, 5), QC_ERR_OUT_OF_RANGE, &["inserted_at_ns = 6", "now_ns = 5"]);
    check(fixture.insert(&[], 0, 0, LIMIT + 1), QC_ERR_CLOCK, &["now_ns = 4611686018427387905"]);
    check(fixture.insert(&[], 0, 0, -LIMIT - 1), QC_ERR_CLOCK, &["now_ns = -4611686018427387905"]);
    check(fixture.insert(&[], 0, i64::MIN, 0), QC_ERR_CLOCK, &["inserted_at_ns = -9223372036854775808"]);
    let hour = 3600 * SECOND;
    check(
        fixture.insert(&[], 0, 0, hour + 1),
        QC_ERR_CLOCK,
        &["now_ns = 3600000000001", "max_clock_step_ns = 3600000000000"],
    );
    let (history, live) = (fixture.history, fixture.live);
    let (mut number, mut count) = (9, 9);
    let mut collected = qc_gc_result { collected: 9, more: 9, reserved: 9 };
    for now in [LIMIT + 1, -LIMIT - 1, hour + 1] {
        let words = format!("now_ns = {now}");
        let words = [words.as_str()];
        // SAFETY: a live handle and good pointers.
        unsafe {
            check(qc_history_contains(history, &key(1), now, &mut number), QC_ERR_CLOCK, &words);
            check(qc_history_erase(history, live, now, &mut number), QC_ERR_CLOCK, &words);
            check(qc_history_erase_key(history, &key(101), now, &mut number), QC_ERR_CLOCK, &words);
            check(qc_history_erase_all_live(history, now, &mut count), QC_ERR_CLOCK, &words);
            check(qc_history_gc(history, now, 1, &mut collected), QC_ERR_CLOCK, &words);
            if now != hour + 1 {
                check(qc_history_clock_reset(history, now), QC_ERR_CLOCK, &words);
            }
        }
    }
    assert_eq!((number, count), (9, 9));
    assert_eq!(collected, qc_gc_result { collected: 9, more: 9, reserved: 9 });
}

#[test]
fn a_quiet_history_wakes_up_by_a_tick_or_a_reset_or_without_a_limit() {
    let hour = 3600 * SECOND;
    let two_hours = 2 * hour;
    let quiet = create(&defaults());
    support::insert(quiet, 1, 0).unwrap();
    assert_eq!(support::insert(quiet, 2, two_hours), Err(QC_ERR_CLOCK));
    // SAFETY: a live handle, here and below.
    assert_eq!(unsafe { qc_history_clock_reset(quiet, two_hours) }, QC_OK);
    support::insert(quiet, 2, two_hours).unwrap();

    let ticked = create(&defaults());
    support::insert(ticked, 1, 0).unwrap();
    let mut collected = qc_gc_result { collected: 9, more: 9, reserved: 9 };
    // SAFETY: and a good place.
    assert_eq!(unsafe { qc_history_gc(ticked, hour, 0, &mut collected) }, QC_OK);
    support::insert(ticked, 2, two_hours).unwrap();

    let unlimited = create(&qc_history_options { max_clock_step_ns: 0, ..defaults() });
    support::insert(unlimited, 1, -LIMIT).unwrap();
    support::insert(unlimited, 2, LIMIT).unwrap();

    for history in [quiet, ticked, unlimited] {
        // SAFETY: as above.
        assert_eq!(unsafe { qc_history_destroy(history) }, QC_OK);
    }
}

#[test]
fn entries_that_are_not_live() {
    let fixture = Fixture::new();
    let history = fixture.history;
    let mut number = 9;
    let mut entry = 9;
    let mut value = ptr::without_provenance_mut(9);
    let mut info = qc_entry_info { key: key(9), inserted_at_ns: 9, value };
    let before = info;
    for (bits, word) in [
        (0, "entry = 0 ".to_owned()),
        (fixture.stale, format!("{:#x}", fixture.stale)),
        (1 << 63 | 5, "0x8000000000000005".to_owned()),
        (u64::MAX, "0xffffffffffffffff".to_owned()),
    ] {
        let words = [word.as_str()];
        // SAFETY: a live handle and good pointers.
        unsafe {
            check(qc_history_forget(history, bits), QC_ERR_STALE_HANDLE, &words);
            check(qc_history_erase(history, bits, 0, &mut number), QC_ERR_STALE_HANDLE, &words);
            check(qc_history_next(history, bits, &mut entry), QC_ERR_STALE_HANDLE, &words);
            check(qc_history_prev(history, bits, &mut entry), QC_ERR_STALE_HANDLE, &words);
            check(qc_history_value(history, bits, &mut value), QC_ERR_STALE_HANDLE, &words);
            check(qc_history_entry_info(history, bits, &mut info), QC_ERR_STALE_HANDLE, &words);
        }
    }
    assert_eq!((number, entry, value.addr()), (9, 9, 9));
    assert_eq!(info, before);
}

#[test]
fn keys_that_are_not_there() {
    let fixture = Fixture::new();
    let history = fixture.history;
    let (mut entry, mut number) = (9, 9);
    // SAFETY: a live handle and good pointers.
    unsafe {
        check(qc_history_forget_key(history, &key(5)), QC_ERR_NOT_FOUND, &["the key is not there"]);
        check(
            qc_history_erase_key(history, &key(5), 0, &mut number),
            QC_ERR_NOT_FOUND,
            &["the key is not there"],
        );
        check(qc_history_erase_key(history, &key(100), 0, &mut number), QC_ERR_NOT_FOUND, &[]);
        assert_eq!(number, 9);
        assert_eq!(qc_history_find(history, &key(100), &mut entry), QC_OK);
    }
    assert_eq!(entry, 0, "a historical key has no entry");
}

#[test]
fn limits_that_are_reached() {
    let history = create(&qc_history_options { max_entries: 2, max_history: 1, ..defaults() });
    let first = support::insert(history, 1, 0).unwrap().entry;
    let second = support::insert(history, 2, 0).unwrap().entry;
    check(support::insert(history, 3, 0).unwrap_err(), QC_ERR_CAPACITY, &["the limit of 2 entries"]);
    let (mut number, mut count) = (9, 9);
    // SAFETY: a live handle and good pointers.
    unsafe {
        check(qc_history_erase_all_live(history, 0, &mut count), QC_ERR_CAPACITY, &["max_history = 1"]);
        assert_eq!(qc_history_erase(history, first, 0, ptr::null_mut()), QC_OK);
        check(qc_history_erase(history, second, 0, &mut number), QC_ERR_CAPACITY, &["max_history = 1"]);
        check(qc_history_erase_key(history, &key(2), 0, &mut number), QC_ERR_CAPACITY, &["max_history = 1"]);
        assert_eq!((number, count), (9, 9));
        assert_eq!(qc_history_destroy(history), QC_OK);
    }
}

/// Calls with each pointer in turn left out or shifted by one byte.
#[test]
fn pointers_that_are_null_or_not_aligned() {
    let fixture = Fixture::new();
    let (history, live) = (fixture.history, fixture.live);
    let mut place = [0_u64; 16];
    let shifted = place.as_mut_ptr().wrapping_byte_add(1);
    let good_key: *const qc_key = &key(1);
    let no_key: *const qc_key = ptr::null();
    // SAFETY: a live handle; the library has to judge the rest.
    unsafe {
        for (to, status) in [(ptr::null_mut(), QC_ERR_NULL_ARGUMENT), (shifted, QC_ERR_INVALID_ARGUMENT)] {
            let named = |name: &str| match status {
                QC_ERR_NULL_ARGUMENT => format!("{name} is NULL"),
                _ => format!("{name} = {to:p} is not aligned to "),
            };
            let words = |name: &str, got: qc_status| check(got, status, &[&named(name)]);
            words("out_history", qc_history_create(&defaults(), to.cast()));
            words("options", qc_history_create(to.cast(), place.as_mut_ptr().cast()));
            words("out_result", qc_history_insert(history, good_key, ptr::null(), 0, 0, 0, to.cast()));
            words("out_result", qc_history_readmit(history, good_key, ptr::null(), 0, 0, 0, to.cast()));
            words("out_entry", qc_history_find(history, good_key, to));
            words("out_presence", qc_history_contains(history, good_key, 0, to.cast()));
            words("out_count", qc_history_erase_all_live(history, 0, to));
            words("out_result", qc_history_gc(history, 0, 1, to.cast()));
            words("out_entry", qc_history_first(history, to));
            words("out_entry", qc_history_last(history, to));
            words("out_entry", qc_history_next(history, live, to));
            words("out_entry", qc_history_prev(history, live, to));
            words("out_value", qc_history_value(history, live, to.cast()));
            words("out_info", qc_history_entry_info(history, live, to.cast()));
            words("out_len", qc_history_live_len(history, to));
            words("out_len", qc_history_history_len(history, to));
            words("inout_stats", queuecore::ffi::history_stats::qc_history_stats(history, to.cast()));
        }
        let mut result = qc_insert_result { entry: 0, outcome: 0, reserved: 0 };
        let words = |got: qc_status| check(got, QC_ERR_NULL_ARGUMENT, &["key is NULL"]);
        words(qc_history_insert(history, no_key, ptr::null(), 0, 0, 0, &mut result));
        words(qc_history_readmit(history, no_key, ptr::null(), 0, 0, 0, &mut result));
        words(qc_history_forget_key(history, no_key));
        words(qc_history_find(history, no_key, place.as_mut_ptr()));
        words(qc_history_contains(history, no_key, 0, place.as_mut_ptr().cast()));
        words(qc_history_erase_key(history, no_key, 0, ptr::null_mut()));
        let words = |got: qc_status| check(got, QC_ERR_INVALID_ARGUMENT, &["out_erased = 0x"]);
        words(qc_history_erase(history, live, 0, shifted.cast()));
        words(qc_history_erase_key(history, &key(101), 0, shifted.cast()));
    }
    assert_eq!(place, [0; 16]);
}
