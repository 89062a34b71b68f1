//! `exact`: one atomic per meter, between whose cached bounds nothing can change, and a locked crossing. Whoever leaves
//! the bounds takes the level's lock, publishes the new percent and its bounds, and reports the step before it lets go;
//! so every step is reported once, in an unbroken chain that ends with the truth.
//!
//! Why none is missed: the publisher exchanges the bounds and only then looks at what is counted again. Who compared
//! with old bounds was counted before that look; all of it is in one total order.

use crate::meter::{Line, Meter, Steps, percent_of};
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

pub struct Exact(Arc<Node>);

#[repr(C)]
struct Node {
    read: Line<Read>,
    usage: Line<AtomicI64>,
    slow: Line<Mutex<Option<Arc<Steps>>>>,
}

/// The percent stays while `lo <= usage < hi`. The bounds stand with what is read: beside the usage they would be fetched
/// twice whenever another thread takes that line between the addition and the comparison.
struct Read {
    percent: AtomicI32,
    limit: i64,
    lo: AtomicI64,
    hi: AtomicI64,
    parent: Option<Arc<Node>>,
}

impl Node {
    fn meter(limit: i64, parent: Option<Arc<Node>>) -> Exact {
        let (percent, lo, hi) = (AtomicI32::new(0), AtomicI64::new(0), AtomicI64::new(0));
        let read = Line(Read { percent, limit, lo, hi, parent });
        let node = Exact(Arc::new(Node { read, usage: Line::default(), slow: Line::default() }));
        node.0.cross();
        node
    }

    #[inline(always)]
    fn add(&self, bytes: i64) {
        let read = &self.read.0;
        let usage = self.usage.0.fetch_add(bytes, Ordering::SeqCst) + bytes;
        if usage < read.lo.load(Ordering::SeqCst) || usage >= read.hi.load(Ordering::SeqCst) {
            self.cross();
        }
    }

    #[inline(always)]
    fn add_to_path(&self, bytes: i64) {
        let mut node = self;
        loop {
            node.add(bytes);
            match &node.read.0.parent {
                Some(parent) => node = parent,
                None => return,
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn cross(&self) {
        let read = &self.read.0;
        let steps = self.slow.0.lock().expect("no engine panics");
        loop {
            let usage = self.usage.0.load(Ordering::SeqCst);
            if usage >= read.lo.load(Ordering::Relaxed) && usage < read.hi.load(Ordering::Relaxed) {
                return;
            }
            let percent = percent_of(usage, read.limit);
            let (lo, hi) = bucket(percent, read.limit);
            read.lo.store(lo, Ordering::SeqCst);
            read.hi.store(hi, Ordering::SeqCst);
            let old = read.percent.load(Ordering::Relaxed);
            read.percent.store(percent, Ordering::Release);
            if let Some(steps) = &*steps
                && old != percent
            {
                steps.step(old, percent);
            }
        }
    }
}

/// The levels `lo <= level < hi` of a percent: truncation makes that of 0 twice as wide.
fn bucket(percent: i32, limit: i64) -> (i64, i64) {
    let up = |percent: i64| (percent * limit + 99) / 100;
    let percent = i64::from(percent);
    let lo = if percent > 0 { up(percent) } else { 1 - up(1 - percent) };
    let hi = if percent < 0 { 1 - up(-percent) } else { up(percent + 1) };
    (lo, hi)
}

impl Meter for Exact {
    const ENGINE: &'static str = "exact";

    fn root(limit_bytes: u64) -> Exact {
        Node::meter(limit_bytes as i64, None)
    }

    fn child(&self) -> Exact {
        Node::meter(self.0.read.0.limit, Some(self.0.clone()))
    }

    #[inline(always)]
    fn increase(&self, bytes: u64) {
        self.0.add_to_path(bytes as i64);
    }

    #[inline(always)]
    fn decrease(&self, bytes: u64) {
        self.0.add_to_path(-(bytes as i64));
    }

    #[inline(always)]
    fn percent(&self) -> i32 {
        self.0.read.0.percent.load(Ordering::Acquire)
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        let mut node: &Node = &self.0;
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
        self.0.usage.0.load(Ordering::SeqCst)
    }

    fn listen(&self, steps: Arc<Steps>) {
        *self.0.slow.0.lock().expect("no engine panics") = Some(steps);
    }
}
