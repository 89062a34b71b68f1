//! No wake-up is lost, reservations that wait are served in the order in which they came, and a stop wakes all.
//!
//! `make check-usage` runs `USAGE_RACES` races. A test that finds a wait without end fails after two minutes.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
#![allow(clippy::disallowed_types)] // The types of the standard library will do in a test.

#[path = "usage_model/mod.rs"]
mod parts;
#[allow(dead_code)] // Each test program uses a part of it.
#[path = "model/scarce.rs"]
mod scarce;

use parts::threads::{LONG, Progress, Random, Turns, count};
use queuecore::usage::{Notified, Options, Tracker, Waited};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

fn root(limit_bytes: u64) -> Tracker {
    Tracker::new(Options { limit_bytes, ..Options::default() }).expect("valid options")
}

fn child(parent: &Tracker, limit_bytes: u64) -> Tracker {
    parent.child(Options { limit_bytes, ..Options::default() }).expect("valid options")
}

/// Waits, without a limit of time, until `condition` holds.
fn until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::sleep(Duration::from_micros(50));
    }
}

// Wake-ups

const RACES: u64 = if cfg!(miri) { 40 } else { 20_000 };

/// Two threads, again and again at the same time: one waits, one releases. `wait` is told the round. A `part` of all
/// races.
fn race(name: &'static str, part: u64, fill: impl Fn(), wait: impl Fn(u64) + Sync, release: impl Fn(u64)) {
    let (races, daily) = (count("USAGE_RACES", RACES) / part, RACES / part);
    let progress = Progress::new(name, races, daily);
    let turns = Turns::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random::new(1);
            for round in 0..races {
                turns.come_to(2 * round);
                random.dawdle();
                wait(round);
                turns.come_to(2 * round + 1);
                progress.add(1);
            }
        });
        let mut random = Random::new(2);
        for round in 0..races {
            fill();
            turns.come_to(2 * round);
            random.dawdle();
            release(round);
            turns.come_to(2 * round + 1);
        }
    });
    progress.finish();
}

/// A tree for races: the root, its child and another child.
fn three(limits: [u64; 3]) -> [Tracker; 3] {
    let parent = root(limits[0]);
    let children = [child(&parent, limits[1]), child(&parent, limits[2])];
    let [first, second] = children;
    [parent, first, second]
}

fn assert_idle(tracker: &Tracker) {
    let stats = tracker.stats();
    assert_eq!((stats.usage_bytes, stats.waiters, stats.waiting_bytes), (0, 0, 0), "{stats:?}");
}

#[test]
fn a_wait_for_space_never_misses_a_release() {
    for (limits, amount) in [([1000, 0, 0], 1000), ([0, 1 << 30, 0], 1 << 30)] {
        let [parent, first, _second] = three(limits);
        race(
            "releases against wait_for_space",
            4,
            || assert_eq!(first.increase(amount), Ok(())),
            |round| assert_eq!(first.wait_for_space(LONG, 100), Ok(Waited::Done), "round {round}"),
            |_| assert_eq!(first.decrease(amount), Ok(())),
        );
        assert_idle(&parent);
    }
}

/// The last small release is served from a stripe, and is the one that counts.
#[test]
fn a_wait_for_space_never_misses_a_small_release_by_another_child() {
    const LIMIT: u64 = 1 << 30;
    let [parent, first, second] = three([LIMIT, 0, 0]);
    assert_eq!(first.increase(LIMIT / 2), Ok(()));
    assert_eq!(second.increase(LIMIT / 2 - 50), Ok(()));
    race(
        "small releases against wait_for_space",
        2,
        || (0..50).for_each(|_| assert_eq!(second.increase(1), Ok(()))),
        |round| assert_eq!(first.wait_for_space(LONG, 100), Ok(Waited::Done), "round {round}"),
        |_| (0..50).for_each(|_| assert_eq!(second.decrease(1), Ok(()))),
    );
    assert_eq!(parent.stats().waiters, 0);
    assert_eq!(parent.usage_exact_bytes(), LIMIT as i64 - 50);
}

/// Space also comes from a higher limit, from a usage that is set, from a tracker that is destroyed.
#[test]
fn a_wait_for_space_never_misses_another_kind_of_release() {
    let [parent, first, _second] = three([1000, 0, 0]);
    let third = Mutex::new(None);
    race(
        "other releases against wait_for_space",
        1,
        || {
            assert_eq!(parent.set_limit_bytes(1000), Ok(()));
            assert_eq!(first.set_usage_bytes(0), Ok(()));
            let own = child(&parent, 0);
            assert_eq!(own.increase(600), Ok(()));
            assert_eq!(first.increase(400), Ok(()));
            *third.lock().unwrap_or_else(PoisonError::into_inner) = Some(own);
        },
        |round| assert_eq!(first.wait_for_space(LONG, 100), Ok(Waited::Done), "round {round}"),
        |round| match round % 3 {
            0 => assert_eq!(parent.set_limit_bytes(1001), Ok(())),
            1 => assert_eq!(first.set_usage_bytes(399), Ok(())),
            _ => drop(third.lock().unwrap_or_else(PoisonError::into_inner).take()),
        },
    );
    assert_eq!(parent.stats().waiters, 0);
}

#[test]
fn a_waiting_reservation_never_misses_a_release() {
    for limits in [[1000, 0, 0], [0, 1000, 0], [1000, 1000, 0]] {
        let [parent, first, _second] = three(limits);
        race(
            "releases against reserve_wait",
            3,
            || assert_eq!(first.increase(1000), Ok(())),
            |round| {
                assert_eq!(first.reserve_wait(700, LONG), Ok(Waited::Done), "round {round}");
                assert_eq!(first.decrease(700), Ok(()));
            },
            |_| {
                assert_eq!(first.decrease(600), Ok(()));
                assert_eq!(first.decrease(400), Ok(()));
            },
        );
        assert_idle(&parent);
    }
}

/// A reservation that is first in line gives up; the one behind it fits, and nobody releases anything.
#[test]
fn a_waiting_reservation_never_misses_that_the_one_before_it_gave_up() {
    let [parent, first, second] = three([1000, 0, 0]);
    assert_eq!(parent.increase(500), Ok(()));
    race(
        "the first in line gives up",
        4,
        || {},
        |round| {
            let timeout = Duration::from_micros(round % 50);
            assert_eq!(first.reserve_wait(900, Some(timeout)), Ok(Waited::TimedOut), "round {round}");
        },
        |round| {
            assert_eq!(second.reserve_wait(100, LONG), Ok(Waited::Done), "round {round}");
            assert_eq!(second.decrease(100), Ok(()));
        },
    );
    assert_eq!((parent.stats().waiters, parent.usage_exact_bytes()), (0, 500));
}

#[test]
fn a_notice_is_given_once_whatever_races_it() {
    let [parent, first, second] = three([1000, 0, 500]);
    let (given, expected) = (Arc::new(AtomicU64::new(0)), AtomicU64::new(0));
    race(
        "releases against notices",
        1,
        || assert_eq!(second.increase(1000), Ok(())),
        |round| {
            let to = given.clone();
            let notified = first.notify_when_not_full(move |reason| {
                assert_eq!(reason, Waited::Done);
                to.fetch_add(1, Ordering::AcqRel);
            });
            match notified {
                Ok(Notified::Later) => expected.fetch_add(1, Ordering::AcqRel),
                other => {
                    assert_eq!(other, Ok(Notified::NotFull), "round {round}");
                    0
                }
            };
        },
        |_| {
            assert_eq!(second.decrease(1), Ok(()));
            assert_eq!(second.decrease(999), Ok(()));
        },
    );
    assert_eq!(given.load(Ordering::Acquire), expected.load(Ordering::Acquire));
    assert_eq!(parent.stats().tree_listener_panics, 0);
    assert_idle(&parent);
}

#[test]
fn a_stop_is_never_missed() {
    let [parent, first, _second] = three([1000, 0, 0]);
    assert_eq!(parent.increase(1000), Ok(()));
    race(
        "stops against waits",
        2,
        || {
            parent.start();
            first.start();
        },
        |round| {
            let waited =
                if round % 2 == 0 { first.wait_for_space(LONG, 100) } else { first.reserve_wait(1, LONG) };
            assert_eq!(waited, Ok(Waited::Stopped), "round {round}");
        },
        |round| if round / 2 % 2 == 0 { parent.stop() } else { first.stop() },
    );
    assert_eq!((parent.stats().waiters, parent.stats().waiting_bytes), (0, 0));
}

// The line

/// Threads that wait with a reservation, in the order in which they came.
struct Line<'s, 'e> {
    scope: &'s thread::Scope<'s, 'e>,
    at: &'s Tracker,
    served: &'s Mutex<Vec<u64>>,
    waiting: u32,
}

impl<'s> Line<'s, '_> {
    /// One more, who is in line when this returns.
    fn join(&mut self, tracker: &'s Tracker, amount: u64) {
        let served = self.served;
        self.scope.spawn(move || {
            assert_eq!(tracker.reserve_wait(amount, LONG), Ok(Waited::Done));
            served.lock().unwrap_or_else(PoisonError::into_inner).push(amount);
        });
        self.waiting += 1;
        until(|| self.at.stats().waiters == self.waiting);
    }

    /// Releases so much, after which so many have been served.
    fn release(&mut self, tracker: &Tracker, amount: u64, served: u32) {
        assert_eq!(tracker.decrease(amount), Ok(()));
        self.waiting -= served;
        assert_eq!(self.at.stats().waiters, self.waiting, "whoever is admitted is so at once");
    }
}

fn served(served: &Mutex<Vec<u64>>, count: usize) -> Vec<u64> {
    until(|| served.lock().unwrap_or_else(PoisonError::into_inner).len() >= count);
    served.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[test]
fn reservations_are_served_in_the_order_in_which_they_came() {
    const COUNT: u64 = 20;
    let [parent, first, second] = three([1000, 0, 0]);
    let list = Mutex::new(Vec::new());
    assert_eq!(first.increase(1000), Ok(()));
    thread::scope(|scope| {
        let mut line = Line { scope, at: &parent, served: &list, waiting: 0 };
        // At both children, each with its own amount; none of them would be last if it came to size.
        let amounts: Vec<u64> = (0..COUNT).map(|n| 10 + n * 7 % COUNT).collect();
        for (n, &amount) in amounts.iter().enumerate() {
            line.join(if n % 3 == 0 { &second } else { &first }, amount);
        }
        assert_eq!(parent.stats().waiting_bytes, amounts.iter().sum::<u64>() as i64);
        for (n, &amount) in amounts.iter().enumerate() {
            line.release(&first, amount - 1, 0);
            line.release(&first, 1, 1);
            assert_eq!(served(&list, n + 1), amounts[..=n]);
        }
    });
    assert_eq!((parent.usage_bytes(), parent.stats().waiters), (1000, 0));
}

#[test]
fn a_large_reservation_in_front_is_not_starved_by_small_ones() {
    let [parent, first, second] = three([1000, 0, 0]);
    let list = Mutex::new(Vec::new());
    assert_eq!(first.increase(1000), Ok(()));
    thread::scope(|scope| {
        let mut line = Line { scope, at: &parent, served: &list, waiting: 0 };
        line.join(&first, 800);
        line.join(&second, 10);
        line.join(&first, 20);
        for _ in 0..7 {
            line.release(&first, 100, 0);
            assert_eq!(first.try_reserve(10), Ok(false), "the space is held");
            assert_eq!(second.try_reserve(10), Ok(false), "at another child too");
            assert_eq!(second.try_reserve(0), Ok(true), "nothing always fits");
            let waited = second.reserve_wait(5, Some(Duration::ZERO));
            assert_eq!(waited, Ok(Waited::TimedOut), "it would be the last in line");
        }
        assert_eq!(parent.usage_bytes(), 300, "and nobody sees what is held as used");
        assert_eq!(parent.wait_for_space(Some(Duration::ZERO), 100), Ok(Waited::Done), "nor waits for it");
        line.release(&first, 100, 1);
        assert_eq!(served(&list, 1), [800]);
        line.release(&first, 10, 1);
        assert_eq!(served(&list, 2), [800, 10]);
        line.release(&first, 20, 1);
        assert_eq!(served(&list, 3), [800, 10, 20]);
    });
    assert_eq!(parent.usage_exact_bytes(), 1000);
    assert_eq!((first.usage_bytes(), second.usage_bytes()), (990, 10));
}

/// A release that makes room for several serves all of them, and no more.
#[test]
fn one_release_serves_as_many_as_fit() {
    let tracker = root(1000);
    let list = Mutex::new(Vec::new());
    assert_eq!(tracker.increase(1000), Ok(()));
    thread::scope(|scope| {
        let mut line = Line { scope, at: &tracker, served: &list, waiting: 0 };
        for amount in [100, 200, 300, 400] {
            line.join(&tracker, amount);
        }
        line.release(&tracker, 650, 3);
        let mut three = served(&list, 3);
        three.sort_unstable();
        assert_eq!((three, tracker.usage_bytes()), (vec![100, 200, 300], 950));
        assert_eq!(tracker.try_reserve(50), Ok(false));
        line.release(&tracker, 350, 1);
        assert_eq!((served(&list, 4).len(), tracker.usage_bytes()), (4, 1000));
    });
}

/// The line moves on when a limit rises, when the first gives up, when its tracker stops.
#[test]
fn the_line_moves_on_without_a_release() {
    let [parent, first, second] = three([1000, 0, 0]);
    let list = Mutex::new(Vec::new());
    assert_eq!(parent.increase(500), Ok(()));
    thread::scope(|scope| {
        let mut line = Line { scope, at: &parent, served: &list, waiting: 0 };
        let stopped = scope.spawn(|| first.reserve_wait(600, LONG));
        until(|| parent.stats().waiters == 1);
        line.waiting = 1;
        line.join(&second, 100);
        first.stop();
        assert_eq!(stopped.join().expect("no panic"), Ok(Waited::Stopped));
        assert_eq!(served(&list, 1), [100]);
        line.waiting = 0;
        first.start();

        let gives_up = scope.spawn(|| first.reserve_wait(600, Some(Duration::from_millis(200))));
        until(|| parent.stats().waiters == 1 || gives_up.is_finished());
        line.waiting = 1;
        // It may have given up before the other one is in line; then that one is served at once.
        scope.spawn(|| {
            assert_eq!(second.reserve_wait(101, LONG), Ok(Waited::Done));
            list.lock().unwrap_or_else(PoisonError::into_inner).push(101);
        });
        assert_eq!(gives_up.join().expect("no panic"), Ok(Waited::TimedOut));
        assert_eq!(served(&list, 2), [100, 101]);
        line.waiting = 0;

        line.join(&first, 600);
        line.join(&second, 30);
        assert_eq!(parent.set_limit_bytes(1331), Ok(()));
        assert_eq!(served(&list, 4).len(), 4);
    });
    assert_eq!((parent.usage_exact_bytes(), parent.stats().waiters), (1331, 0));
}

/// Who waits for a reservation that no longer can be: a limit that falls below it does not leave it there for ever
/// once the limit rises again, and the others behind it are told when it goes.
#[test]
fn a_limit_that_falls_below_the_first_in_line_only_delays_it() {
    let tracker = root(1000);
    let list = Mutex::new(Vec::new());
    assert_eq!(tracker.increase(1000), Ok(()));
    thread::scope(|scope| {
        let mut line = Line { scope, at: &tracker, served: &list, waiting: 0 };
        line.join(&tracker, 500);
        assert_eq!(tracker.set_limit_bytes(400), Ok(()));
        line.release(&tracker, 1000, 0);
        assert_eq!(tracker.set_limit_bytes(500), Ok(()));
        assert_eq!(served(&list, 1), [500]);
    });
    assert_eq!(tracker.usage_exact_bytes(), 500);
}

#[test]
fn a_stop_wakes_all_who_wait_here_and_below() {
    let [parent, first, second] = three([1000, 2000, 0]);
    let other = root(10);
    assert_eq!((first.increase(1000), other.increase(10)), (Ok(()), Ok(())));
    let notices = Arc::new(Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let mut waits = Vec::new();
        for number in 0..12 {
            let tracker = [&parent, &first, &second][number % 3];
            waits.push(scope.spawn(move || {
                if number % 2 == 0 {
                    tracker.wait_for_space(LONG, 1 + number as i32 * 9)
                } else {
                    tracker.reserve_wait(1 + number as u64, LONG)
                }
            }));
        }
        let to = notices.clone();
        let notified = second.notify_when_not_full(move |reason| {
            to.lock().unwrap_or_else(PoisonError::into_inner).push(reason);
        });
        assert_eq!(notified, Ok(Notified::Later));
        until(|| parent.stats().waiters == 13);
        assert_eq!(first.stats().waiters, 4);
        parent.stop();
        for wait in waits {
            assert_eq!(wait.join().expect("no panic"), Ok(Waited::Stopped));
        }
    });
    assert_eq!(*notices.lock().unwrap_or_else(PoisonError::into_inner), [Waited::Stopped]);
    assert_eq!((parent.stats().waiters, parent.stats().waiting_bytes), (0, 0));
    // Everything else goes on.
    assert_eq!(second.wait_for_space(LONG, 100), Ok(Waited::Stopped));
    assert_eq!((second.increase(5), parent.usage_bytes()), (Ok(()), 1005));
    assert_eq!((first.decrease(1000), parent.usage_bytes()), (Ok(()), 5));
    assert_eq!((second.try_reserve(5), second.is_full(), second.percent()), (Ok(true), false, 0));
    parent.start();
    assert_eq!(second.wait_for_space(LONG, 100), Ok(Waited::Done));
    assert_eq!(second.reserve_wait(10, LONG), Ok(Waited::Done));
    assert_eq!(parent.usage_exact_bytes(), 20);
}

/// A wait over levels goes back to the first one when it had to sleep at another.
#[test]
fn a_wait_is_over_when_every_level_is_below() {
    let [parent, first, _second] = three([1000, 500, 0]);
    assert_eq!((first.increase(500), parent.increase(500)), (Ok(()), Ok(())));
    thread::scope(|scope| {
        let wait = scope.spawn(|| first.wait_for_space(LONG, 100));
        until(|| parent.stats().waiters == 1);
        assert_eq!(parent.increase(1), Ok(()));
        assert_eq!(first.decrease(1), Ok(()));
        assert_eq!(parent.stats().waiters, 1, "the parent is full");
        assert_eq!(first.increase(1), Ok(()));
        assert_eq!(parent.decrease(1), Ok(()));
        assert_eq!(parent.decrease(100), Ok(()));
        assert_eq!(parent.stats().waiters, 1, "the child is full");
        assert!(!wait.is_finished());
        assert_eq!(first.decrease(1), Ok(()));
        assert_eq!(wait.join().expect("no panic"), Ok(Waited::Done));
    });
    assert_eq!(parent.stats().waiters, 0);
}
