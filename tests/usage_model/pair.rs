//! The real tree beside the model: every call is made on both, and what can be seen is compared.

#![allow(clippy::disallowed_types)] // A lock of the standard library will do in a test.

use super::meter::{Id, Meter, Refusal, Taker};
use super::operation::Op;
use crate::scarce::Scarce;
use queuecore::usage::{Child, Error, Event, MAX_DEPTH, MAX_LEVEL, Notified, Options, Tracker, Waited};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is looked at after every step. Looking is a call like others: a percent that is read is kept, and one that
/// nobody reads is not.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    pub percent: bool,
    pub full: bool,
    pub full_at: bool,
    pub usage: bool,
    pub stats: bool,
    pub marks: bool,
    /// Everything is looked at after so many steps.
    pub all_every: u32,
}

/// How a pair is made.
#[derive(Clone, Debug)]
pub struct Setup {
    pub limit: u64,
    pub min_delta: u32,
    pub max_stripes: u32,
    /// Of every tracker; if it is small, events merge.
    pub event_capacity: u32,
    pub watch: Watch,
}

/// At which percents `is_full_at` is asked.
pub(super) const PERCENTS: [i32; 16] =
    [i32::MIN, -100, -1, 0, 1, 2, 10, 50, 90, 99, 100, 101, 120, 1000, i32::MAX - 1, i32::MAX];

/// More levels and trackers than these are not made.
const MOST_LEVELS: usize = 4;
const MOST_TRACKERS: usize = 6;

type Shared<T> = Arc<Mutex<Vec<T>>>;

pub(super) fn take<T>(shared: &Shared<T>) -> Vec<T> {
    std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner))
}

pub(super) fn put<T>(shared: &Shared<T>, value: T) {
    shared.lock().unwrap_or_else(PoisonError::into_inner).push(value);
}

/// What the sequences came across.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub calls: u64,
    pub moves: u64,
    /// Increases and decreases after which there was credit in stripes.
    pub lent: u64,
    pub steps: u64,
    pub turns: u64,
    pub refills: u64,
    pub recalls: u64,
    pub crossings: u64,
    pub merged: u64,
    pub events: u64,
    pub admitted: u64,
    pub refused: u64,
    pub errors: u64,
    pub notices: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.calls += other.calls;
        self.moves += other.moves;
        self.lent += other.lent;
        self.steps += other.steps;
        self.turns += other.turns;
        self.refills += other.refills;
        self.recalls += other.recalls;
        self.crossings += other.crossings;
        self.merged += other.merged;
        self.events += other.events;
        self.admitted += other.admitted;
        self.refused += other.refused;
        self.errors += other.errors;
        self.notices += other.notices;
    }
}

/// Model and real tree together.
pub struct Pair {
    pub model: Meter,
    pub real: Vec<Option<Tracker>>,
    pub tally: Tally,
    pub(super) setup: Setup,
    pub(super) memory: Arc<Scarce>,
    pub(super) heard: Shared<Event>,
    /// Events that wait to be polled, where they merge: for each tracker, the percents of its chain that are left.
    pub(super) chains: Vec<VecDeque<Event>>,
    pub(super) given: Shared<(usize, Waited)>,
    pub(super) notices: usize,
    pub(super) steps: u32,
    pub(super) before: Tally,
}

pub fn refusal(error: Error) -> Refusal {
    match error {
        Error::Amount { .. } => Refusal::Amount,
        Error::Level { level, change } => {
            let after = i128::from(level) + i128::from(change);
            assert!(!(-i128::from(MAX_LEVEL)..=i128::from(MAX_LEVEL)).contains(&after), "{error:?}");
            Refusal::Level
        }
        Error::OutOfRange { value, min, max, .. } => {
            assert!(!(min..=max).contains(&value), "{error:?}");
            Refusal::OutOfRange
        }
        Error::Contradiction { .. } => Refusal::Contradiction,
        Error::NeverFits { amount, limit } => {
            assert!(amount > limit, "{error:?}");
            Refusal::NeverFits
        }
        other => panic!("an error that nothing explains: {other:?}"),
    }
}

impl Pair {
    pub fn new(setup: Setup) -> Pair {
        let mut pair = Pair {
            model: Meter::default(),
            real: Vec::new(),
            tally: Tally::default(),
            memory: Scarce::plenty(),
            heard: Shared::default(),
            chains: Vec::new(),
            given: Shared::default(),
            notices: 0,
            steps: 0,
            before: Tally::default(),
            setup,
        };
        pair.plant();
        pair
    }

    /// A root, of a new tree.
    fn plant(&mut self) {
        let setup = &self.setup;
        let root = Tracker::new(Options {
            limit_bytes: setup.limit,
            min_delta_percent: setup.min_delta,
            event_capacity: setup.event_capacity,
            max_stripes: setup.max_stripes,
            tag: self.real.len() as u64,
            allocator: Some(self.memory.clone()),
            ..Options::default()
        });
        self.model.add_node(None, setup.limit as i64, 0, setup.min_delta);
        self.real.push(Some(root.expect("valid options")));
        self.chains.push(VecDeque::new());
    }

    pub(super) fn merges(&self) -> bool {
        self.setup.event_capacity < 64
    }

    pub fn tracker(&self, id: Id) -> &Tracker {
        self.real[id].as_ref().expect("it has a handle")
    }

    /// Carries out an operation on both and compares.
    pub fn run(&mut self, op: &Op) {
        match *op {
            Op::Burst { which, bytes, count, is_down, and_back } => {
                let id = which.resolve(&self.model);
                for turn in 0..if and_back { 2 } else { 1 } {
                    for _ in 0..count {
                        self.add(id, bytes.into(), is_down != (turn == 1));
                        self.look(op);
                    }
                }
            }
            _ => {
                self.call(op);
                self.look(op);
            }
        }
    }

    fn look(&mut self, op: &Op) {
        self.tally.calls += 1;
        self.steps += 1;
        self.compare_deliveries(op);
        let all = self.steps.is_multiple_of(self.setup.watch.all_every);
        self.compare_state(all, op);
    }

    fn agree<T: PartialEq + std::fmt::Debug>(
        &mut self,
        call: impl FnOnce() -> String,
        id: Id,
        real: Result<T, Error>,
        model: Result<T, Refusal>,
    ) {
        let real = real.map_err(refusal);
        self.tally.errors += u64::from(real.is_err());
        assert!(real == model, "{} at {id}: {real:?}, expected {model:?}", call());
    }

    fn add(&mut self, id: Id, amount: u64, is_down: bool) {
        let change = if is_down { -i128::from(amount) } else { amount.into() };
        let tracker = self.tracker(id);
        let real = if is_down { tracker.decrease(amount) } else { tracker.increase(amount) };
        let expected = self.model.change(id, change);
        self.tally.moves += 1;
        self.agree(|| format!("a change by {change}"), id, real, expected);
    }

    fn call(&mut self, op: &Op) {
        let at = |which: super::Which| which.resolve(&self.model);
        match *op {
            Op::Increase(which, amount) => {
                let id = at(which);
                self.add(id, amount.resolve(&self.model, id, false), false);
            }
            Op::Decrease(which, amount) => {
                let id = at(which);
                self.add(id, amount.resolve(&self.model, id, true), true);
            }
            Op::Burst { .. } => unreachable!("taken apart"),
            Op::TryReserve(which, amount) => {
                let id = at(which);
                let amount = amount.resolve(&self.model, id, false);
                let real = self.tracker(id).try_reserve(amount);
                let expected = self.model.try_reserve(id, amount);
                self.tally.admitted += u64::from(expected == Ok(true));
                self.tally.refused += u64::from(expected == Ok(false));
                self.agree(|| format!("try_reserve({amount})"), id, real, expected);
            }
            Op::ReserveAtOnce(which, amount) => {
                let id = at(which);
                let amount = amount.resolve(&self.model, id, false);
                let real = self.tracker(id).reserve_wait(amount, Some(Duration::ZERO)).map_err(refusal);
                let expected = self.model.reserve_at_once(id, amount);
                assert!(
                    expected.contains(&real),
                    "reserve_wait({amount}) at {id}: {real:?}, expected one of {expected:?}"
                );
            }
            Op::WaitAtOnce(which, percent) => {
                let id = at(which);
                let real = self.tracker(id).wait_for_space(Some(Duration::ZERO), percent);
                let expected = self.model.wait_at_once(id, percent);
                self.agree(|| format!("wait_for_space({percent})"), id, real, expected);
            }
            Op::Notify(which) => {
                let id = at(which);
                let number = self.notices;
                let given = self.given.clone();
                let callback = move |reason| put(&given, (number, reason));
                let real = self.tracker(id).notify_when_not_full(callback);
                let later = self.model.notify(id, number);
                self.notices += 1;
                self.tally.notices += u64::from(later);
                let expected = if later { Notified::Later } else { Notified::NotFull };
                self.agree(|| "notify_when_not_full".into(), id, real, Ok(expected));
            }
            Op::UsageExact(which) => {
                let id = at(which);
                assert_eq!(self.tracker(id).usage_exact_bytes(), self.model.usage(id), "usage_exact at {id}");
                let stats = self.tracker(id).stats();
                assert_eq!((stats.committed_bytes, stats.slack_bytes), (stats.usage_bytes, 0), "{stats:?}");
            }
            Op::ReadPercent(which, times) => {
                let id = at(which);
                for time in 0..times {
                    let percent = self.tracker(id).percent();
                    assert_eq!(percent, self.model.percent(id), "percent at {id}, time {time}");
                }
            }
            Op::ReadFull(which, times, percent) => {
                let id = at(which);
                for time in 0..times {
                    let is_full = self.tracker(id).is_full_at(percent);
                    let expected = self.model.is_full_at(id, percent);
                    assert_eq!(is_full, expected, "is_full_at({percent}) at {id}, time {time}");
                }
            }
            Op::Destroy(which) => self.destroy(at(which)),
            Op::Child(which, limit, share_or_delta, delta) => {
                self.child(at(which), limit, share_or_delta, delta)
            }
            _ => self.configure(op),
        }
    }

    fn configure(&mut self, op: &Op) {
        let at = |which: super::Which| which.resolve(&self.model);
        match *op {
            Op::SetUsage(which, amount, is_negative) => {
                let id = at(which);
                let usage = amount.resolve(&self.model, id, false) as i64;
                let usage = if is_negative { -usage } else { usage };
                let real = self.tracker(id).set_usage_bytes(usage);
                let expected = self.model.set_usage(id, usage);
                self.agree(|| format!("set_usage({usage})"), id, real, expected);
            }
            Op::SetLimit(which, limit) => {
                let id = at(which);
                let limit = limit.resolve(&self.model, id);
                let real = self.tracker(id).set_limit_bytes(limit);
                let expected = self.model.set_limit(id, limit);
                self.agree(|| format!("set_limit({limit})"), id, real, expected);
            }
            Op::SetShare(which, share_ppm) => {
                let id = at(which);
                let real = self.tracker(id).set_share_ppm(share_ppm);
                if share_ppm == 0 {
                    // On a root both reasons hold.
                    assert!(matches!(real, Err(Error::OutOfRange { .. } | Error::Contradiction { .. })));
                } else {
                    let expected = self.model.set_share(id, share_ppm);
                    self.agree(|| format!("set_share({share_ppm})"), id, real, expected);
                }
            }
            Op::SetMinDelta(which, delta) => {
                let id = at(which);
                let real = self.tracker(id).set_min_delta_percent(delta);
                let expected = self.model.set_min_delta(id, delta);
                self.agree(|| format!("set_min_delta({delta})"), id, real, expected);
            }
            Op::SetMarks(which, marks) => {
                let id = at(which);
                let real = self.tracker(id).set_marks(marks);
                let expected = self.model.set_marks(id, marks);
                self.agree(|| format!("set_marks({marks:?})"), id, real, expected);
            }
            Op::Listen(which) => {
                let id = at(which);
                self.poll_all();
                let heard = self.heard.clone();
                let listener = Arc::new(move |event: Event| put(&heard, event));
                assert_eq!(self.tracker(id).set_listener(listener), Ok(()));
                self.model.set_taker(id, Taker::Listener);
            }
            Op::Keep(which) => {
                let id = at(which);
                self.poll_all();
                assert_eq!(self.tracker(id).keep_events(), Ok(()));
                self.model.set_taker(id, Taker::Poll);
            }
            Op::Clear(which) => {
                let id = at(which);
                assert_eq!(self.tracker(id).clear_events(), Ok(()));
                self.model.set_taker(id, Taker::Nobody);
                self.chains[id].clear();
            }
            Op::Poll(which, most) => {
                let id = at(which);
                self.poll(id, most.into());
            }
            Op::Stop(which) => {
                let id = at(which);
                self.tracker(id).stop();
                self.model.set_stopped(id, true);
            }
            Op::Start(which) => {
                let id = at(which);
                self.tracker(id).start();
                self.model.set_stopped(id, false);
            }
            _ => unreachable!("not a setting"),
        }
    }

    fn child(&mut self, parent: Id, limit: super::Limit, share_ppm: u32, delta: u32) {
        if self.model.depth(parent) >= MOST_LEVELS || self.model.with_handles().count() >= MOST_TRACKERS {
            return;
        }
        let limit = if share_ppm > 0 { 0 } else { limit.resolve(&self.model, parent) };
        let child = self.tracker(parent).child(Options {
            limit_bytes: limit,
            share_ppm,
            min_delta_percent: delta,
            event_capacity: self.setup.event_capacity,
            tag: self.real.len() as u64,
            ..Options::default()
        });
        match child.map_err(refusal) {
            Ok(child) => {
                self.model.add_node(Some(parent), limit as i64, share_ppm, delta);
                self.real.push(Some(child));
                self.chains.push(VecDeque::new());
            }
            Err(refusal) => {
                let is_wrong = limit > queuecore::usage::MAX_LIMIT as u64 || delta == 0;
                assert!(
                    is_wrong && refusal == Refusal::OutOfRange,
                    "{limit} {share_ppm} {delta}: {refusal:?}"
                );
            }
        }
    }

    fn destroy(&mut self, id: Id) {
        if !self.model.can_destroy(id) {
            return;
        }
        // What waits to be polled of a tracker that is destroyed is gone.
        self.poll_all();
        self.chains[id].clear();
        if self.model.with_handles().count() == 1 {
            self.note_stats();
        }
        let tracker = self.real[id].take().expect("it has a handle");
        let residual = if id.is_multiple_of(2) {
            tracker.destroy()
        } else {
            let own = tracker.stats().own_bytes;
            drop(tracker);
            own
        };
        assert_eq!(residual, self.model.destroy(id), "the residual of {id}");
        if self.model.first().is_none() {
            assert!(self.model.nodes.iter().all(|node| node.is_gone));
            let figures = self.memory.figures();
            assert_eq!((figures.bytes, figures.foul), (0, 0), "memory, when all is destroyed: {figures:?}");
            self.plant();
        }
    }

    /// The end of a run: everything is compared and destroyed.
    pub fn finish(mut self) -> Tally {
        let op = &Op::Poll(super::Which(0), 0);
        self.compare_state(true, op);
        self.note_stats();
        let mut ids: Vec<Id> = self.model.with_handles().collect();
        // Any order will do: it changes with the run.
        let turn = self.steps as usize % ids.len();
        ids.rotate_left(turn);
        if self.steps.is_multiple_of(2) {
            ids.reverse();
        }
        for id in ids {
            let tracker = self.real[id].take().expect("it has a handle");
            if self.model.can_destroy(id) {
                assert_eq!(tracker.destroy(), self.model.destroy(id), "the residual of {id}");
            } else {
                // Beyond the range nothing is promised but that nothing breaks.
                drop(tracker);
                self.model.destroy(id);
            }
        }
        let figures = self.memory.figures();
        assert_eq!((figures.bytes, figures.foul), (0, 0), "memory, when all is destroyed: {figures:?}");
        self.tally.steps = self.model.steps;
        self.tally.turns = self.model.turns;
        self.tally
    }
}
