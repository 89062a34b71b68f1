//! `lock`: a read-write lock per meter, as in the stock Java broker. Changes take it to write, one level after the
//! other, and report a new percent while they hold it; questions take it to read.

use crate::meter::{Meter, Steps, percent_of};
use std::sync::{Arc, RwLock};

pub struct Lock(Arc<Node>);

struct Node {
    state: RwLock<State>,
    limit: i64,
    parent: Option<Arc<Node>>,
}

#[derive(Default)]
struct State {
    usage: i64,
    percent: i32,
    steps: Option<Arc<Steps>>,
}

impl Node {
    fn meter(limit: i64, parent: Option<Arc<Node>>) -> Lock {
        Lock(Arc::new(Node { state: RwLock::default(), limit, parent }))
    }

    fn add(&self, bytes: i64) {
        let mut state = self.state.write().expect("no engine panics");
        state.usage += bytes;
        let percent = percent_of(state.usage, self.limit);
        if percent != state.percent {
            let old = std::mem::replace(&mut state.percent, percent);
            if let Some(steps) = &state.steps {
                steps.step(old, percent);
            }
        }
        drop(state);
        if let Some(parent) = &self.parent {
            parent.add(bytes);
        }
    }

    fn percent(&self) -> i32 {
        self.state.read().expect("no engine panics").percent
    }

    fn is_full(&self) -> bool {
        self.parent.as_ref().is_some_and(|parent| parent.is_full()) || self.percent() >= 100
    }
}

impl Meter for Lock {
    const ENGINE: &'static str = "lock";

    fn root(limit_bytes: u64) -> Lock {
        Node::meter(limit_bytes as i64, None)
    }

    fn child(&self) -> Lock {
        Node::meter(self.0.limit, Some(self.0.clone()))
    }

    #[inline]
    fn increase(&self, bytes: u64) {
        self.0.add(bytes as i64);
    }

    #[inline]
    fn decrease(&self, bytes: u64) {
        self.0.add(-(bytes as i64));
    }

    #[inline]
    fn percent(&self) -> i32 {
        self.0.percent()
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.0.is_full()
    }

    fn usage_bytes(&self) -> i64 {
        self.0.state.read().expect("no engine panics").usage
    }

    fn listen(&self, steps: Arc<Steps>) {
        self.0.state.write().expect("no engine panics").steps = Some(steps);
    }
}
