//! Every limit of the options and of arguments, and every error: what is just inside is taken, what is just outside is
//! refused with an error that says so, and a refusal changes nothing.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
#![allow(clippy::disallowed_types)] // A lock of the standard library will do in a test.

#[path = "usage_model/mod.rs"]
mod parts;
#[allow(dead_code)] // Each test program uses a part of it.
#[path = "model/scarce.rs"]
mod scarce;

use queuecore::usage::{
    Child, Error, Event, MAX_AMOUNT, MAX_DEPTH, MAX_EVENT_CAPACITY, MAX_LEVEL, MAX_LIMIT, MAX_TRACKERS,
    Marks, Options, Stats, Tracker, WHOLE_PPM, Waited,
};
use scarce::Scarce;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const LARGEST: u64 = MAX_AMOUNT as u64;

fn limited(limit_bytes: u64) -> Options {
    Options { limit_bytes, ..Options::default() }
}

fn root(limit_bytes: u64) -> Tracker {
    Tracker::new(limited(limit_bytes)).expect("valid options")
}

fn child(parent: &Tracker, limit_bytes: u64) -> Tracker {
    parent.child(limited(limit_bytes)).expect("valid options")
}

/// The sentence about an error must contain each of these.
fn assert_says(error: Error, words: &[&str]) {
    let sentence = error.to_string();
    for word in words {
        assert!(sentence.contains(word), "{sentence:?} does not say {word:?}");
    }
}

fn assert_out_of_range<T: std::fmt::Debug>(got: Result<T, Error>, name: &str, value: i128) {
    match got {
        Err(error @ Error::OutOfRange { what, value: named, min, max }) => {
            assert!(what.contains(name), "{error:?} does not name {name}");
            assert_eq!(named, value, "{error:?}");
            assert!(!(min..=max).contains(&value), "{error:?}");
            assert_says(error, &[what, &value.to_string(), &min.to_string(), &max.to_string()]);
        }
        other => panic!("{name} = {value}: {other:?}"),
    }
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

// Options

#[test]
fn the_bounds_are_those_of_the_design() {
    assert_eq!(MAX_AMOUNT, 1 << 56);
    assert_eq!(MAX_LEVEL, 1 << 61);
    assert_eq!(MAX_LIMIT, 1 << 62);
    assert_eq!((MAX_DEPTH, WHOLE_PPM), (16, 1_000_000));
    const { assert!(MAX_TRACKERS >= 100_000 && MAX_EVENT_CAPACITY >= 1000) };
}

#[test]
fn options_are_taken_up_to_their_bounds() {
    let parent = root(0);
    let both = |options: Options| {
        assert!(Tracker::new(options.clone()).is_ok());
        assert!(parent.child(options).is_ok());
    };
    for limit_bytes in [0, 1, MAX_LIMIT as u64] {
        both(limited(limit_bytes));
    }
    for min_delta_percent in [1, 100, u32::MAX] {
        both(Options { min_delta_percent, ..Options::default() });
    }
    for event_capacity in [1, MAX_EVENT_CAPACITY] {
        both(Options { event_capacity, ..Options::default() });
    }
    for max_stripes in [0, 1, 2, 3, 64, 1 << 20, u32::MAX] {
        both(Options { max_stripes, ..limited(1 << 40) });
    }
    for share_ppm in [1, WHOLE_PPM] {
        assert!(parent.child(Options { share_ppm, ..Options::default() }).is_ok());
    }
    assert_eq!(parent.stats().children, 0, "they are dropped");
}

#[test]
fn options_beyond_their_bounds_are_refused_and_named() {
    let parent = root(1000);
    let before = state(&parent);
    let both = |options: Options, name: &str, value: i128| {
        assert_out_of_range(Tracker::new(options.clone()).map(drop), name, value);
        assert_out_of_range(parent.child(options).map(drop), name, value);
    };
    for limit_bytes in [MAX_LIMIT as u64 + 1, u64::MAX] {
        both(limited(limit_bytes), "limit_bytes", limit_bytes.into());
    }
    both(Options { min_delta_percent: 0, ..Options::default() }, "min_delta_percent", 0);
    for event_capacity in [0, MAX_EVENT_CAPACITY + 1, u32::MAX] {
        both(Options { event_capacity, ..Options::default() }, "event_capacity", event_capacity.into());
    }
    for share_ppm in [WHOLE_PPM + 1, u32::MAX] {
        both(Options { share_ppm, ..Options::default() }, "share_ppm", share_ppm.into());
    }
    assert_eq!(state(&parent), before);
}

#[test]
fn a_share_stands_alone_and_below_a_parent() {
    let share = Options { share_ppm: 500_000, ..Options::default() };
    let refused = Tracker::new(share.clone()).map(drop);
    assert!(matches!(refused, Err(Error::Contradiction { .. })), "{refused:?}");
    let parent = root(1000);
    let refused = parent.child(Options { limit_bytes: 5, ..share.clone() }).map(drop);
    assert!(matches!(refused, Err(Error::Contradiction { .. })), "{refused:?}");
    assert_says(refused.expect_err("it is one"), &["share_ppm", "limit_bytes"]);
    let refused = parent.set_share_ppm(500_000);
    assert!(matches!(refused, Err(Error::Contradiction { .. })), "{refused:?}");
    assert_eq!(parent.child(share).map(|child| child.limit_bytes()), Ok(500));
}

/// Tracker has no Debug, so results of it are told by hand.
#[test]
fn a_share_follows_its_parent_until_a_limit_is_set() {
    let parent = root(1000);
    let share = |parent: &Tracker, share_ppm| {
        parent.child(Options { share_ppm, ..Options::default() }).expect("valid options")
    };
    let half = share(&parent, 500_000);
    let tenth = share(&half, 100_000);
    let all = share(&parent, WHOLE_PPM);
    let limits = || [half.limit_bytes(), tenth.limit_bytes(), all.limit_bytes()];
    assert_eq!(limits(), [500, 50, 1000]);
    assert_eq!(tenth.increase(25), Ok(()));
    assert_eq!((tenth.percent(), half.percent(), all.percent()), (50, 5, 0));
    assert_eq!(parent.set_limit_bytes(100), Ok(()));
    assert_eq!(limits(), [50, 5, 100]);
    assert_eq!((tenth.percent(), half.percent(), tenth.is_full()), (500, 50, true));
    assert_eq!(half.set_share_ppm(WHOLE_PPM), Ok(()));
    assert_eq!(limits(), [100, 10, 100]);
    assert_eq!(half.set_limit_bytes(400), Ok(()));
    assert_eq!(limits(), [400, 40, 100], "a child's limit may exceed its parent's");
    assert_eq!(parent.set_limit_bytes(5000), Ok(()));
    assert_eq!(limits(), [400, 40, 5000], "the tie is cut");
    assert_eq!(half.set_share_ppm(1), Ok(()));
    assert!(half.limit_bytes() >= 1, "a share of a limit is never no limit");
    assert_eq!(parent.set_limit_bytes(0), Ok(()));
    assert_eq!(limits(), [0, 0, 0], "a share of no limit is no limit");
    assert_eq!((tenth.percent(), tenth.is_full()), (0, false));
    assert_eq!(parent.set_limit_bytes(MAX_LIMIT as u64), Ok(()));
    assert_eq!(all.limit_bytes(), MAX_LIMIT as u64);
}

#[test]
fn settings_beyond_their_bounds_are_refused_and_change_nothing() {
    let parent = root(1000);
    let tracker = child(&parent, 100);
    assert_eq!(tracker.set_marks(Some(Marks { low: 50, high: 70 })), Ok(()));
    assert_eq!(tracker.increase(80), Ok(()));
    let before = (state(&tracker), state(&parent));
    assert!(tracker.is_over_mark());
    for limit in [MAX_LIMIT as u64 + 1, u64::MAX] {
        assert_out_of_range(tracker.set_limit_bytes(limit), "limit", limit.into());
    }
    for share in [0, WHOLE_PPM + 1, u32::MAX] {
        assert_out_of_range(tracker.set_share_ppm(share), "share", share.into());
    }
    assert_out_of_range(tracker.set_min_delta_percent(0), "min_delta", 0);
    for usage in [MAX_AMOUNT + 1, -MAX_AMOUNT - 1, i64::MAX, i64::MIN] {
        let refused = tracker.set_usage_bytes(usage);
        let Err(error @ Error::OutOfRange { what, value, .. }) = refused else { panic!("{refused:?}") };
        // The sign may be told, or not.
        assert!(what.contains("usage") && value.unsigned_abs() == usage.unsigned_abs().into(), "{error:?}");
    }
    for marks in [Marks { low: 0, high: 5 }, Marks { low: -7, high: -7 }, Marks { low: i32::MIN, high: 1 }] {
        let refused = tracker.set_marks(Some(marks));
        assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{refused:?}");
    }
    let refused = tracker.set_marks(Some(Marks { low: 71, high: 70 }));
    assert!(matches!(refused, Err(Error::Contradiction { .. })), "{refused:?}");
    for percent in [0, -1, i32::MIN] {
        let refused = tracker.wait_for_space(Some(Duration::ZERO), percent);
        assert!(matches!(refused, Err(Error::OutOfRange { what: "percent", min: 1, .. })), "{refused:?}");
    }
    assert_eq!((state(&tracker), state(&parent)), before);
    assert_eq!(tracker.wait_for_space(Some(Duration::ZERO), i32::MAX), Ok(Waited::Done));
    assert_eq!(tracker.wait_for_space(Some(Duration::ZERO), 1), Ok(Waited::TimedOut));
}

// Amounts and levels

#[test]
fn an_amount_goes_up_to_the_largest() {
    let parent = root(0);
    let tracker = child(&parent, 1 << 40);
    assert_eq!(tracker.increase(LARGEST), Ok(()));
    assert_eq!((tracker.usage_bytes(), parent.usage_bytes()), (MAX_AMOUNT, MAX_AMOUNT));
    assert_eq!(tracker.percent(), 6_553_600);
    assert_eq!(tracker.decrease(LARGEST), Ok(()));
    assert_eq!(parent.try_reserve(LARGEST), Ok(true));
    assert_eq!(parent.reserve_wait(LARGEST, Some(Duration::ZERO)), Ok(Waited::Done));
    assert_eq!(parent.set_usage_bytes(-MAX_AMOUNT), Ok(()));
    assert_eq!(parent.set_usage_bytes(MAX_AMOUNT), Ok(()));
    let before = (state(&tracker), state(&parent));
    for value in [LARGEST + 1, u64::MAX] {
        let error = Error::Amount { value };
        assert_eq!(tracker.increase(value), Err(error));
        assert_eq!(tracker.decrease(value), Err(error));
        assert_eq!(tracker.try_reserve(value), Err(error));
        assert_eq!(tracker.reserve_wait(value, None), Err(error));
        assert_says(error, &[&value.to_string(), &LARGEST.to_string()]);
    }
    assert_eq!((state(&tracker), state(&parent)), before);
}

/// A parent and its child, with the child at the upper end and one more byte refused by the one, the other, or both.
#[test]
fn a_level_goes_to_the_ends_of_the_range_and_no_further() {
    for is_down in [false, true] {
        for (own, below) in [(0, 32), (31, 1), (1, 31), (32, 0)] {
            let parent = root(0);
            let tracker = child(&parent, 1000);
            let heard = Arc::new(Mutex::new(Vec::new()));
            let change = |tracker: &Tracker, amount| {
                if is_down { tracker.decrease(amount) } else { tracker.increase(amount) }
            };
            for _ in 0..own {
                assert_eq!(change(&parent, LARGEST), Ok(()));
            }
            for _ in 0..below {
                assert_eq!(change(&tracker, LARGEST), Ok(()));
            }
            let to = heard.clone();
            let listener = move |event: Event| to.lock().unwrap_or_else(PoisonError::into_inner).push(event);
            assert_eq!(tracker.set_listener(Arc::new(listener)), Ok(()));
            let end = if is_down { -MAX_LEVEL } else { MAX_LEVEL };
            assert_eq!(parent.usage_bytes(), end);
            let before = (state(&tracker), state(&parent));
            for amount in [1, 1000, LARGEST] {
                for at in [&tracker, &parent] {
                    match change(at, amount) {
                        Err(error @ Error::Level { level, change }) => {
                            assert_eq!(level, end, "{error:?}");
                            assert_eq!(change.unsigned_abs(), amount, "{error:?}");
                            assert_says(error, &[&level.to_string(), &change.to_string()]);
                        }
                        other => panic!("{other:?}"),
                    }
                    assert_eq!((state(&tracker), state(&parent)), before);
                }
            }
            let none = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
            assert_eq!(none, [], "a call that failed was told of");
            assert_eq!(change(&tracker, 0), Ok(()));
            let back = if is_down { tracker.increase(1) } else { tracker.decrease(1) };
            assert_eq!((back, change(&tracker, 1)), (Ok(()), Ok(())), "back, and to the end again");
            assert_eq!((state(&tracker), state(&parent)), before);
        }
    }
}

#[test]
fn a_usage_that_is_set_stays_within_the_range_above() {
    let parent = root(0);
    let tracker = child(&parent, 0);
    for _ in 0..32 {
        assert_eq!(parent.increase(LARGEST), Ok(()));
    }
    let before = (state(&tracker), state(&parent));
    let refused = tracker.set_usage_bytes(1);
    assert!(matches!(refused, Err(Error::Level { .. })), "{refused:?}");
    assert_eq!((state(&tracker), state(&parent)), before);
    assert_eq!(tracker.set_usage_bytes(-5), Ok(()));
    assert_eq!(tracker.set_usage_bytes(0), Ok(()));
    assert_eq!(parent.set_usage_bytes(0), Ok(()), "from the very end, by more than an amount");
    assert_eq!((parent.usage_bytes(), parent.usage_exact_bytes()), (0, 0));
}

/// A level with room below its limit, but none within the range.
#[test]
fn a_reservation_stays_within_the_range() {
    let parent = root(0);
    let tracker = child(&parent, 0);
    for _ in 0..32 {
        assert_eq!(parent.increase(LARGEST), Ok(()));
    }
    let before = (state(&tracker), state(&parent));
    for at in [&tracker, &parent] {
        assert_eq!(at.try_reserve(1), Ok(false), "the documented errors do not speak of levels");
        assert_eq!(at.try_reserve(0), Ok(true));
        assert_eq!((state(&tracker), state(&parent)), before);
    }
}

/// Levels that are destroyed take off what they count, and that may bring a level beyond the range, where nothing is
/// promised but that it comes back.
#[test]
fn levels_beyond_the_range_come_back() {
    let parent = root(1000);
    let up: Vec<Tracker> = (0..6).map(|_| child(&parent, 0)).collect();
    let down: Vec<Tracker> = (0..6).map(|_| child(&parent, 0)).collect();
    for _ in 0..32 {
        for (up, down) in up.iter().zip(&down) {
            assert_eq!(up.increase(LARGEST), Ok(()));
            assert_eq!(down.decrease(LARGEST), Ok(()));
        }
    }
    assert_eq!(parent.usage_bytes(), 0);
    for tracker in down {
        assert_eq!(tracker.destroy(), -MAX_LEVEL);
    }
    assert!(parent.is_full() || parent.percent() != 0 || parent.usage_bytes() != 0);
    for tracker in up {
        assert_eq!(tracker.destroy(), MAX_LEVEL);
    }
    assert_eq!((parent.usage_bytes(), parent.usage_exact_bytes()), (0, 0));
    assert_eq!((parent.percent(), parent.is_full()), (0, false));
    assert_eq!((parent.increase(999), parent.is_full()), (Ok(()), false));
    assert_eq!((parent.increase(1), parent.is_full()), (Ok(()), true));
}

#[test]
fn a_percent_saturates_at_both_ends() {
    let tracker = root(1);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let to = heard.clone();
    let listener =
        move |event: Event| to.lock().unwrap_or_else(PoisonError::into_inner).push((event.old, event.new));
    assert_eq!(tracker.set_listener(Arc::new(listener)), Ok(()));
    let last = i64::from(i32::MAX) / 100;
    for (usage, percent) in [
        (last, last as i32 * 100),
        (last + 1, i32::MAX),
        (MAX_AMOUNT, i32::MAX),
        (-last, -(last as i32) * 100),
        (-last - 1, i32::MIN),
        (-MAX_AMOUNT, i32::MIN),
        (0, 0),
    ] {
        assert_eq!(tracker.set_usage_bytes(usage), Ok(()));
        assert_eq!((tracker.percent(), tracker.is_full()), (percent, usage > 0), "{usage}");
        assert_eq!(tracker.is_full_at(i32::MAX), percent == i32::MAX, "{usage}");
        assert!(tracker.is_full_at(i32::MIN), "{usage}");
    }
    let chain = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (whole, rest) = (last as i32 * 100, i32::MIN);
    assert_eq!(chain, [(0, whole), (whole, i32::MAX), (i32::MAX, -whole), (-whole, rest), (rest, 0)]);
}

/// 128-bit arithmetic: a hundredfold of these does not fit into 64 bits.
#[test]
fn percents_of_large_levels_do_not_overflow() {
    let tracker = root(MAX_LIMIT as u64);
    for n in 1..=32 {
        assert_eq!(tracker.increase(LARGEST), Ok(()));
        assert_eq!(tracker.percent(), n * 100 / 64);
    }
    assert_eq!((tracker.is_full(), tracker.is_full_at(50), tracker.is_full_at(51)), (false, true, false));
    assert_eq!(tracker.set_limit_bytes(MAX_LEVEL as u64), Ok(()));
    assert_eq!((tracker.percent(), tracker.is_full()), (100, true));
    assert_eq!(tracker.decrease(1), Ok(()));
    assert_eq!((tracker.percent(), tracker.is_full()), (99, false));
}

/// The step belongs to each level: 30 puts the full bound at 120 %.
#[test]
fn steps_move_the_bound_of_a_full_level() {
    for (step, full_at) in
        [(1, 100), (5, 100), (10, 100), (30, 120), (70, 140), (100, 100), (101, 101), (1000, 1000)]
    {
        let parent = root(0);
        let tracker =
            parent.child(Options { min_delta_percent: step, ..limited(100) }).expect("valid options");
        assert_eq!(tracker.increase(full_at - 1), Ok(()));
        assert!(!tracker.is_full(), "{step}");
        assert_eq!(u64::from(step) * ((full_at - 1) / u64::from(step)), tracker.percent() as u64, "{step}");
        assert_eq!(tracker.increase(1), Ok(()));
        assert_eq!((tracker.is_full(), tracker.percent()), (true, full_at as i32), "{step}");
        assert_eq!(tracker.try_reserve(1), Ok(false), "a reservation goes by the limit in bytes");
        assert_eq!(tracker.wait_for_space(Some(Duration::ZERO), 100), Ok(Waited::TimedOut));
        assert_eq!(tracker.decrease(1), Ok(()));
        assert_eq!(tracker.wait_for_space(Some(Duration::ZERO), 100), Ok(Waited::Done), "{step}");
    }
}

#[test]
fn a_reservation_that_never_fits_is_refused_at_once() {
    let parent = root(1000);
    let tracker = child(&parent, 2000);
    let below = child(&tracker, 500);
    for (at, amount, limit) in
        [(&parent, 1001, 1000), (&tracker, 1001, 1000), (&below, 501, 500), (&below, LARGEST, 500)]
    {
        match at.reserve_wait(amount, None) {
            Err(error @ Error::NeverFits { amount: named, limit: of }) => {
                assert_eq!(named, amount);
                assert!(of == limit || at.limit_bytes() < amount || of == 1000, "{error:?}");
                assert_says(error, &[&amount.to_string(), &of.to_string()]);
            }
            other => panic!("{amount}: {other:?}"),
        }
    }
    assert_eq!(tracker.reserve_wait(1000, None), Ok(Waited::Done), "to the last byte");
    assert_eq!(tracker.decrease(1000), Ok(()));
    assert_eq!(below.reserve_wait(500, None), Ok(Waited::Done));
    assert_eq!(below.reserve_wait(500, Some(Duration::ZERO)), Ok(Waited::TimedOut));
    assert_eq!(below.reserve_wait(0, Some(Duration::ZERO)), Ok(Waited::Done), "nothing always fits");
    assert_eq!((parent.usage_bytes(), parent.stats().waiters), (500, 0));
}

// The tree

#[test]
fn a_tree_has_so_many_levels_and_no_more() {
    let mut levels = vec![root(0)];
    while levels.len() < MAX_DEPTH as usize {
        let next = child(&levels[levels.len() - 1], 0);
        levels.push(next);
    }
    let deepest = &levels[levels.len() - 1];
    let before = (state(deepest), state(&levels[0]));
    match deepest.child(Options::default()).map(drop) {
        Err(error @ Error::TooMany { limit, .. }) => {
            assert_eq!(limit, MAX_DEPTH.into());
            assert_says(error, &[&MAX_DEPTH.to_string()]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((state(deepest), state(&levels[0])), before);
    assert_eq!(deepest.increase(1000), Ok(()));
    assert!(levels.iter().all(|level| level.usage_bytes() == 1000));
    assert_eq!(levels[0].set_limit_bytes(1000), Ok(()));
    assert!(levels.iter().all(|level| level.is_full() && level.try_reserve(1) == Ok(false)));
    // From the top down, each the last handle of the level above.
    let deepest = levels.pop().expect("it is there");
    for level in levels {
        assert_eq!(level.destroy(), 0);
    }
    assert_eq!((deepest.usage_bytes(), deepest.is_full()), (1000, true), "the levels above are still there");
    assert_eq!(deepest.destroy(), 1000);
}

#[test]
fn a_tree_has_so_many_trackers_and_no_more() {
    if cfg!(miri) {
        return;
    }
    let memory = Scarce::plenty();
    let parent =
        Tracker::new(Options { allocator: Some(memory.clone()), ..Options::default() }).expect("valid");
    let mut children = Vec::new();
    let refused = loop {
        match parent.child(Options::default()) {
            Ok(child) => children.push(child),
            Err(error) => break error,
        }
        assert!(children.len() < 2 * MAX_TRACKERS as usize);
    };
    match refused {
        Error::TooMany { limit, .. } => assert_eq!(limit, MAX_TRACKERS.into()),
        other => panic!("{other:?}"),
    }
    assert_eq!(parent.stats().tree_trackers, MAX_TRACKERS);
    assert_eq!(parent.stats().children as usize, children.len());
    children.pop();
    assert!(parent.child(Options::default()).is_ok(), "one may come for one that went");
    drop(children);
    assert_eq!(parent.stats().children, 0);
    drop(parent);
    assert_eq!((memory.figures().bytes, memory.figures().foul), (0, 0));
}

#[test]
fn children_are_listed_as_far_as_there_is_room() {
    let parent = root(1000);
    let children: Vec<Tracker> =
        (0..5).map(|tag| parent.child(Options { tag, ..limited(100) }).expect("valid options")).collect();
    for (n, child) in children.iter().enumerate() {
        assert_eq!(child.increase(10 * n as u64), Ok(()));
    }
    assert_eq!(parent.increase(7), Ok(()));
    for room in 0..8 {
        let mut listed = vec![Child { tag: 99, ..Child::default() }; room];
        assert_eq!(parent.children(&mut listed), 5);
        let mut tags: Vec<u64> = listed.iter().map(|child| child.tag).filter(|&tag| tag != 99).collect();
        assert_eq!(tags.len(), room.min(5));
        for child in listed.iter().filter(|child| child.tag != 99) {
            let percent = child.tag as i32 * 10;
            assert_eq!((child.usage_bytes, child.limit_bytes, child.percent), (percent.into(), 100, percent));
        }
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), room.min(5), "each once");
    }
    assert_eq!(children[0].children(&mut []), 0);
    let stats = parent.stats();
    assert_eq!((stats.children, stats.own_bytes, stats.usage_bytes), (5, 7, 107));
}
