//! Every limit of the options, of times and of arguments: what is just inside is taken, what is just outside is
//! refused with an error that names the argument and its value, and a refusal changes nothing.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod model;

use model::setup::key;
use queuecore::history::{
    Collected, Entry, Erased, Error, GcPolicy, History, Inserted, MAX_ENTRIES, MAX_GC_STEP, MAX_TIME_NS,
    MAX_VALUE_SIZE, Options, Overflow, Presence, Stats,
};

fn options() -> Options {
    Options { window_ns: 100, resolution_ns: 1, ..Options::default() }
}

fn history(options: Options) -> History {
    History::new(options).expect("valid options")
}

fn add(history: &mut History, n: u64, now_ns: i64) -> Entry {
    match history.insert(&key(n), &[], now_ns, now_ns) {
        Ok(Inserted::Added(entry)) => entry,
        other => panic!("insert of key {n} at {now_ns}: {other:?}"),
    }
}

/// The sentence about an error must contain each of these.
fn assert_says(error: Error, words: &[&str]) {
    let sentence = error.to_string();
    for word in words {
        assert!(sentence.contains(word), "{sentence:?} does not say {word:?}");
    }
}

/// Creation is refused because of this setting and value.
fn assert_refuses(what: &str, value: i128, options: Options) {
    match History::new(options).err() {
        Some(error @ Error::OutOfRange { what: named, value: got, min, max }) => {
            assert_eq!((named, got), (what, value));
            assert!(!(min..=max).contains(&got), "{got} lies between {min} and {max}");
            assert_says(error, &[what, &value.to_string(), &min.to_string(), &max.to_string()]);
        }
        other => panic!("{what} = {value}: {other:?}"),
    }
}

#[test]
fn the_window_is_0_to_the_largest_time() {
    for window_ns in [0, 1, MAX_TIME_NS] {
        history(Options { window_ns, ..options() });
    }
    for window_ns in [-1, i64::MIN, MAX_TIME_NS + 1, i64::MAX] {
        assert_refuses("window_ns", window_ns.into(), Options { window_ns, ..options() });
    }
}

#[test]
fn a_value_has_0_to_1024_bytes() {
    assert_eq!(MAX_VALUE_SIZE, 1024);
    for value_size in [0, 1, 1023, MAX_VALUE_SIZE] {
        assert_eq!(history(Options { value_size, ..options() }).value_size(), value_size);
    }
    for value_size in [MAX_VALUE_SIZE + 1, usize::MAX] {
        assert_refuses("value_size", value_size as i128, Options { value_size, ..options() });
    }
}

#[test]
fn the_resolution_is_at_least_1_and_0_means_1000() {
    for resolution_ns in [-1, i64::MIN] {
        assert_refuses("resolution_ns", resolution_ns.into(), Options { resolution_ns, ..options() });
    }
    let mut history = history(Options { resolution_ns: 0, window_ns: 1, ..options() });
    let entry = add(&mut history, 1, 1999);
    assert_eq!(history.info(entry).expect("live").inserted_at_ns, 1000, "insert times round down to 1000");
    assert_eq!(history.erase(entry, 1999), Ok(Erased::Historical), "the window of 1 ns rounds up to 1000");
    assert_eq!(history.contains(&key(1), 2000), Ok(Presence::Absent));
}

#[test]
fn negative_insert_times_round_down_too() {
    let mut history = history(Options { resolution_ns: 1000, window_ns: 1000, ..options() });
    let entry = add(&mut history, 1, -1);
    assert_eq!(history.info(entry).expect("live").inserted_at_ns, -1000);
    assert_eq!(history.erase(entry, -1), Ok(Erased::Historical));
    assert_eq!(history.contains(&key(1), 0), Ok(Presence::Absent), "now == expiry is expired");
}

#[test]
fn the_clock_step_is_not_negative() {
    for step in [-1, i64::MIN] {
        let options = Options { max_clock_step_ns: Some(step), ..options() };
        assert_refuses("max_clock_step_ns", step.into(), options);
    }
}

#[test]
fn limits_on_entries_lie_within_the_largest() {
    assert_eq!(MAX_ENTRIES, (1 << 31) - 1);
    for max_entries in [0, 1, MAX_ENTRIES] {
        history(Options { max_entries, ..options() });
    }
    for max_entries in [MAX_ENTRIES + 1, u64::MAX] {
        assert_refuses("max_entries", max_entries.into(), Options { max_entries, ..options() });
    }
}

#[test]
fn a_collection_step_has_a_limit() {
    for step in [1, MAX_GC_STEP] {
        history(Options { gc: GcPolicy::Steady { step }, ..options() });
        history(Options { gc: GcPolicy::OnDemand { batch: step }, ..options() });
    }
    for step in [MAX_GC_STEP + 1, u32::MAX] {
        let refused = |gc| History::new(Options { gc, ..options() }).err();
        for error in [refused(GcPolicy::Steady { step }), refused(GcPolicy::OnDemand { batch: step })] {
            let Some(error @ Error::OutOfRange { value, .. }) = error else { panic!("{step}: {error:?}") };
            assert_eq!(value, step.into());
            assert_says(error, &[&step.to_string(), &MAX_GC_STEP.to_string()]);
        }
    }
}

/// All that may not change when a call is refused.
fn state(history: &History) -> (Option<Entry>, Option<Entry>, Stats) {
    // Looking a key up is not a change, though it is counted as work.
    let stats = Stats { buckets_probed: 0, ..history.stats() };
    (history.first(), history.last(), stats)
}

/// Makes every call that takes `now`, and says what each one failed with.
fn calls_at(history: &mut History, entry: Entry, now_ns: i64) -> Vec<(&'static str, Option<Error>)> {
    let mut inserted = [None];
    let mut erased = [None];
    let mut present = [Presence::Absent];
    vec![
        ("insert", history.insert(&key(77), &[], 0, now_ns).err()),
        ("readmit", history.readmit(&key(77), &[], 0, now_ns).err()),
        ("insert_batch", history.insert_batch(&[key(77)], &[], &[0], now_ns, &mut inserted).1.err()),
        ("readmit_batch", history.readmit_batch(&[key(77)], &[], &[0], now_ns, &mut inserted).1.err()),
        ("contains", history.contains(&key(77), now_ns).err()),
        ("contains_batch", history.contains_batch(&[key(77)], now_ns, &mut present).err()),
        ("erase", history.erase(entry, now_ns).err()),
        ("erase_key", history.erase_key(&key(1), now_ns).err()),
        ("erase_batch", history.erase_batch(&[entry], now_ns, &mut erased).1.err()),
        ("erase_all_live", history.erase_all_live(now_ns).err()),
        ("gc", history.gc(now_ns, 10).err()),
    ]
}

#[test]
fn now_lies_within_the_range_of_times() {
    let mut history = history(Options { max_clock_step_ns: Some(0), ..options() });
    let entry = add(&mut history, 1, 0);
    let before = state(&history);
    for now_ns in [MAX_TIME_NS + 1, i64::MAX, -MAX_TIME_NS - 1, i64::MIN] {
        for (call, error) in calls_at(&mut history, entry, now_ns) {
            let error = error.unwrap_or_else(|| panic!("{call} at {now_ns} was taken"));
            assert_eq!(error, Error::TimeRange { what: "now_ns", time_ns: now_ns }, "{call}");
            assert_says(error, &["now_ns", &now_ns.to_string()]);
        }
        let refused = history.clock_reset(now_ns);
        assert_eq!(refused, Err(Error::TimeRange { what: "now_ns", time_ns: now_ns }), "clock_reset");
    }
    assert_eq!(state(&history), before);
    assert_eq!(history.contains(&key(1), MAX_TIME_NS), Ok(Presence::Live));
}

#[test]
fn now_may_jump_ahead_by_the_clock_step_and_no_further() {
    let hour_ns = 3_600_000_000_000;
    for (setting, step_ns) in [(None, hour_ns), (Some(1), 1), (Some(5000), 5000)] {
        let mut history = history(Options { max_clock_step_ns: setting, ..options() });
        let entry = add(&mut history, 1, 1000);
        let before = state(&history);
        let now_ns = 1000 + step_ns + 1;
        for (call, error) in calls_at(&mut history, entry, now_ns) {
            let error = error.unwrap_or_else(|| panic!("{call} at {now_ns} was taken"));
            assert_eq!(error, Error::ClockStep { now_ns, seen_ns: 1000, max_step_ns: step_ns }, "{call}");
            assert_says(error, &["now_ns", &now_ns.to_string(), "1000", &step_ns.to_string()]);
        }
        assert_eq!(state(&history), before);
        assert_eq!(history.contains(&key(1), now_ns - 1), Ok(Presence::Live), "a whole step is fine");
        assert_eq!(history.clock_reset(now_ns * 3), Ok(()), "and clock_reset takes any time");
        assert_eq!(history.contains(&key(1), now_ns * 3), Ok(Presence::Live));
    }
}

#[test]
fn the_first_time_and_a_step_of_0_know_no_limit() {
    let mut first = history(options());
    assert_eq!(first.contains(&key(1), MAX_TIME_NS), Ok(Presence::Absent));
    let mut free = history(Options { max_clock_step_ns: Some(0), ..options() });
    for now_ns in [-MAX_TIME_NS, 0, MAX_TIME_NS] {
        assert_eq!(free.gc(now_ns, 1), Ok(Collected::default()));
    }
}

#[test]
fn a_clock_that_runs_back_is_counted_and_held() {
    let mut history = history(Options { gc: GcPolicy::Scheduled, ..options() });
    let entry = add(&mut history, 1, 0);
    assert_eq!(history.erase(entry, 1), Ok(Erased::Historical));
    assert_eq!(history.contains(&key(1), 100), Ok(Presence::Absent));
    assert_eq!(history.stats().clock_regressions, 0);
    assert_eq!(history.contains(&key(1), 50), Ok(Presence::Absent), "expired at the largest time seen");
    assert_eq!(history.contains(&key(1), i64::MIN / 4), Ok(Presence::Absent));
    assert_eq!(history.stats().clock_regressions, 2);
    let inserted = history.insert(&key(2), &[], 100, 60);
    assert!(matches!(inserted, Ok(Inserted::Added(_))), "not in the future of the time held: {inserted:?}");
    assert_eq!(history.stats().clock_regressions, 3);
    assert_eq!(history.clock_reset(10), Ok(()));
    assert_eq!(
        history.contains(&key(1), 10),
        Ok(Presence::Historical),
        "the clock was wrong: not expired yet"
    );
    assert_eq!(history.stats().clock_regressions, 3, "a reset is no regression");
}

/// A batch has one `now`, so it is one call on a clock that runs back, whatever the number of elements.
#[test]
fn a_batch_at_an_earlier_time_is_one_regression() {
    let mut history = history(options());
    let keys = [key(1), key(2), key(3)];
    assert_eq!(history.contains(&key(1), 50), Ok(Presence::Absent));
    let (done, outcome) = history.insert_batch(&keys, &[], &[], 40, &mut [None; 3]);
    assert_eq!((done, outcome), (3, Ok(())));
    assert_eq!(history.stats().clock_regressions, 1, "insert_batch");
    let entries = keys.map(|key| history.find(&key).expect("just inserted"));
    assert_eq!(history.erase_batch(&entries[..2], 40, &mut [None; 2]), (2, Ok(())));
    assert_eq!(history.stats().clock_regressions, 2, "erase_batch");
    assert_eq!(history.contains_batch(&keys, 40, &mut [Presence::Absent; 3]), Ok(()));
    assert_eq!(history.stats().clock_regressions, 3, "contains_batch");
    assert_eq!(history.erase_all_live(40), Ok(1));
    assert_eq!(history.stats().clock_regressions, 4, "erase_all_live");
}

/// A window of 0 means no history, also when the clock was set back to before the insert.
#[test]
fn a_window_of_0_keeps_no_history_when_the_clock_was_set_back() {
    let mut history = history(Options { window_ns: 0, ..options() });
    let entry = add(&mut history, 1, 10);
    assert_eq!(history.clock_reset(5), Ok(()));
    assert_eq!(history.erase(entry, 5), Ok(Erased::Gone));
    assert_eq!(history.history_len(), 0);
    add(&mut history, 1, 5);
}

#[test]
fn insert_times_lie_within_the_range_and_not_after_now() {
    let mut history = history(options());
    add(&mut history, 1, 500);
    let before = state(&history);
    for (inserted_at_ns, now_ns) in [(501, 500), (501, 499), (MAX_TIME_NS, 500), (600, 599)] {
        for readmit in [false, true] {
            let got = if readmit {
                history.readmit(&key(2), &[], inserted_at_ns, now_ns)
            } else {
                history.insert(&key(2), &[], inserted_at_ns, now_ns)
            };
            let Err(error @ Error::InsertedInFuture { inserted_at_ns: named, .. }) = got else {
                panic!("{inserted_at_ns} at {now_ns}: {got:?}")
            };
            assert_eq!(named, inserted_at_ns);
            assert_says(error, &["inserted_at_ns", &inserted_at_ns.to_string(), "now_ns"]);
            assert_eq!(state(&history), before);
        }
    }
    for inserted_at_ns in [-MAX_TIME_NS - 1, i64::MIN] {
        let got = history.insert(&key(2), &[], inserted_at_ns, 500);
        let error = Error::TimeRange { what: "inserted_at_ns", time_ns: inserted_at_ns };
        assert_eq!(got, Err(error));
        assert_says(error, &["inserted_at_ns", &inserted_at_ns.to_string()]);
        assert_eq!(state(&history), before);
    }
    let oldest = history.insert(&key(2), &[], -MAX_TIME_NS, 500);
    let Ok(Inserted::Added(oldest)) = oldest else { panic!("{oldest:?}") };
    assert_eq!(history.info(oldest).expect("live").inserted_at_ns, -MAX_TIME_NS);
}

#[test]
fn the_longest_window_on_the_widest_times_does_not_wrap() {
    let mut history = history(Options { window_ns: MAX_TIME_NS, max_clock_step_ns: Some(0), ..options() });
    let early = history.insert(&key(1), &[], -MAX_TIME_NS, -MAX_TIME_NS);
    let Ok(Inserted::Added(early)) = early else { panic!("{early:?}") };
    assert_eq!(history.erase(early, -MAX_TIME_NS), Ok(Erased::Historical));
    assert_eq!(history.contains(&key(1), -1), Ok(Presence::Historical));
    let late = add(&mut history, 2, -1);
    assert_eq!(history.erase(late, -1), Ok(Erased::Historical));
    assert_eq!(history.contains(&key(1), 0), Ok(Presence::Absent));
    let last = add(&mut history, 3, MAX_TIME_NS - 2);
    assert_eq!(history.contains(&key(2), MAX_TIME_NS - 2), Ok(Presence::Historical));
    assert_eq!(history.contains(&key(2), MAX_TIME_NS - 1), Ok(Presence::Absent));
    assert_eq!(history.erase(last, MAX_TIME_NS), Ok(Erased::Historical), "expires beyond the end of time");
    assert_eq!(history.gc(MAX_TIME_NS, 10), Ok(Collected { collected: 0, more: false }));
    assert_eq!(history.contains(&key(3), MAX_TIME_NS), Ok(Presence::Historical));
}

#[test]
fn a_value_of_the_wrong_length_is_refused() {
    let mut history = history(Options { value_size: 16, ..options() });
    for len in [1, 15, 17, 1024] {
        let before = state(&history);
        let got = history.insert(&key(1), &vec![1; len], 0, 0);
        let Err(error @ Error::OutOfRange { value, .. }) = got else { panic!("{len} bytes: {got:?}") };
        assert_eq!(value, len as i128);
        assert_says(error, &["value", &len.to_string(), "16"]);
        assert_eq!(state(&history), before);
    }
    let entry = add(&mut history, 1, 0);
    assert_eq!(history.value(entry), Ok(&[0; 16][..]), "no value given: zeros");
}

#[test]
fn arrays_of_a_batch_have_one_length() {
    let mut history = history(Options { value_size: 4, ..options() });
    let before = state(&history);
    let keys = [key(1), key(2)];
    let mut two = [None; 2];
    let mut refuse = |values: &[u8], times: &[i64], results: &mut [Option<Inserted>]| {
        let (done, outcome) = history.insert_batch(&keys, values, times, 0, results);
        assert_eq!(done, 0, "{outcome:?}");
        let Err(error @ Error::OutOfRange { value, .. }) = outcome else { panic!("{outcome:?}") };
        assert_says(error, &[&value.to_string()]);
    };
    refuse(&[0; 7], &[], &mut two);
    refuse(&[0; 9], &[], &mut two);
    refuse(&[], &[0], &mut two);
    refuse(&[], &[0; 3], &mut two);
    refuse(&[], &[], &mut [None; 1]);
    let entry = Entry::from_bits(1).expect("not 0");
    assert!(matches!(history.erase_batch(&[entry], 0, &mut []), (0, Err(Error::OutOfRange { .. }))));
    assert!(matches!(history.contains_batch(&keys, 0, &mut []), Err(Error::OutOfRange { .. })));
    assert_eq!(state(&history), before);
    assert_eq!(history.insert_batch(&[], &[], &[], 0, &mut []), (0, Ok(())), "a batch of none is fine");
    assert_eq!(history.erase_batch(&[], 0, &mut []), (0, Ok(())));
    assert_eq!(history.contains_batch(&[], 0, &mut []), Ok(()));
}

#[test]
fn the_limit_on_entries_counts_live_and_historical_ones() {
    let mut history = history(Options { max_entries: 3, gc: GcPolicy::Scheduled, ..options() });
    let entries = [1, 2, 3].map(|n| add(&mut history, n, 0));
    assert_eq!(history.erase(entries[0], 0), Ok(Erased::Historical));
    let before = state(&history);
    let refused = history.insert(&key(4), &[], 0, 0);
    assert_eq!(refused, Err(Error::EntriesFull { limit: 3 }));
    assert_says(Error::EntriesFull { limit: 3 }, &["max_entries", "3"]);
    assert_eq!(state(&history), before);
    assert_eq!(history.insert(&key(2), &[], 0, 0), Ok(Inserted::DuplicateLive(entries[1])));
    let readmitted = history.readmit(&key(1), &[], 0, 0);
    assert!(matches!(readmitted, Ok(Inserted::Added(_))), "the number stays the same: {readmitted:?}");
    assert_eq!(history.forget(entries[1]), Ok(()));
    add(&mut history, 4, 0);
}

#[test]
fn the_limit_on_history_names_itself() {
    assert_says(Error::HistoryFull { limit: 25 }, &["max_history", "25"]);
    let options = Options { max_history: 1, gc: GcPolicy::Scheduled, ..options() };
    let mut history = history(options);
    let entries = [1, 2].map(|n| add(&mut history, n, 0));
    assert_eq!(history.erase(entries[0], 0), Ok(Erased::Historical));
    assert_eq!(history.erase(entries[1], 99), Err(Error::HistoryFull { limit: 1 }));
    assert_eq!(history.erase(entries[1], 100), Ok(Erased::Gone), "past its window it needs no room");
}

/// Evictions pass live heads of the log, within a bound that a wide margin around 64 shows.
#[test]
fn an_eviction_skips_a_bounded_number_of_live_heads() {
    for (live_heads, evicts) in [(0, true), (60, true), (200, false)] {
        let options = Options { max_history: 1, overflow: Overflow::EvictOldest, ..options() };
        let mut history = history(options);
        for n in 0..live_heads {
            add(&mut history, 1000 + n, 0);
        }
        let entries = [1, 2].map(|n| add(&mut history, n, 0));
        assert_eq!(history.erase(entries[0], 0), Ok(Erased::Historical));
        let expected = if evicts { Erased::Historical } else { Erased::Gone };
        assert_eq!(history.erase(entries[1], 0), Ok(expected), "{live_heads} live heads");
        let present = [1, 2].map(|n| history.contains(&key(n), 0).expect("in order"));
        let (gone, kept) = if evicts { (0, 1) } else { (1, 0) };
        assert_eq!(present[gone], Presence::Absent, "{live_heads} live heads");
        assert_eq!(present[kept], Presence::Historical, "{live_heads} live heads");
        assert_eq!((history.live_len(), history.history_len()), (live_heads, 1));
        assert_eq!(history.stats().evicted_early, 1);
    }
}

#[test]
fn handles_that_are_not_live_are_stale_everywhere() {
    let mut other = history(options());
    add(&mut other, 1, 0);
    let foreign = add(&mut other, 2, 0);
    let mut history = history(options());
    let erased = add(&mut history, 1, 0);
    assert_eq!(history.erase(erased, 0), Ok(Erased::Historical));
    let nowhere = [1, u64::MAX, 1 << 32, u64::from(u32::MAX), 0xffff_ffff_0000_0000];
    let nowhere = nowhere.map(|bits| Entry::from_bits(bits).expect("not 0"));
    let before = state(&history);
    for entry in nowhere.into_iter().chain([erased, foreign]) {
        let stale = Error::StaleEntry { entry: entry.to_bits() };
        assert_eq!(history.erase(entry, 0), Err(stale));
        assert_eq!(history.forget(entry), Err(stale));
        assert_eq!(history.next(entry), Err(stale));
        assert_eq!(history.prev(entry), Err(stale));
        assert_eq!(history.info(entry), Err(stale));
        assert_eq!(history.value(entry), Err(stale));
        assert_eq!(history.value_mut(entry), Err(stale));
        assert_eq!(history.value_ptr(entry), Err(stale));
        assert_eq!(history.erase_batch(&[entry], 0, &mut [None]), (0, Err(stale)));
        assert_says(stale, &[&format!("{:#x}", entry.to_bits())]);
    }
    assert_eq!(state(&history), before);
    assert_eq!(Entry::from_bits(0), None);
}

#[test]
fn keys_that_are_not_there_are_not_found() {
    let mut history = history(options());
    let entry = add(&mut history, 1, 0);
    assert_eq!(history.erase(entry, 0), Ok(Erased::Historical));
    assert_eq!(history.find(&key(1)), None, "historical keys are not found");
    assert_eq!(history.erase_key(&key(1), 0), Err(Error::NotFound));
    assert_eq!(history.erase_key(&key(2), 0), Err(Error::NotFound));
    assert_eq!(history.forget_key(&key(2)), Err(Error::NotFound));
    assert_says(Error::NotFound, &["key"]);
    assert_eq!(history.forget_key(&key(1)), Ok(()));
    assert_eq!(history.contains(&key(1), 0), Ok(Presence::Absent));
    assert!(matches!(history.insert(&key(1), &[], 0, 0), Ok(Inserted::Added(_))));
}
