//! Random sequences of every call on one thread, compared step by step with the naive meter of `tests/usage_model`.
//!
//! A tree of up to four levels grows and withers. Limits are of every size and amounts are made to meet them: mostly
//! small ones, that credit serves, then one that brings some level to its next step, to its limit or just beside it.
//! After each step everything that can be seen is compared, or only a part of it, for a percent that is read is kept
//! by the meter and one that nobody reads is not. A failing sequence is shrunk and printed; it is kept beside this
//! file, with the ending `proptest-regressions`, and tried first from then on.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

#[path = "usage_model/mod.rs"]
mod parts;
#[allow(dead_code)] // Each test program uses a part of it.
#[path = "model/scarce.rs"]
mod scarce;

use parts::pair::{Setup, Tally};
use parts::{Amount, Level, Limit, Op, Pair, Watch, Which};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use queuecore::usage::{MAX_AMOUNT, MAX_LIMIT, Marks, WHOLE_PPM};
use std::ops::Range;

/// How many calls a long run has.
const LONG_RUN: Range<usize> = if cfg!(miri) { 40..80 } else { 400..1200 };

fn config(cases: u32) -> Config {
    // PROPTEST_CASES asks for more, in proportion.
    let cases = if cfg!(miri) { 2 } else { cases * Config::default().cases.div_ceil(256) };
    let mut config = Config { cases, max_shrink_iters: 50_000, ..Config::default() };
    let beside_this_file = FileFailurePersistence::WithSource("proptest-regressions");
    config.failure_persistence = Some(Box::new(beside_this_file));
    if cfg!(miri) {
        // Files are out of reach there.
        config.failure_persistence = None;
    }
    config
}

const WATCH_NOTHING: Watch = Watch {
    percent: false,
    full: false,
    full_at: false,
    usage: false,
    stats: false,
    marks: false,
    all_every: 100,
};

const WATCH_ALL: Watch = Watch { all_every: 1, ..WATCH_NOTHING };

fn watches() -> impl Strategy<Value = Watch> {
    let sparse = (any::<[bool; 5]>(), select(vec![1, 4, 16, 64, 1000])).prop_map(
        |([percent, full, full_at, usage, marks], all_every)| Watch {
            percent,
            full,
            full_at,
            usage,
            stats: usage && marks,
            marks,
            all_every,
        },
    );
    prop_oneof![
        2 => Just(WATCH_ALL),
        3 => sparse,
        // What a broker does: it asks whether it may go on.
        1 => Just(Watch { full: true, ..WATCH_NOTHING }),
    ]
}

fn byte_limits() -> impl Strategy<Value = u64> {
    prop_oneof![
        1 => select(vec![0, 1, 2, 3, 7, 99, 100, 101, 1000, 1001, 123_000_000_000, MAX_LIMIT as u64 - 1]),
        1 => 1..2000_u64,
        1 => (0..62_u32, any::<u64>()).prop_map(|(bits, any)| (any % (1 << bits)).max(1)),
        2 => 1 << 20..1_u64 << 40,
        // Wide enough for credit within a step of the percent.
        6 => 1 << 32..1_u64 << 52,
    ]
}

fn limits() -> impl Strategy<Value = Limit> {
    prop_oneof![
        6 => byte_limits().prop_map(Limit::Bytes),
        2 => (any::<u8>(), -1..=1_i8).prop_map(|(power, by)| Limit::Power(power, by)),
        4 => (select(vec![1, 10, 47, 50, 89, 99, 100, 101, 150, 1000]), -1..=1_i8)
            .prop_map(|(percent, by)| Limit::UsageAt(percent, by)),
    ]
}

fn deltas() -> impl Strategy<Value = u32> {
    prop_oneof![
        5 => Just(1),
        4 => select(vec![2, 5, 10, 30, 100]),
        1 => select(vec![3, 99, 101, 1000, 1 << 20, i32::MAX as u32, i32::MAX as u32 + 1, u32::MAX]),
    ]
}

fn small_bytes() -> impl Strategy<Value = u32> {
    prop_oneof![2 => 1..64_u32, 2 => Just(1024), 1 => 64..5000_u32]
}

fn levels() -> impl Strategy<Value = Level> {
    (0..8_u8).prop_map(Level)
}

fn amounts() -> impl Strategy<Value = Amount> {
    let percents = || select(vec![0, 1, 10, 29, 48, 50, 70, 89, 90, 99, 100, 100, 100, 101, 119, 120, 250]);
    prop_oneof![
        1 => Just(Amount::Bytes(0)),
        8 => small_bytes().prop_map(|bytes| Amount::Bytes(bytes.into())),
        3 => (levels(), any::<u8>()).prop_map(|(level, part)| Amount::Part(level, part)),
        4 => (levels(), percents(), -1..=1_i8).prop_map(|(level, percent, by)| Amount::To(level, percent, by)),
        4 => (levels(), -1..=1_i8).prop_map(|(level, by)| Amount::Step(level, by)),
        3 => (levels(), -1..=1_i8).prop_map(|(level, by)| Amount::Limit(level, by)),
        2 => (-1..=1_i8).prop_map(Amount::Zero),
        1 => (any::<u8>(), -1..=1_i8).prop_map(|(power, by)| Amount::Power(power, by)),
        1 => select(vec![MAX_AMOUNT as u64 + 1, 1 << 61, 1 << 63, u64::MAX]).prop_map(Amount::Excess),
    ]
}

/// Amounts that go to the end of the range, where calls begin to fail.
fn far_amounts() -> impl Strategy<Value = Amount> {
    prop_oneof![
        4 => amounts(),
        4 => (levels(), -1..=1_i8).prop_map(|(level, by)| Amount::End(level, by)),
        2 => (50..57_u8, -1..=1_i8).prop_map(|(power, by)| Amount::Power(power, by)),
    ]
}

fn which() -> impl Strategy<Value = Which> {
    (0..60_u8).prop_map(Which)
}

fn marks() -> impl Strategy<Value = Option<Marks>> {
    prop_oneof![
        1 => Just(None),
        6 => (select(vec![1, 30, 50, 70, 99, 100]), select(vec![0, 1, 20]))
            .prop_map(|(low, above)| Some(Marks { low, high: low + above })),
        1 => (-1..3_i32, -1..3_i32).prop_map(|(low, high)| Some(Marks { low, high })),
    ]
}

fn bursts() -> impl Strategy<Value = Op> {
    (which(), small_bytes(), 1..40_u8, any::<bool>(), any::<bool>()).prop_map(
        |(which, bytes, count, is_down, and_back)| Op::Burst { which, bytes, count, is_down, and_back },
    )
}

fn settings() -> BoxedStrategy<Op> {
    let shares =
        || prop_oneof![4 => 1..=WHOLE_PPM, 1 => select(vec![0, 1, WHOLE_PPM, WHOLE_PPM + 1, u32::MAX])];
    prop_oneof![
        4 => (which(), amounts(), prop::bool::weighted(0.2))
            .prop_map(|(which, amount, negative)| Op::SetUsage(which, amount, negative)),
        4 => (which(), limits()).prop_map(|(which, limit)| Op::SetLimit(which, limit)),
        2 => (which(), shares()).prop_map(|(which, share)| Op::SetShare(which, share)),
        1 => (which(), select(vec![0, MAX_LIMIT as u64 + 1, u64::MAX]))
            .prop_map(|(which, bytes)| Op::SetLimit(which, Limit::Bytes(bytes))),
        2 => (which(), deltas()).prop_map(|(which, delta)| Op::SetMinDelta(which, delta)),
        1 => which().prop_map(|which| Op::SetMinDelta(which, 0)),
        3 => (which(), marks()).prop_map(|(which, marks)| Op::SetMarks(which, marks)),
        2 => which().prop_map(Op::Listen),
        3 => which().prop_map(Op::Keep),
        1 => which().prop_map(Op::Clear),
        2 => (which(), 0..5_u8).prop_map(|(which, most)| Op::Poll(which, most)),
        1 => which().prop_map(Op::Stop),
        3 => which().prop_map(Op::Start),
    ]
    .boxed()
}

fn operations(amounts: impl Strategy<Value = Amount> + Clone + 'static) -> BoxedStrategy<Op> {
    let children = (which(), limits(), prop_oneof![2 => Just(0), 1 => 1..=WHOLE_PPM], deltas());
    let percents = || prop_oneof![4 => 1..130_i32, 1 => select(vec![i32::MIN, -1, 0, 1, 100, i32::MAX])];
    prop_oneof![
        20 => (which(), amounts.clone()).prop_map(|(which, amount)| Op::Increase(which, amount)),
        16 => (which(), amounts.clone()).prop_map(|(which, amount)| Op::Decrease(which, amount)),
        12 => bursts(),
        8 => (which(), amounts.clone()).prop_map(|(which, amount)| Op::TryReserve(which, amount)),
        2 => (which(), amounts).prop_map(|(which, amount)| Op::ReserveAtOnce(which, amount)),
        2 => (which(), percents()).prop_map(|(which, percent)| Op::WaitAtOnce(which, percent)),
        4 => which().prop_map(Op::Notify),
        3 => which().prop_map(Op::UsageExact),
        4 => (which(), 1..100_u8).prop_map(|(which, times)| Op::ReadPercent(which, times)),
        2 => (which(), 1..40_u8, percents())
            .prop_map(|(which, times, percent)| Op::ReadFull(which, times, percent)),
        6 => children.prop_map(|(which, limit, share, delta)| Op::Child(which, limit, share, delta)),
        3 => which().prop_map(Op::Destroy),
        20 => settings(),
    ]
    .boxed()
}

fn setups(capacity: impl Strategy<Value = u32> + 'static) -> BoxedStrategy<Setup> {
    (byte_limits(), deltas(), select(vec![0, 1, 2, 7]), capacity, watches())
        .prop_map(|(limit, min_delta, max_stripes, event_capacity, watch)| Setup {
            limit,
            min_delta,
            max_stripes,
            event_capacity,
            watch,
        })
        .boxed()
}

/// Room for every event.
struct Roomy;
/// Events merge.
struct Cramped;
/// Levels go to both ends of the range.
struct Far;

/// Operations are abstract, so their generation needs to know the options only.
macro_rules! state_machine {
    ($machine:ident, $capacity:expr, $amounts:expr) => {
        impl ReferenceStateMachine for $machine {
            type State = Setup;
            type Transition = Op;

            fn init_state() -> BoxedStrategy<Setup> {
                setups($capacity)
            }

            fn transitions(_: &Setup) -> BoxedStrategy<Op> {
                operations($amounts.boxed())
            }

            fn apply(setup: Setup, _: &Op) -> Setup {
                setup
            }
        }

        impl StateMachineTest for $machine {
            type SystemUnderTest = Pair;
            type Reference = $machine;

            fn init_test(setup: &Setup) -> Pair {
                Pair::new(setup.clone())
            }

            fn apply(mut pair: Pair, _: &Setup, op: Op) -> Pair {
                pair.run(&op);
                pair
            }

            fn teardown(pair: Pair, _: Setup) {
                pair.finish();
            }
        }
    };
}

state_machine!(Roomy, Just(1000), amounts());
state_machine!(Cramped, 1..4_u32, amounts());
state_machine!(Far, Just(1000), far_amounts());

prop_state_machine! {
    #![proptest_config(config(1000))]

    #[test]
    fn every_step_is_as_the_model_says(sequential 1..150 => Roomy);
}

prop_state_machine! {
    #![proptest_config(config(400))]

    #[test]
    fn every_step_is_as_the_model_says_where_events_merge(sequential 1..150 => Cramped);

    #[test]
    fn every_step_is_as_the_model_says_at_the_ends_of_the_range(sequential 1..150 => Far);
}

prop_state_machine! {
    #![proptest_config(config(40))]

    #[test]
    fn every_step_is_as_the_model_says_in_long_runs(sequential LONG_RUN => Roomy);
}

/// The comparison above is worth as much as the sequences it is fed: they must reach every rule, often.
#[test]
#[cfg_attr(miri, ignore = "it looks at the generator only")]
fn the_sequences_reach_every_rule() {
    let mut runner = TestRunner::deterministic();
    let mut all = Tally::default();
    for _ in 0..150 {
        let (setup, ops, _) =
            Roomy::sequential_strategy(1..200).new_tree(&mut runner).expect("a case").current();
        let mut pair = Pair::new(setup);
        for op in &ops {
            pair.run(op);
        }
        all.add(&pair.finish());
    }
    let rules = [
        ("calls", all.calls, 30_000),
        ("moves", all.moves, 20_000),
        ("moves with credit lent", all.lent, 10_000),
        ("percent steps", all.steps, 3_000),
        ("levels full, or full no more", all.turns, 1_000),
        ("refills", all.refills, 500),
        ("recalls", all.recalls, 200),
        ("crossings", all.crossings, 1_000),
        ("events", all.events, 300),
        ("reservations", all.admitted, 300),
        ("reservations refused", all.refused, 300),
        ("errors", all.errors, 300),
        ("notices", all.notices, 100),
    ];
    for (name, count, least) in rules {
        assert!(count >= least, "{name}: {count} times, of {least} wanted; {all:#?}");
    }
}
