//! What the tests with many threads share.

#![allow(clippy::disallowed_types)] // The types of the standard library will do in a test.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// As good as no timeout, but a test that would hang fails.
pub const LONG: Option<Duration> = Some(Duration::from_secs(120));

/// How many times a test does what it does: the variable of this name, or what will do for a daily run.
pub fn count(variable: &str, daily: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => {
            text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable}={text} is no number"))
        }
        Err(_) => daily,
    }
}

/// Says how far a long run is; silent in a daily run.
pub struct Progress {
    what: &'static str,
    all: u64,
    done: AtomicU64,
    step: u64,
}

impl Progress {
    pub fn new(what: &'static str, all: u64, daily: u64) -> Progress {
        let step = if all > daily { all.div_ceil(10) } else { u64::MAX };
        Progress { what, all, done: AtomicU64::new(0), step }
    }

    pub fn add(&self, count: u64) {
        let before = self.done.fetch_add(count, Ordering::Relaxed);
        let after = before + count;
        if before / self.step < after / self.step {
            eprintln!("{}: {after} of {}", self.what, self.all);
        }
    }

    /// The end of it.
    pub fn finish(&self) {
        let done = self.done.load(Ordering::Relaxed);
        assert!(done >= self.all, "{}: only {done} of {}", self.what, self.all);
        if self.step < u64::MAX {
            eprintln!("{}: all {done} done", self.what);
        }
    }
}

/// Random numbers, the same for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len() as u64) as usize]
    }

    /// Lets some time go by, from none to about a microsecond, and now and then the processor.
    pub fn dawdle(&mut self) {
        match self.below(64) {
            0 => std::thread::yield_now(),
            1..32 => (0..self.below(200)).for_each(|_| std::hint::spin_loop()),
            _ => {}
        }
    }
}

/// Turns that some threads take together: nobody goes on with turn n before all have come to it.
pub struct Turns {
    threads: u64,
    arrived: AtomicU64,
    asleep: Mutex<()>,
    woken: Condvar,
}

impl Turns {
    pub fn new(threads: u64) -> Turns {
        Turns { threads, arrived: AtomicU64::new(0), asleep: Mutex::new(()), woken: Condvar::new() }
    }

    /// Comes to a turn (counted from 0) and goes on when all are there. Spins for a moment, so that mostly all go on
    /// at once, and then sleeps, for the others may need the processor.
    pub fn come_to(&self, turn: u64) {
        let end = (turn + 1) * self.threads;
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == end {
            drop(self.asleep.lock().unwrap_or_else(PoisonError::into_inner));
            self.woken.notify_all();
            return;
        }
        for _ in 0..1000 {
            if self.arrived.load(Ordering::Acquire) >= end {
                return;
            }
            std::hint::spin_loop();
        }
        let mut asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        while self.arrived.load(Ordering::Acquire) < end {
            // Another thread may have failed: this one is to say so, not to wait for it.
            let waited = self.woken.wait_timeout(asleep, Duration::from_secs(180));
            let (held, outcome) = waited.unwrap_or_else(PoisonError::into_inner);
            asleep = held;
            let arrived = self.arrived.load(Ordering::Acquire);
            assert!(arrived >= end || !outcome.timed_out(), "turn {turn}: {arrived} of {end} came");
        }
    }
}
