//! What the tests of the cursor share: a queue of a cursor, its store and its tracker, and short ways to use them.

#![allow(dead_code, reason = "not every test uses all of it")]

pub mod figures;

#[allow(unused_imports, reason = "not every test uses it")]
pub use figures::at_rest;
use queuecore::cursor::{
    Blocked, Cursor, Delivered, Group, MemoryStore, Message, Options, Policy, PullEnd, Pushed, Round, Stored,
    Write,
};
use queuecore::usage::{self, Tracker};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

/// What a pull ends with when nothing is left.
pub const EMPTY: PullEnd = PullEnd::Empty;

pub fn blocked(reason: Blocked) -> PullEnd {
    PullEnd::Blocked(reason)
}

pub fn options(policy: Policy) -> Options {
    Options { policy, ..Options::default() }
}

pub fn no_cache() -> Policy {
    Policy { use_cache: false, ..Policy::default() }
}

/// A root tracker.
pub fn tracker(limit_bytes: u64) -> Arc<Tracker> {
    let options = usage::Options { limit_bytes, ..usage::Options::default() };
    Arc::new(Tracker::new(options).expect("valid options"))
}

/// A tracker below another one.
pub fn child(parent: &Tracker, limit_bytes: u64) -> Arc<Tracker> {
    let options = usage::Options { limit_bytes, ..usage::Options::default() };
    Arc::new(parent.child(options).expect("valid options"))
}

/// A queue: its messages have their sequence as `user`, and their token is the sequence unless a test says otherwise.
pub struct Queue {
    pub cursor: Cursor,
    pub store: MemoryStore,
    pub tracker: Arc<Tracker>,
    pub priority: u8,
    ready: Receiver<()>,
}

impl Queue {
    pub fn new(limit_bytes: u64, options: Options) -> Queue {
        Queue::with(options, tracker(limit_bytes), None, MemoryStore::new())
    }

    pub fn with(options: Options, tracker: Arc<Tracker>, group: Option<&Group>, store: MemoryStore) -> Queue {
        let mut cursor = Cursor::new(options, Arc::clone(&tracker), group, Box::new(store.clone()))
            .expect("valid options");
        let (sender, ready) = channel();
        cursor.on_ready(Some(Arc::new(move || {
            // Nobody listens at the end of a test.
            let _ = sender.send(());
        })));
        Queue { cursor, store, tracker, priority: 4, ready }
    }

    /// Calls of `on_ready` since the last question.
    pub fn ready_calls(&self) -> usize {
        self.ready.try_iter().count()
    }

    /// Waits for a call of `on_ready`.
    pub fn wait_ready(&self) {
        self.ready.recv().expect("the cursor holds the sender");
    }

    pub fn stored(&self, sequence: u64, size_bytes: u32) -> Stored {
        Stored { sequence, user: sequence, size_bytes, priority: self.priority }
    }

    fn message(&self, token: u64, size_bytes: u32, write: Write) -> Message {
        Message { token, user: token, size_bytes, priority: self.priority, write }
    }

    /// Stores and pushes a message whose write is done.
    pub fn push(&mut self, sequence: u64, size_bytes: u32) -> Pushed {
        self.store.insert(self.stored(sequence, size_bytes));
        let message = self.message(sequence, size_bytes, Write::Committed(sequence));
        self.cursor.push(&message).expect("in order")
    }

    /// Pushes a message whose write is open.
    pub fn push_open(&mut self, token: u64, size_bytes: u32) -> Pushed {
        let message = self.message(token, size_bytes, Write::Open);
        self.cursor.push(&message).expect("in order")
    }

    /// The write of the token is done, under the same number.
    pub fn commit(&mut self, token: u64, size_bytes: u32) {
        self.store.insert(self.stored(token, size_bytes));
        self.cursor.committed(token, token).expect("an open write");
    }

    /// The sequences that a pull gives, and how it ended.
    pub fn pull(&mut self, demand: u32) -> (Vec<u64>, PullEnd) {
        self.pull_round(demand, Round::Begin)
    }

    pub fn pull_round(&mut self, demand: u32, round: Round) -> (Vec<u64>, PullEnd) {
        let messages = self.try_pull(demand, round).expect("the store is well");
        (messages.0.iter().map(|message| message.sequence).collect(), messages.1)
    }

    pub fn try_pull(
        &mut self,
        demand: u32,
        round: Round,
    ) -> Result<(Vec<Delivered>, PullEnd), queuecore::cursor::Error> {
        let mut out = vec![Delivered::default(); demand as usize];
        let pulled = self.cursor.pull(demand, round, &mut out)?;
        out.truncate(pulled.count);
        Ok((out, pulled.end))
    }

    /// Acknowledges a message and deletes it from the store.
    pub fn ack(&mut self, sequence: u64) {
        self.cursor.ack(sequence).expect("in flight");
        assert!(self.store.remove(sequence), "{sequence} is in the store");
    }

    /// Pulls and acknowledges until nothing is left; the sequences in the order in which they came.
    pub fn drain(&mut self) -> Vec<u64> {
        let mut all = Vec::new();
        loop {
            let (sequences, end) = self.pull(100);
            for sequence in &sequences {
                self.ack(*sequence);
            }
            all.extend(&sequences);
            if sequences.is_empty() && end != PullEnd::More {
                assert_eq!(end, PullEnd::Empty, "after {all:?}");
                return all;
            }
        }
    }

    pub fn usage(&self) -> i64 {
        self.tracker.usage_bytes()
    }
}
