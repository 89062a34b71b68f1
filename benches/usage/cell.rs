//! One engine in one case with one number of threads: its tree, and slices of time on it.
//!
//! The tree stays from slice to slice, so that what an engine learns of its load is learnt once, in a slice that does
//! not count. Each slice starts its threads anew; they begin together, and the slice is as long as from the first
//! thread's begin to the last one's end.

use crate::cases::{Case, LIMIT_BYTES, Work};
use crate::meter::{Figures, KIB, Line, Meter, Steps, percent_of};
use crate::processors;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

/// Operations between two looks at whether the slice is over.
const BATCH: u64 = 16;
/// Messages that one thread of a split pair does before it tells the other.
const BLOCK: u64 = 64;
/// Messages that it may be ahead.
const LEAD: u64 = 4096;

/// What a slice showed.
#[derive(Clone, Copy)]
pub struct Slice {
    pub operations: u64,
    pub seconds: f64,
    /// Processor time of all threads.
    pub busy_seconds: f64,
}

/// One engine in one case with one number of threads.
pub trait Cell {
    fn engine(&self) -> &'static str;
    fn slice(&self, length: Duration) -> Slice;
    /// The engine's own counters.
    fn figures(&self) -> Option<Figures>;
    /// What is wrong with levels and events after all slices.
    fn complaint(&self) -> Option<String>;
    /// The share of increases and decreases that went to the shared totals without filling a stripe.
    fn direct_share(&self) -> Option<f64>;
}

/// A cell for the engine `M`.
pub struct Bench<M> {
    pub parent: M,
    pub children: Vec<M>,
    pub threads: usize,
    pub work: Work,
    used: usize,
    level_bytes: u64,
    steps: Option<Arc<Steps>>,
}

/// Where one thread's time went.
struct Spent {
    operations: u64,
    begin: Instant,
    end: Instant,
    busy: f64,
}

impl<M: Meter> Bench<M> {
    pub fn new(case: &Case, threads: usize) -> Bench<M> {
        let parent = M::root(LIMIT_BYTES);
        let children = (0..case.children).map(|_| parent.child()).collect();
        parent.increase(case.level_bytes);
        let steps = case.listens.then(|| Arc::new(Steps::beginning_at(parent.percent())));
        if let Some(steps) = &steps {
            parent.listen(steps.clone());
        }
        let (used, work, level_bytes) = (case.used, case.work, case.level_bytes);
        Bench { parent, children, threads, work, used, level_bytes, steps }
    }

    /// Runs one closure a thread until the time is over; each is told when that is and answers its operations.
    fn timed(&self, length: Duration, work: impl Fn(usize, &AtomicBool) -> u64 + Sync) -> Slice {
        let start = Barrier::new(self.threads + 1);
        let over = Line(AtomicBool::new(false));
        let spent: Vec<Spent> = std::thread::scope(|scope| {
            let thread = |number| {
                let (start, over, work) = (&start, &over.0, &work);
                scope.spawn(move || {
                    processors::stay(number);
                    start.wait();
                    let (begin, before) = (Instant::now(), processors::thread_seconds());
                    let operations = work(number, over);
                    Spent {
                        operations,
                        begin,
                        end: Instant::now(),
                        busy: processors::thread_seconds() - before,
                    }
                })
            };
            let threads: Vec<_> = (0..self.threads).map(thread).collect();
            start.wait();
            std::thread::sleep(length);
            over.0.store(true, Ordering::Relaxed);
            threads.into_iter().map(|thread| thread.join().expect("no engine panics")).collect()
        });
        let begin = spent.iter().map(|spent| spent.begin).min().expect("at least one thread");
        let end = spent.iter().map(|spent| spent.end).max().expect("at least one thread");
        Slice {
            operations: spent.iter().map(|spent| spent.operations).sum(),
            seconds: (end - begin).as_secs_f64(),
            busy_seconds: spent.iter().map(|spent| spent.busy).sum(),
        }
    }

    fn messages(&self, length: Duration) -> Slice {
        self.timed(length, |thread, over| {
            let child = &self.children[thread % self.used];
            until(over, || message(child, child, &self.parent))
        })
    }

    fn with_parent_percent(&self, length: Duration) -> Slice {
        self.timed(length, |thread, over| {
            let child = &self.children[thread % self.used];
            until(over, || message(child, &self.parent, &self.parent))
        })
    }

    fn at_random(&self, length: Duration) -> Slice {
        self.timed(length, |thread, over| {
            let mut random = Xorshift::new(thread as u64);
            until(over, || {
                let child = &self.children[random.below(self.used)];
                message(child, child, &self.parent)
            })
        })
    }

    fn split(&self, length: Duration) -> Slice {
        let child = &self.children[0];
        let (made, taken) = (Line(AtomicU64::new(0)), Line(AtomicU64::new(0)));
        let slice = self.timed(length, |thread, over| {
            if thread == 0 {
                // The operations are counted once, where they end.
                hand_over(over, &made.0, &taken.0, LEAD, || {
                    child.increase(KIB);
                    ask(child, child, &self.parent)
                });
                0
            } else {
                hand_over(over, &taken.0, &made.0, 0, || {
                    child.decrease(KIB);
                    0
                })
            }
        });
        for _ in taken.0.load(Ordering::Relaxed)..made.0.load(Ordering::Relaxed) {
            child.decrease(KIB);
        }
        slice
    }
}

impl<M: Meter> Cell for Bench<M> {
    fn engine(&self) -> &'static str {
        M::ENGINE
    }

    fn slice(&self, length: Duration) -> Slice {
        match self.work {
            Work::Message => self.messages(length),
            Work::ParentPercent => self.with_parent_percent(length),
            Work::Split => self.split(length),
            Work::Random => self.at_random(length),
        }
    }

    fn figures(&self) -> Option<Figures> {
        self.parent.figures()
    }

    fn complaint(&self) -> Option<String> {
        let (usage, level) = (self.parent.usage_bytes(), self.level_bytes as i64);
        if !M::COUNTS {
            return None;
        }
        if usage != level {
            return Some(format!("the parent counts {usage} bytes of {level}"));
        }
        let (percent, truth) = (self.parent.percent(), percent_of(level, LIMIT_BYTES as i64));
        if percent != truth {
            return Some(format!("the parent is at {percent} % of {truth} %"));
        }
        self.steps.as_ref()?.complaint(percent)
    }

    fn direct_share(&self) -> Option<f64> {
        crate::shared::direct_share(self)
    }
}

/// The whole life of a message. The answers are summed up, in a register, so that nobody can say they are not wanted.
#[inline(always)]
fn message<M: Meter>(child: &M, read: &M, parent: &M) -> u64 {
    child.increase(KIB);
    let answers = ask(child, read, parent);
    child.decrease(KIB);
    answers
}

#[inline(always)]
fn ask<M: Meter>(child: &M, read: &M, parent: &M) -> u64 {
    u64::from(child.is_full()) + u64::from(parent.is_full()) + read.percent() as u64
}

/// Does `operation` until the time is over. Answers how often.
#[inline(always)]
fn until(over: &AtomicBool, mut operation: impl FnMut() -> u64) -> u64 {
    let (mut operations, mut answers) = (0, 0_u64);
    while !over.load(Ordering::Relaxed) {
        for _ in 0..BATCH {
            answers = answers.wrapping_add(operation());
        }
        operations += BATCH;
    }
    black_box(answers);
    operations
}

/// Does `operation` until the time is over, never more than `lead` ahead of what another thread has done.
fn hand_over(
    over: &AtomicBool,
    mine: &AtomicU64,
    other: &AtomicU64,
    lead: u64,
    mut operation: impl FnMut() -> u64,
) -> u64 {
    let (mut done, mut waited, mut answers) = (0, 0, 0_u64);
    while !over.load(Ordering::Relaxed) {
        if done + BLOCK > other.load(Ordering::Acquire) + lead {
            waited += 1;
            if waited % 128 == 0 {
                std::thread::yield_now()
            } else {
                std::hint::spin_loop()
            }
            continue;
        }
        for _ in 0..BLOCK {
            answers = answers.wrapping_add(operation());
        }
        done += BLOCK;
        mine.store(done, Ordering::Release);
    }
    black_box(answers);
    done
}

/// Marsaglia's xorshift64: a few cycles, so that the choice of a child costs less than the message.
struct Xorshift(u64);

impl Xorshift {
    fn new(seed: u64) -> Xorshift {
        Xorshift((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    #[inline(always)]
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * end as u64) >> 32) as usize
    }
}
