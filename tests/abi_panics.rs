//! Callbacks that panic, at every call they get: QC_ERR_PANIC, then QC_ERR_POISONED, and destroy works.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/host.rs"]
mod host;
#[path = "abi/support.rs"]
mod support;

use host::{Callback, Fault, Host};
use queuecore::ffi::history::{qc_history, qc_history_destroy};
use queuecore::ffi::history_batch::qc_history_insert_batch;
use queuecore::ffi::history_change::{qc_history_erase_key, qc_history_forget_key};
use queuecore::ffi::history_read::qc_history_live_len;
use queuecore::ffi::history_types::{qc_gc_result, qc_insert_result, qc_outcome};
use queuecore::ffi::history_upkeep::{qc_history_clear, qc_history_gc};
use queuecore::ffi::status::qc_status::{self, *};
use std::ptr;

/// The most blocks that one interrupted call may lose.
const MAX_LOST: usize = 1;
const SECOND: i64 = 1_000_000_000;

fn destroy(history: *mut qc_history) -> qc_status {
    // SAFETY: a handle, for the library to judge.
    unsafe { qc_history_destroy(history) }
}

/// The statuses of all calls of a run through every kind of change, in order: growth, readmits, erases, collection,
/// shrinking, forgetting, clearing.
fn run(history: *mut qc_history) -> Vec<qc_status> {
    let mut statuses = Vec::new();
    let mut note = |status: qc_status| statuses.push(status);
    let status = |result: Result<_, qc_status>| result.err().unwrap_or(QC_OK);
    for number in 0..300 {
        note(status(support::insert(history, number, SECOND)));
    }
    for number in 0..250 {
        // SAFETY: a handle for the library to judge, and a good key.
        note(unsafe { qc_history_erase_key(history, &support::key(number), SECOND, ptr::null_mut()) });
    }
    for number in 0..20 {
        note(status(support::readmit(history, number, 2 * SECOND)));
    }
    for number in 20..40 {
        // SAFETY: as above.
        note(unsafe { qc_history_forget_key(history, &support::key(number)) });
    }
    for max in [10, 1000] {
        let mut result = qc_gc_result { collected: 0, more: 0, reserved: 0 };
        // SAFETY: as above, and a good place for the result.
        note(unsafe { qc_history_gc(history, 1000 * SECOND, max, &mut result) });
    }
    // SAFETY: as above.
    note(unsafe { qc_history_clear(history) });
    statuses
}

/// Runs with a callback that panics at its `after`th call. `false` if it was not called so often.
fn panics_at(callback: Callback, after: u64) -> bool {
    let host = Host::default();
    let history = support::create(&host.options(true));
    host.fail(callback, Fault::Panic, after);
    let statuses = run(history);
    if host.is_armed() {
        assert!(statuses.iter().all(|status| *status == QC_OK), "{statuses:?}");
        host.0.borrow_mut().fault = None;
        assert_eq!(destroy(history), QC_OK);
        assert!(host.0.borrow().blocks.is_empty(), "all is given back");
        return false;
    }
    let failed = statuses.iter().position(|status| *status != QC_OK).expect("a panic is no success");
    assert_eq!(statuses[failed], QC_ERR_PANIC, "{callback:?} {after}");
    assert!(statuses[failed + 1..].iter().all(|status| *status == QC_ERR_POISONED), "{callback:?} {after}");
    let mut len = 77;
    // SAFETY: a handle for the library to judge, and a good place.
    assert_eq!(unsafe { qc_history_live_len(history, &mut len) }, QC_ERR_POISONED);
    assert_eq!(len, 77);
    assert!(support::last_error().contains("panicked"), "{}", support::last_error());
    assert_eq!(destroy(history), QC_OK, "{callback:?} {after}");
    assert_eq!(destroy(history), QC_ERR_DESTROYED);
    let books = host.0.borrow();
    assert_eq!(books.wrong, 0, "{callback:?} {after}: a block came back twice, or as another one");
    // What a call that wants several blocks at once had got before it panicked is lost; nothing else is. A `free`
    // that panicked leaves open whose a block is, so then all is left where it is.
    let lost = books.blocks.len();
    assert!(callback == Callback::Free || lost <= MAX_LOST, "{callback:?} {after}: {lost} blocks are lost");
    true
}

fn panics_everywhere(callback: Callback) {
    host::hush();
    let mut after = 0;
    let mut stride = 1;
    while panics_at(callback, after) {
        after += stride;
        // Every call at first; later ones are of the same few kinds.
        stride = 1 + after / 200;
    }
    assert!(after > 10, "{callback:?} was called {after} times only");
}

#[test]
fn an_allocator_that_panics() {
    panics_everywhere(Callback::Alloc);
}

#[test]
fn a_hash_that_panics() {
    panics_everywhere(Callback::Hash);
}

#[test]
fn a_free_that_panics() {
    panics_everywhere(Callback::Free);
}

#[test]
fn an_allocator_that_panics_in_create() {
    host::hush();
    let mut after = 0;
    loop {
        let host = Host::default();
        host.fail(Callback::Alloc, Fault::Panic, after);
        match support::try_create(&host.options(true)) {
            Err(status) => assert_eq!(status, QC_ERR_PANIC),
            Ok(history) => {
                assert!(host.is_armed());
                host.0.borrow_mut().fault = None;
                assert_eq!(destroy(history), QC_OK);
                break;
            }
        }
        assert!(host.0.borrow().blocks.len() <= MAX_LOST);
        assert_eq!(support::last_error(), "the call panicked: Alloc was told to panic; nothing was made");
        after += 1;
    }
    assert!(after >= 1, "create asks for memory");
}

#[test]
fn a_free_that_panics_in_destroy() {
    host::hush();
    let host = Host::default();
    let history = support::create(&host.options(false));
    for number in 0..100 {
        support::insert(history, number, SECOND).unwrap();
    }
    host.fail(Callback::Free, Fault::Panic, 1);
    assert_eq!(destroy(history), QC_ERR_PANIC);
    assert!(support::last_error().contains("the handle is destroyed"), "{}", support::last_error());
    assert_eq!(destroy(history), QC_ERR_DESTROYED);
    assert_eq!(host.0.borrow().wrong, 0);
}

/// Blocks of 64 elements: the results of those before the panic are written, how many were done is not.
#[test]
fn a_hash_that_panics_in_a_batch() {
    const COUNT: usize = 200;
    host::hush();
    let host = Host::default();
    let history = support::create(&host.options(true));
    let keys: Vec<_> = (0..COUNT as u64).map(support::key).collect();
    let mut results = vec![qc_insert_result { entry: 9, outcome: 9, reserved: 9 }; COUNT];
    let mut done = 77;
    host.fail(Callback::Hash, Fault::Panic, 150);
    // SAFETY: a live handle, arrays of COUNT elements, or NULL where that is allowed, and a good place.
    let status = unsafe {
        let (values, times) = (ptr::null(), ptr::null());
        let out = results.as_mut_ptr();
        qc_history_insert_batch(history, keys.as_ptr(), values, times, COUNT, SECOND, out, &mut done)
    };
    assert_eq!((status, done), (QC_ERR_PANIC, 77));
    let written = results.iter().filter(|result| result.outcome == qc_outcome::QC_ADDED as u32).count();
    assert!(written > 0 && written < COUNT, "{written} results");
    assert_eq!(support::insert(history, 999, SECOND), Err(QC_ERR_POISONED));
    assert_eq!(destroy(history), QC_OK);
    assert!(host.0.borrow().blocks.is_empty(), "all is given back");
}

#[test]
fn what_a_panic_says_is_in_the_words() {
    host::hush();
    let host = Host::default();
    let history = support::create(&host.options(true));
    host.fail(Callback::Hash, Fault::Panic, 0);
    assert_eq!(support::insert(history, 1, SECOND), Err(QC_ERR_PANIC));
    assert_eq!(
        support::last_error(),
        "the call panicked: Hash was told to panic; only destroy works on this handle from now on"
    );
    assert_eq!(destroy(history), QC_OK);
}
