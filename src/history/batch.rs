//! Batches: the same calls over arrays, with the cache misses of the elements ahead overlapped by prefetching.
//!
//! Elements are done in order, each exactly as by the single call, up to the first that fails.

use super::bucket::Decoded;
use super::index::Home;
use super::insert::Arrival;
use super::prefetch::prefetch;
use super::types::{Entry, Erased, Inserted, Key, Presence};
use super::{Error, History};

/// How many elements ahead a bucket is prefetched; a power of two.
const AHEAD: usize = 16;

/// The homes of the next AHEAD keys, whose buckets are on their way.
struct Lookahead<'a> {
    keys: &'a [Key],
    next: [Home; AHEAD],
}

impl<'a> Lookahead<'a> {
    /// `None` for no keys.
    #[inline(always)]
    fn new(history: &History, keys: &'a [Key]) -> Option<Self> {
        let first = history.index.home_of(history.hash.of(keys.first()?));
        let mut lookahead = Lookahead { keys, next: [first; AHEAD] };
        for number in 0..AHEAD {
            lookahead.fetch(history, number);
        }
        Some(lookahead)
    }

    /// The home of element `number`, which is the next in order.
    #[inline(always)]
    fn take(&mut self, history: &History, number: usize) -> Home {
        let home = self.next[number % AHEAD];
        self.fetch(history, number + AHEAD);
        home
    }

    #[inline(always)]
    fn fetch(&mut self, history: &History, number: usize) {
        if let Some(key) = self.keys.get(number) {
            self.next[number % AHEAD] = history.index.prefetch(history.hash.of(key));
        }
    }
}

impl History {
    /// [`insert`](Self::insert) of each key in order, up to the first that fails. Returns how many were done,
    /// and how the next one failed.
    ///
    /// `values` has `value_size` bytes per key, or none for zeros; `inserted_at_ns` one time per key, or none
    /// where all are `now_ns`; `results` has one place per key, of which those done are written.
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert); [`Error::OutOfRange`] for an array of another length, and then nothing
    /// is done.
    pub fn insert_batch(
        &mut self,
        keys: &[Key],
        values: &[u8],
        inserted_at_ns: &[i64],
        now_ns: i64,
        results: &mut [Option<Inserted>],
    ) -> (usize, Result<(), Error>) {
        self.arrive_all(keys, values, inserted_at_ns, now_ns, results, false)
    }

    /// [`readmit`](Self::readmit) of each key in order; otherwise as [`insert_batch`](Self::insert_batch).
    ///
    /// # Errors
    /// As for [`insert_batch`](Self::insert_batch).
    pub fn readmit_batch(
        &mut self,
        keys: &[Key],
        values: &[u8],
        inserted_at_ns: &[i64],
        now_ns: i64,
        results: &mut [Option<Inserted>],
    ) -> (usize, Result<(), Error>) {
        self.arrive_all(keys, values, inserted_at_ns, now_ns, results, true)
    }

    #[inline(always)]
    fn arrive_all(
        &mut self,
        keys: &[Key],
        values: &[u8],
        inserted_at_ns: &[i64],
        now_ns: i64,
        results: &mut [Option<Inserted>],
        is_readmit: bool,
    ) -> (usize, Result<(), Error>) {
        let size = self.value_size();
        let lengths = check_len("values", values.len(), keys.len().saturating_mul(size), true)
            .and_then(|()| check_len("inserted_at_ns", inserted_at_ns.len(), keys.len(), true))
            .and_then(|()| check_len("results", results.len(), keys.len(), false));
        if let Err(error) = lengths {
            return (0, Err(error));
        }
        let Some(mut lookahead) = Lookahead::new(self, keys) else { return (0, Ok(())) };
        for (number, (key, result)) in keys.iter().zip(results).enumerate() {
            let home = lookahead.take(self, number);
            let inserted_at_ns = inserted_at_ns.get(number).copied();
            let value = values.get(number * size..(number + 1) * size).unwrap_or_default();
            match self.arrive_at(key, home, value, inserted_at_ns, now_ns, is_readmit) {
                Ok(inserted) => *result = Some(inserted),
                Err(error) => return (number, Err(error)),
            }
        }
        (keys.len(), Ok(()))
    }

    #[inline(always)]
    fn arrive_at(
        &mut self,
        key: &Key,
        home: Home,
        value: &[u8],
        inserted_at_ns: Option<i64>,
        now_ns: i64,
        is_readmit: bool,
    ) -> Result<Inserted, Error> {
        let now = self.clock.check(now_ns)?;
        let inserted = match inserted_at_ns {
            None => now.tick,
            Some(inserted_at_ns) => self.clock.insert_tick(inserted_at_ns, now)?,
        };
        self.clock.accept(now);
        self.admit(Arrival { key, home, value, inserted, is_readmit }, now)
    }

    /// [`contains`](Self::contains) of each key; `results` has one place per key.
    ///
    /// # Errors
    /// Those of [`contains`](Self::contains); [`Error::OutOfRange`] for `results` of another length. Nothing is
    /// written then.
    pub fn contains_batch(
        &mut self,
        keys: &[Key],
        now_ns: i64,
        results: &mut [Presence],
    ) -> Result<(), Error> {
        check_len("results", results.len(), keys.len(), false)?;
        let Some(mut lookahead) = Lookahead::new(self, keys) else { return Ok(()) };
        let now = self.clock.check(now_ns)?;
        self.clock.accept(now);
        for (number, (key, result)) in keys.iter().zip(results).enumerate() {
            let home = lookahead.take(self, number);
            *result = self.presence(key, home, now.tick);
        }
        Ok(())
    }

    /// [`erase`](Self::erase) of each entry in order, up to the first that fails. Returns how many were done,
    /// and how the next one failed. `results` has one place per entry, of which those done are written.
    ///
    /// # Errors
    /// Those of [`erase`](Self::erase); [`Error::OutOfRange`] for `results` of another length, and then nothing
    /// is done.
    pub fn erase_batch(
        &mut self,
        entries: &[Entry],
        now_ns: i64,
        results: &mut [Option<Erased>],
    ) -> (usize, Result<(), Error>) {
        if let Err(error) = check_len("results", results.len(), entries.len(), false) {
            return (0, Err(error));
        }
        for entry in entries.iter().take(AHEAD) {
            self.prefetch_slot(*entry);
        }
        for entry in entries.iter().take(AHEAD / 2) {
            self.prefetch_bucket_of(*entry);
        }
        for (number, (entry, result)) in entries.iter().zip(results).enumerate() {
            if let Some(ahead) = entries.get(number + AHEAD) {
                self.prefetch_slot(*ahead);
            }
            if let Some(ahead) = entries.get(number + AHEAD / 2) {
                self.prefetch_bucket_of(*ahead);
            }
            match self.erase(*entry, now_ns) {
                Ok(erased) => *result = Some(erased),
                Err(error) => return (number, Err(error)),
            }
        }
        (entries.len(), Ok(()))
    }

    #[inline(always)]
    fn prefetch_slot(&self, entry: Entry) {
        if let Some(address) = self.live.address_of_number(entry.to_bits() as u32) {
            prefetch(address.as_ptr());
        }
    }

    #[inline(always)]
    fn prefetch_bucket_of(&self, entry: Entry) {
        if let Some(slot) = self.live.resolve(entry) {
            self.index.prefetch(self.hash.of(self.records().key(Decoded::Slot(slot.number))));
        }
    }
}

/// Whether an array has the length it should have, or none at all where that has a meaning.
fn check_len(what: &'static str, len: usize, expected: usize, may_be_empty: bool) -> Result<(), Error> {
    if len == expected || (may_be_empty && len == 0) {
        return Ok(());
    }
    let expected = expected as i128;
    Err(Error::OutOfRange { what, value: len as i128, min: expected, max: expected })
}
