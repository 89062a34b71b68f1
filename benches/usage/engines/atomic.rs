//! `atomic`: one atomic per meter and a published percent, as in the change that was proposed to the Java broker. A
//! change adds to the atomic of each level and compares the percent with the published one; only if it moved, it takes
//! the level's lock and publishes until what is published is what is counted. Questions read the published percent.
//!
//! What is counted stands in a line of its own, so that questions do not fight for it.

use crate::meter::{Line, Meter, Steps, percent_of};
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

pub struct Atomic(Arc<Node>);

#[repr(C)]
struct Node {
    read: Line<Read>,
    usage: Line<AtomicI64>,
    slow: Line<Mutex<Option<Arc<Steps>>>>,
}

struct Read {
    percent: AtomicI32,
    limit: i64,
    parent: Option<Arc<Node>>,
}

impl Node {
    fn meter(limit: i64, parent: Option<Arc<Node>>) -> Atomic {
        let read = Line(Read { percent: AtomicI32::new(0), limit, parent });
        Atomic(Arc::new(Node { read, usage: Line::default(), slow: Line::default() }))
    }

    #[inline(always)]
    fn add(&self, bytes: i64) {
        // SeqCst here and in `publish`, as Java's atomics and volatiles are: whoever misses a new percent is counted
        // before the publisher looks again.
        let usage = self.usage.0.fetch_add(bytes, Ordering::SeqCst) + bytes;
        if percent_of(usage, self.read.0.limit) != self.read.0.percent.load(Ordering::SeqCst) {
            self.publish();
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
    fn publish(&self) {
        let steps = self.slow.0.lock().expect("no engine panics");
        loop {
            let percent = percent_of(self.usage.0.load(Ordering::SeqCst), self.read.0.limit);
            let old = self.read.0.percent.swap(percent, Ordering::SeqCst);
            if old != percent
                && let Some(steps) = &*steps
            {
                steps.step(old, percent);
            }
            if percent_of(self.usage.0.load(Ordering::SeqCst), self.read.0.limit) == percent {
                return;
            }
        }
    }
}

impl Meter for Atomic {
    const ENGINE: &'static str = "atomic";

    fn root(limit_bytes: u64) -> Atomic {
        Node::meter(limit_bytes as i64, None)
    }

    fn child(&self) -> Atomic {
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
