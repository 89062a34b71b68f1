//! A store in memory, for tests and examples: an ordered map behind a lock, so that a test can hold one handle and the
//! cursor another.

use super::store::{Fetch, Store, StoreError, Stored};
use crate::sync::{Mutex, lock};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What fetches have been so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FetchCounts {
    /// Fetches that were answered.
    pub fetches: u64,
    /// Messages they returned.
    pub messages: u64,
    /// Fetches that failed.
    pub failed: u64,
    /// Messages whose bodies the cursor let go.
    pub discarded: u64,
}

#[derive(Default)]
struct Content {
    messages: BTreeMap<u64, Stored>,
    fail_at: Option<(u64, StoreError)>,
    counts: FetchCounts,
}

/// A store in memory. Clones are handles to the same one. Its memory is the process's own.
#[derive(Clone, Default)]
pub struct MemoryStore {
    content: Arc<Mutex<Content>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// Stores a message, or another one in its place.
    pub fn insert(&self, message: Stored) {
        lock(&self.content).messages.insert(message.sequence, message);
    }

    /// Deletes a message. Answers whether it was there.
    pub fn remove(&self, sequence: u64) -> bool {
        lock(&self.content).messages.remove(&sequence).is_some()
    }

    /// Deletes all messages up to a sequence, itself included.
    pub fn remove_up_to(&self, sequence: u64) {
        let mut content = lock(&self.content);
        let rest = content.messages.split_off(&sequence.saturating_add(1));
        content.messages = rest;
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        lock(&self.content).messages.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it holds, as `Cursor::open` wants it: messages, their bytes, the last sequence.
    pub fn summary(&self) -> (u64, u64, u64) {
        let content = lock(&self.content);
        let bytes = content.messages.values().map(|message| u64::from(message.size_bytes)).sum();
        let last = content.messages.keys().next_back().copied().unwrap_or(0);
        (content.messages.len() as u64, bytes, last)
    }

    /// Has every fetch that reaches this sequence fail, while it is stored; `None` heals the store.
    pub fn fail_at(&self, failure: Option<(u64, StoreError)>) {
        lock(&self.content).fail_at = failure;
    }

    /// What fetches have been so far.
    pub fn counts(&self) -> FetchCounts {
        lock(&self.content).counts
    }
}

impl Store for MemoryStore {
    fn fetch(&mut self, fetch: &Fetch, out: &mut [Stored]) -> Result<usize, StoreError> {
        let mut content = lock(&self.content);
        let (mut count, mut bytes) = (0, 0_u64);
        let mut failure = None;
        if fetch.after < fetch.up_to {
            let range = fetch.after.saturating_add(1)..=fetch.up_to;
            for ((sequence, message), place) in content.messages.range(range).zip(out.iter_mut()) {
                bytes += u64::from(message.size_bytes);
                if count > 0 && bytes > fetch.max_bytes {
                    break;
                }
                if let Some((at, error)) = content.fail_at
                    && at == *sequence
                {
                    failure = Some(error);
                    break;
                }
                *place = *message;
                count += 1;
            }
        }
        if let Some(error) = failure {
            content.counts.failed += 1;
            return Err(error);
        }
        content.counts.fetches += 1;
        content.counts.messages += count as u64;
        Ok(count)
    }

    fn discard(&mut self, _message: &Stored) {
        lock(&self.content).counts.discarded += 1;
    }
}
