//! Criterion benchmarks of the Rust core of `history`: what a message costs in a steady state, what growing,
//! collecting and looking up cost, alone and in batches.
//!
//!     cargo bench --bench history              # everything, some minutes
//!     QUICK=1 cargo bench --bench history      # small populations and short samples, for the daily loop
//!
//! The steady state is that of a broker: a fixed window's worth of historical entries, and each new message is
//! inserted, erased (acknowledged) a thousand messages later, and makes one old entry expire, which the insert
//! collects inline. So one iteration is one message's whole life.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use queuecore::history::{Entry, History, Inserted, Key, Options, Presence};
use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Duration;

const BATCH: usize = 64;
/// How many messages are live at a time.
const LIVE: usize = 1000;
/// Nanoseconds between messages: 100,000 a second.
const TICK_NS: i64 = 10_000;

fn quick() -> bool {
    std::env::var_os("QUICK").is_some_and(|value| value != "0")
}

fn sizes() -> &'static [u64] {
    if quick() { &[100_000] } else { &[100_000, 1_000_000] }
}

/// Key number `n`: scattered, so that neighbours in time are none in memory.
fn key(n: u64) -> Key {
    let mut z = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&n.to_le_bytes());
    bytes[8..].copy_from_slice(&(z ^ (z >> 32)).to_le_bytes());
    Key(bytes)
}

fn added(inserted: Inserted) -> Entry {
    match inserted {
        Inserted::Added(entry) => entry,
        other => panic!("a fresh key was answered {other:?}"),
    }
}

/// A broker in its steady state.
struct Broker {
    history: History,
    live: VecDeque<Entry>,
    now_ns: i64,
    next: u64,
}

impl Broker {
    /// With `size` historical entries, the next of which is about to expire.
    fn new(size: u64) -> Broker {
        let options =
            Options { window_ns: size as i64 * TICK_NS, value_size: 16, seed: Some(7), ..Options::default() };
        let history = History::new(options).expect("valid options");
        let mut broker = Broker { history, live: VecDeque::with_capacity(LIVE + BATCH), now_ns: 0, next: 0 };
        for _ in 0..size + LIVE as u64 {
            broker.message();
        }
        broker
    }

    /// One message's life: its insert, and the erase of the one a thousand before.
    fn message(&mut self) {
        self.now_ns += TICK_NS;
        let now_ns = self.now_ns;
        let inserted = self.history.insert(&key(self.next), &[0; 16], now_ns, now_ns).expect("in order");
        self.next += 1;
        self.live.push_back(added(inserted));
        if self.live.len() > LIVE
            && let Some(oldest) = self.live.pop_front()
        {
            black_box(self.history.erase(oldest, now_ns).expect("live"));
        }
    }

    /// A batch of messages at once.
    fn messages(&mut self) {
        self.now_ns += TICK_NS * BATCH as i64;
        let now_ns = self.now_ns;
        let keys: [Key; BATCH] = std::array::from_fn(|at| key(self.next + at as u64));
        self.next += BATCH as u64;
        let mut inserted = [None; BATCH];
        let (_, outcome) = self.history.insert_batch(&keys, &[0; 16 * BATCH], &[], now_ns, &mut inserted);
        outcome.expect("in order");
        self.live.extend(inserted.into_iter().flatten().map(added));
        let oldest: Vec<Entry> = self.live.drain(..BATCH).collect();
        let mut erased = [None; BATCH];
        let (_, outcome) = self.history.erase_batch(&oldest, now_ns, &mut erased);
        outcome.expect("live");
    }
}

fn steady_state(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("message");
    for &size in sizes() {
        let mut broker = Broker::new(size);
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::new("single", size), |bencher| bencher.iter(|| broker.message()));
        group.throughput(Throughput::Elements(BATCH as u64));
        group.bench_function(BenchmarkId::new("batch64", size), |bencher| bencher.iter(|| broker.messages()));
        assert!(broker.history.history_len() >= size / 2, "the window's worth is still there");
    }
    group.finish();
}

fn lookups(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lookup");
    for &size in sizes() {
        let mut broker = Broker::new(size);
        let (now_ns, newest) = (broker.now_ns, broker.next);
        group.throughput(Throughput::Elements(1));
        for (name, offset) in [("miss", 1 << 40), ("hit", newest - size / 2)] {
            let mut n = 0;
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| {
                    n = (n + 7919) % (size / 4);
                    broker.history.contains(&key(offset + n), now_ns).expect("in order")
                });
            });
        }
        group.throughput(Throughput::Elements(BATCH as u64));
        let mut n = 0;
        group.bench_function(BenchmarkId::new("miss_batch64", size), |bencher| {
            let mut presence = [Presence::Absent; BATCH];
            bencher.iter(|| {
                n += BATCH as u64;
                let keys: [Key; BATCH] = std::array::from_fn(|at| key((1 << 40) + n + at as u64));
                broker.history.contains_batch(&keys, now_ns, &mut presence).expect("in order");
                black_box(presence[0])
            });
        });
    }
    group.finish();
}

/// A history of `size` historical entries that all expire at once.
fn expiring(size: u64) -> History {
    let options = Options { window_ns: TICK_NS, seed: Some(7), ..Options::default() };
    let mut history = History::new(options).expect("valid options");
    for n in 0..size {
        let entry = added(history.insert(&key(n), &[], 0, 0).expect("in order"));
        history.erase(entry, 0).expect("live");
    }
    history
}

fn collecting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gc");
    for &size in sizes() {
        group.throughput(Throughput::Elements(size));
        group.bench_function(BenchmarkId::new("all", size), |bencher| {
            bencher.iter_batched(
                || expiring(size),
                |mut history| {
                    while history.gc(TICK_NS, 1000).expect("in order").more {}
                    history
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn growing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("grow");
    for &size in sizes() {
        group.throughput(Throughput::Elements(size));
        group.bench_function(BenchmarkId::new("from_empty", size), |bencher| {
            bencher.iter_with_large_drop(|| expiring(size));
        });
    }
    group.finish();
}

fn settings() -> Criterion {
    let criterion = Criterion::default().sample_size(10);
    if quick() {
        criterion
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_millis(300))
            .nresamples(10_000)
    } else {
        criterion
    }
}

criterion_group! {
    name = benches;
    config = settings();
    targets = steady_state, lookups, collecting, growing
}
criterion_main!(benches);
