//! A full history: how it makes room, and that it looks at a bounded number of records for it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use queuecore::ffi::history::{qc_history, qc_history_destroy};
use queuecore::ffi::history_change::qc_history_erase_key;
use queuecore::ffi::history_options::{qc_gc_policy, qc_history_options, qc_overflow};
use queuecore::ffi::history_stats::{qc_history_stats, qc_history_stats as read_stats};
use queuecore::ffi::history_types::qc_erased;
use queuecore::ffi::status::qc_status::{self, *};
use support::{create, defaults, key};

const SECOND: i64 = 1_000_000_000;
const WINDOW: i64 = 10 * SECOND;
/// Live entries at the front of the log: more than one search passes, fewer than two.
const LIVE: u64 = 100;

/// A history that may hold one historical entry and holds it, behind the records of LIVE live entries.
fn full(overflow: qc_overflow) -> *mut qc_history {
    let history = create(&qc_history_options {
        window_ns: WINDOW,
        max_history: 1,
        overflow: overflow as u32,
        gc_policy: qc_gc_policy::QC_GC_SCHEDULED as u32,
        ..defaults()
    });
    for number in 0..=LIVE {
        support::insert(history, number, 0).unwrap();
    }
    assert_eq!(erase(history, LIVE, 0), Ok(qc_erased::QC_ERASED_HISTORICAL as u32));
    history
}

fn erase(history: *mut qc_history, number: u64, now_ns: i64) -> Result<u32, qc_status> {
    let mut erased = 9;
    // SAFETY: a live handle and good pointers.
    match unsafe { qc_history_erase_key(history, &key(number), now_ns, &mut erased) } {
        QC_OK => Ok(erased),
        status => {
            assert_eq!(erased, 9, "a failed call writes nothing");
            Err(status)
        }
    }
}

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

#[test]
fn an_entry_for_which_no_room_is_found_is_gone_inside_its_window_and_counted() {
    let history = full(qc_overflow::QC_OVERFLOW_EVICT_OLDEST);
    assert_eq!(erase(history, LIVE - 1, SECOND), Ok(qc_erased::QC_ERASED_GONE as u32));
    assert_eq!((stats(history).evicted_early, stats(history).history_len), (1, 1));
    // The next search begins where the first one ended.
    assert_eq!(erase(history, LIVE - 2, SECOND), Ok(qc_erased::QC_ERASED_HISTORICAL as u32));
    assert_eq!((stats(history).evicted_early, stats(history).history_len), (2, 1));
    destroy(history);
}

#[test]
fn an_insert_at_the_limit_of_entries_collects_an_expired_one_whatever_the_policy() {
    let history = create(&qc_history_options {
        window_ns: WINDOW,
        max_entries: 1,
        gc_policy: qc_gc_policy::QC_GC_SCHEDULED as u32,
        ..defaults()
    });
    support::insert(history, 1, 0).unwrap();
    assert_eq!(erase(history, 1, 0), Ok(qc_erased::QC_ERASED_HISTORICAL as u32));
    assert_eq!(support::insert(history, 2, WINDOW - 1000), Err(QC_ERR_CAPACITY));
    support::insert(history, 2, WINDOW).unwrap();
    assert_eq!((stats(history).live_len, stats(history).history_len), (1, 0));
    assert_eq!(stats(history).collected_total, 1);
    destroy(history);
}

#[test]
fn an_expired_entry_behind_many_live_ones_is_found_by_a_later_erase() {
    let history = full(qc_overflow::QC_OVERFLOW_REJECT);
    let later = 2 * WINDOW;
    support::insert(history, 500, later).unwrap();
    assert_eq!(erase(history, 500, later), Err(QC_ERR_CAPACITY));
    assert_eq!((stats(history).collected_total, stats(history).history_len), (0, 1));
    // Though only `gc` collects on schedule, an erase makes room for its own entry.
    assert_eq!(erase(history, 500, later), Ok(qc_erased::QC_ERASED_HISTORICAL as u32));
    assert_eq!((stats(history).collected_total, stats(history).history_len), (1, 1));
    assert_eq!(stats(history).evicted_early, 0);
    destroy(history);
}
