//! The C ABI of usage as a Rust host sees it that links the crate: callbacks that panic, and a handle that is poisoned.
//! All else is tested from C and C++.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/host.rs"]
mod host;
#[path = "abi/support.rs"]
mod support;

use host::{Callback, Fault, Host};
use queuecore::ffi::status::qc_status::{self, *};
use queuecore::ffi::usage::{qc_usage, qc_usage_create, qc_usage_create_child, qc_usage_destroy};
use queuecore::ffi::usage_count::{qc_usage_decrease, qc_usage_increase};
use queuecore::ffi::usage_events::{qc_usage_event, qc_usage_keep_events, qc_usage_set_listener};
use queuecore::ffi::usage_options::{qc_usage_options, qc_usage_options_init};
use queuecore::ffi::usage_read::qc_usage_usage;
use queuecore::ffi::usage_settings::qc_usage_set_marks;
use queuecore::ffi::usage_stats::{qc_usage_stats, qc_usage_stats as figures};
use queuecore::ffi::usage_wait::{qc_usage_notify_when_not_full, qc_usage_reserve_notify};
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

fn defaults() -> qc_usage_options {
    let mut options = MaybeUninit::uninit();
    // SAFETY: there is room for the options.
    assert_eq!(unsafe { qc_usage_options_init(options.as_mut_ptr(), size_of::<qc_usage_options>()) }, QC_OK);
    // SAFETY: the call has filled them.
    unsafe { options.assume_init() }
}

fn root(host: &Host, limit_bytes: u64) -> *mut qc_usage {
    let given = host.options(false);
    let (alloc, free, alloc_ctx) = (given.alloc, given.free, given.alloc_ctx);
    let options = qc_usage_options { limit_bytes, alloc, free, alloc_ctx, ..defaults() };
    let mut usage = ptr::null_mut();
    // SAFETY: good options, and a good place.
    assert_eq!(unsafe { qc_usage_create(&options, &mut usage) }, QC_OK);
    usage
}

fn child(parent: *mut qc_usage) -> Result<*mut qc_usage, qc_status> {
    let mut usage = ptr::null_mut();
    // SAFETY: good options, and a good place; the handle is the library's to judge.
    match unsafe { qc_usage_create_child(parent, &defaults(), &mut usage) } {
        QC_OK => Ok(usage),
        status => Err(status),
    }
}

fn increase(usage: *mut qc_usage, amount: u64) -> qc_status {
    // SAFETY: a handle for the library to judge.
    unsafe { qc_usage_increase(usage, amount) }
}

fn destroy(usage: *mut qc_usage) -> qc_status {
    // SAFETY: a handle for the library to judge.
    unsafe { qc_usage_destroy(usage, ptr::null_mut()) }
}

fn usage(usage: *mut qc_usage) -> Result<i64, qc_status> {
    let mut bytes = 77;
    // SAFETY: a handle for the library to judge, and a good place.
    match unsafe { qc_usage_usage(usage, &mut bytes) } {
        QC_OK => Ok(bytes),
        status => {
            assert_eq!(bytes, 77, "a failed call writes nothing");
            Err(status)
        }
    }
}

unsafe extern "C-unwind" fn no_notice(_: *mut c_void, _: qc_status) {}

/// A call by name.
type Step = (&'static str, fn(*mut qc_usage) -> qc_status);

/// Each call that may come to an allocator, on a tracker that is full.
fn steps() -> [Step; 5] {
    [
        ("create_child", |usage| child(usage).map_or_else(|status| status, destroy)),
        // SAFETY: a handle for the library to judge.
        ("set_marks", |usage| unsafe { qc_usage_set_marks(usage, 10, 20) }),
        // SAFETY: as above.
        ("keep_events", |usage| unsafe { qc_usage_keep_events(usage) }),
        // SAFETY: as above; the callback takes any context.
        ("notify", |usage| unsafe {
            qc_usage_notify_when_not_full(usage, Some(no_notice), ptr::null_mut(), &mut 0)
        }),
        // SAFETY: as above.
        ("reserve", |usage| unsafe {
            qc_usage_reserve_notify(usage, 1, Some(no_notice), ptr::null_mut(), &mut 0)
        }),
    ]
}

#[test]
fn an_allocator_that_panics_poisons_the_one_handle() {
    host::hush();
    for (name, step) in steps() {
        let host = Host::default();
        let tree = root(&host, 0);
        let (victim, other) = (child(tree).expect("there is memory"), child(tree).expect("there is memory"));
        // SAFETY: a good handle.
        assert_eq!(unsafe { queuecore::ffi::usage_settings::qc_usage_set_limit(victim, 100) }, QC_OK);
        assert_eq!(increase(victim, 100), QC_OK);
        assert_eq!(increase(other, 5), QC_OK);
        host.fail(Callback::Alloc, Fault::Panic, 0);
        assert_eq!(step(victim), QC_ERR_PANIC, "{name}");
        assert!(support::last_error().contains("panicked"), "{name}: {}", support::last_error());
        assert_eq!(increase(victim, 1), QC_ERR_POISONED, "{name}");
        assert_eq!(usage(victim), Err(QC_ERR_POISONED), "{name}");
        assert_eq!(step(victim), QC_ERR_POISONED, "{name}");
        // The tree goes on.
        assert_eq!(increase(other, 5), QC_OK, "{name}");
        assert_eq!(usage(other), Ok(10), "{name}");
        assert_eq!(destroy(victim), QC_OK, "{name}");
        assert_eq!(destroy(victim), QC_ERR_DESTROYED, "{name}");
        assert_eq!(usage(tree), Ok(10), "{name}");
        assert_eq!((destroy(other), destroy(tree)), (QC_OK, QC_OK), "{name}");
        assert!(host.0.borrow().blocks.is_empty(), "{name}: all is given back");
        assert_eq!(host.0.borrow().wrong, 0, "{name}");
    }
}

thread_local! {
    static HEARD: Cell<u32> = const { Cell::new(0) };
}

unsafe extern "C-unwind" fn panics(_: *mut c_void, _: *const qc_usage_event) {
    HEARD.set(HEARD.get() + 1);
    panic!("the listener was told to panic");
}

#[test]
fn a_listener_that_panics_harms_nobody() {
    host::hush();
    let host = Host::default();
    let tree = root(&host, 100);
    // SAFETY: a good handle, and a listener that needs no context.
    assert_eq!(unsafe { qc_usage_set_listener(tree, Some(panics), ptr::null_mut(), None) }, QC_OK);
    for step in 1..=10 {
        assert_eq!(increase(tree, 1), QC_OK, "the call itself is done");
        assert_eq!(HEARD.get(), step);
    }
    // SAFETY: a good handle.
    assert_eq!(unsafe { qc_usage_decrease(tree, 10) }, QC_OK);
    let mut stats = figures { struct_size: size_of::<figures>() as u32, ..Default::default() };
    // SAFETY: a good handle, and room for the figures.
    assert_eq!(unsafe { qc_usage_stats(tree, &mut stats) }, QC_OK);
    assert_eq!(stats.tree_listener_panics, 11);
    assert_eq!(stats.usage_bytes, 0);
    assert_eq!(destroy(tree), QC_OK);
    assert!(host.0.borrow().blocks.is_empty());
}
