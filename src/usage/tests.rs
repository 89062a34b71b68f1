//! Tests that look inside: which way operations take, and what the invariants say afterwards.
#![allow(clippy::expect_used, clippy::disallowed_types, reason = "tests, on the real types alone")]

use super::invariants::check;
use super::node::Node;
use super::*;

fn limited(limit_bytes: u64) -> Tracker {
    Tracker::new(Options { limit_bytes, ..Options::default() }).expect("the options are in range")
}

fn unlimited() -> Options {
    Options::default()
}

#[test]
fn what_is_counted_is_counted_on_every_level() {
    let root = limited(123_000_000_000);
    let child = root.child(Options { share_ppm: 1_000_000, ..Options::default() }).expect("in range");
    for _ in 0..10_000 {
        child.increase(1_024).expect("in range");
        assert!(!child.is_full());
        assert_eq!(child.percent(), 0);
        assert!(!root.is_full());
    }
    assert_eq!(root.usage_bytes(), 10_240_000);
    assert_eq!(child.usage_exact_bytes(), 10_240_000);
    for _ in 0..10_000 {
        child.decrease(1_024).expect("in range");
    }
    assert_eq!((root.usage_bytes(), child.usage_bytes()), (0, 0));
    check(&root);
    check(&child);
}

#[test]
fn steady_operations_are_served_from_the_stripe() {
    let root = limited(123_000_000_000);
    let child = root.child(unlimited()).expect("in range");
    child.increase(1_024).expect("in range");
    let before = root.stats().tree_refills;
    for _ in 0..100_000 {
        child.increase(1_024).expect("in range");
        child.decrease(1_024).expect("in range");
    }
    assert!(root.stats().tree_refills <= before + 1, "{:?}", root.stats());
    assert_eq!(child.stats().active_stripes, 1);
    check(&root);
}

#[test]
fn a_parent_has_a_share_of_its_own() {
    let root = limited(1_000_000);
    root.increase(500).expect("in range");
    let child = root.child(unlimited()).expect("in range");
    child.increase(70).expect("in range");
    root.increase(30).expect("in range");
    assert_eq!((root.usage_bytes(), root.stats().own_bytes, root.stats().children), (600, 530, 1));
    root.set_usage_bytes(7).expect("in range");
    assert_eq!((root.usage_bytes(), child.usage_bytes()), (77, 70));
    assert_eq!(child.destroy(), 70);
    assert_eq!(root.usage_bytes(), 7);
    check(&root);
    assert_eq!(root.destroy(), 7);
}

#[test]
fn a_parent_goes_before_its_child() {
    let root = limited(1_000_000);
    let middle = root.child(unlimited()).expect("in range");
    let leaf = middle.child(unlimited()).expect("in range");
    leaf.increase(100).expect("in range");
    middle.increase(11).expect("in range");
    assert_eq!(middle.destroy(), 11);
    leaf.increase(1).expect("in range");
    assert_eq!(root.usage_bytes(), 101);
    assert_eq!(leaf.destroy(), 101);
    assert_eq!((root.usage_bytes(), root.stats().children), (0, 0));
    check(&root);
}

#[test]
fn steps_are_told_in_an_unbroken_chain() {
    let root = limited(1_000);
    let events = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    root.set_listener(Arc::new(move |event: Event| {
        seen.lock().expect("no panic").push((event.old, event.new))
    }))
    .expect("there is memory");
    root.increase(999).expect("in range");
    root.increase(1).expect("in range");
    root.decrease(1).expect("in range");
    root.set_limit_bytes(2_000).expect("in range");
    assert_eq!(*events.lock().expect("no panic"), [(0, 99), (99, 100), (100, 99), (99, 49)]);
    check(&root);
}

#[test]
fn a_reservation_fits_or_leaves_no_trace() {
    let root = limited(1_000);
    let child = root.child(unlimited()).expect("in range");
    assert!(child.try_reserve(999).expect("in range"));
    assert!(!child.try_reserve(2).expect("in range"));
    assert!(child.try_reserve(1).expect("in range"));
    assert!(root.is_full() && child.is_full());
    assert_eq!(child.reserve_wait(1, Some(Duration::ZERO)), Ok(Waited::TimedOut));
    assert_eq!(child.wait_for_space(Some(Duration::from_millis(1)), 100), Ok(Waited::TimedOut));
    assert_eq!(root.stats().waiters, 0);
    child.decrease(1_000).expect("in range");
    check(&root);
    check(&child);
}

#[test]
fn waiters_are_woken_by_the_release() {
    let root = limited(1_000);
    root.increase(1_000).expect("in range");
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| root.wait_for_space(None, 100));
        let reserves = scope.spawn(|| root.reserve_wait(500, None));
        while root.stats().waiters < 2 {
            std::thread::yield_now();
        }
        root.decrease(600).expect("in range");
        assert_eq!(waits.join().expect("no panic"), Ok(Waited::Done));
        assert_eq!(reserves.join().expect("no panic"), Ok(Waited::Done));
    });
    assert_eq!(root.usage_bytes(), 900);
    let (ready, told) = std::sync::mpsc::channel();
    assert_eq!(root.notify_when_not_full(|_| {}), Ok(Notified::NotFull));
    root.increase(100).expect("in range");
    assert_eq!(
        root.notify_when_not_full(move |why| ready.send(why).expect("waited for")),
        Ok(Notified::Later)
    );
    root.decrease(1).expect("in range");
    assert_eq!(told.try_recv(), Ok(Waited::Done));
    check(&root);
}

#[test]
fn memory_comes_back() {
    let root = limited(1_000);
    let empty = root.stats().bytes_in_use;
    let children: Vec<_> = (0..100).map(|_| root.child(unlimited()).expect("in range")).collect();
    let each = (root.stats().bytes_in_use - empty) as f64 / 101.0;
    assert!(each <= 256.0, "{each} bytes for a quiet tracker");
    drop(children);
    assert_eq!(
        root.stats().bytes_in_use,
        empty + size_of::<Node>() as u64,
        "the share node of the root stays"
    );
}

/// A handle goes while others count on the tracker: the reservation that waited there ends, and who waited behind it is
/// served, with every gate open.
#[test]
fn a_reservation_that_ends_with_its_handle_leaves_no_gate_shut() {
    let root = limited(1_000);
    root.increase(900).expect("in range");
    let child = root.child(unlimited()).expect("in range");
    let user = Tracker::user_of(child.node()).expect("the handle is there");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| user.reserve_wait(500, None));
        while root.stats().waiters < 1 {
            std::thread::yield_now();
        }
        let behind = scope.spawn(|| root.reserve_wait(100, None));
        while root.stats().waiters < 2 {
            std::thread::yield_now();
        }
        assert_eq!(child.destroy(), 0, "the user still counts on it");
        assert_eq!(first.join().expect("no panic"), Ok(Waited::Destroyed));
        assert_eq!(behind.join().expect("no panic"), Ok(Waited::Done));
    });
    assert_eq!((root.usage_bytes(), root.is_full()), (1_000, true));
    check(&root);
}
