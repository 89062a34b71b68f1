//! Random sequences of every call, compared step by step with the naive model of `tests/model`.
//!
//! Key spaces are small, so that the same keys come back live, historical, expired and forgotten. Times go
//! forward and back, up to expiries and clock limits and just beside them. After each call everything that can
//! be seen is compared; every few calls the live order is walked both ways. A failing sequence is shrunk and
//! printed; it is kept beside this file, with the ending
//! `proptest-regressions`, and tried first from then on.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod model;

use model::operation::{Which, Window};
use model::reference::Counters;
use model::{Answer, At, Model, Now, Op, Pair, Setup};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use queuecore::history::{Collected, Erased, GcPolicy, MAX_TIME_NS, Overflow, Visibility};
use std::collections::BTreeMap;
use std::ops::Range;

/// The live order is walked after every so many calls.
const WALK_EVERY: u64 = 8;

/// How many calls a long run has.
const LONG_RUN: Range<usize> = if cfg!(miri) { 40..80 } else { 500..1500 };

fn config(cases: u32) -> Config {
    // PROPTEST_CASES asks for more, in proportion.
    let cases = if cfg!(miri) { 2 } else { cases * Config::default().cases.div_ceil(256) };
    let mut config = Config { cases, max_shrink_iters: 100_000, ..Config::default() };
    let beside_this_file = FileFailurePersistence::WithSource("proptest-regressions");
    config.failure_persistence = Some(Box::new(beside_this_file));
    if cfg!(miri) {
        // Files are out of reach there.
        config.failure_persistence = None;
    }
    config
}

/// A seed of a run: which part of the options gets varied.
fn setups(limits: impl Strategy<Value = (u64, u64)>, keys: Range<u64>) -> impl Strategy<Value = Setup> {
    let windows = prop_oneof![
        2 => Just(0),
        3 => 1..20_i64,
        6 => 50..5_000_i64,
        3 => 10_000..10_000_000_i64,
        1 => MAX_TIME_NS - 3..=MAX_TIME_NS,
    ];
    let policies = prop_oneof![
        2 => Just(GcPolicy::Scheduled),
        2 => (1..12_u32).prop_map(|batch| GcPolicy::OnDemand { batch }),
        4 => (1..6_u32).prop_map(|step| GcPolicy::Steady { step }),
    ];
    let steps = prop_oneof![
        4 => Just(None),
        4 => Just(Some(0)),
        2 => select(vec![Some(1), Some(700), Some(100_000)]),
    ];
    (
        (windows, select(vec![1, 7, 333, 0, 1000]), steps, select(vec![0, 1, 8, 16, 24, 1024])),
        (policies, limits, keys, any::<u64>()),
        (
            select(vec![Visibility::UntilExpiry, Visibility::UntilCollected]),
            select(vec![Overflow::Reject, Overflow::EvictOldest]),
        ),
    )
        .prop_map(
            |(times, (gc, (max_entries, max_history), key_space, seed), (visibility, overflow))| {
                let (window_ns, resolution_ns, max_clock_step_ns, value_size) = times;
                Setup {
                    window_ns,
                    value_size,
                    resolution_ns,
                    max_clock_step_ns,
                    max_entries,
                    max_history,
                    overflow,
                    visibility,
                    gc,
                    seed,
                    key_space,
                }
            },
        )
}

fn nows() -> impl Strategy<Value = Now> {
    prop_oneof![
        50 => Just(Now::Same),
        10 => (-20..40_i16).prop_map(Now::ByNs),
        20 => (-2..4_i8).prop_map(Now::ByTicks),
        10 => (-2..6_i8).prop_map(Now::ByWindow),
        10 => (0..12_u8, -1..=1_i8).prop_map(|(pick, beside)| Now::Expiry(pick, beside)),
        1 => (any::<u8>(), -1..=1_i8).prop_map(|(pick, beside)| Now::Expiry(pick, beside)),
        1 => (-1..=1_i8).prop_map(Now::Jump),
    ]
}

/// Times that break a run off, mostly: to be had now and then.
fn wild_nows() -> impl Strategy<Value = Now> {
    prop_oneof![
        6 => nows(),
        1 => (-128..=127_i8).prop_map(Now::ByWindow),
        1 => (any::<bool>(), -1..=1_i8).prop_map(|(positive, beside)| Now::End(positive, beside)),
        1 => any::<i64>().prop_map(Now::Any),
        1 => (-1_000_000..1_000_000_i64).prop_map(Now::Any),
    ]
}

fn ats() -> impl Strategy<Value = At> {
    prop_oneof![
        30 => Just(At::Now),
        10 => (-2..200_i16).prop_map(At::AgoNs),
        20 => (0..20_u8).prop_map(At::AgoTicks),
        20 => (0..40_u8).prop_map(At::AgoWindow),
        1 => (any::<bool>(), -1..=1_i8).prop_map(|(positive, beside)| At::End(positive, beside)),
    ]
}

fn entries() -> impl Strategy<Value = Which> {
    prop_oneof![
        40 => any::<u8>().prop_map(Which::Live),
        4 => any::<u16>().prop_map(Which::Ever),
        1 => (any::<u16>(), any::<u8>()).prop_map(|(pick, bit)| Which::Forged(pick, bit)),
        1 => any::<u64>().prop_map(Which::Foreign),
        1 => (0..8_u64).prop_map(Which::Foreign),
    ]
}

fn inserts() -> impl Strategy<Value = Op> {
    (any::<u8>(), ats(), nows(), prop::bool::weighted(0.25), any::<bool>())
        .prop_map(|(key, at, now, readmit, with_value)| Op::Insert { key, at, now, readmit, with_value })
}

fn insert_batches() -> impl Strategy<Value = Op> {
    let items = vec((any::<u8>(), ats()), 1..20);
    (items, nows(), prop::bool::weighted(0.25), any::<bool>(), any::<bool>()).prop_map(
        |(items, now, readmit, with_values, with_times)| Op::InsertBatch {
            items,
            now,
            readmit,
            with_values,
            with_times,
        },
    )
}

fn imports() -> impl Strategy<Value = Op> {
    let items = vec((any::<u8>(), ats(), any::<bool>()), 0..20);
    let shifts = prop_oneof![4 => Just(0), 1 => any::<i8>()];
    (items, nows(), shifts).prop_map(|(items, now, shift_ns)| Op::Import { items, now, shift_ns })
}

fn windows() -> impl Strategy<Value = Window> {
    prop_oneof![
        6 => (8..100_u8).prop_map(Window::Times),
        4 => (50..5_000_i64).prop_map(Window::Ns),
        1 => Just(Window::Ns(0)),
        1 => select(vec![-1, i64::MIN, MAX_TIME_NS, MAX_TIME_NS + 1]).prop_map(Window::Ns),
    ]
}

fn operations() -> BoxedStrategy<Op> {
    prop_oneof![
        60 => inserts(),
        10 => insert_batches(),
        4 => entries().prop_map(Op::Forget),
        4 => any::<u8>().prop_map(Op::ForgetKey),
        6 => (any::<u8>(), nows()).prop_map(|(key, now)| Op::Contains(key, now)),
        4 => (vec(any::<u8>(), 1..20), nows()).prop_map(|(keys, now)| Op::ContainsBatch(keys, now)),
        40 => (entries(), nows()).prop_map(|(entry, now)| Op::Erase(entry, now)),
        10 => (any::<u8>(), nows()).prop_map(|(key, now)| Op::EraseKey(key, now)),
        10 => (vec(entries(), 1..12), nows()).prop_map(|(entries, now)| Op::EraseBatch(entries, now)),
        1 => nows().prop_map(Op::EraseAllLive),
        12 => (nows(), prop_oneof![0..4_u8, Just(u8::MAX)]).prop_map(|(now, max)| Op::Gc(now, max)),
        1 => Just(Op::Clear),
        1 => (0..12_u8).prop_map(Op::ClearStep),
        3 => windows().prop_map(Op::SetWindow),
        2 => any::<u8>().prop_map(Op::NextFrom),
        4 => imports(),
        1 => nows().prop_map(Op::ClockReset),
        1 => wild_nows().prop_map(Op::ClockReset),
        1 => (any::<u8>(), wild_nows()).prop_map(|(key, now)| Op::Contains(key, now)),
        4 => (entries(), any::<u8>()).prop_map(|(entry, seed)| Op::SetValue(entry, seed)),
        4 => entries().prop_map(Op::Look),
    ]
    .boxed()
}

/// No limits on numbers.
struct Unlimited;
/// Few entries, or a short history, or both.
struct Limited;
/// Many more keys and calls: chunks fill and drain, and evictions meet their bound.
struct Long;

/// The pair under test, and how many calls were made.
struct Run {
    pair: Pair,
    count: u64,
}

/// Operations are abstract, so their generation needs to know the options only.
macro_rules! state_machine {
    ($machine:ident, $limits:expr, $keys:expr) => {
        impl ReferenceStateMachine for $machine {
            type State = Setup;
            type Transition = Op;

            fn init_state() -> BoxedStrategy<Setup> {
                setups($limits, $keys).boxed()
            }

            fn transitions(_: &Setup) -> BoxedStrategy<Op> {
                operations()
            }

            fn apply(setup: Setup, _: &Op) -> Setup {
                setup
            }
        }

        impl StateMachineTest for $machine {
            type SystemUnderTest = Run;
            type Reference = $machine;

            fn init_test(setup: &Setup) -> Run {
                Run { pair: Pair::new(setup.clone()), count: 0 }
            }

            fn apply(mut run: Run, _: &Setup, op: Op) -> Run {
                run.pair.run(&op);
                run.pair.compare_answers();
                run.count += 1;
                if run.count % WALK_EVERY == 0 {
                    run.pair.walk();
                    run.pair.compare_sequence(1 + run.count as usize % 5);
                }
                run
            }

            fn teardown(mut run: Run, _: Setup) {
                run.pair.compare();
            }
        }
    };
}

state_machine!(Unlimited, Just((0, 0)), 4..48);
state_machine!(
    Limited,
    (prop_oneof![1 => Just(0), 2 => 1..20_u64], prop_oneof![1 => Just(0), 4 => 1..10_u64]),
    4..48
);
state_machine!(
    Long,
    (prop_oneof![3 => Just(0), 1 => 50..250_u64], prop_oneof![1 => Just(0), 1 => 20..120_u64]),
    100..256
);

prop_state_machine! {
    #![proptest_config(config(400))]

    #[test]
    fn every_call_answers_as_the_model_does(sequential 1..200 => Unlimited);

    #[test]
    fn every_call_answers_as_the_model_does_under_limits(sequential 1..200 => Limited);
}

prop_state_machine! {
    #![proptest_config(config(30))]

    #[test]
    fn every_call_answers_as_the_model_does_in_long_runs(sequential LONG_RUN => Long);
}

/// What a run of the generator alone came across, by name.
fn tally(seen: &mut BTreeMap<String, u64>, answer: &Answer) {
    let mut note = |name: String| *seen.entry(name).or_default() += 1;
    match answer {
        Answer::Added(_) => note("Added".into()),
        Answer::DuplicateLive(_) => note("DuplicateLive".into()),
        Answer::Erased(erased) => note(format!("Erased {erased:?}")),
        Answer::Presences(presences) => presences.iter().for_each(|presence| note(format!("{presence:?}"))),
        Answer::Collected(Collected { collected, more }) => {
            note(format!("Collected {}, more {more}", if *collected > 0 { "some" } else { "none" }));
        }
        Answer::Batch(answers, refusals) => {
            if !answers.is_empty() && !refusals.is_empty() {
                note("Batch that fails in the middle".into());
            }
            answers.iter().for_each(|answer| tally(seen, answer));
        }
        Answer::Refused(refusals) => {
            for refusal in refusals {
                let text = format!("{refusal:?}");
                note(text.split([' ', '{']).next().unwrap_or_default().to_owned());
            }
        }
        other => note(format!("{other:?}").split(['(', ' ']).next().unwrap_or_default().to_owned()),
    }
}

/// The comparison above is worth as much as the sequences it is fed: they must reach every rule, often.
#[test]
#[cfg_attr(miri, ignore = "it looks at the generator only")]
fn the_sequences_reach_every_rule() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeMap::new();
    let mut counters = Counters::default();
    let mut aged_and_back = 0;
    for _ in 0..200 {
        let (setup, ops, _) =
            Limited::sequential_strategy(1..200).new_tree(&mut runner).expect("a case").current();
        let mut model = Model::new(setup);
        for op in &ops {
            let end = model.log().end();
            let answer = model.apply(&op.resolve(&model));
            tally(&mut seen, &answer);
            let erased = matches!(answer, Answer::Erased(Erased::Historical));
            aged_and_back += u64::from(erased && model.log().end() > end);
        }
        let of_run = model.counters;
        counters.collected_total += of_run.collected_total;
        counters.evicted_early += of_run.evicted_early;
        counters.duplicates += of_run.duplicates;
        counters.readmitted += of_run.readmitted;
        counters.clock_regressions += of_run.clock_regressions;
    }
    let rules = [
        ("Added", 2000),
        ("DuplicateLive", 1000),
        ("DuplicateHistory", 300),
        ("Erased Historical", 500),
        ("Erased Gone", 300),
        ("Absent", 500),
        ("Live", 500),
        ("Historical", 200),
        ("Collected some, more true", 15),
        ("Collected some, more false", 80),
        ("Collected none, more true", 10),
        ("Collected none, more false", 100),
        ("Batch that fails in the middle", 100),
        ("Count", 20),
        ("Seen", 100),
        ("Next", 20),
        ("Imported", 50),
        ("OutOfRange", 5),
        ("Done", 100),
        ("EntriesFull", 100),
        ("HistoryFull", 100),
        ("ClockStep", 100),
        ("TimeRange", 50),
        ("InsertedInFuture", 25),
        ("Stale", 100),
        ("NotFound", 200),
    ];
    for (name, least) in rules {
        let count = seen.get(name).copied().unwrap_or(0);
        assert!(count >= least, "{name}: {count} times, of {least} wanted; {seen:#?}");
    }
    assert!(counters.collected_total > 500, "{counters:?}");
    assert!(counters.evicted_early > 200, "{counters:?}");
    assert!(counters.duplicates > 1000, "{counters:?}");
    assert!(counters.readmitted > 50, "{counters:?}");
    assert!(counters.clock_regressions > 500, "{counters:?}");
    assert!(aged_and_back > 20, "{aged_and_back} entries came back to the log");
}
