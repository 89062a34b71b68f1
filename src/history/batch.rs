//! Batches: the same calls over arrays, with their cache misses overlapped.
//!
//! Elements are done in order, each exactly as by the single call, up to the first that fails. What differs is
//! that the lines that a group of elements will touch are prefetched before the first of the group is done.

use super::clock::Now;
use super::index::Home;
use super::insert::Arrival;
use super::prefetch::prefetch;
use super::types::{Entry, Erased, Inserted, Key, Presence};
use super::{Error, History};

/// Elements whose buckets are prefetched together; about as many misses as a core can have under way.
pub(super) const GROUP: usize = 16;

impl History {
    /// [`insert`](Self::insert) of each key in order, up to the first that fails. Returns how many were done,
    /// and how the next one failed.
    ///
    /// `values` has `value_size` bytes per key, or none for zeros; `inserted_at_ns` one time per key, or none
    /// where all are inserted now (at the largest time seen, should `now_ns` lie before that); `results` has one place per key, of which those done are written.
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
        if keys.is_empty() {
            return (0, Ok(()));
        }
        let mut now = match self.check_now(now_ns) {
            Ok(now) => now,
            Err(error) => return (0, Err(error)),
        };
        let mut done = 0;
        for (group, group_results) in keys.chunks(GROUP).zip(results.chunks_mut(GROUP)) {
            let homes = self.prefetch_homes(group);
            for ((key, home), result) in group.iter().zip(&homes).zip(group_results) {
                let inserted_at_ns = inserted_at_ns.get(done).copied();
                let value = values.get(done * size..(done + 1) * size).unwrap_or_default();
                match self.arrive_at(key, *home, value, inserted_at_ns, now, is_readmit) {
                    Ok(inserted) => *result = Some(inserted),
                    Err(error) => return (done, Err(error)),
                }
                now = now.again();
                done += 1;
            }
        }
        (done, Ok(()))
    }

    #[inline(always)]
    fn arrive_at(
        &mut self,
        key: &Key,
        home: Home,
        value: &[u8],
        inserted_at_ns: Option<i64>,
        now: Now,
        is_readmit: bool,
    ) -> Result<Inserted, Error> {
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
        if keys.is_empty() {
            return Ok(());
        }
        let now = self.check_now(now_ns)?;
        self.clock.accept(now);
        for (group, group_results) in keys.chunks(GROUP).zip(results.chunks_mut(GROUP)) {
            let homes = self.prefetch_homes(group);
            for ((key, home), result) in group.iter().zip(&homes).zip(group_results) {
                *result = self.presence(key, *home, now.tick);
            }
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
        if entries.is_empty() {
            return (0, Ok(()));
        }
        let mut now = match self.check_now(now_ns) {
            Ok(now) => now,
            Err(error) => return (0, Err(error)),
        };
        let mut done = 0;
        for (group, group_results) in entries.chunks(GROUP).zip(results.chunks_mut(GROUP)) {
            self.prefetch_entries(group);
            for (entry, result) in group.iter().zip(group_results) {
                match self.erase_at(*entry, now) {
                    Ok(erased) => *result = Some(erased),
                    Err(error) => return (done, Err(error)),
                }
                now = now.again();
                done += 1;
            }
        }
        (done, Ok(()))
    }

    #[inline(always)]
    fn erase_at(&mut self, entry: Entry, now: Now) -> Result<Erased, Error> {
        // Once more, since the group may hold an entry twice.
        let slot = self.resolve(entry)?;
        self.depart(slot, now)
    }

    /// The homes of up to GROUP keys, whose buckets are on their way.
    #[inline(always)]
    pub(super) fn prefetch_homes(&self, keys: &[Key]) -> [Home; GROUP] {
        let mut homes = [self.index.home_of(0); GROUP];
        for (home, key) in homes.iter_mut().zip(keys) {
            *home = self.index.home_of(self.hash.of(key));
        }
        // All addresses first: see `victims`.
        for home in homes.iter().take(keys.len()) {
            home.prefetch();
        }
        let records = self.records();
        for home in homes.iter().take(keys.len()) {
            self.index.prefetch_behind(*home, &records);
        }
        homes
    }

    /// Brings near what an erase of these entries touches.
    #[inline(always)]
    fn prefetch_entries(&self, entries: &[Entry]) {
        for entry in entries {
            if let Some(address) = self.live.address_of_number(entry.to_bits() as u32) {
                prefetch(address.as_ptr());
            }
        }
        for entry in entries {
            if let Some(slot) = self.live.resolve(*entry) {
                self.records().prefetch_record_of(slot);
            }
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
