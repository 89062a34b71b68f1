//! An insertion-ordered map of live messages with a de-duplication history, collected inline in bounded steps.

mod error;
mod options;
mod types;

pub use error::Error;
pub use options::{
    GcPolicy, KeyHasher, MAX_ENTRIES, MAX_GC_STEP, MAX_TIME_NS, MAX_VALUE_SIZE, Options, Overflow, Visibility,
};
use std::ptr::NonNull;
pub use types::{Collected, Entry, EntryInfo, Erased, Inserted, Key, Presence, Stats};

/// STUB (the real one is being written): signatures are final.
pub struct History {}

#[allow(missing_docs, unused_variables, clippy::todo)]
impl History {
    pub fn new(options: Options) -> Result<History, Error> {
        todo!()
    }
    pub fn insert(
        &mut self,
        key: &Key,
        value: &[u8],
        inserted_at_ns: i64,
        now_ns: i64,
    ) -> Result<Inserted, Error> {
        todo!()
    }
    pub fn readmit(
        &mut self,
        key: &Key,
        value: &[u8],
        inserted_at_ns: i64,
        now_ns: i64,
    ) -> Result<Inserted, Error> {
        todo!()
    }
    /// Elements `i` in order; stops at the first failure. Returns how many were done, and the failure of the next one.
    /// `values` is empty or keys.len() * value_size bytes; `inserted_at_ns` is empty (all = now) or keys.len() long; `results` is keys.len() long.
    pub fn insert_batch(
        &mut self,
        keys: &[Key],
        values: &[u8],
        inserted_at_ns: &[i64],
        now_ns: i64,
        results: &mut [Option<Inserted>],
    ) -> (usize, Result<(), Error>) {
        todo!()
    }
    pub fn readmit_batch(
        &mut self,
        keys: &[Key],
        values: &[u8],
        inserted_at_ns: &[i64],
        now_ns: i64,
        results: &mut [Option<Inserted>],
    ) -> (usize, Result<(), Error>) {
        todo!()
    }
    pub fn forget(&mut self, entry: Entry) -> Result<(), Error> {
        todo!()
    }
    pub fn forget_key(&mut self, key: &Key) -> Result<(), Error> {
        todo!()
    }
    pub fn find(&self, key: &Key) -> Option<Entry> {
        todo!()
    }
    pub fn contains(&mut self, key: &Key, now_ns: i64) -> Result<Presence, Error> {
        todo!()
    }
    pub fn contains_batch(
        &mut self,
        keys: &[Key],
        now_ns: i64,
        results: &mut [Presence],
    ) -> Result<(), Error> {
        todo!()
    }
    pub fn erase(&mut self, entry: Entry, now_ns: i64) -> Result<Erased, Error> {
        todo!()
    }
    pub fn erase_key(&mut self, key: &Key, now_ns: i64) -> Result<Erased, Error> {
        todo!()
    }
    pub fn erase_batch(
        &mut self,
        entries: &[Entry],
        now_ns: i64,
        results: &mut [Option<Erased>],
    ) -> (usize, Result<(), Error>) {
        todo!()
    }
    pub fn erase_all_live(&mut self, now_ns: i64) -> Result<u64, Error> {
        todo!()
    }
    pub fn gc(&mut self, now_ns: i64, max: u64) -> Result<Collected, Error> {
        todo!()
    }
    pub fn clear(&mut self) {
        todo!()
    }
    pub fn clock_reset(&mut self, now_ns: i64) -> Result<(), Error> {
        todo!()
    }
    pub fn first(&self) -> Option<Entry> {
        todo!()
    }
    pub fn last(&self) -> Option<Entry> {
        todo!()
    }
    pub fn next(&self, entry: Entry) -> Result<Option<Entry>, Error> {
        todo!()
    }
    pub fn prev(&self, entry: Entry) -> Result<Option<Entry>, Error> {
        todo!()
    }
    pub fn info(&self, entry: Entry) -> Result<EntryInfo, Error> {
        todo!()
    }
    pub fn value(&self, entry: Entry) -> Result<&[u8], Error> {
        todo!()
    }
    pub fn value_mut(&mut self, entry: Entry) -> Result<&mut [u8], Error> {
        todo!()
    }
    /// Where the value stands until the entry is erased; aligned to 16 if value_size >= 16, else to 8.
    pub fn value_ptr(&mut self, entry: Entry) -> Result<NonNull<u8>, Error> {
        todo!()
    }
    pub fn value_size(&self) -> usize {
        todo!()
    }
    pub fn live_len(&self) -> u64 {
        todo!()
    }
    pub fn history_len(&self) -> u64 {
        todo!()
    }
    pub fn stats(&self) -> Stats {
        todo!()
    }
}
