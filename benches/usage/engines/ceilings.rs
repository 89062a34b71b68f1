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

pub struct Ceiling<C>(Arc<Node<C>>);

#[repr(C)]
struct Node<C> {
    read: Line<Read<C>>,
    count: Line<C>,
}

struct Read<C> {
    percent: AtomicI32,
    parent: Option<Arc<Node<C>>>,
}

impl<C: Count> Ceiling<C> {
    fn new(parent: Option<Arc<Node<C>>>) -> Ceiling<C> {
        let read = Line(Read { percent: AtomicI32::new(48), parent });
        Ceiling(Arc::new(Node { read, count: Line(C::new()) }))
    }

    #[inline(always)]
    fn add_to_path(&self, bytes: i64) {
        let mut node = &self.0;
        loop {
            node.count.0.add(bytes);
            match &node.read.0.parent {
                Some(parent) => node = parent,
                None => return,
            }
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
        Ceiling::new(Some(self.0.clone()))
    }

    #[inline(always)]
    fn increase(&self, bytes: u64) {
        self.add_to_path(bytes as i64);
    }

    #[inline(always)]
    fn decrease(&self, bytes: u64) {
        self.add_to_path(-(bytes as i64));
    }

    #[inline(always)]
    fn percent(&self) -> i32 {
        self.0.read.0.percent.load(Ordering::Acquire)
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        let mut node = &self.0;
        loop {
            if node.read.0.percent.load(Ordering::Acquire) >= 100 {
                return true;
            }
            match &node.read.0.parent {
                Some(parent) => node = parent,
                None => return false,
            }
        }
    }

    fn usage_bytes(&self) -> i64 {
        self.0.count.0.sum()
    }

    fn listen(&self, _steps: Arc<Steps>) {}
}
