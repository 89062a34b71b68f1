//! What people who run brokers, or embed such parts, ran into, each reduced to calls on a meter: the cases 11 to 23 of
//! the list of field cases, by number.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
#![allow(clippy::disallowed_types)] // The types of the standard library will do in a test.

#[path = "usage_model/mod.rs"]
mod parts;
#[allow(dead_code)] // Each test program uses a part of it.
#[path = "model/scarce.rs"]
mod scarce;

use parts::threads::{LONG, Random, Turns};
use queuecore::usage::{Error, Event, MAX_AMOUNT, Marks, Options, Tracker, Waited};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

fn limited(limit_bytes: u64) -> Options {
    Options { limit_bytes, ..Options::default() }
}

fn root(limit_bytes: u64) -> Tracker {
    Tracker::new(limited(limit_bytes)).expect("valid options")
}

fn child(parent: &Tracker, limit_bytes: u64) -> Tracker {
    parent.child(limited(limit_bytes)).expect("valid options")
}

/// What a tracker told its listener, as (old, new).
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<(i32, i32)>>>);

impl Heard {
    fn listen(tracker: &Tracker) -> Heard {
        let heard = Heard::default();
        let to = heard.clone();
        assert_eq!(tracker.set_listener(Arc::new(move |event: Event| to.put(event))), Ok(()));
        heard
    }

    fn put(&self, event: Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((event.old, event.new));
    }

    fn all(&self) -> Vec<(i32, i32)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[test]
fn case_11_a_child_below_a_full_parent_is_full_and_shows_its_own_percent() {
    const LIMIT: u64 = 1_503_238_554;
    let parent = root(LIMIT);
    let child = child(&parent, LIMIT);
    assert_eq!(child.increase(366_732_408), Ok(()));
    assert_eq!(parent.increase(1_503_321_772 - 366_732_408), Ok(()));
    assert_eq!((child.percent(), parent.percent()), (24, 100));
    assert!(child.is_full() && parent.is_full());
    assert_eq!((child.usage_bytes(), parent.usage_bytes()), (366_732_408, 1_503_321_772));
}

#[test]
fn case_12_a_negative_level_is_counted_and_makes_no_room() {
    let tracker = root(1000);
    assert_eq!(tracker.increase(100), Ok(()));
    assert_eq!(tracker.decrease(100), Ok(()));
    assert_eq!(tracker.decrease(100), Ok(()));
    assert_eq!((tracker.usage_bytes(), tracker.usage_exact_bytes()), (-100, -100));
    assert_eq!(tracker.percent(), -10);
    assert_eq!(tracker.try_reserve(1050), Ok(false));
    assert_eq!(tracker.try_reserve(1001), Ok(false));
    assert_eq!(tracker.usage_bytes(), -100);
    assert_eq!(tracker.try_reserve(1000), Ok(true));
    assert_eq!(tracker.usage_bytes(), 900);
}

#[test]
fn case_13_an_increase_never_fails_and_free_space_never_wraps() {
    let tracker = root(100);
    assert_eq!(tracker.increase(100), Ok(()));
    assert_eq!(tracker.increase(50), Ok(()));
    assert_eq!((tracker.percent(), tracker.usage_bytes()), (150, 150));
    for amount in [20, 1, MAX_AMOUNT as u64] {
        assert_eq!(tracker.try_reserve(amount), Ok(false), "{amount}");
    }
    assert_eq!(tracker.usage_bytes(), 150);
}

#[test]
fn case_14_an_amount_that_is_negative_or_too_large_changes_nothing() {
    let parent = root(1000);
    let tracker = child(&parent, 1000);
    let heard = Heard::listen(&tracker);
    assert_eq!(tracker.increase(500), Ok(()));
    for amount in [(-1_i64) as u64, i64::MIN as u64, MAX_AMOUNT as u64 + 1, i64::MAX as u64] {
        let refused = Err(Error::Amount { value: amount });
        assert_eq!(tracker.increase(amount), refused);
        assert_eq!(tracker.decrease(amount), refused);
        assert_eq!(tracker.try_reserve(amount), Err(Error::Amount { value: amount }));
        assert_eq!(tracker.reserve_wait(amount, Some(Duration::ZERO)), Err(Error::Amount { value: amount }));
    }
    assert_eq!(tracker.increase(0), Ok(()));
    assert_eq!(tracker.decrease(0), Ok(()));
    assert_eq!(tracker.try_reserve(0), Ok(true));
    assert_eq!(tracker.usage_exact_bytes(), 500);
    assert_eq!(parent.usage_exact_bytes(), 500);
    assert_eq!(heard.all(), [(0, 50)]);
}

/// The daily part of it; `make check-usage` runs a million, in `usage_threads.rs`.
#[test]
fn case_15_no_wake_up_is_lost_between_check_and_sleep() {
    const ROUNDS: u64 = if cfg!(miri) { 20 } else { 5000 };
    let tracker = root(1000);
    let turns = Turns::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random::new(15);
            for round in 0..ROUNDS {
                turns.come_to(2 * round);
                random.dawdle();
                assert_eq!(tracker.wait_for_space(LONG, 100), Ok(Waited::Done), "round {round}");
                turns.come_to(2 * round + 1);
            }
        });
        let mut random = Random::new(16);
        for round in 0..ROUNDS {
            assert_eq!(tracker.increase(1000), Ok(()));
            turns.come_to(2 * round);
            random.dawdle();
            assert_eq!(tracker.decrease(1000), Ok(()));
            turns.come_to(2 * round + 1);
        }
    });
    assert_eq!((tracker.usage_bytes(), tracker.stats().waiters), (0, 0));
}

#[test]
fn case_16_waits_that_time_out_leave_nothing_behind() {
    const WAITS: usize = if cfg!(miri) { 8 } else { 250 };
    let top = root(1000);
    let middle = child(&top, 1000);
    let leaf = child(&middle, 1000);
    assert_eq!(leaf.increase(1000), Ok(()));
    thread::scope(|scope| {
        for number in 0..4 {
            let tracker = if number % 2 == 0 { &leaf } else { &top };
            scope.spawn(move || {
                for _ in 0..WAITS {
                    let waited = tracker.wait_for_space(Some(Duration::from_millis(5)), 100);
                    assert_eq!(waited, Ok(Waited::TimedOut));
                }
            });
        }
    });
    assert_eq!((top.stats().waiters, middle.stats().waiters, leaf.stats().waiters), (0, 0, 0));
    assert_eq!(leaf.decrease(1), Ok(()));
    assert_eq!(leaf.wait_for_space(Some(Duration::ZERO), 100), Ok(Waited::Done));
}

/// A crossing upwards that is still being told when the one downwards happens.
#[test]
fn case_17_the_last_crossing_wins_however_long_the_first_is_being_told() {
    let tracker = root(1000);
    let heard = Heard::default();
    let (entered, has_entered) = mpsc::channel();
    let (resume, may_resume) = mpsc::channel();
    let may_resume = Mutex::new(may_resume);
    let to = heard.clone();
    let listener = move |event: Event| {
        to.put(event);
        if event.new == 100 {
            entered.send(()).expect("the test listens");
            may_resume.lock().unwrap_or_else(PoisonError::into_inner).recv().expect("the test answers");
        }
    };
    assert_eq!(tracker.set_listener(Arc::new(listener)), Ok(()));
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(tracker.increase(1000), Ok(())));
        has_entered.recv().expect("the listener is called");
        assert!(tracker.is_full());
        assert_eq!(tracker.decrease(500), Ok(()));
        assert_eq!((tracker.is_full(), tracker.percent()), (false, 50), "before it is told");
        resume.send(()).expect("the listener waits");
    });
    assert_eq!((tracker.is_full(), tracker.percent()), (false, 50));
    assert_eq!(heard.all(), [(0, 100), (100, 50)]);
}

#[test]
fn case_18_at_the_very_limit_one_byte_decides() {
    let tracker = root(1000);
    assert_eq!(tracker.increase(999), Ok(()));
    assert_eq!((tracker.percent(), tracker.is_full()), (99, false));
    let heard = Heard::listen(&tracker);
    assert_eq!(tracker.try_reserve(1), Ok(true));
    assert_eq!((tracker.percent(), tracker.is_full()), (100, true));
    assert_eq!(tracker.try_reserve(1), Ok(false));
    assert_eq!(tracker.decrease(1), Ok(()));
    assert_eq!((tracker.percent(), tracker.is_full()), (99, false));
    assert_eq!(heard.all(), [(99, 100), (100, 99)]);
}

#[test]
fn case_19_marks_are_set_as_a_pair_at_run_time() {
    let tracker = root(1000);
    let set = |low, high| tracker.set_marks(Some(Marks { low, high }));
    let over_at = |usage| {
        assert_eq!(tracker.set_usage_bytes(usage), Ok(()));
        tracker.is_over_mark()
    };
    assert!(!over_at(900), "no marks, no mark to be over");
    assert!(!over_at(0));
    assert_eq!(set(50, 70), Ok(()));
    assert_eq!([699, 700, 500, 499, 699].map(over_at), [false, true, true, false, false]);
    assert_eq!(set(20, 30), Ok(()));
    assert!(tracker.is_over_mark(), "at 69 it is over 30");
    assert_eq!([299, 200, 199, 299, 300].map(over_at), [true, true, false, false, true]);
    assert_eq!(set(80, 90), Ok(()));
    assert!(!tracker.is_over_mark(), "at 30 it is below 80");
    assert_eq!([899, 900, 800, 799].map(over_at), [false, true, true, false]);
    assert!(over_at(950));
    assert!(matches!(set(71, 70), Err(Error::Contradiction { .. })));
    assert!(matches!(set(0, 70), Err(Error::OutOfRange { .. })));
    assert!(matches!(set(-5, -5), Err(Error::OutOfRange { .. })));
    assert!(tracker.is_over_mark(), "a refusal changes nothing");
    assert_eq!([800, 799].map(over_at), [true, false], "nor the marks");
    assert_eq!(set(70, 70), Ok(()), "one mark for both is a pair");
    assert_eq!(tracker.set_marks(None), Ok(()));
    assert!(!over_at(1000));
}

/// A listener that gives back what is too much. It is called for that as well, but not from within itself.
#[test]
fn case_20_a_listener_that_releases_is_not_called_from_within_itself() {
    let tracker = Arc::new(root(1000));
    let heard = Heard::default();
    let depth = AtomicUsize::new(0);
    let (to, inner) = (heard.clone(), Arc::downgrade(&tracker));
    let listener = move |event: Event| {
        assert_eq!(depth.fetch_add(1, Ordering::Relaxed), 0, "called from within itself by {event:?}");
        to.put(event);
        if event.new > 50 {
            let tracker = inner.upgrade().expect("the test has it");
            assert_eq!(tracker.decrease(100), Ok(()));
            assert_eq!(tracker.percent(), event.new - 10, "what it did is seen at once");
        }
        depth.fetch_sub(1, Ordering::Relaxed);
    };
    assert_eq!(tracker.set_listener(Arc::new(listener)), Ok(()));
    assert_eq!(tracker.increase(1000), Ok(()));
    assert_eq!(heard.all(), [(0, 100), (100, 90), (90, 80), (80, 70), (70, 60), (60, 50)]);
    assert_eq!((tracker.percent(), tracker.usage_bytes()), (50, 500));
    assert_eq!(tracker.stats().tree_listener_panics, 0);
}

#[test]
fn case_21_trackers_that_come_and_go_leave_nothing_behind() {
    const COUNT: u64 = if cfg!(miri) { 100 } else { 10_000 };
    let parent = root(1_000_000);
    let first = child(&parent, 1000);
    first.destroy();
    let before = parent.stats();
    for n in 0..COUNT {
        let tracker = child(&parent, 1000);
        tracker.start();
        assert_eq!(tracker.increase(n), Ok(()));
        if n % 3 > 0 {
            assert_eq!(tracker.set_listener(Arc::new(|_: Event| {})), Ok(()));
            assert_eq!(tracker.decrease(n / 2), Ok(()));
        }
        let expected = if n % 3 > 0 { n - n / 2 } else { n };
        assert_eq!(tracker.destroy(), expected as i64);
    }
    let after = parent.stats();
    assert_eq!((after.children, after.usage_bytes, after.waiters), (0, 0, 0));
    assert_eq!(after.tree_trackers, before.tree_trackers);
    assert_eq!(after.bytes_in_use, before.bytes_in_use);
}

/// Two children ask for more than the parent has, while what a third one holds is released.
#[test]
fn case_22_a_refusal_by_the_parent_that_races_the_last_release_leaves_no_trace() {
    const ROUNDS: u64 = if cfg!(miri) { 10 } else { 5000 };
    let parent = root(100);
    let children = [child(&parent, 100), child(&parent, 0), child(&parent, 100)];
    let turns = Turns::new(3);
    let admitted = AtomicU64::new(0);
    thread::scope(|scope| {
        for (number, tracker) in children.iter().enumerate() {
            let (turns, admitted, parent) = (&turns, &admitted, &parent);
            scope.spawn(move || {
                let mut random = Random::new(number as u64);
                for round in 0..ROUNDS {
                    if number == 0 {
                        assert_eq!(
                            tracker.try_reserve(100),
                            Ok(true),
                            "round {round}: the others are at rest"
                        );
                    }
                    turns.come_to(3 * round);
                    random.dawdle();
                    if number == 0 {
                        assert_eq!(tracker.decrease(100), Ok(()));
                    } else if tracker.try_reserve(60) == Ok(true) {
                        admitted.fetch_add(1, Ordering::Relaxed);
                        assert_eq!(tracker.decrease(60), Ok(()));
                    }
                    turns.come_to(3 * round + 1);
                    assert_eq!((tracker.usage_bytes(), parent.usage_bytes()), (0, 0), "round {round}");
                    assert!(!tracker.is_full() && parent.percent() == 0, "round {round}");
                    turns.come_to(3 * round + 2);
                }
            });
        }
    });
    assert_eq!(parent.usage_exact_bytes(), 0);
    let stats = parent.stats();
    assert_eq!((stats.committed_bytes, stats.slack_bytes, stats.waiters), (0, 0, 0), "{stats:?}");
    assert!(!parent.is_full());
}

/// Credit that threads hold is not lost to a reservation that needs it, and not found twice.
#[test]
fn case_23_the_last_byte_is_found_by_any_thread_and_once() {
    const ROUNDS: u64 = if cfg!(miri) { 3 } else { 200 };
    const THREADS: u64 = 8;
    let parent = root(1000);
    let children: Vec<Tracker> = (0..THREADS).map(|_| child(&parent, 0)).collect();
    let turns = Turns::new(THREADS);
    let admitted = AtomicU64::new(0);
    thread::scope(|scope| {
        for (number, tracker) in children.iter().enumerate() {
            let (turns, admitted, parent) = (&turns, &admitted, &parent);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    turns.come_to(4 * round);
                    for _ in 0..50 {
                        assert_eq!(tracker.increase(1), Ok(()));
                        assert_eq!(tracker.decrease(1), Ok(()));
                    }
                    let share = if number == 0 { 999 - 7 * 100 } else { 100 };
                    assert_eq!(tracker.increase(share), Ok(()));
                    turns.come_to(4 * round + 1);
                    if tracker.try_reserve(1) == Ok(true) {
                        admitted.fetch_add(1, Ordering::Relaxed);
                        turns.come_to(4 * round + 2);
                        assert_eq!(tracker.try_reserve(1), Ok(false));
                        turns.come_to(4 * round + 3);
                        assert_eq!(tracker.decrease(share + 1), Ok(()));
                    } else {
                        turns.come_to(4 * round + 2);
                        assert_eq!((tracker.try_reserve(1), parent.percent()), (Ok(false), 100));
                        turns.come_to(4 * round + 3);
                        assert_eq!(tracker.decrease(share), Ok(()));
                    }
                }
            });
        }
    });
    assert_eq!(admitted.load(Ordering::Relaxed), ROUNDS);
    assert_eq!(parent.usage_bytes(), 0);
}
