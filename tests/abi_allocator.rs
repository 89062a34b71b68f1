//! A host's allocator: every byte goes through it, and its failures are statuses that leave entries as they were.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/host.rs"]
mod host;
#[path = "abi/support.rs"]
mod support;

use host::{Callback, Fault, Host};
use queuecore::ffi::history::{qc_history, qc_history_destroy};
use queuecore::ffi::history_change::qc_history_erase_key;
use queuecore::ffi::history_stats::{qc_history_stats, qc_history_stats as read_stats};
use queuecore::ffi::history_types::{qc_gc_result, qc_outcome};
use queuecore::ffi::history_upkeep::{qc_history_clock_reset, qc_history_erase_all_live, qc_history_gc};
use queuecore::ffi::status::qc_status::{self, *};
use std::ptr;

const SECOND: i64 = 1_000_000_000;

fn stats(history: *mut qc_history) -> qc_history_stats {
    let mut stats =
        qc_history_stats { struct_size: size_of::<qc_history_stats>() as u32, ..Default::default() };
    // SAFETY: a live handle and a good place.
    assert_eq!(unsafe { read_stats(history, &mut stats) }, QC_OK);
    stats
}

fn destroy(history: *mut qc_history) {
    // SAFETY: a live handle.
    assert_eq!(unsafe { qc_history_destroy(history) }, QC_OK);
}

fn assert_books_agree(host: &Host, history: *mut qc_history) {
    let stats = stats(history);
    let books = host.0.borrow();
    assert_eq!(stats.bytes_in_use, books.bytes);
    assert_eq!(stats.bytes_peak, books.peak);
    assert_eq!(stats.allocations, books.allocations);
    assert_eq!(stats.deallocations, books.deallocations);
    assert_eq!(books.wrong, 0);
}

#[test]
fn every_byte_is_in_the_hosts_books() {
    let host = Host::default();
    let mut options = host.options(false);
    options.value_size = 24;
    let history = support::create(&options);
    assert_books_agree(&host, history);
    assert!(
        stats(history).bytes_in_use <= 1024,
        "an empty history takes {} bytes",
        stats(history).bytes_in_use
    );
    for number in 0..5000 {
        support::insert(history, number, SECOND).unwrap();
    }
    assert_books_agree(&host, history);
    assert!(host.0.borrow().bytes > 5000 * 24);
    for number in 0..5000 {
        // SAFETY: a live handle and a good key.
        let status = unsafe { qc_history_erase_key(history, &support::key(number), SECOND, ptr::null_mut()) };
        assert_eq!(status, QC_OK);
    }
    let mut collected = qc_gc_result { collected: 0, more: 0, reserved: 0 };
    // SAFETY: a live handle and a good place.
    assert_eq!(unsafe { qc_history_gc(history, 1000 * SECOND, 10_000, &mut collected) }, QC_OK);
    assert_eq!(collected, qc_gc_result { collected: 5000, more: 0, reserved: 0 });
    assert_books_agree(&host, history);
    destroy(history);
    let books = host.0.borrow();
    assert_eq!((books.blocks.len(), books.bytes, books.wrong), (0, 0, 0));
    assert_eq!(books.allocations, books.deallocations);
}

#[test]
fn the_processs_own_memory_is_counted_too() {
    let history = support::create(&support::defaults());
    let empty = stats(history);
    assert!(empty.bytes_in_use > 0 && empty.allocations > 0);
    for number in 0..1000 {
        support::insert(history, number, 0).unwrap();
    }
    assert!(stats(history).bytes_in_use > empty.bytes_in_use + 1000 * 16);
    destroy(history);
}

/// Lets the allocator fail at each call it gets during many inserts.
fn failing(fault: Fault, expected: qc_status, words: &str) {
    let mut failures = 0;
    for after in 0.. {
        let host = Host::default();
        let history = support::create(&host.options(true));
        host.fail(Callback::Alloc, fault, after);
        for number in 0..600 {
            let before = stats(history);
            if let Err(status) = support::insert(history, number, SECOND) {
                assert_eq!(status, expected);
                assert!(support::last_error().contains(words), "{}", support::last_error());
                let now = stats(history);
                assert_eq!((now.live_len, now.history_len), (before.live_len, before.history_len));
                failures += 1;
                let again = support::insert(history, number, SECOND).map(|result| result.outcome);
                assert_eq!(again, Ok(qc_outcome::QC_ADDED as u32), "the next try finds memory");
            }
        }
        assert_eq!(stats(history).live_len, 600);
        let was_last = host.is_armed();
        host.0.borrow_mut().fault = None;
        destroy(history);
        assert_eq!((host.0.borrow().blocks.len(), host.0.borrow().wrong), (0, 0));
        if was_last {
            break;
        }
    }
    assert!(failures > 5, "only {failures} failures");
}

#[test]
fn no_memory_is_a_status_and_changes_nothing() {
    failing(Fault::ReturnNull, QC_ERR_NO_MEMORY, "the allocator returned no memory");
}

#[test]
fn a_block_that_is_not_aligned_is_given_back_and_is_a_status() {
    failing(Fault::Misalign, QC_ERR_CALLBACK, "a block that is not aligned");
}

#[test]
fn a_misaligned_block_is_not_remembered_against_a_later_lack_of_memory() {
    let host = Host::default();
    for (fault, expected) in [
        (Fault::Misalign, QC_ERR_CALLBACK),
        (Fault::ReturnNull, QC_ERR_NO_MEMORY),
        (Fault::Misalign, QC_ERR_CALLBACK),
    ] {
        let history = support::create(&host.options(false));
        host.fail(Callback::Alloc, fault, 0);
        assert_eq!(support::insert(history, 1, SECOND), Err(expected));
        host.fail(Callback::Alloc, Fault::ReturnNull, 0);
        assert_eq!(support::insert(history, 1, SECOND), Err(QC_ERR_NO_MEMORY));
        destroy(history);
    }
}

#[test]
fn a_purge_without_memory_says_nothing_false_and_goes_on_later() {
    const ENTRIES: u64 = 20_000;
    let host = Host::default();
    let history = support::create(&host.options(false));
    for number in 0..ENTRIES {
        support::insert(history, number, SECOND).unwrap();
    }
    // All entries outlive their window and leave the log; then the clock says that they had not, so that each needs a
    // record again.
    let mut collected = qc_gc_result { collected: 0, more: 0, reserved: 0 };
    let mut erased = 77;
    // SAFETY: a live handle and good places.
    unsafe {
        assert_eq!(qc_history_gc(history, 1000 * SECOND, u64::MAX, &mut collected), QC_OK);
        assert_eq!(qc_history_clock_reset(history, 2 * SECOND), QC_OK);
    }
    let mut was_partial = false;
    for after in 0.. {
        let before = stats(history).live_len;
        host.fail(Callback::Alloc, Fault::ReturnNull, after);
        // SAFETY: as above.
        let status = unsafe { qc_history_erase_all_live(history, 2 * SECOND, &mut erased) };
        let left = stats(history).live_len;
        assert_eq!(stats(history).history_len, ENTRIES - left);
        if status == QC_OK {
            assert_eq!((erased, left), (before, 0));
            break;
        }
        assert_eq!((status, erased), (QC_ERR_NO_MEMORY, 77));
        assert_eq!(support::last_error(), "the allocator returned no memory");
        was_partial |= left < before;
    }
    assert!(was_partial, "no purge failed in the middle");
    host.0.borrow_mut().fault = None;
    assert_eq!(stats(history).history_len, ENTRIES);
    destroy(history);
}

#[test]
fn a_collection_without_memory_is_no_failure_and_promises_nothing() {
    let host = Host::default();
    let history = support::create(&host.options(false));
    support::insert(history, 1, SECOND).unwrap();
    host.fail(Callback::Alloc, Fault::ReturnNull, 0);
    let mut collected = qc_gc_result { collected: 77, more: 77, reserved: 77 };
    // SAFETY: a live handle and a good place, here and below.
    assert_eq!(unsafe { qc_history_gc(history, 1000 * SECOND, 5, &mut collected) }, QC_OK);
    assert!(!host.is_armed(), "to pass the live entry needs memory");
    assert_eq!(collected, qc_gc_result { collected: 0, more: 0, reserved: 0 });
    let before = stats(history).allocations;
    // SAFETY: as above.
    assert_eq!(unsafe { qc_history_gc(history, 1000 * SECOND, 5, &mut collected) }, QC_OK);
    assert!(stats(history).allocations > before, "a later collection goes on");
    destroy(history);
}

#[test]
fn create_without_memory_makes_nothing() {
    for (fault, expected) in [(Fault::ReturnNull, QC_ERR_NO_MEMORY), (Fault::Misalign, QC_ERR_CALLBACK)] {
        for after in 0.. {
            let host = Host::default();
            host.fail(Callback::Alloc, fault, after);
            let created = support::try_create(&host.options(false));
            if let Ok(history) = created {
                assert!(after > 0 && host.is_armed());
                destroy(history);
                break;
            }
            assert_eq!(created, Err(expected));
            assert_eq!((host.0.borrow().blocks.len(), host.0.borrow().wrong), (0, 0));
        }
    }
}

#[test]
fn the_hosts_hash_is_used() {
    let host = Host::default();
    let history = support::create(&host.options(true));
    support::insert(history, 1, SECOND).unwrap();
    assert!(host.0.borrow().hashes >= 1);
    destroy(history);
}
