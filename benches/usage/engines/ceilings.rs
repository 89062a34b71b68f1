//! Engines that cannot do the work, to see what it costs.
//!
//! `pair` is the least that one atomic per level can cost: the two additions, and reads of a percent that nobody
//! publishes. What `atomic` takes beyond it is the price of comparing. `sums` is the other ceiling: a sum per thread
//! on each level (the crate `fast-counter`), which costs no shared line and never knows its level.

use crate::meter::{Line, Meter, Steps};
use crate::processors;
use fast_counter::ConcurrentCounter;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

/// A count without a level to compare.
pub trait Count: Send + Sync + 'static {
    const ENGINE: &'static str;
    fn new() -> Self;
    fn add(&self, bytes: i64);
    fn sum(&self) -> i64;
}

pub struct One(Line<AtomicI64>);

impl Count for One {
    const ENGINE: &'static str = "pair";

    fn new() -> One {
        One(Line::default())
    }

    #[inline(always)]
    fn add(&self, bytes: i64) {
        self.0.0.fetch_add(bytes, Ordering::AcqRel);
    }

    fn sum(&self) -> i64 {
        self.0.0.load(Ordering::Acquire)
    }
}

impl Count for ConcurrentCounter {
    const ENGINE: &'static str = "sums";

    fn new() -> ConcurrentCounter {
        ConcurrentCounter::new(processors::count())
    }

    #[inline(always)]
    fn add(&self, bytes: i64) {
        ConcurrentCounter::add(self, bytes as isize);
    }

    fn sum(&self) -> i64 {
        ConcurrentCounter::sum(self) as i64
    }
}

pub type Pair = Ceiling<One>;
pub type Sums = Ceiling<ConcurrentCounter>;

/// Two levels at most, both in the handle.
pub struct Ceiling<C> {
    own: Arc<Node<C>>,
    parent: Option<Arc<Node<C>>>,
}

#[repr(C)]
struct Node<C> {
    percent: Line<AtomicI32>,
    count: Line<C>,
}

impl<C: Count> Ceiling<C> {
    fn new(parent: Option<Arc<Node<C>>>) -> Ceiling<C> {
        let own = Arc::new(Node { percent: Line(AtomicI32::new(48)), count: Line(C::new()) });
        Ceiling { own, parent }
    }

    #[inline(always)]
    fn add(&self, bytes: i64) {
        self.own.count.0.add(bytes);
        if let Some(parent) = &self.parent {
            parent.count.0.add(bytes);
        }
    }
}

impl<C: Count> Meter for Ceiling<C> {
    const ENGINE: &'static str = C::ENGINE;
    const COUNTS: bool = false;

    fn root(_limit_bytes: u64) -> Ceiling<C> {
        Ceiling::new(None)
    }

    fn child(&self) -> Ceiling<C> {
        Ceiling::new(Some(self.own.clone()))
    }

    #[inline(always)]
    fn increase(&self, bytes: u64) {
        self.add(bytes as i64);
    }

    #[inline(always)]
    fn decrease(&self, bytes: u64) {
        self.add(-(bytes as i64));
    }

    #[inline(always)]
    fn percent(&self) -> i32 {
        self.own.percent.0.load(Ordering::Acquire)
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        let above = self.parent.as_ref().map_or(0, |parent| parent.percent.0.load(Ordering::Acquire));
        self.percent() >= 100 || above >= 100
    }

    fn usage_bytes(&self) -> i64 {
        self.own.count.0.sum()
    }

    fn listen(&self, _steps: Arc<Steps>) {}
}
