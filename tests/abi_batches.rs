//! Batches through the C ABI: any length, any mix of results, stopping at an element, and arguments that are refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use queuecore::ffi::callbacks::qc_key;
use queuecore::ffi::history::{qc_history, qc_history_destroy};
use queuecore::ffi::history_batch::*;
use queuecore::ffi::history_options::qc_history_options;
use queuecore::ffi::history_read::{qc_history_entry_info, qc_history_live_len};
use queuecore::ffi::history_types::*;
use queuecore::ffi::status::qc_status::{self, *};
use std::ptr;
use support::{create, defaults, key};

/// Lengths around the size of the blocks that the library works in.
const LENGTHS: [usize; 8] = [0, 1, 63, 64, 65, 128, 200, 1000];
const UNTOUCHED: qc_insert_result = qc_insert_result { entry: 9, outcome: 9, reserved: 9 };

struct Batch {
    keys: Vec<qc_key>,
    results: Vec<qc_insert_result>,
    done: usize,
}

impl Batch {
    fn new(numbers: impl Iterator<Item = u64>) -> Batch {
        let keys: Vec<_> = numbers.map(key).collect();
        Batch { results: vec![UNTOUCHED; keys.len()], keys, done: 999_999 }
    }

    fn put(
        &mut self,
        history: *mut qc_history,
        readmit: bool,
        values: &[u8],
        times: &[i64],
        now: i64,
    ) -> qc_status {
        let call = if readmit { qc_history_readmit_batch } else { qc_history_insert_batch };
        let values = if values.is_empty() { ptr::null() } else { values.as_ptr().cast() };
        let times = if times.is_empty() { ptr::null() } else { times.as_ptr() };
        let (count, results, done) = (self.keys.len(), self.results.as_mut_ptr(), &mut self.done);
        // SAFETY: a live handle and arrays of `count` elements.
        unsafe { call(history, self.keys.as_ptr(), values, times, count, now, results, done) }
    }

    fn outcomes(&self) -> Vec<u32> {
        self.results.iter().map(|result| result.outcome).collect()
    }

    fn entries(&self) -> Vec<qc_entry> {
        self.results.iter().map(|result| result.entry).collect()
    }
}

fn destroy(history: *mut qc_history) {
    // SAFETY: a live handle.
    assert_eq!(unsafe { qc_history_destroy(history) }, QC_OK);
}

fn info(history: *mut qc_history, entry: qc_entry) -> qc_entry_info {
    let mut info = qc_entry_info { key: key(0), inserted_at_ns: 0, value: ptr::null_mut() };
    // SAFETY: a live handle and a good place.
    assert_eq!(unsafe { qc_history_entry_info(history, entry, &mut info) }, QC_OK);
    info
}

fn contains(history: *mut qc_history, keys: &[qc_key], now: i64) -> Vec<u32> {
    let mut presences = vec![9; keys.len()];
    // SAFETY: a live handle and arrays of the same length.
    let status =
        unsafe { qc_history_contains_batch(history, keys.as_ptr(), keys.len(), now, presences.as_mut_ptr()) };
    assert_eq!(status, QC_OK);
    presences
}

#[test]
fn every_element_gets_its_own_key_value_and_time() {
    for length in LENGTHS {
        let history = create(&qc_history_options { value_size: 8, resolution_ns: 1, ..defaults() });
        let mut batch = Batch::new(0..length as u64);
        let values: Vec<u8> = (0..length as u64).flat_map(|number| (number * 3).to_ne_bytes()).collect();
        let times: Vec<i64> = (0..length as i64).map(|number| 5000 - number).collect();
        assert_eq!(batch.put(history, false, &values, &times, 5000), QC_OK, "{}", support::last_error());
        assert_eq!(batch.done, length);
        for (number, result) in batch.results.iter().enumerate() {
            assert_eq!((result.outcome, result.reserved), (qc_outcome::QC_ADDED as u32, 0));
            let info = info(history, result.entry);
            assert_eq!((info.key, info.inserted_at_ns), (key(number as u64), times[number]));
            // SAFETY: the value of a live entry has 8 bytes, aligned to 8.
            assert_eq!(unsafe { *info.value.cast::<u64>() }, number as u64 * 3);
        }
        destroy(history);
    }
}

#[test]
fn without_values_and_times_they_are_zeros_and_now() {
    let history = create(&qc_history_options { value_size: 16, ..defaults() });
    let mut batch = Batch::new(0..100);
    assert_eq!(batch.put(history, true, &[], &[], 7_000), QC_OK);
    for result in &batch.results {
        let info = info(history, result.entry);
        assert_eq!(info.inserted_at_ns, 7_000);
        // SAFETY: the value of a live entry has 16 bytes.
        assert_eq!(unsafe { *info.value.cast::<[u8; 16]>() }, [0; 16]);
    }
    destroy(history);
}

#[test]
fn duplicates_contains_and_erase_go_element_by_element() {
    for length in LENGTHS {
        let history = create(&defaults());
        let all = 0..length as u64;
        let mut batch = Batch::new(all.clone());
        assert_eq!(batch.put(history, false, &[], &[], 0), QC_OK);
        let entries = batch.entries();

        // Every second one is erased.
        let second: Vec<_> = entries.iter().copied().step_by(2).collect();
        let mut erased = vec![9; second.len()];
        let mut done = 999_999;
        // SAFETY: a live handle and arrays of the same length.
        let status = unsafe {
            qc_history_erase_batch(history, second.as_ptr(), second.len(), 0, erased.as_mut_ptr(), &mut done)
        };
        assert_eq!((status, done), (QC_OK, second.len()));
        assert_eq!(erased, vec![qc_erased::QC_ERASED_HISTORICAL as u32; second.len()]);

        let presence = |number: u64| {
            if number.is_multiple_of(2) { qc_presence::QC_HISTORICAL } else { qc_presence::QC_LIVE }
        };
        let mut expected: Vec<u32> = all.clone().map(|number| presence(number) as u32).collect();
        let mut keys = batch.keys.clone();
        keys.push(key(5_000_000));
        expected.push(qc_presence::QC_ABSENT as u32);
        assert_eq!(contains(history, &keys, 0), expected);

        let mut again = Batch::new(all.clone());
        assert_eq!(again.put(history, false, &[], &[], 0), QC_OK);
        let outcome = |number: u64| {
            if number.is_multiple_of(2) {
                qc_outcome::QC_DUPLICATE_HISTORY
            } else {
                qc_outcome::QC_DUPLICATE_LIVE
            }
        };
        assert_eq!(again.outcomes(), all.clone().map(|number| outcome(number) as u32).collect::<Vec<_>>());
        let known = |number: usize| if number.is_multiple_of(2) { 0 } else { entries[number] };
        assert_eq!(again.entries(), (0..length).map(known).collect::<Vec<_>>());

        let mut readmitted = Batch::new(all.clone());
        assert_eq!(readmitted.put(history, true, &[], &[], 0), QC_OK);
        let outcome = |number: u64| {
            if number.is_multiple_of(2) { qc_outcome::QC_ADDED } else { qc_outcome::QC_DUPLICATE_LIVE }
        };
        assert_eq!(readmitted.outcomes(), all.map(|number| outcome(number) as u32).collect::<Vec<_>>());
        destroy(history);
    }
}

#[test]
fn an_insert_that_fails_stops_the_batch_after_those_done() {
    for (length, fails_at) in [(1, 0), (64, 63), (65, 64), (200, 130), (1000, 64)] {
        for readmit in [false, true] {
            let history = create(&defaults());
            let mut batch = Batch::new(0..length as u64);
            let mut times = vec![0; length];
            times[fails_at] = 1;
            assert_eq!(batch.put(history, readmit, &[], &times, 0), QC_ERR_OUT_OF_RANGE);
            assert!(support::last_error().starts_with(&format!("keys[{fails_at}]: inserted_at_ns = 1 ")));
            assert_eq!(batch.done, fails_at);
            let (before, behind) = batch.results.split_at(fails_at);
            assert!(
                before
                    .iter()
                    .all(|result| result.outcome == qc_outcome::QC_ADDED as u32 && result.entry != 0)
            );
            assert!(behind.iter().all(|result| *result == UNTOUCHED));
            let mut len = 0;
            // SAFETY: a live handle and a good place.
            assert_eq!(unsafe { qc_history_live_len(history, &mut len) }, QC_OK);
            assert_eq!(len, fails_at as u64);
            destroy(history);
        }
    }
}

#[test]
fn an_erase_that_fails_stops_the_batch_after_those_done() {
    for (length, fails_at) in [(1, 0), (64, 63), (65, 64), (200, 130), (1000, 64)] {
        for bad in [0, 1 << 63 | 1] {
            let history = create(&defaults());
            let mut batch = Batch::new(0..length as u64);
            assert_eq!(batch.put(history, false, &[], &[], 0), QC_OK);
            let mut entries = batch.entries();
            entries[fails_at] = bad;
            let mut erased = vec![9; length];
            let mut done = 999_999;
            // SAFETY: a live handle and arrays of the same length.
            let status = unsafe {
                qc_history_erase_batch(history, entries.as_ptr(), length, 0, erased.as_mut_ptr(), &mut done)
            };
            assert_eq!((status, done), (QC_ERR_STALE_HANDLE, fails_at));
            assert!(
                support::last_error().starts_with(&format!("entries[{fails_at}]")),
                "{}",
                support::last_error()
            );
            let (before, behind) = erased.split_at(fails_at);
            assert!(before.iter().all(|erased| *erased == qc_erased::QC_ERASED_HISTORICAL as u32));
            assert!(behind.iter().all(|erased| *erased == 9));
            destroy(history);
        }
    }
}

#[test]
fn erased_answers_may_be_left_out() {
    let history = create(&defaults());
    let mut batch = Batch::new(0..100);
    assert_eq!(batch.put(history, false, &[], &[], 0), QC_OK);
    let entries = batch.entries();
    let mut done = 0;
    // SAFETY: a live handle and an array of that length.
    let status =
        unsafe { qc_history_erase_batch(history, entries.as_ptr(), 100, 0, ptr::null_mut(), &mut done) };
    assert_eq!((status, done), (QC_OK, 100));
    destroy(history);
}

#[test]
fn nothing_to_do_needs_no_arrays() {
    let history = create(&qc_history_options { value_size: 8, ..defaults() });
    let mut done;
    // SAFETY: a live handle; with a count of 0 only the place for the number is used.
    unsafe {
        for call in [qc_history_insert_batch, qc_history_readmit_batch] {
            done = 9;
            let status =
                call(history, ptr::null(), ptr::null(), ptr::null(), 0, 0, ptr::null_mut(), &mut done);
            assert_eq!((status, done), (QC_OK, 0));
        }
        done = 9;
        assert_eq!(qc_history_erase_batch(history, ptr::null(), 0, 0, ptr::null_mut(), &mut done), QC_OK);
        assert_eq!(done, 0);
        assert_eq!(qc_history_contains_batch(history, ptr::null(), 0, 0, ptr::null_mut()), QC_OK);
    }
    destroy(history);
}

/// Each pointer in turn left out or shifted, and each count that no memory holds.
#[test]
fn arguments_that_are_refused_do_nothing() {
    let history = create(&qc_history_options { value_size: 1024, ..defaults() });
    let keys = [key(1), key(2)];
    let entries: [qc_entry; 2] = [5, 6];
    let mut results = [UNTOUCHED; 2];
    let mut numbers = [9_u32; 2];
    let mut done = 9_usize;
    let (k, e) = (keys.as_ptr(), entries.as_ptr());
    let (r, n, d): (*mut qc_insert_result, *mut u32, *mut usize) =
        (results.as_mut_ptr(), numbers.as_mut_ptr(), &mut done);
    let expect = |got: qc_status, status: qc_status, words: &str| {
        assert_eq!(got, status, "{words}: {}", support::last_error());
        assert!(support::last_error().starts_with(words), "{words}: {}", support::last_error());
    };
    // SAFETY: a live handle; the library has to judge the rest.
    unsafe {
        for put in [qc_history_insert_batch, qc_history_readmit_batch] {
            let put = |k, times, count, r, d| put(history, k, ptr::null(), times, count, 0, r, d);
            expect(put(ptr::null(), ptr::null(), 2, r, d), QC_ERR_NULL_ARGUMENT, "keys is NULL");
            expect(put(k, ptr::null(), 2, ptr::null_mut(), d), QC_ERR_NULL_ARGUMENT, "out_results is NULL");
            expect(put(k, ptr::null(), 2, r, ptr::null_mut()), QC_ERR_NULL_ARGUMENT, "out_done is NULL");
            expect(put(k, ptr::null(), 0, r, ptr::null_mut()), QC_ERR_NULL_ARGUMENT, "out_done is NULL");
            let shifted = e.cast::<i64>().wrapping_byte_add(1);
            expect(put(k, shifted, 2, r, d), QC_ERR_INVALID_ARGUMENT, "inserted_at_ns = 0x");
            expect(
                put(k, ptr::null(), 2, r.wrapping_byte_add(4), d),
                QC_ERR_INVALID_ARGUMENT,
                "out_results = 0x",
            );
            expect(
                put(k, ptr::null(), 2, r, d.wrapping_byte_add(4)),
                QC_ERR_INVALID_ARGUMENT,
                "out_done = 0x",
            );
            for count in [usize::MAX, 1 << 60, usize::MAX / 1024 + 1, usize::MAX / 16 + 2] {
                expect(
                    put(k, ptr::null(), count, r, d),
                    QC_ERR_OVERFLOW,
                    &format!("values: count = {count} "),
                );
            }
        }
        let contains = |k, count, n| qc_history_contains_batch(history, k, count, 0, n);
        expect(contains(ptr::null(), 2, n), QC_ERR_NULL_ARGUMENT, "keys is NULL");
        expect(contains(k, 2, ptr::null_mut()), QC_ERR_NULL_ARGUMENT, "out_presences is NULL");
        expect(contains(k, 2, n.wrapping_byte_add(1)), QC_ERR_INVALID_ARGUMENT, "out_presences = 0x");
        expect(contains(k, usize::MAX / 16 + 2, n), QC_ERR_OVERFLOW, "keys: count = ");
        let late = qc_history_contains_batch(history, k, 2, i64::MAX, n);
        expect(late, QC_ERR_CLOCK, "now_ns = 9223372036854775807");
        let erase = |e, count, n, d| qc_history_erase_batch(history, e, count, 0, n, d);
        expect(erase(ptr::null(), 2, n, d), QC_ERR_NULL_ARGUMENT, "entries is NULL");
        expect(erase(e, 2, n, ptr::null_mut()), QC_ERR_NULL_ARGUMENT, "out_done is NULL");
        expect(erase(e.wrapping_byte_add(4), 2, n, d), QC_ERR_INVALID_ARGUMENT, "entries = 0x");
        expect(erase(e, 2, n.wrapping_byte_add(2), d), QC_ERR_INVALID_ARGUMENT, "out_erased = 0x");
        expect(erase(e, usize::MAX / 8 + 2, n, d), QC_ERR_OVERFLOW, "entries: count = ");
    }
    assert_eq!((results, numbers, done), ([UNTOUCHED; 2], [9; 2], 9));
    destroy(history);
}
