//! Queues of events, and memory: how much there is room for, that all of it comes back, and what happens when there
//! is none.
//!
//! `Scarce` stands for a host's allocator: it fills blocks with rubbish, before and after use.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
#![allow(clippy::disallowed_types)] // The types of the standard library will do in a test.

#[path = "usage_model/mod.rs"]
mod parts;
#[allow(dead_code)] // Each test program uses a part of it.
#[path = "model/scarce.rs"]
mod scarce;

use queuecore::usage::{Error, Event, Marks, Notified, Options, Stats, Tracker, Waited};
use scarce::Scarce;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

fn limited(limit_bytes: u64) -> Options {
    Options { limit_bytes, ..Options::default() }
}

fn root(limit_bytes: u64) -> Tracker {
    Tracker::new(limited(limit_bytes)).expect("valid options")
}

fn child(parent: &Tracker, limit_bytes: u64) -> Tracker {
    parent.child(limited(limit_bytes)).expect("valid options")
}

/// All that may not change when a call is refused.
fn state(tracker: &Tracker) -> (Stats, bool, u64, bool) {
    let stats = tracker.stats();
    // Looking for room may cost work, which is counted, and may recall credit.
    let stats = Stats {
        committed_bytes: 0,
        slack_bytes: 0,
        active_stripes: 0,
        stripes: 0,
        tree_active_stripes: 0,
        tree_refills: 0,
        tree_recalls: 0,
        tree_crossings: 0,
        bytes_in_use: 0,
        bytes_peak: 0,
        ..stats
    };
    (stats, tracker.is_full(), tracker.limit_bytes(), tracker.is_over_mark())
}

// Events

#[test]
fn a_queue_holds_as_many_events_as_it_has_room_for_and_merges_the_rest() {
    for capacity in [1, 2, 3, 64] {
        let tracker = Tracker::new(Options { event_capacity: capacity, tag: 5, ..limited(100) })
            .expect("valid options");
        assert_eq!(tracker.keep_events(), Ok(()));
        for _ in 0..90 {
            assert_eq!(tracker.increase(1), Ok(()));
        }
        let mut events = vec![Event::default(); 100];
        let count = tracker.poll_events(&mut events);
        assert_eq!(count, capacity as usize);
        let mut at = 0;
        for event in &events[..count] {
            assert_eq!((event.tag, event.old), (5, at));
            at = event.new;
        }
        assert_eq!(at, 90);
        assert_eq!(tracker.stats().tree_merged_events, 90 - u64::from(capacity));
        assert_eq!(tracker.poll_events(&mut events), 0, "they are taken");
    }
}

#[test]
fn events_begin_and_end_with_those_who_take_them() {
    let tracker = root(100);
    assert_eq!(tracker.increase(10), Ok(()));
    let mut events = [Event::default(); 8];
    assert_eq!(tracker.poll_events(&mut events), 0, "nobody keeps them");
    assert_eq!(tracker.keep_events(), Ok(()));
    assert_eq!(tracker.poll_events(&mut events), 0, "nothing is reported on registration");
    assert_eq!(tracker.increase(10), Ok(()));
    assert_eq!(tracker.poll_events(&mut []), 0);
    assert_eq!(tracker.poll_events(&mut events), 1);
    assert_eq!((events[0].old, events[0].new), (10, 20));
    assert_eq!(tracker.increase(10), Ok(()));
    assert_eq!(tracker.clear_events(), Ok(()));
    assert_eq!(tracker.poll_events(&mut events), 0, "those that wait are gone");
    assert_eq!(tracker.increase(10), Ok(()));
    let count = Arc::new(AtomicU64::new(0));
    let to = count.clone();
    let listener = move |event: Event| {
        assert_eq!((event.old, event.new), (40, 50));
        to.fetch_add(1, Ordering::Relaxed);
    };
    assert_eq!(tracker.set_listener(Arc::new(listener)), Ok(()));
    assert_eq!(tracker.increase(10), Ok(()));
    assert_eq!(tracker.poll_events(&mut events), 0, "a listener takes them");
    assert_eq!(count.load(Ordering::Relaxed), 1);
    assert_eq!(tracker.clear_events(), Ok(()));
    assert_eq!(Arc::strong_count(&count), 1, "the listener is let go");
    assert_eq!(tracker.increase(10), Ok(()));
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn the_descriptor_is_readable_while_there_are_events_to_poll() {
    if cfg!(miri) {
        return;
    }
    let parent = root(100);
    let tracker = child(&parent, 10);
    let descriptor = tracker.event_descriptor().expect("the system has one");
    assert_eq!(parent.event_descriptor(), Ok(descriptor), "it is the tree's");
    let is_readable = || {
        let mut poll = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
        // SAFETY: one record, which the kernel fills in.
        let count = unsafe { libc::poll(&mut poll, 1, 0) };
        assert!(count >= 0);
        count == 1 && poll.revents & libc::POLLIN != 0
    };
    let mut one = [Event::default()];
    assert!(!is_readable());
    assert_eq!((tracker.keep_events(), parent.keep_events()), (Ok(()), Ok(())));
    assert!(!is_readable());
    assert_eq!(tracker.increase(1), Ok(()));
    assert!(is_readable());
    assert_eq!(tracker.poll_events(&mut one), 1);
    assert!(is_readable(), "there is one left");
    assert_eq!(parent.poll_events(&mut one), 1);
    assert!(!is_readable());
    assert_eq!(parent.poll_events(&mut one), 0);
    assert_eq!(tracker.decrease(1), Ok(()));
    assert!(is_readable());
    assert_eq!((tracker.clear_events(), parent.clear_events()), (Ok(()), Ok(())));
    assert_eq!(parent.poll_events(&mut one), 0);
    assert!(!is_readable(), "after they were cleared and asked for");
}

// Memory

#[test]
fn a_quiet_tracker_takes_at_most_256_bytes() {
    const COUNT: u64 = 1000;
    let parent = root(1 << 40);
    drop(child(&parent, 0));
    let before = parent.stats().bytes_in_use;
    let children: Vec<Tracker> = (0..COUNT).map(|_| child(&parent, 1 << 30)).collect();
    for child in &children {
        assert_eq!((child.increase(1000), child.percent(), child.is_full()), (Ok(()), 0, false));
    }
    let each = (parent.stats().bytes_in_use - before).div_ceil(COUNT);
    assert!(each <= 256, "{each} bytes each");
    assert_eq!(parent.usage_bytes(), 1_000_000);
    drop(children);
    let after = parent.stats();
    assert!(after.bytes_in_use <= before + 4096, "{} bytes before, {after:?}", before);
    assert_eq!((after.children, after.usage_bytes), (0, 0));
}

#[test]
fn trackers_that_come_and_go_give_everything_back() {
    const COUNT: u64 = if cfg!(miri) { 60 } else { 10_000 };
    let memory = Scarce::plenty();
    let parent =
        Tracker::new(Options { allocator: Some(memory.clone()), ..limited(1 << 40) }).expect("valid");
    let mut in_use = 0;
    for n in 0..COUNT {
        let tracker = child(&parent, 100);
        tracker.start();
        assert_eq!(tracker.increase(n), Ok(()));
        if n % 4 == 0 {
            assert_eq!(tracker.keep_events(), Ok(()));
            assert_eq!(tracker.set_marks(Some(Marks { low: 1, high: 2 })), Ok(()));
            let notified = tracker.notify_when_not_full(|_| {});
            assert_eq!(notified, Ok(if n >= 100 { Notified::Later } else { Notified::NotFull }));
            assert_eq!(tracker.set_usage_bytes(n as i64 + 200), Ok(()));
        }
        drop(tracker);
        if n == COUNT / 10 {
            in_use = memory.figures().bytes;
        }
    }
    let figures = memory.figures();
    assert_eq!(figures.bytes, in_use, "{figures:?}");
    assert_eq!((parent.usage_bytes(), parent.stats().waiters, parent.stats().children), (0, 0, 0));
    drop(parent);
    let figures = memory.figures();
    assert_eq!((figures.bytes, figures.foul, figures.given), (0, 0, figures.taken_back), "{figures:?}");
}

#[test]
fn the_figures_are_those_of_the_allocator() {
    let memory = Scarce::plenty();
    let parent = Tracker::new(Options { allocator: Some(memory.clone()), ..limited(1000) }).expect("valid");
    let agree = || {
        let (stats, figures) = (parent.stats(), memory.figures());
        assert_eq!(
            (stats.bytes_in_use, stats.bytes_peak),
            (figures.bytes, figures.peak_bytes),
            "{figures:?}"
        );
    };
    agree();
    let first = child(&parent, 100);
    agree();
    assert_eq!((first.keep_events(), first.increase(150)), (Ok(()), Ok(())));
    agree();
    assert_eq!(first.notify_when_not_full(|_| {}), Ok(Notified::Later));
    agree();
    drop(first);
    agree();
}

/// The calls that may need memory, in a tree of three levels. Answers what failed.
fn script(memory: &Arc<Scarce>, given: &Arc<Mutex<Vec<Waited>>>) -> Vec<Error> {
    let mut errors = Vec::new();
    let root = match Tracker::new(Options { allocator: Some(memory.clone()), ..limited(1 << 40) }) {
        Ok(root) => root,
        Err(error) => return vec![error],
    };
    let mut trackers = vec![root];
    let mut expected = vec![0_i64];
    let mut notices = 0;
    for step in 0..24 {
        let at = step % trackers.len();
        let before: Vec<_> = trackers.iter().map(state).collect();
        let result = match step % 6 {
            0 | 1 => {
                let child = trackers[at].child(Options { event_capacity: 40, ..limited(1 << 30) });
                child.map(|child| {
                    trackers.push(child);
                    expected.push(0);
                })
            }
            2 => trackers[at].keep_events(),
            3 => trackers[at].set_listener(Arc::new(|_: Event| {})),
            4 => trackers[at].set_marks(Some(Marks { low: 50, high: 90 })),
            _ => {
                assert_eq!(trackers[at].set_usage_bytes(1 << 41), Ok(()), "it needs no memory");
                let full: Vec<_> = trackers.iter().map(state).collect();
                let to = given.clone();
                let notified = trackers[at].notify_when_not_full(move |reason| {
                    to.lock().unwrap_or_else(PoisonError::into_inner).push(reason);
                });
                notices += usize::from(notified == Ok(Notified::Later));
                if notified.is_err() {
                    assert_eq!(trackers.iter().map(state).collect::<Vec<_>>(), full);
                }
                assert_eq!(trackers[at].set_usage_bytes(expected[at]), Ok(()));
                assert_eq!(given.lock().unwrap_or_else(PoisonError::into_inner).len(), notices);
                notified.map(drop)
            }
        };
        if let Err(error) = result {
            assert_eq!(trackers.iter().map(state).collect::<Vec<_>>(), before, "step {step}");
            errors.push(error);
        }
        // What never fails does not, with memory or without.
        for (tracker, expected) in trackers.iter().zip(&mut expected) {
            for amount in [1, 1000, 100_000] {
                assert_eq!(tracker.increase(amount), Ok(()));
                assert_eq!(tracker.try_reserve(amount), Ok(true));
                *expected += 2 * amount as i64;
            }
            assert_eq!(tracker.decrease(50), Ok(()));
            *expected -= 50;
            assert_eq!(tracker.stats().own_bytes, *expected);
        }
        assert_eq!(trackers[0].usage_bytes(), expected.iter().sum::<i64>());
    }
    for (tracker, expected) in trackers.into_iter().zip(expected) {
        assert_eq!(tracker.destroy(), expected);
    }
    assert!(
        given.lock().unwrap_or_else(PoisonError::into_inner).iter().all(|&reason| reason == Waited::Done)
    );
    errors
}

#[test]
fn without_memory_nothing_changes_and_nothing_leaks() {
    let requests = {
        let memory = Scarce::plenty();
        assert_eq!(script(&memory, &Arc::default()), []);
        memory.figures().requests
    };
    assert!(requests > 10, "{requests}");
    let mut failures = 0;
    for count in [1, 2, u64::MAX] {
        for from in 1..=requests {
            let memory = Scarce::failing(from, count);
            let given = Arc::default();
            let errors = script(&memory, &given);
            failures += errors.len();
            assert!(errors.iter().all(|&error| error == Error::NoMemory), "{errors:?}");
            let figures = memory.figures();
            assert!(figures.refused > 0, "request {from}: {figures:?}");
            assert_eq!((figures.bytes, figures.foul), (0, 0), "request {from}: {figures:?}");
            assert_eq!(Arc::strong_count(&given), 1, "a callback was not dropped");
        }
    }
    assert!(failures as u64 > requests, "{failures} of {requests}");
}
