//! Handles through the real calls: wrong ones, overlapping ones and calls from one's own callback.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "a row of calls has one reason to be sound")]
#![cfg(not(loom))]

#[path = "abi/host.rs"]
mod host;
#[path = "abi/support.rs"]
mod support;

use host::{Callback, Host};
use queuecore::ffi::history::{qc_history, qc_history_destroy};
use queuecore::ffi::history_read::qc_history_live_len;
use queuecore::ffi::status::qc_status::{self, *};
use std::cell::RefCell;
use std::ptr;
use std::rc::Rc;
use std::sync::mpsc;

fn live_len(history: *mut qc_history) -> Result<u64, qc_status> {
    let mut len = 77;
    // SAFETY: a handle for the library to judge, and a good place.
    match unsafe { qc_history_live_len(history, &mut len) } {
        QC_OK => Ok(len),
        status => {
            assert_eq!(len, 77, "a failed call writes nothing");
            Err(status)
        }
    }
}

fn destroy(history: *mut qc_history) -> qc_status {
    // SAFETY: a handle for the library to judge.
    unsafe { qc_history_destroy(history) }
}

#[test]
fn null_foreign_and_destroyed_handles_have_statuses_of_their_own() {
    assert_eq!(live_len(ptr::null_mut()), Err(QC_ERR_NULL_HANDLE));
    assert_eq!(support::last_error(), "self is NULL where a history is wanted");
    assert_eq!(destroy(ptr::null_mut()), QC_OK);

    let mut local = [0_u64; 64];
    let boxed = Box::new(5_u64);
    let strays = [
        local.as_mut_ptr().addr(),
        ptr::from_ref(&*boxed).addr(),
        destroy as fn(*mut qc_history) -> qc_status as usize,
        1,
        8,
        usize::MAX,
    ];
    for stray in strays {
        let stray: *mut qc_history = ptr::without_provenance_mut(stray);
        assert_eq!(live_len(stray), Err(QC_ERR_FOREIGN_HANDLE));
        assert!(
            support::last_error().contains(&format!("self = {:#x} ", stray.addr())),
            "{}",
            support::last_error()
        );
        assert_eq!(destroy(stray), QC_ERR_FOREIGN_HANDLE);
    }
    assert!(local.iter().all(|word| *word == 0));

    let history = support::create(&support::defaults());
    assert_eq!(live_len(history), Ok(0));
    assert_eq!(destroy(history), QC_OK);
    assert_eq!(live_len(history), Err(QC_ERR_DESTROYED));
    assert!(support::last_error().contains("is destroyed"), "{}", support::last_error());
    assert_eq!(destroy(history), QC_ERR_DESTROYED);
    let next = support::create(&support::defaults());
    assert_ne!(next, history, "a handle never comes twice");
    assert_eq!(live_len(history), Err(QC_ERR_DESTROYED));
    assert_eq!(destroy(next), QC_OK);
}

#[test]
fn a_handle_may_move_between_threads() {
    let history = support::create(&support::defaults());
    let address = history.addr();
    for number in 0..10 {
        std::thread::spawn(move || {
            support::insert(ptr::without_provenance_mut(address), number, 0).map(drop)
        })
        .join()
        .unwrap()
        .unwrap();
    }
    assert_eq!(live_len(history), Ok(10));
    assert_eq!(destroy(history), QC_OK);
}

/// Calls on the history while a callback of it runs, from the callback's thread or from another.
fn during(callback: Callback, call: impl FnMut(*mut qc_history) -> qc_status + 'static) -> qc_status {
    let host = Host::default();
    let history = support::create(&host.options(true));
    let seen = Rc::new(RefCell::new(None));
    let (note, mut call) = (seen.clone(), call);
    host.intrude(callback, move || *note.borrow_mut() = Some(call(history)));
    if callback == Callback::Free {
        assert_eq!(destroy(history), QC_OK);
    } else {
        support::insert(history, 1, 0).expect("the call that was intruded upon goes on");
        assert_eq!(live_len(history), Ok(1));
        assert_eq!(destroy(history), QC_OK);
    }
    assert_eq!(host.0.borrow().wrong, 0);
    seen.take().expect("the callback was called")
}

fn from_another_thread(history: *mut qc_history, call: fn(*mut qc_history) -> qc_status) -> qc_status {
    let address = history.addr();
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || send.send(call(ptr::without_provenance_mut(address))))
        .join()
        .unwrap()
        .unwrap();
    receive.recv().unwrap()
}

fn status_of_len(history: *mut qc_history) -> qc_status {
    live_len(history).err().unwrap_or(QC_OK)
}

#[test]
fn a_call_from_the_objects_own_callback_is_always_found_out() {
    for callback in [Callback::Alloc, Callback::Hash, Callback::Free] {
        assert_eq!(during(callback, status_of_len), QC_ERR_REENTRANT);
        assert!(support::last_error().contains("a callback may not call back"), "{}", support::last_error());
        assert_eq!(during(callback, destroy), QC_ERR_REENTRANT);
    }
}

#[test]
fn a_call_that_overlaps_another_threads_is_refused() {
    for callback in [Callback::Alloc, Callback::Hash, Callback::Free] {
        assert_eq!(during(callback, |history| from_another_thread(history, status_of_len)), QC_ERR_BUSY);
        assert_eq!(during(callback, |history| from_another_thread(history, destroy)), QC_ERR_BUSY);
    }
}

#[test]
fn a_callback_may_call_other_objects() {
    let other = support::create(&support::defaults());
    let status = during(Callback::Hash, move |_| support::insert(other, 5, 0).err().unwrap_or(QC_OK));
    assert_eq!(status, QC_OK);
    assert_eq!(live_len(other), Ok(1));
    assert_eq!(destroy(other), QC_OK);
}

#[test]
fn many_handles_at_once() {
    let histories: Vec<_> = (0..500).map(|_| support::create(&support::defaults())).collect();
    for (number, history) in histories.iter().enumerate() {
        for key in 0..number as u64 % 7 {
            support::insert(*history, key, 0).unwrap();
        }
    }
    for (number, history) in histories.iter().enumerate() {
        assert_eq!(live_len(*history), Ok(number as u64 % 7));
        assert_eq!(destroy(*history), QC_OK);
    }
}
