//! The C ABI of the cursor as a Rust host sees it that links the crate: callbacks that panic, and a handle that is poisoned.
//! All else is tested from C and C++.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/host.rs"]
mod host;
#[path = "abi/support.rs"]
mod support;

use host::{Callback, Fault, Host};
use queuecore::ffi::cursor::{qc_cursor, qc_cursor_create, qc_cursor_destroy};
use queuecore::ffi::cursor_options::{qc_cursor_options, qc_cursor_options_init};
use queuecore::ffi::cursor_pull::qc_cursor_pull;
use queuecore::ffi::cursor_push::{qc_cursor_committed, qc_cursor_push};
use queuecore::ffi::cursor_release::{qc_cursor_ack, qc_cursor_drop_cache};
use queuecore::ffi::cursor_settings::qc_cursor_on_ready;
use queuecore::ffi::cursor_stats::{qc_cursor_stats, qc_cursor_stats as figures};
use queuecore::ffi::cursor_store::{qc_store, qc_store_init};
use queuecore::ffi::cursor_types::{qc_delivered, qc_message, qc_pulled, qc_stored, qc_write};
use queuecore::ffi::status::qc_status::{self, *};
use queuecore::ffi::usage::{qc_usage, qc_usage_create, qc_usage_destroy};
use queuecore::ffi::usage_options::qc_usage_options_init;
use queuecore::ffi::usage_read::qc_usage_usage;
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

/// A store of the messages 1 to `count`, one byte each, that panics when told to.
#[derive(Default)]
struct Numbers {
    count: Cell<u64>,
    panics_in_fetch: Cell<bool>,
    panics_in_discard: Cell<bool>,
}

unsafe extern "C-unwind" fn fetch(
    ctx: *mut c_void,
    after: u64,
    up_to: u64,
    max_messages: u32,
    _max_bytes: u64,
    out: *mut qc_stored,
    count: *mut usize,
) -> i32 {
    // SAFETY: the test's store, and the library's room.
    unsafe {
        let store = &*ctx.cast::<Numbers>();
        assert!(!store.panics_in_fetch.get(), "fetch was told to panic");
        let last = up_to.min(store.count.get()).min(after + u64::from(max_messages));
        for (at, sequence) in (after + 1..=last).enumerate() {
            let reserved = [0; 3];
            out.add(at).write(qc_stored { sequence, user: 0, size_bytes: 1, priority: 4, reserved });
            *count = at + 1;
        }
    }
    0
}

unsafe extern "C-unwind" fn discard(ctx: *mut c_void, _: *const qc_stored) {
    // SAFETY: the test's store.
    let store = unsafe { &*ctx.cast::<Numbers>() };
    assert!(!store.panics_in_discard.get(), "discard was told to panic");
}

unsafe extern "C-unwind" fn panicking_ready(_: *mut c_void) {
    panic!("ready was told to panic");
}

fn tracker(limit_bytes: u64) -> *mut qc_usage {
    let mut options = MaybeUninit::uninit();
    let mut usage = ptr::null_mut();
    // SAFETY: there is room for the options, which the call fills, and a good place.
    unsafe {
        assert_eq!(qc_usage_options_init(options.as_mut_ptr(), size_of_val(&options)), QC_OK);
        let mut options = options.assume_init();
        options.limit_bytes = limit_bytes;
        assert_eq!(qc_usage_create(&options, &mut usage), QC_OK);
    }
    usage
}

fn try_create(host: &Host, usage: *mut qc_usage, store: &Numbers) -> Result<*mut qc_cursor, qc_status> {
    let given = host.options(false);
    let (mut options, mut table) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut cursor = ptr::null_mut();
    // SAFETY: as above.
    let status = unsafe {
        assert_eq!(qc_cursor_options_init(options.as_mut_ptr(), size_of::<qc_cursor_options>()), QC_OK);
        assert_eq!(qc_store_init(table.as_mut_ptr(), size_of::<qc_store>()), QC_OK);
        let mut options: qc_cursor_options = options.assume_init();
        (options.alloc, options.free, options.alloc_ctx) = (given.alloc, given.free, given.alloc_ctx);
        let mut table: qc_store = table.assume_init();
        table.fetch = Some(fetch);
        table.discard = Some(discard);
        table.ctx = ptr::from_ref(store).cast_mut().cast();
        qc_cursor_create(&options, ptr::null(), usage, ptr::null_mut(), &table, &mut cursor)
    };
    if status == QC_OK { Ok(cursor) } else { Err(status) }
}

fn destroy(cursor: *mut qc_cursor) -> qc_status {
    // SAFETY: a handle for the library to judge.
    unsafe { qc_cursor_destroy(cursor) }
}

/// The tracker counts nothing, and ends.
fn end(usage: *mut qc_usage) {
    let mut bytes = 77;
    // SAFETY: a handle, and good places.
    unsafe {
        assert_eq!(qc_usage_usage(usage, &mut bytes), QC_OK);
        assert_eq!(bytes, 0);
        assert_eq!(qc_usage_destroy(usage, ptr::null_mut()), QC_OK);
    }
}

fn push(cursor: *mut qc_cursor, token: u64, is_open: bool) -> qc_status {
    let write = if is_open { qc_write::QC_WRITE_OPEN } else { qc_write::QC_WRITE_COMMITTED } as u8;
    let sequence = if is_open { 0 } else { token };
    let message = qc_message { token, sequence, user: 0, size_bytes: 1, priority: 4, write, reserved: 0 };
    let mut pushed = 9;
    // SAFETY: a handle for the library to judge, a good message and a good place.
    unsafe { qc_cursor_push(cursor, &message, &mut pushed) }
}

/// Pulls up to 64: the status, and the sequences that came.
fn pull(cursor: *mut qc_cursor) -> (qc_status, Vec<u64>) {
    let mut out: [qc_delivered; 64] = [const {
        let reserved = [0; 7];
        qc_delivered { sequence: 0, token: 0, user: 0, size_bytes: 0, redeliveries: 0, priority: 0, reserved }
    }; 64];
    let mut pulled = qc_pulled { count: 0, end: 9, blocked: 9 };
    // SAFETY: a handle for the library to judge, room for 64 and a good place.
    let status = unsafe { qc_cursor_pull(cursor, 64, 0, out.as_mut_ptr(), 64, &mut pulled) };
    (status, out.iter().take(pulled.count as usize).map(|message| message.sequence).collect())
}

fn ack(cursor: *mut qc_cursor, sequence: u64) -> qc_status {
    // SAFETY: a handle for the library to judge.
    unsafe { qc_cursor_ack(cursor, sequence, ptr::null_mut()) }
}

/// Pulls up to 64, and acknowledges what came. The statuses of all calls, and whether something came.
fn pull_and_ack(cursor: *mut qc_cursor, statuses: &mut Vec<qc_status>) -> bool {
    let (status, sequences) = pull(cursor);
    statuses.push(status);
    statuses.extend(sequences.iter().map(|sequence| ack(cursor, *sequence)));
    !sequences.is_empty()
}

/// The statuses of all calls of a run: pushes, open writes, a drop, pages, acknowledgements.
fn run(cursor: *mut qc_cursor, store: &Numbers) -> Vec<qc_status> {
    let mut statuses = Vec::new();
    for token in 1..=200 {
        statuses.push(push(cursor, token, token > 150));
    }
    store.count.set(200);
    for token in 151..=200 {
        // SAFETY: a handle for the library to judge.
        statuses.push(unsafe { qc_cursor_committed(cursor, token, token) });
    }
    // SAFETY: a handle for the library to judge.
    statuses.push(unsafe { qc_cursor_drop_cache(cursor, ptr::null_mut()) });
    while pull_and_ack(cursor, &mut statuses) {}
    statuses
}

/// Runs with a callback that panics at its `after`th call. `false` if it was not called so often.
fn panics_at(callback: Callback, after: u64) -> bool {
    let host = Host::default();
    let store = Numbers::default();
    let usage = tracker(1000);
    let cursor = try_create(&host, usage, &store).unwrap();
    host.fail(callback, Fault::Panic, after);
    let statuses = run(cursor, &store);
    if host.is_armed() {
        assert!(statuses.iter().all(|status| *status == QC_OK), "{statuses:?}");
        host.0.borrow_mut().fault = None;
        assert_eq!(destroy(cursor), QC_OK);
        assert!(host.0.borrow().blocks.is_empty(), "all is given back");
        end(usage);
        return false;
    }
    expect_poisoned(cursor, &statuses);
    let books = host.0.borrow();
    assert_eq!(books.wrong, 0, "{callback:?} {after}: a block came back twice, or as another one");
    // A page, and what a call that wants several blocks at once had got before it panicked.
    let lost = books.blocks.len();
    assert!(callback == Callback::Free || lost <= 2, "{callback:?} {after}: {lost} blocks are lost");
    if callback == Callback::Alloc {
        end(usage);
    }
    true
}

fn expect_poisoned(cursor: *mut qc_cursor, statuses: &[qc_status]) {
    let failed = statuses.iter().position(|status| *status != QC_OK).expect("a panic is no success");
    assert_eq!(statuses[failed], QC_ERR_PANIC);
    assert!(statuses[failed + 1..].iter().all(|status| *status == QC_ERR_POISONED));
    let mut stats = figures { struct_size: size_of::<figures>() as u32, ..figures::default() };
    // SAFETY: a handle for the library to judge, and a good place.
    assert_eq!(unsafe { qc_cursor_stats(cursor, &mut stats) }, QC_ERR_POISONED);
    assert!(support::last_error().contains("panicked"), "{}", support::last_error());
    assert_eq!(destroy(cursor), QC_OK);
    assert_eq!(destroy(cursor), QC_ERR_DESTROYED);
}

fn panics_everywhere(callback: Callback) {
    host::hush();
    let mut after = 0;
    while panics_at(callback, after) {
        after += 1;
    }
    assert!(after > 10, "{callback:?} was called {after} times only");
}

#[test]
fn an_allocator_that_panics() {
    panics_everywhere(Callback::Alloc);
}

#[test]
fn a_free_that_panics() {
    panics_everywhere(Callback::Free);
}

#[test]
fn an_allocator_that_panics_in_create() {
    host::hush();
    let usage = tracker(1000);
    let (host, store) = (Host::default(), Numbers::default());
    host.fail(Callback::Alloc, Fault::Panic, 0);
    assert_eq!(try_create(&host, usage, &store).err(), Some(QC_ERR_PANIC));
    assert!(host.0.borrow().blocks.is_empty());
    end(usage);
}

#[test]
fn a_store_that_panics() {
    host::hush();
    for in_fetch in [true, false] {
        let (host, store) = (Host::default(), Numbers::default());
        let usage = tracker(1000);
        let cursor = try_create(&host, usage, &store).unwrap();
        store.panics_in_fetch.set(in_fetch);
        store.panics_in_discard.set(!in_fetch);
        let statuses = run(cursor, &store);
        expect_poisoned(cursor, &statuses);
        // The page that was asked for.
        assert!(host.0.borrow().blocks.len() <= usize::from(in_fetch));
        end(usage);
    }
}

#[test]
fn a_ready_callback_that_panics() {
    host::hush();
    let (host, store) = (Host::default(), Numbers::default());
    let usage = tracker(100);
    let cursor = try_create(&host, usage, &store).unwrap();
    // SAFETY: a live handle, and a callback that needs no context.
    assert_eq!(unsafe { qc_cursor_on_ready(cursor, Some(panicking_ready), ptr::null_mut(), None) }, QC_OK);
    for token in 1..=200 {
        assert_eq!(push(cursor, token, false), QC_OK);
    }
    store.count.set(200);
    for count in [64, 6] {
        let (status, sequences) = pull(cursor);
        assert_eq!((status, sequences.len()), (QC_OK, count), "70 of 100 bytes are the mark");
    }
    let statuses: Vec<qc_status> = (1..=70).map(|sequence| ack(cursor, sequence)).collect();
    expect_poisoned(cursor, &statuses);
    assert!(host.0.borrow().blocks.is_empty(), "all is given back");
    end(usage);
}
