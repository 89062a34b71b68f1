//! A store that fails, answers nonsense and deletes late, and writes down what it returned.

#![allow(clippy::disallowed_types, reason = "tests run on the real ones alone")]

use queuecore::cursor::{Fetch, Store, StoreError, Stored};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// What the next fetches do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mood {
    Well,
    Fails,
    TooMany,
    OutOfOrder,
    BeyondTheRange,
    TooLarge,
}

#[derive(Default)]
pub struct Content {
    pub messages: BTreeMap<u64, Stored>,
    pub mood: Option<Mood>,
    /// Fetches since the last look: what was asked and returned.
    pub fetches: Vec<(Fetch, Vec<Stored>)>,
    /// Messages that were discarded before the first fetch since the last look, and after it.
    pub dropped: Vec<Stored>,
    pub discarded: Vec<Stored>,
    pub has_fetched: bool,
}

#[derive(Clone, Default)]
pub struct FaultyStore {
    content: Arc<Mutex<Content>>,
}

impl Content {
    /// Forgets what was written down.
    pub fn look_away(&mut self) {
        self.fetches.clear();
        self.dropped.clear();
        self.discarded.clear();
        self.has_fetched = false;
    }
}

impl FaultyStore {
    pub fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().expect("no test panics while it holds this")
    }
}

impl Store for FaultyStore {
    fn fetch(&mut self, fetch: &Fetch, out: &mut [Stored]) -> Result<usize, StoreError> {
        assert_eq!(out.len(), fetch.max_messages as usize);
        assert!(fetch.after < fetch.up_to && fetch.max_messages > 0 && fetch.max_bytes > 0, "{fetch:?}");
        let mut content = self.content();
        content.has_fetched = true;
        let mut page: Vec<Stored> = Vec::new();
        let mut bytes = 0;
        for message in content.messages.range(fetch.after + 1..=fetch.up_to).map(|(_, message)| *message) {
            bytes += u64::from(message.size_bytes);
            if page.len() == out.len() || (!page.is_empty() && bytes > fetch.max_bytes) {
                break;
            }
            page.push(message);
        }
        let mut count = page.len();
        match content.mood.unwrap_or(Mood::Well) {
            Mood::Well => {}
            Mood::Fails => return Err(StoreError { code: 5 }),
            Mood::TooMany => count = out.len() + 1,
            Mood::OutOfOrder if count > 1 => page.swap(0, 1),
            Mood::BeyondTheRange if count > 0 => page[count - 1].sequence = fetch.up_to + 1,
            Mood::TooLarge if count > 1 => page[0].size_bytes = u32::MAX,
            _ => return Err(StoreError { code: 6 }),
        }
        for (place, message) in out.iter_mut().zip(&page) {
            *place = *message;
        }
        if content.mood.unwrap_or(Mood::Well) == Mood::Well {
            content.fetches.push((*fetch, page));
        }
        Ok(count)
    }

    fn discard(&mut self, message: &Stored) {
        let mut content = self.content();
        if content.has_fetched {
            content.discarded.push(*message);
        } else {
            content.dropped.push(*message);
        }
    }
}
