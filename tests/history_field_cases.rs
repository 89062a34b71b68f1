//! What people who run brokers ran into, each reduced to calls on a history: the cases 1 to 10 of the list of
//! field cases, by number. `W` is the window; the resolution is 1 ns, so a tick is a nanosecond.
//!
//! The resident set of case 10 is measured in `history_rss.rs`, which has a process of its own.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod model;

use model::setup::key;
use queuecore::history::{
    Collected, Entry, Erased, Error, GcPolicy, History, Inserted, Key, Options, Overflow, Presence,
    Visibility,
};

const W: i64 = 120;

fn options() -> Options {
    Options { window_ns: W, resolution_ns: 1, ..Options::default() }
}

fn history(options: Options) -> History {
    History::new(options).expect("valid options")
}

/// Inserts at its own time; the key must be new.
fn add(history: &mut History, key: Key, now_ns: i64) -> Entry {
    match history.insert(&key, &[], now_ns, now_ns) {
        Ok(Inserted::Added(entry)) => entry,
        other => panic!("insert of {key:?} at {now_ns}: {other:?}"),
    }
}

fn insert(history: &mut History, key: Key, now_ns: i64) -> Inserted {
    history.insert(&key, &[], now_ns, now_ns).expect("the times are in order")
}

fn collected(collected: u64, more: bool) -> Result<Collected, Error> {
    Ok(Collected { collected, more })
}

#[test]
fn case_1_duplicates_never_extend_the_window() {
    let mut history = history(options());
    let entry = add(&mut history, key(1), 0);
    assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
    assert_eq!(insert(&mut history, key(1), 60), Inserted::DuplicateHistory);
    assert_eq!(insert(&mut history, key(1), 119), Inserted::DuplicateHistory);
    assert!(matches!(insert(&mut history, key(1), 120), Inserted::Added(_)));
}

#[test]
fn case_2_an_expired_key_is_absent_without_any_gc() {
    let mut history = history(options());
    let entry = add(&mut history, key(1), 0);
    assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
    assert_eq!(history.contains(&key(1), 119), Ok(Presence::Historical));
    assert_eq!(history.contains(&key(1), 120), Ok(Presence::Absent));
}

#[test]
fn case_2_until_collected_keeps_an_expired_key_until_gc() {
    let mut history = history(Options { visibility: Visibility::UntilCollected, ..options() });
    let entry = add(&mut history, key(1), 0);
    assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
    assert_eq!(history.contains(&key(1), 120), Ok(Presence::Historical));
    assert_eq!(history.gc(120, 1), collected(1, false));
    assert_eq!(history.contains(&key(1), 120), Ok(Presence::Absent));
}

#[test]
fn case_3_an_erased_key_is_a_duplicate_at_once() {
    let mut history = history(options());
    let entry = add(&mut history, key(1), 0);
    assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
    assert_eq!(insert(&mut history, key(1), 2), Inserted::DuplicateHistory);
}

/// The ways in which an entry can be erased.
#[derive(Clone, Copy, Debug)]
enum By {
    Handle,
    Key,
    Walking,
    AfterExpiry,
}

fn erase_all_by(by: By, policy: GcPolicy) {
    const COUNT: u64 = 1000;
    let mut history = history(Options { gc: policy, ..options() });
    let entries: Vec<Entry> = (0..COUNT).map(|n| add(&mut history, key(n), 0)).collect();
    match by {
        By::Handle => {
            for &entry in &entries {
                assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
            }
        }
        By::Key => {
            for n in 0..COUNT {
                assert_eq!(history.erase_key(&key(n), 1), Ok(Erased::Historical));
            }
        }
        By::Walking => {
            let mut at = history.first();
            while let Some(entry) = at {
                at = history.next(entry).expect("live");
                assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
            }
        }
        By::AfterExpiry => {
            for &entry in &entries {
                assert_eq!(history.erase(entry, W), Ok(Erased::Gone));
            }
        }
    }
    let expired = if matches!(by, By::AfterExpiry) { 0 } else { COUNT };
    assert_eq!(history.live_len(), 0, "{by:?} {policy:?}");
    assert_eq!(history.history_len(), expired, "{by:?} {policy:?}");
    assert_eq!(history.gc(W, u64::MAX), collected(expired, false), "{by:?} {policy:?}");
    assert_eq!((history.live_len(), history.history_len()), (0, 0), "{by:?} {policy:?}");
    assert_eq!(history.stats().tombstones, 0, "{by:?} {policy:?}");
}

#[test]
fn case_4_nothing_is_left_however_entries_were_erased() {
    for by in [By::Handle, By::Key, By::Walking, By::AfterExpiry] {
        for policy in [GcPolicy::Scheduled, GcPolicy::OnDemand { batch: 10 }, GcPolicy::default()] {
            erase_all_by(by, policy);
        }
    }
}

#[test]
fn case_5_gc_counts_what_it_collects_and_says_when_it_is_done() {
    let mut history = history(options());
    for n in 0..1000 {
        let entry = add(&mut history, key(n), 0);
        assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
    }
    assert_eq!(history.gc(W, 1_000_000), collected(1000, false));
    assert_eq!(history.gc(W, 1_000_000), collected(0, false));
}

#[test]
fn case_6_clear_forgets_everything_and_gives_memory_back() {
    const COUNT: u64 = if cfg!(miri) { 200 } else { 100_000 };
    let mut history = history(Options { value_size: 16, ..options() });
    let empty = history.stats().bytes_in_use;
    let first = add(&mut history, key(0), 0);
    for n in 1..COUNT {
        let entry = add(&mut history, key(n), 0);
        if n % 2 == 0 {
            assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
        }
    }
    history.clear();
    let stats = history.stats();
    assert_eq!((stats.live_len, stats.history_len, stats.tombstones), (0, 0, 0));
    assert_eq!(history.first(), None);
    assert!(stats.bytes_in_use <= empty.max(stats.bytes_peak / 50), "{stats:?}, {empty} bytes when new");
    assert_eq!(history.info(first), Err(Error::StaleEntry { entry: first.to_bits() }));
    let again = add(&mut history, key(0), 1);
    assert_ne!(again, first);
    assert!(matches!(insert(&mut history, key(2), 1), Inserted::Added(_)), "an erased key is forgotten too");
}

#[test]
fn case_7_a_window_of_zero_keeps_no_history() {
    let mut history = history(Options { window_ns: 0, ..options() });
    let entry = add(&mut history, key(1), 0);
    assert_eq!(insert(&mut history, key(1), 0), Inserted::DuplicateLive(entry));
    assert_eq!(history.erase(entry, 0), Ok(Erased::Gone));
    add(&mut history, key(1), 0);
    assert_eq!(history.history_len(), 0);
}

#[test]
fn case_7_a_negative_window_is_refused() {
    let refused = History::new(Options { window_ns: -1, ..options() }).err();
    assert!(
        matches!(refused, Some(Error::OutOfRange { what: "window_ns", value: -1, min: 0, .. })),
        "{refused:?}"
    );
}

/// A history of at most two entries, with keys 1 and 2 in it and key 3 live.
fn full_history(overflow: Overflow) -> (History, Entry) {
    let mut history = history(Options { max_history: 2, overflow, ..options() });
    let entries = [1, 2, 3].map(|n| add(&mut history, key(n), 0));
    assert_eq!(history.erase(entries[0], 1), Ok(Erased::Historical));
    assert_eq!(history.erase(entries[1], 1), Ok(Erased::Historical));
    (history, entries[2])
}

#[test]
fn case_8_a_full_history_evicts_its_oldest() {
    let (mut history, third) = full_history(Overflow::EvictOldest);
    assert_eq!(history.erase(third, 1), Ok(Erased::Historical));
    assert_eq!(history.contains(&key(1), 1), Ok(Presence::Absent));
    assert_eq!(history.contains(&key(2), 1), Ok(Presence::Historical));
    assert_eq!(history.contains(&key(3), 1), Ok(Presence::Historical));
    assert_eq!(history.stats().evicted_early, 1);
    assert_eq!(history.history_len(), 2);
}

#[test]
fn case_8_a_full_history_rejects_and_changes_nothing() {
    let (mut history, third) = full_history(Overflow::Reject);
    assert_eq!(history.erase(third, 1), Err(Error::HistoryFull { limit: 2 }));
    assert_eq!(history.contains(&key(1), 1), Ok(Presence::Historical));
    assert_eq!(history.contains(&key(2), 1), Ok(Presence::Historical));
    assert_eq!(history.find(&key(3)), Some(third));
    assert_eq!((history.live_len(), history.history_len()), (1, 2));
    assert_eq!(history.stats().evicted_early, 0);
}

#[test]
fn case_9_each_old_entry_is_met_once_while_the_walk_erases_and_inserts() {
    const COUNT: u64 = 1000;
    let mut history = history(options());
    for n in 0..COUNT {
        add(&mut history, key(n), 0);
    }
    let last_old = history.last();
    let mut met = Vec::new();
    let mut at = history.first();
    while let Some(entry) = at {
        met.push(history.info(entry).expect("live").key);
        at = if last_old == Some(entry) { None } else { history.next(entry).expect("live") };
        assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
        add(&mut history, key(COUNT + met.len() as u64), 1);
    }
    assert!(met.iter().copied().eq((0..COUNT).map(key)), "each old one once, in order");
    let mut left = Vec::new();
    let mut at = history.first();
    while let Some(entry) = at {
        left.push(history.info(entry).expect("live").key);
        at = history.next(entry).expect("live");
    }
    assert!(left.iter().copied().eq((1..=COUNT).map(|n| key(COUNT + n))), "then the new ones, in order");
}

#[test]
fn case_10_memory_goes_back_when_everything_has_expired() {
    const COUNT: u64 = if cfg!(miri) { 300 } else { 300_000 };
    let mut history = history(Options { value_size: 16, ..options() });
    for n in 0..COUNT {
        let entry = add(&mut history, key(n), 0);
        if n % 3 > 0 {
            assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
        }
    }
    assert_eq!(history.erase_all_live(1), Ok(COUNT.div_ceil(3)));
    while history.gc(W, 1000).expect("in order").more {}
    let stats = history.stats();
    assert_eq!((stats.live_len, stats.history_len), (0, 0));
    assert_eq!(stats.collected_total, COUNT);
    if !cfg!(miri) {
        assert!(stats.bytes_in_use * 50 <= stats.bytes_peak, "{stats:?}");
    }
}
