//! Large populations: tens of thousands of entries that grow and drain fully, several times, beside the model.
//!
//! The small runs of `history_model.rs` never split a segment twice or free a chunk of full size. Here every call
//! is compared too, a few keys in turn are looked up after each, and all of them at the turning points; no call
//! may move more than a constant number of index entries, however large the population is.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod model;

use model::setup::{key, scramble};
use model::{Answer, Call, EntryRef, Pair, Setup};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, FileFailurePersistence};
use queuecore::history::{Collected, GcPolicy, Key, Overflow, Visibility};

/// How many entries a population reaches.
const PEAK: u64 = if cfg!(miri) { 150 } else { 50_000 };
/// How many keys are looked up after each call, in turn.
const LOOKED_UP: u64 = 3;

fn config() -> Config {
    let mut config =
        Config { cases: if cfg!(miri) { 1 } else { 6 }, max_shrink_iters: 20, ..Config::default() };
    let beside_this_file = FileFailurePersistence::WithSource("proptest-regressions");
    config.failure_persistence = Some(Box::new(beside_this_file));
    if cfg!(miri) {
        config.failure_persistence = None;
    }
    config
}

/// A population: a pair, its clock, and numbers that look random but repeat.
struct Population {
    pair: Pair,
    now_ns: i64,
    random: u64,
    /// Keys are numbered; all below this were used.
    keys_used: u64,
    looked_up: u64,
}

impl Population {
    fn new(setup: Setup) -> Population {
        let random = setup.seed;
        Population { pair: Pair::new(setup), now_ns: 0, random, keys_used: 0, looked_up: 0 }
    }

    fn random_below(&mut self, limit: u64) -> u64 {
        self.random = scramble(self.random);
        self.random % limit.max(1)
    }

    /// Makes a call, and looks a few keys up in turn.
    fn call(&mut self, call: &Call) -> Answer {
        let answer = self.pair.call(call);
        for _ in 0..LOOKED_UP {
            self.looked_up = (self.looked_up + 1) % self.keys_used.max(1);
            self.pair.compare_keys([key(self.looked_up)]);
        }
        answer
    }

    fn insert(&mut self, key: Key, readmit: bool) -> Answer {
        let inserted_at_ns = self.now_ns - self.random_below(50) as i64;
        self.call(&Call::Insert { key, value: vec![], inserted_at_ns, now_ns: self.now_ns, readmit })
    }

    fn insert_batch(&mut self, count: u64) {
        let keys = (self.keys_used..self.keys_used + count).map(key).collect();
        self.keys_used += count;
        let now_ns = self.now_ns;
        self.call(&Call::InsertBatch {
            keys,
            values: vec![],
            inserted_at_ns: vec![],
            now_ns,
            readmit: false,
        });
    }

    /// Some live entry: the oldest, or any.
    fn some_live(&mut self) -> Option<EntryRef> {
        let oldest = self.pair.model.live().next()?.0;
        let span = self.pair.model.ids_given() - oldest;
        let any = oldest + self.random_below(span);
        let id = if self.pair.model.live_entry(any).is_some() { any } else { oldest };
        Some(EntryRef::Given(id))
    }

    fn erase_some(&mut self) {
        if let Some(entry) = self.some_live() {
            self.call(&Call::Erase { entry, now_ns: self.now_ns });
        }
    }

    /// Grows to `peak` entries: inserts, alone and in batches, erases most of them, duplicates and readmits some.
    fn grow(&mut self, peak: u64, tick_ns: i64) {
        while self.pair.model.live_len() + self.pair.model.history_len() < peak {
            self.now_ns += tick_ns;
            match self.random_below(32) {
                0 => self.insert_batch(24),
                1..4 => {
                    let old = self.random_below(self.keys_used);
                    self.insert(key(old), false);
                }
                4 => {
                    let old = self.random_below(self.keys_used);
                    self.insert(key(old), true);
                }
                5 => {
                    let entry = self.some_live().unwrap_or(EntryRef::Foreign(1));
                    self.call(&Call::Forget { entry });
                }
                6 => {
                    let old = key(self.random_below(self.keys_used));
                    self.call(&Call::ForgetKey { key: old });
                }
                7..20 => {
                    self.keys_used += 1;
                    self.insert(key(self.keys_used - 1), false);
                }
                _ => self.erase_some(),
            }
        }
    }

    /// Erases everything and collects it in steps of `max`, looking at all keys now and then.
    fn drain(&mut self, max: u64) {
        self.call(&Call::EraseAllLive { now_ns: self.now_ns });
        self.now_ns += self.pair.model.setup.window_ns + 100;
        let full = self.pair.model.history_len();
        let mut next_look = full / 2;
        loop {
            let answer = self.call(&Call::Gc { now_ns: self.now_ns, max });
            if self.pair.model.history_len() < next_look {
                self.look_at_all();
                next_look /= 2;
            }
            match answer {
                Answer::Collected(Collected { more: true, .. }) => {}
                Answer::Collected(_) => break,
                other => panic!("{other:?}"),
            }
        }
        let stats = self.pair.real.history.stats();
        assert_eq!((stats.live_len, stats.history_len, stats.tombstones), (0, 0, 0));
    }

    fn look_at_all(&mut self) {
        self.pair.compare_keys((0..self.keys_used).map(key));
        self.pair.compare();
    }
}

fn setups() -> impl Strategy<Value = Setup> {
    let policies = select(vec![
        GcPolicy::Scheduled,
        GcPolicy::OnDemand { batch: 100 },
        GcPolicy::Steady { step: 4 },
        GcPolicy::Steady { step: 1 },
    ]);
    let visibilities = select(vec![Visibility::UntilExpiry, Visibility::UntilCollected]);
    // The last of the windows is shorter than it takes to grow: entries expire all the while.
    let windows = select(vec![1_000_000_000, 50_000_000, 400_000]);
    (policies, visibilities, windows, any::<u64>(), select(vec![1, 1000])).prop_map(
        |(gc, visibility, window_ns, seed, resolution_ns)| Setup {
            gc,
            visibility,
            window_ns,
            seed,
            resolution_ns,
            key_space: 0,
            ..Setup::default()
        },
    )
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn large_populations_grow_and_drain_as_the_model_does(setup in setups(), max in 20..2000_u64) {
        let mut population = Population::new(setup);
        for round in 0..3 {
            // Entries that expire on the way keep a population from its peak: a step per call has a limit.
            let window_ticks = population.pair.model.setup.window_ns / 10;
            let peak = PEAK.min(window_ticks as u64 / 4) >> round;
            population.grow(peak, 10);
            population.look_at_all();
            population.drain(max);
            population.look_at_all();
        }
        population.grow(PEAK / 10, 1);
        population.call(&Call::Clear);
        population.look_at_all();
    }
}

/// A steady stream through a window: the population stays at its level for several times its own size.
#[test]
fn a_steady_stream_keeps_its_level() {
    let level = PEAK as i64 / 4;
    let setup = Setup { window_ns: level * 100, key_space: 0, ..Setup::default() };
    let mut population = Population::new(setup);
    for n in 0..PEAK {
        population.now_ns += 100;
        population.keys_used += 1;
        population.insert(key(n), false);
        if n >= 100 {
            let now_ns = population.now_ns;
            population.call(&Call::EraseKey { key: key(n - 100), now_ns });
        }
        assert!(population.pair.model.history_len() <= level as u64 + 100, "inline collection keeps pace");
    }
    population.look_at_all();
    population.drain(1000);
}

/// A full history that evicts: the oldest of many thousands goes, each time.
#[test]
fn a_full_history_evicts_one_for_each_that_comes() {
    let max_history = PEAK / 5;
    let overflow = Overflow::EvictOldest;
    let setup = Setup { window_ns: 1 << 40, max_history, overflow, key_space: 0, ..Setup::default() };
    let mut population = Population::new(setup);
    for n in 0..PEAK / 2 {
        population.now_ns += 1;
        population.keys_used += 1;
        population.insert(key(n), false);
        population.erase_some();
        assert!(population.pair.model.history_len() <= max_history);
    }
    assert_eq!(population.pair.real.history.stats().evicted_early, PEAK / 2 - max_history);
    population.look_at_all();
    population.drain(500);
}
