//! What every engine can do, and the listener that all of them call.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// One message.
pub const KIB: u64 = 1024;

/// A meter in a tree. A handle: the meter itself stands elsewhere in memory, as a broker's would.
pub trait Meter: Send + Sync + Sized + 'static {
    /// The engine's name.
    const ENGINE: &'static str;
    /// Whether levels and events can be relied on afterwards; a ceiling only shows what counting costs.
    const COUNTS: bool = true;

    fn root(limit_bytes: u64) -> Self;
    /// A meter below this one, with all of its limit.
    fn child(&self) -> Self;
    fn increase(&self, bytes: u64);
    fn decrease(&self, bytes: u64);
    fn percent(&self) -> i32;
    /// Whether this meter or its parent is at 100 %.
    fn is_full(&self) -> bool;
    fn usage_bytes(&self) -> i64;
    /// Has every step of the percent reported from now on.
    fn listen(&self, steps: Arc<Steps>);
    /// The engine's own counters, if it keeps any.
    fn figures(&self) -> Option<Figures> {
        None
    }
}

/// What an engine that lends has done since its tree was made.
#[derive(Clone, Copy, Default)]
pub struct Figures {
    pub committed_bytes: i64,
    pub refills: u64,
    pub recalls: u64,
    pub crossings: u64,
    pub active_stripes: u64,
    pub bytes_in_use: u64,
}

impl Figures {
    /// What was done since `earlier`.
    pub fn since(&self, earlier: &Figures) -> Figures {
        Figures {
            refills: self.refills - earlier.refills,
            recalls: self.recalls - earlier.recalls,
            crossings: self.crossings - earlier.crossings,
            ..*self
        }
    }
}

/// A line of memory of its own.
#[derive(Default)]
#[repr(align(64))]
pub struct Line<T>(pub T);

/// A listener that counts steps and looks whether their chain is unbroken. Every engine calls it from one thread at a
/// time, so loads and stores will do.
#[derive(Default)]
pub struct Steps {
    count: Line<AtomicU64>,
    last: AtomicI32,
    gaps: AtomicU64,
}

impl Steps {
    pub fn beginning_at(percent: i32) -> Steps {
        let steps = Steps::default();
        steps.last.store(percent, Ordering::Relaxed);
        steps
    }

    #[inline]
    pub fn step(&self, old: i32, new: i32) {
        self.count.0.store(self.count.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if self.last.load(Ordering::Relaxed) != old {
            self.gaps.store(self.gaps.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        self.last.store(new, Ordering::Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.count.0.load(Ordering::Relaxed)
    }

    /// What is wrong with the steps if the percent is `now` at the end; nothing, if it is an unbroken chain to it.
    pub fn complaint(&self, now: i32) -> Option<String> {
        let (gaps, last) = (self.gaps.load(Ordering::Relaxed), self.last.load(Ordering::Relaxed));
        (gaps > 0 || last != now)
            .then(|| format!("{gaps} gaps in {} steps, the last one to {last} % of {now} %", self.count()))
    }
}

/// The percent as the Java broker computes it, with a step of 1.
#[inline(always)]
pub fn percent_of(usage: i64, limit: i64) -> i32 {
    (usage * 100 / limit) as i32
}
