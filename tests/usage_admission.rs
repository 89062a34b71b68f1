//! Nobody is admitted beyond a limit, and nobody is refused below it, however many ask at once.
//!
//! `make check-usage` makes `USAGE_ATTEMPTS` attempts.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
#![allow(clippy::disallowed_types)] // The types of the standard library will do in a test.

#[path = "usage_model/mod.rs"]
mod parts;
#[allow(dead_code)] // Each test program uses a part of it.
#[path = "model/scarce.rs"]
mod scarce;

use parts::threads::{Progress, Random, count};
use queuecore::usage::{Options, Tracker};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::thread;

const THREADS: usize = 4;

fn root(limit_bytes: u64) -> Tracker {
    Tracker::new(Options { limit_bytes, ..Options::default() }).expect("valid options")
}

fn child(parent: &Tracker, limit_bytes: u64) -> Tracker {
    parent.child(Options { limit_bytes, ..Options::default() }).expect("valid options")
}

const ATTEMPTS: u64 = if cfg!(miri) { 400 } else { 200_000 };

/// What is held at least: counted after an admission and before a release.
struct Held {
    bytes: AtomicI64,
    limit: u64,
}

impl Held {
    fn add(&self, amount: u64) {
        let held = self.bytes.fetch_add(amount as i64, Ordering::AcqRel) + amount as i64;
        assert!(self.limit == 0 || held <= self.limit as i64, "{held} bytes are reserved of {}", self.limit);
    }

    fn take(&self, amount: u64) {
        self.bytes.fetch_sub(amount as i64, Ordering::AcqRel);
    }
}

/// Threads reserve and release on two children at the limits of their parent and their own. A `part` of all attempts.
fn nobody_is_admitted_beyond(limits: [u64; 3], most: u64, part: u64) {
    let (attempts, daily) = (count("USAGE_ATTEMPTS", ATTEMPTS) / part, ATTEMPTS / part);
    let each = attempts.div_ceil(THREADS as u64);
    let progress = Progress::new("attempts to reserve", attempts, daily);
    let parent = root(limits[0]);
    let children = [child(&parent, limits[1]), child(&parent, limits[2])];
    let held = limits.map(|limit| Held { bytes: AtomicI64::new(0), limit });
    let (admitted, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (tracker, of_all, own) = (&children[number % 2], &held[0], &held[1 + number % 2]);
            let (progress, admitted, refused) = (&progress, &admitted, &refused);
            scope.spawn(move || {
                let mut random = Random::new(number as u64);
                let mut holds: Vec<u64> = Vec::new();
                let (mut yes, mut no) = (0, 0);
                let release = |amount| {
                    of_all.take(amount);
                    own.take(amount);
                    assert_eq!(tracker.decrease(amount), Ok(()));
                };
                for attempt in 1..=each {
                    let amount = 1 + random.below(most);
                    let is_admitted = tracker.try_reserve(amount).expect("it is no large amount");
                    if is_admitted {
                        of_all.add(amount);
                        own.add(amount);
                        holds.push(amount);
                        yes += 1;
                    } else {
                        no += 1;
                    }
                    // The limit is met again and again: it takes refusals to release.
                    let releases =
                        if is_admitted { random.below(2) / (1 + random.below(2)) } else { random.below(3) };
                    (0..releases).filter_map(|_| holds.pop()).for_each(release);
                    if attempt % 1024 == 0 || attempt == each {
                        progress.add(if attempt % 1024 == 0 { 1024 } else { each % 1024 });
                    }
                }
                holds.into_iter().for_each(release);
                admitted.fetch_add(yes, Ordering::Relaxed);
                refused.fetch_add(no, Ordering::Relaxed);
            });
        }
    });
    progress.finish();
    assert_eq!((parent.usage_bytes(), parent.usage_exact_bytes(), parent.percent()), (0, 0, 0));
    let (yes, no) = (admitted.into_inner(), refused.into_inner());
    assert!(yes > attempts / 100 && no > attempts / 100, "{yes} admitted, {no} refused");
}

#[test]
fn nobody_is_admitted_beyond_a_small_limit() {
    nobody_is_admitted_beyond([100, 0, 0], 10, 4);
}

#[test]
fn nobody_is_admitted_beyond_the_limits_of_children() {
    nobody_is_admitted_beyond([1000, 700, 500], 100, 4);
}

#[test]
fn nobody_is_admitted_beyond_a_limit_with_room_for_credit() {
    nobody_is_admitted_beyond([1 << 20, 0, 1 << 19], 1 << 13, 4);
}

#[test]
fn nobody_is_admitted_beyond_a_wide_limit() {
    nobody_is_admitted_beyond([1 << 40, 1 << 39, 0], 1 << 33, 4);
}

/// Whoever asks for what there is room for gets it, though others, whose requests never fit, are being refused.
#[test]
fn nobody_is_refused_for_what_others_were_refused() {
    let daily = ATTEMPTS / 4;
    let attempts = count("USAGE_ATTEMPTS", ATTEMPTS) / 4;
    // For each of two limits.
    let each = attempts.div_ceil(2 * THREADS as u64);
    let progress = Progress::new("attempts beside refusals", attempts, daily);
    for limit in [400, 1 << 20] {
        let parent = root(limit);
        let children = [child(&parent, 0), child(&parent, limit * 2)];
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (tracker, progress) = (&children[number / 2], &progress);
                scope.spawn(move || {
                    let mut random = Random::new(number as u64);
                    for _ in 0..each {
                        if number % 2 == 0 {
                            let amount = 1 + random.below(limit / 2);
                            assert_eq!(
                                tracker.try_reserve(amount),
                                Ok(true),
                                "of {limit}, there is room for two"
                            );
                            assert_eq!(tracker.decrease(amount), Ok(()));
                        } else {
                            assert_eq!(tracker.try_reserve(limit + 1), Ok(false), "it never fits");
                        }
                    }
                    progress.add(each);
                });
            }
        });
        assert_eq!((parent.usage_bytes(), parent.usage_exact_bytes()), (0, 0));
    }
    progress.finish();
}
