//! Memory: every byte is counted and given back, a refused request changes nothing, a drained history is small.
//!
//! `Scarce` stands for a host's allocator. Its figures are compared with those of `stats` after each call; it
//! fills blocks with rubbish, before and after use.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod model;

use model::operation::{Op, Which};
use model::pair::RanOut;
use model::scarce::Scarce;
use model::setup::key;
use model::{At, Call, EntryRef, Model, Now, Pair, Setup};
use queuecore::history::{Erased, Error, GcPolicy, History, Inserted, Options};
use std::sync::Arc;

/// Keys of the scripts below.
const KEYS: u64 = if cfg!(miri) { 60 } else { 700 };
const W: i64 = 1_000_000;

fn new_history(setup: &Setup, allocator: &Arc<Scarce>) -> Result<History, Error> {
    History::new(Options { allocator: Some(allocator.clone()), ..setup.options() })
}

/// What the allocator gave out is what the history says it holds, itself included.
fn assert_accounts_agree(history: &History, allocator: &Scarce) {
    let (stats, figures) = (history.stats(), allocator.figures());
    assert_eq!(stats.bytes_in_use, figures.bytes + size_of::<History>() as u64, "{figures:?}");
    assert_eq!(stats.bytes_peak, figures.peak_bytes + size_of::<History>() as u64, "{figures:?}");
    assert_eq!((stats.allocations, stats.deallocations), (figures.given, figures.taken_back));
}

fn assert_all_given_back(allocator: &Scarce) {
    let figures = allocator.figures();
    assert_eq!((figures.bytes, figures.given, figures.foul), (0, figures.taken_back, 0), "{figures:?}");
}

/// Calls that grow and drain a history several times, written down with the model's help.
struct Script {
    setup: Setup,
    model: Model,
    calls: Vec<Call>,
}

impl Script {
    fn new(setup: Setup) -> Script {
        Script { model: Model::new(setup.clone()), setup, calls: Vec::new() }
    }

    fn call(&mut self, call: Call) {
        self.model.apply(&call);
        self.calls.push(call);
    }

    fn insert(&mut self, n: u64, now_ns: i64, readmit: bool) {
        let value = vec![n as u8; self.setup.value_size];
        self.call(Call::Insert { key: key(n), value, inserted_at_ns: now_ns, now_ns, readmit });
    }

    fn insert_batch(&mut self, from: u64, now_ns: i64) {
        let keys = (from..from + 16).map(key).collect();
        self.call(Call::InsertBatch { keys, values: vec![], inserted_at_ns: vec![], now_ns, readmit: false });
    }

    /// Erases in a batch what is live at these places of the live order.
    fn erase_batch(&mut self, places: std::ops::Range<u8>, now_ns: i64) {
        let op = Op::EraseBatch(places.map(Which::Live).collect(), Now::Same);
        if let Call::EraseBatch { entries, .. } = op.resolve(&self.model) {
            let mut entries: Vec<EntryRef> = entries;
            entries.dedup();
            self.call(Call::EraseBatch { entries, now_ns });
        }
    }

    /// Inserts, erases, readmits and forgets, over all keys; `tick_ns` passes between calls.
    fn grow(&mut self, start_ns: i64, tick_ns: i64) {
        for n in 0..KEYS {
            let now_ns = start_ns + n as i64 * tick_ns;
            self.insert(n, now_ns, false);
            match n % 32 {
                5 | 9 | 13 | 21 => self.call(Call::EraseKey { key: key(n - 2), now_ns }),
                11 => self.insert(n - 4, now_ns, true),
                15 => self.call(Call::ForgetKey { key: key(n - 1) }),
                23 => self.call(Call::ForgetKey { key: key(n - 4) }),
                27 => self.insert_batch(KEYS + n * 16, now_ns),
                31 => self.erase_batch(0..12, now_ns),
                _ => {}
            }
        }
    }
}

/// What a run with a failing allocator came to.
struct Run {
    refused: u64,
    /// Calls that answered `NoMemory`.
    failed_calls: u64,
}

/// Runs a script, if the history can be created; `exact` compares every answer and figure, else only what cannot depend on collection.
/// A call that runs out of memory must have changed nothing, and is made again when there is memory.
fn run(script: &Script, allocator: &Arc<Scarce>, exact: bool) -> Run {
    let mut failed_calls = 0;
    let history = match new_history(&script.setup, allocator) {
        Ok(history) => history,
        Err(error) => {
            assert_eq!(error, Error::NoMemory);
            assert_all_given_back(allocator);
            return Run { refused: allocator.figures().refused, failed_calls: 1 };
        }
    };
    let mut pair = Pair::around(history, script.setup.clone());
    for call in &script.calls {
        if let Err(RanOut { done }) = pair.attempt(call) {
            failed_calls += 1;
            assert!(
                matches!(call, Call::Insert { .. } | Call::InsertBatch { .. }),
                "{call:?} ran out of memory"
            );
            skip_done(&mut pair, call, done);
            compare_all(&mut pair, exact);
            allocator.relent();
            assert!(pair.attempt(&call.part(done, call.len())).is_ok(), "there is memory again");
        }
        assert_accounts_agree(&pair.real.history, allocator);
        if exact {
            pair.compare_figures();
        }
    }
    compare_all(&mut pair, exact);
    let figures = allocator.figures();
    assert_eq!(figures.foul, 0);
    drop(pair);
    assert_all_given_back(allocator);
    Run { refused: figures.refused, failed_calls }
}

/// After `call` ran out of memory with `done` elements done: the model is told of these.
fn skip_done(pair: &mut Pair, call: &Call, done: usize) {
    let now_ns = call.now_ns().expect("only calls with a time take memory");
    if done > 0 {
        pair.model.apply(&call.part(0, done));
    } else {
        pair.model.accept(now_ns);
    }
}

fn compare_all(pair: &mut Pair, exact: bool) {
    if exact {
        pair.compare_figures();
    }
    pair.compare_keys((0..KEYS).map(key));
    pair.walk();
}

/// Nothing falls due while it grows, so even the figures must be right after a failure.
fn script_without_collection() -> Script {
    let setup =
        Setup { window_ns: W, value_size: 24, gc: GcPolicy::Scheduled, key_space: 0, ..Setup::default() };
    let mut script = Script::new(setup);
    script.grow(0, 1);
    script.call(Call::EraseAllLive { now_ns: KEYS as i64 });
    for _ in 0..KEYS / 2 {
        script.call(Call::Gc { now_ns: 3 * W, max: 8 });
    }
    script.grow(3 * W, 1);
    script.call(Call::Clear);
    script.grow(4 * W, 1);
    script
}

/// Entries expire all the time and are collected inline.
fn script_with_collection() -> Script {
    let setup = Setup { window_ns: W, value_size: 8, key_space: 0, ..Setup::default() };
    let mut script = Script::new(setup);
    let tick_ns = 4 * W / KEYS as i64;
    for round in 0..3 {
        script.grow(round * 6 * W, tick_ns);
    }
    script
}

fn fail_at_every_request(script: &Script, exact: bool) {
    let plenty = Scarce::plenty();
    let run_in_peace = run(script, &plenty, exact);
    assert_eq!((run_in_peace.refused, run_in_peace.failed_calls), (0, 0));
    let requests = plenty.figures().requests;
    assert!(requests > 10, "the script asks for {requests} blocks: too few to show anything");
    let mut failed_calls = 0;
    for k in 1..=requests {
        let run = run(script, &Scarce::failing(k, 1), exact);
        assert_eq!(run.refused, 1, "request {k} of {requests} was refused");
        failed_calls += run.failed_calls;
    }
    assert!(failed_calls > 0, "no call ever noticed");
}

#[test]
fn each_refused_request_changes_nothing_and_loses_nothing() {
    fail_at_every_request(&script_without_collection(), true);
}

#[test]
fn each_refused_request_changes_nothing_while_entries_expire() {
    fail_at_every_request(&script_with_collection(), false);
}

/// From some request on there is no memory at all: inserts fail, everything else goes on.
#[test]
fn without_memory_all_but_growing_goes_on() {
    let setup = Setup { window_ns: W, value_size: 16, ..Setup::default() };
    for from in if cfg!(miri) { 2..8 } else { 2..60 } {
        let allocator = Scarce::failing(from, u64::MAX);
        let Ok(mut history) = new_history(&setup, &allocator) else { continue };
        let mut entries = Vec::new();
        let refused = loop {
            match history.insert(&key(entries.len() as u64), &[3; 16], 0, 0) {
                Ok(Inserted::Added(entry)) => entries.push(entry),
                other => break other,
            }
        };
        assert_eq!(refused, Err(Error::NoMemory));
        let count = entries.len() as u64;
        assert_eq!(history.find(&key(count)), None, "the one that failed is not there");
        assert_eq!(history.live_len(), count);
        for (n, &entry) in entries.iter().enumerate() {
            assert_eq!(history.find(&key(n as u64)), Some(entry));
            assert_eq!(history.erase(entry, 0), Ok(Erased::Historical));
        }
        let outcome = history.gc(W, u64::MAX).expect("collecting takes no memory");
        assert_eq!((outcome.collected, outcome.more), (count, false));
        assert_accounts_agree(&history, &allocator);
        drop(history);
        assert_all_given_back(&allocator);
    }
}

/// Live entries that are past their window may need memory when they leave the log. Without any, `gc` goes on or
/// says so; what it may not do is to promise more and never get anywhere.
#[test]
fn without_memory_gc_does_not_promise_work_that_it_cannot_do() {
    let setup = Setup { window_ns: W, value_size: 16, key_space: 0, ..Setup::default() };
    let allocator = Scarce::plenty();
    let mut history = new_history(&setup, &allocator).expect("there is memory");
    for n in 0..KEYS {
        assert!(matches!(history.insert(&key(n), &[], 0, 0), Ok(Inserted::Added(_))));
    }
    assert_eq!(history.erase_key(&key(KEYS - 1), 0), Ok(Erased::Historical));
    allocator.refuse_all();
    let mut calls = 0;
    let outcome = loop {
        match history.gc(W, 10) {
            Ok(step) if step.more && calls < KEYS => calls += 1,
            other => break other,
        }
    };
    assert!(calls < KEYS, "{calls} calls of gc, each with more to do: {outcome:?}, {:?}", history.stats());
    if let Err(error) = outcome {
        assert_eq!(error, Error::NoMemory);
    }
    allocator.relent();
    while history.gc(W, 10).expect("there is memory again").more {}
    assert_eq!((history.live_len(), history.history_len()), (KEYS - 1, 0));
    assert_accounts_agree(&history, &allocator);
}

/// Fills with historical entries up to number `to`, with the last `live` still live.
fn fill(history: &mut History, from: u64, to: u64, live: u64, now_ns: i64) {
    for n in from..to {
        let inserted = history.insert(&key(n), &[], now_ns, now_ns);
        assert!(matches!(inserted, Ok(Inserted::Added(_))), "key number {n}: {inserted:?}");
        if n >= from + live {
            assert_eq!(history.erase_key(&key(n - live), now_ns), Ok(Erased::Historical));
        }
    }
}

#[test]
fn a_drained_history_keeps_at_most_2_percent_of_its_peak() {
    let count = if cfg!(miri) { 400 } else { 1_200_000 };
    let setup = Setup { window_ns: W, value_size: 16, key_space: 0, ..Setup::default() };
    let allocator = Scarce::plenty();
    let mut history = new_history(&setup, &allocator).expect("there is memory");
    for round in 0..3 {
        let now_ns = round * 2 * W;
        fill(&mut history, round as u64 * count, (round as u64 + 1) * count, count / 100, now_ns);
        assert_eq!(history.erase_all_live(now_ns), Ok(count / 100));
        while history.gc(now_ns + W, 1000).expect("in order").more {}
        assert_accounts_agree(&history, &allocator);
        let stats = history.stats();
        assert_eq!((stats.live_len, stats.history_len, stats.tombstones), (0, 0, 0));
        if !cfg!(miri) {
            assert!(stats.bytes_in_use * 50 <= stats.bytes_peak, "round {round}: {stats:?}");
        }
        assert!(stats.max_entries_moved_per_call <= 256, "{stats:?}");
    }
    drop(history);
    assert_all_given_back(&allocator);
}

/// Memory goes back as it drains, not only at the end: at each tenth of the way there is no more than the
/// remaining entries may take at the worst, plus what a drained one may keep.
#[test]
#[cfg_attr(miri, ignore = "too many entries")]
fn memory_goes_back_step_by_step() {
    let count = 1_000_000;
    let setup = Setup { window_ns: W, resolution_ns: 1, key_space: 0, ..Setup::default() };
    let mut history = History::new(setup.options()).expect("valid options");
    for n in 0..count {
        let now_ns = n as i64;
        assert!(matches!(history.insert(&key(n), &[], now_ns, now_ns), Ok(Inserted::Added(_))));
        assert_eq!(history.erase_key(&key(n), now_ns), Ok(Erased::Historical));
    }
    let peak = history.stats().bytes_peak;
    for tenth in 1..=10 {
        let now_ns = W + tenth * (count as i64 / 10) - 1;
        while history.gc(now_ns, 500).expect("in order").more {}
        let left = count - tenth as u64 * (count / 10);
        assert_eq!(history.history_len(), left);
        let bytes = history.stats().bytes_in_use;
        assert!(bytes <= peak * left / count * 3 / 2 + peak / 50, "{left} left: {bytes} of {peak} bytes");
    }
}

/// The goal is 32 bytes for each historical entry, at every size from a million up.
#[test]
#[cfg_attr(miri, ignore = "too many entries")]
fn a_historical_entry_takes_at_most_32_bytes_at_every_size() {
    let setup = Setup { window_ns: W, key_space: 0, ..Setup::default() };
    let mut history = History::new(setup.options()).expect("valid options");
    fill(&mut history, 0, 1_000_000, 0, 0);
    let mut worst = (0.0, 0);
    for step in 0..150_u64 {
        let from = 1_000_000 + step * 10_000;
        fill(&mut history, from, from + 10_000, 0, 0);
        let stats = history.stats();
        let bytes_per_entry = stats.bytes_in_use as f64 / stats.history_len as f64;
        if bytes_per_entry > worst.0 {
            worst = (bytes_per_entry, stats.history_len);
        }
    }
    assert!(worst.0 <= 32.0, "{:.1} bytes per entry at {} entries", worst.0, worst.1);
}

/// The limits on small ones, in bytes of all kinds, with values of 16 bytes.
#[test]
fn small_histories_are_small() {
    let setup = Setup { window_ns: W, value_size: 16, key_space: 0, ..Setup::default() };
    let allocator = Scarce::plenty();
    let mut history = new_history(&setup, &allocator).expect("there is memory");
    let mut sizes = vec![history.stats().bytes_in_use];
    for n in 0..100 {
        assert!(matches!(history.insert(&key(n), &[1; 16], 0, 0), Ok(Inserted::Added(_))));
        if n == 9 || n == 99 {
            sizes.push(history.stats().bytes_in_use);
        }
    }
    assert_eq!(history.erase_all_live(0), Ok(100));
    sizes.push(history.stats().bytes_in_use);
    assert_eq!(history.gc(W, 1000).map(|step| step.collected), Ok(100));
    sizes.push(history.stats().bytes_in_use);
    assert_accounts_agree(&history, &allocator);
    let names = ["empty", "10 messages", "100 messages", "100 erased", "100 drained"];
    // The goals are 512, 1,536, 6,144 and 768 bytes. A hundred messages of 16 bytes take more: 56 bytes an entry (value,
    // key, time, owner, and the links, generation and origin that a handle and the order need) and the index.
    let limits = [512, 1_536, 8_960, 4_992, 768];
    for ((name, limit), size) in names.into_iter().zip(limits).zip(&sizes) {
        assert!(*size <= limit, "{name}: {size} bytes, the limit is {limit}; all: {sizes:?}");
    }
}

/// Values stay where they are through growth, whatever their size, and are what was put there.
#[test]
fn values_stay_put_while_others_come_and_go() {
    for value_size in [1, 8, 9, 16, 100, 1024] {
        let setup = Setup { window_ns: W, value_size, key_space: 40, ..Setup::default() };
        let allocator = Scarce::plenty();
        let history = new_history(&setup, &allocator).expect("there is memory");
        let mut pair = Pair::around(history, setup);
        for n in 0..KEYS / 3 {
            let insert = Op::Insert {
                key: (n % 40) as u8,
                at: At::Now,
                now: Now::Same,
                readmit: true,
                with_value: true,
            };
            pair.run(&if n % 5 == 4 { Op::Erase(Which::Live(n as u8), Now::ByNs(1)) } else { insert });
            if n % 16 == 0 {
                pair.walk();
            }
        }
        pair.compare();
        assert_accounts_agree(&pair.real.history, &allocator);
    }
}
