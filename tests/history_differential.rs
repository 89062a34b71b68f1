//! A long run through the C ABI with the naive model as oracle: every call is the exported function that a C program
//! would call, and every answer and figure is compared. `make check-history OPS=100000000` makes it long.
//!
//! The run is cut into stretches, each with options of its own: every policy, visibility and overflow, windows from 0
//! up, times out of order and out of range, small limits, other resolutions. Now and then everything is exported, the
//! buffers are compared with what the model says, and the stretch goes on in a history into which they were imported;
//! the model gets them too. Every third stretch has three histories in a group, which are collected together.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]
#![cfg(not(any(miri, loom)))]

mod model;

use model::c_subject::{CHistory, done};
use model::operation::{Which, Window};
use model::setup::scramble;
use model::{At, Call, Now, Op, Pair, Setup, transfer};
use queuecore::ffi::history_group::{
    qc_history_group, qc_history_group_clock_reset, qc_history_group_create, qc_history_group_destroy,
    qc_history_group_gc_many, qc_history_group_options, qc_history_group_options_init,
};
use queuecore::ffi::history_types::qc_gc_result;
use queuecore::ffi::status::qc_status;
use queuecore::history::{Collected, GcPolicy, MAX_TIME_NS, Overflow, Visibility};
use std::ptr;
use std::time::Instant;

/// Calls of a stretch, all its histories together.
const STRETCH: u64 = 20_000;
/// Calls of a short run.
const SHORT: u64 = 400_000;

/// Numbers that look random and repeat from their seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.0)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn one_of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

fn setup(dice: &mut Dice) -> Setup {
    let window_ns = match dice.below(8) {
        0 => 0,
        1 => 1 + dice.below(20) as i64,
        2..5 => 50 + dice.below(5_000) as i64,
        5..7 => 10_000 + dice.below(1_000_000) as i64,
        _ => MAX_TIME_NS - dice.below(3) as i64,
    };
    let gc = match dice.below(4) {
        0 => GcPolicy::Scheduled,
        1 => GcPolicy::OnDemand { batch: 1 + dice.below(20) as u32 },
        _ => GcPolicy::Steady { step: 1 + dice.below(6) as u32 },
    };
    Setup {
        window_ns,
        value_size: dice.one_of(&[0, 1, 8, 16, 24, 1024]),
        resolution_ns: dice.one_of(&[1, 1, 7, 333, 1000]),
        max_clock_step_ns: dice.one_of(&[None, None, Some(0), Some(700), Some(100_000)]),
        max_entries: dice.one_of(&[0, 0, 0, 10, 60]),
        max_history: dice.one_of(&[0, 0, 5, 40]),
        overflow: dice.one_of(&[Overflow::Reject, Overflow::EvictOldest]),
        visibility: dice.one_of(&[
            Visibility::UntilExpiry,
            Visibility::UntilExpiry,
            Visibility::UntilCollected,
        ]),
        gc,
        seed: dice.next(),
        key_space: dice.one_of(&[8, 40, 120, 256]),
    }
}

fn now(dice: &mut Dice) -> Now {
    match dice.below(64) {
        0..30 => Now::Same,
        30..38 => Now::ByNs(dice.below(60) as i16 - 20),
        38..50 => Now::ByTicks(dice.below(6) as i8 - 2),
        50..56 => Now::ByWindow(dice.below(8) as i8 - 2),
        56..62 => Now::Expiry(dice.below(12) as u8, dice.below(3) as i8 - 1),
        62 => Now::Jump(dice.below(3) as i8 - 1),
        _ => Now::ByWindow(dice.below(256) as u8 as i8),
    }
}

fn at(dice: &mut Dice) -> At {
    match dice.below(16) {
        0..7 => At::Now,
        7..10 => At::AgoNs(dice.below(202) as i16 - 2),
        10..13 => At::AgoTicks(dice.below(20) as u8),
        13..15 => At::AgoWindow(dice.below(40) as u8),
        _ => At::End(dice.below(2) == 0, dice.below(3) as i8 - 1),
    }
}

fn which(dice: &mut Dice) -> Which {
    match dice.below(40) {
        0 => Which::Foreign(dice.next()),
        1 => Which::Foreign(dice.below(8)),
        _ => Which::Live(dice.next() as u8),
    }
}

fn window(dice: &mut Dice) -> Window {
    match dice.below(12) {
        0 => Window::Ns(0),
        1 => Window::Ns(dice.one_of(&[-1, i64::MIN, MAX_TIME_NS, MAX_TIME_NS + 1])),
        2..6 => Window::Ns(50 + dice.below(5_000) as i64),
        _ => Window::Times(8 + dice.below(90) as u8),
    }
}

fn operation(dice: &mut Dice) -> Op {
    let key = dice.next() as u8;
    let flag = dice.below(2) == 0;
    match dice.below(1000) {
        0..330 => {
            Op::Insert { key, at: at(dice), now: now(dice), readmit: dice.below(4) == 0, with_value: flag }
        }
        330..360 => Op::InsertBatch {
            items: (0..1 + dice.below(20)).map(|_| (dice.next() as u8, at(dice))).collect(),
            now: now(dice),
            readmit: dice.below(4) == 0,
            with_values: flag,
            with_times: dice.below(2) == 0,
        },
        360..600 => Op::Erase(which(dice), now(dice)),
        600..660 => Op::EraseKey(key, now(dice)),
        660..690 => Op::EraseBatch((0..1 + dice.below(12)).map(|_| which(dice)).collect(), now(dice)),
        690..692 => Op::EraseAllLive(now(dice)),
        692..715 => Op::Forget(which(dice)),
        715..735 => Op::ForgetKey(key),
        735..790 => Op::Contains(key, now(dice)),
        790..810 => {
            Op::ContainsBatch((0..1 + dice.below(20)).map(|_| dice.next() as u8).collect(), now(dice))
        }
        810..880 => Op::Gc(now(dice), dice.one_of(&[0, 1, 2, 3, 200])),
        880..882 => Op::Clear,
        882..886 => Op::ClearStep(dice.below(12) as u8),
        886..896 => Op::SetWindow(window(dice)),
        896..916 => Op::NextFrom(key),
        916..930 => Op::Import {
            items: (0..dice.below(20)).map(|_| (dice.next() as u8, at(dice), dice.below(2) == 0)).collect(),
            now: now(dice),
            shift_ns: dice.one_of(&[0, 0, 0, 5, -5, 100]),
        },
        930..934 => Op::ClockReset(now(dice)),
        934..960 => Op::SetValue(which(dice), key),
        _ => Op::Look(which(dice)),
    }
}

/// A group through the C ABI.
struct CGroup(*mut qc_history_group);

impl CGroup {
    fn new() -> CGroup {
        let mut options = std::mem::MaybeUninit::uninit();
        let mut group = ptr::null_mut();
        // SAFETY: a place for options and for a handle; the options are filled by their init function.
        unsafe {
            let size = size_of::<qc_history_group_options>();
            done(qc_history_group_options_init(options.as_mut_ptr(), size)).unwrap();
            let mut options = options.assume_init();
            options.max_clock_step_ns = 0;
            done(qc_history_group_create(&options, &mut group)).unwrap();
        }
        CGroup(group)
    }

    fn clock_reset(&self, now_ns: i64) {
        // SAFETY: the group's handle.
        done(unsafe { qc_history_group_clock_reset(self.0, now_ns) }).unwrap();
    }

    fn gc_many(&self, now_ns: i64, max: u64) -> Collected {
        let mut result = qc_gc_result { collected: 0, more: 0, reserved: 0 };
        // SAFETY: the group's handle and a place for the result.
        done(unsafe { qc_history_group_gc_many(self.0, now_ns, max, &mut result) }).unwrap();
        Collected { collected: result.collected, more: result.more == 1 }
    }
}

impl Drop for CGroup {
    fn drop(&mut self) {
        // SAFETY: the handle is this object's own.
        assert_eq!(unsafe { qc_history_group_destroy(self.0) }, qc_status::QC_OK);
    }
}

/// A stretch of calls on one history, or on three in a group.
struct Stretch {
    pairs: Vec<Pair<CHistory>>,
    group: Option<CGroup>,
    dice: Dice,
    looked_at: u64,
}

impl Stretch {
    fn new(number: u64) -> Stretch {
        let mut dice = Dice(number.wrapping_mul(0x1234_5678_9abc_def1));
        let group = (number % 3 == 2).then(CGroup::new);
        let handle = group.as_ref().map_or(ptr::null_mut(), |group| group.0);
        let pairs = (0..if group.is_some() { 3 } else { 1 })
            .map(|_| {
                let mut setup = setup(&mut dice);
                if group.is_some() {
                    // A member accepts every time that its group was told, which the model knows nothing of.
                    setup.max_clock_step_ns = Some(0);
                }
                Pair::around(CHistory::new(&setup, handle), setup)
            })
            .collect();
        Stretch { pairs, group, dice, looked_at: 0 }
    }

    fn run(&mut self, calls: u64) {
        for call in 0..calls {
            let at = self.dice.below(self.pairs.len() as u64) as usize;
            let op = operation(&mut self.dice);
            self.pairs[at].run(&op);
            self.look(at);
            if self.group.is_some() && self.dice.below(40) == 0 {
                self.collect_group();
            }
            if call % 256 == 0 {
                self.pairs[at].compare_answers();
                self.pairs[at].walk();
                self.pairs[at].compare_sequence(1 + call as usize / 256 % 7);
                let Pair { model, real } = &mut self.pairs[at];
                real.forget_old(model);
            }
            if self.dice.below(4000) == 0 {
                self.move_house(at);
            }
        }
        self.pairs.iter_mut().for_each(Pair::compare);
    }

    /// Looks a few keys up, in turn.
    fn look(&mut self, at: usize) {
        let keys = self.pairs[at].model.setup.key_space;
        for _ in 0..2 {
            self.looked_at += 1;
            let key = model::setup::key(self.looked_at % keys);
            self.pairs[at].compare_keys([key]);
        }
    }

    /// Everything is exported, and the stretch goes on in a history into which it was imported.
    fn move_house(&mut self, at: usize) {
        let len = self.dice.one_of(&[0, 50, 1000, 100_000]);
        let buffers = self.pairs[at].export(len);
        let setup = self.pairs[at].model.setup.clone();
        // After the clock was set back, some entries may be younger than the present, which no import takes.
        let inserted = self.pairs[at].model.sequence().into_iter().map(|entry| entry.inserted_at_ns).max();
        let now_ns = self.pairs[at].model.seen_ns().max(inserted).unwrap_or(0);
        let handle = self.group.as_ref().map_or(ptr::null_mut(), |group| group.0);
        let mut next = Pair::around(CHistory::new(&setup, handle), setup.clone());
        for buffer in &buffers {
            let (_, records) = transfer::read(buffer, setup.value_size);
            next.import(buffer, &Call::Import { records, now_ns, shift_ns: 0 });
        }
        next.compare();
        self.pairs[at] = next;
    }

    /// The members are collected together, so many steps a call, until none is due.
    fn collect_group(&mut self) {
        let Some(group) = &self.group else { return };
        let seen = self.pairs.iter().filter_map(|pair| pair.model.seen_ns()).max().unwrap_or(0);
        let now_ns = seen.saturating_add(self.dice.below(50) as i64).min(MAX_TIME_NS);
        for pair in &mut self.pairs {
            // So that all have the same present, whether or not it is their turn.
            pair.call(&Call::Contains { key: model::setup::key(0), now_ns });
        }
        // Members' clocks were set back now and then, and the group's has to follow.
        group.clock_reset(now_ns);
        let max = self.dice.one_of(&[1, 5, 70, 100_000]);
        let before: u64 = self.pairs.iter().map(|pair| pair.model.counters.collected_total).sum();
        let (mut collected, mut calls) = (0, 0);
        loop {
            let result = group.gc_many(now_ns, max);
            assert!(result.collected <= max, "{result:?} of at most {max}");
            collected += result.collected;
            calls += 1;
            assert!(calls < 100_000, "gc_many comes to no end");
            if !result.more {
                break;
            }
        }
        for pair in &mut self.pairs {
            // It is as if each had been collected until nothing was due, and the next call has nothing left to do.
            pair.model.apply(&Call::Gc { now_ns, max: u64::MAX });
            pair.call(&Call::Gc { now_ns, max: 1 });
        }
        let after: u64 = self.pairs.iter().map(|pair| pair.model.counters.collected_total).sum();
        assert_eq!(collected, after - before, "collected together");
    }
}

#[test]
fn the_c_abi_answers_as_the_model_does() {
    let ops = std::env::var("OPS").ok().map_or(SHORT, |ops| ops.parse().expect("OPS is a number of calls"));
    let seed: u64 = std::env::var("SEED").ok().map_or(1, |seed| seed.parse().expect("SEED is a number"));
    let begin = Instant::now();
    let (mut calls, mut told) = (0, 0);
    for number in 0.. {
        if calls >= ops {
            break;
        }
        let stretch_calls = STRETCH.min(ops - calls);
        let run = std::panic::AssertUnwindSafe(|| Stretch::new(seed.wrapping_add(number)).run(stretch_calls));
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("to see it again: SEED={} OPS={STRETCH}", seed.wrapping_add(number));
            std::panic::resume_unwind(panic);
        }
        calls += stretch_calls;
        if calls * 100 / ops > told {
            told = calls * 100 / ops;
            println!("{told:3} %  {calls} calls, no difference, {} s", begin.elapsed().as_secs());
        }
    }
}
