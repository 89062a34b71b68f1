//! insert and readmit: the duplicate check and the insert in one probe.

use super::clock::{Now, Tick};
use super::entries::Found;
use super::index::{Home, Place};
use super::live::{Origin, Slot};
use super::types::{Entry, Inserted, Key};
use super::{Error, History};

/// A key that is to become live.
#[derive(Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub(super) key: &'a Key,
    pub(super) home: Home,
    /// Empty for zeros.
    pub(super) value: &'a [u8],
    pub(super) inserted: Tick,
    /// Whether a historical key becomes live again.
    pub(super) is_readmit: bool,
}

impl History {
    /// Makes a key live that is neither live nor historical; a duplicate changes nothing. What a primary calls.
    ///
    /// `value` has `value_size` bytes, or none for zeros. `inserted_at_ns` is at most `now_ns`. Collects by the
    /// policy first. One probe: O(1), one cache line and the collection.
    ///
    /// # Errors
    /// [`Error::ClockStep`], [`Error::TimeRange`], [`Error::InsertedInFuture`], [`Error::OutOfRange`] for a value
    /// of another size: nothing is changed. [`Error::EntriesFull`], [`Error::NoMemory`]: the key is not added.
    #[inline]
    pub fn insert(
        &mut self,
        key: &Key,
        value: &[u8],
        inserted_at_ns: i64,
        now_ns: i64,
    ) -> Result<Inserted, Error> {
        self.arrive(key, value, inserted_at_ns, now_ns, false)
    }

    /// As [`insert`](Self::insert), but a historical key becomes live again, last in the live order. What a
    /// replica, a proxy or a recovery calls. Its old place in the log is passed by collection later; one step
    /// more is collected for that.
    ///
    /// # Errors
    /// As for [`insert`](Self::insert).
    #[inline]
    pub fn readmit(
        &mut self,
        key: &Key,
        value: &[u8],
        inserted_at_ns: i64,
        now_ns: i64,
    ) -> Result<Inserted, Error> {
        self.arrive(key, value, inserted_at_ns, now_ns, true)
    }

    #[inline(always)]
    fn arrive(
        &mut self,
        key: &Key,
        value: &[u8],
        inserted_at_ns: i64,
        now_ns: i64,
        is_readmit: bool,
    ) -> Result<Inserted, Error> {
        let now = self.check_now(now_ns)?;
        let inserted = self.clock.insert_tick(inserted_at_ns, now)?;
        self.check_value(value.len())?;
        let hash = self.hash.of(key);
        let home = self.index.prefetch(hash);
        self.clock.accept(now);
        self.admit(Arrival { key, home, value, inserted, is_readmit }, now)
    }

    /// The arrival, checked and its bucket prefetched: collection and growth, while the line comes; the probe.
    #[inline(always)]
    pub(super) fn admit(&mut self, arrival: Arrival, now: Now) -> Result<Inserted, Error> {
        self.prepare_arrival(now.tick);
        match self.find_key(arrival.key, arrival.home) {
            None => self.add(arrival, now.tick),
            Some(place) => self.meet(arrival, place, now.tick),
        }
    }

    /// What comes before the look-up of a key that arrives: collection and growth.
    #[inline(always)]
    pub(super) fn prepare_arrival(&mut self, now: Tick) {
        self.index.begin_call();
        self.collect_for_insert(now);
        self.grow_if_due();
    }

    /// Puts a record at the end of the log, for a historical entry.
    pub(super) fn append(&mut self, key: &Key, tick: Tick) -> Result<u32, Error> {
        let record = self.append_record(key, tick)?;
        self.log.leave_unowned(record);
        Ok(record)
    }

    /// The same for the live entry in a slot.
    #[inline(always)]
    pub(super) fn append_live(&mut self, key: &Key, tick: Tick, slot: Slot) -> Result<u32, Error> {
        let record = self.append_record(key, tick)?;
        if self.log.attach(&self.memory, record, slot.number).is_none() {
            self.bury(record);
            return Err(Error::NoMemory);
        }
        Ok(record)
    }

    #[inline(always)]
    fn append_record(&mut self, key: &Key, tick: Tick) -> Result<u32, Error> {
        let record = self.log.append(&self.memory, key, tick).ok_or(Error::NoMemory)?;
        if self.is_grouped && self.log.has_one() {
            self.watch_head();
        }
        Ok(record)
    }

    /// The record's entry is gone or elsewhere; a live one was detached before.
    pub(super) fn bury(&mut self, record: u32) {
        // SAFETY: the callers pass a record that the index or a slot named until now, or that was just appended, so it is
        // neither passed nor buried.
        unsafe { self.log.bury(record) };
        self.check_victims();
        self.watch_head();
    }

    /// The key is there already, live or in the log.
    #[cold]
    fn meet(&mut self, arrival: Arrival, place: Place, now: Tick) -> Result<Inserted, Error> {
        match self.records().found(self.index.position(place)) {
            Found::Live(slot) => {
                self.duplicates += 1;
                Ok(Inserted::DuplicateLive(self.live.entry(slot)))
            }
            Found::Historical(record) => self.meet_record(arrival, place, record, now),
        }
    }

    fn check_value(&self, len: usize) -> Result<(), Error> {
        let size = self.live.value_size();
        if len == size || len == 0 {
            return Ok(());
        }
        let (value, size) = (len as i128, size as i128);
        Err(Error::OutOfRange { what: "the value's length", value, min: size, max: size })
    }

    /// A key that is not there becomes live.
    #[inline(always)]
    fn add(&mut self, arrival: Arrival, now: Tick) -> Result<Inserted, Error> {
        if self.index.len >= self.max_entries && !self.make_room(now, false) {
            return Err(Error::EntriesFull { limit: self.max_entries.into() });
        }
        let slot = self.make_slot(arrival, now)?;
        if self.index.insert(&self.memory, arrival.home, self.records().position_of(slot)).is_none() {
            self.drop_origin(slot);
            self.live.give_back(&self.memory, slot);
            return Err(Error::NoMemory);
        }
        Ok(Inserted::Added(self.join_order(slot)))
    }

    /// The key has a record in the log: it is a duplicate, or the new entry takes the record's place.
    fn meet_record(
        &mut self,
        arrival: Arrival,
        place: Place,
        record: u32,
        now: Tick,
    ) -> Result<Inserted, Error> {
        let is_visible = self.is_visible(record, now);
        if is_visible && !arrival.is_readmit {
            self.duplicates += 1;
            return Ok(Inserted::DuplicateHistory);
        }
        let slot = self.make_slot(arrival, now)?;
        self.index.set_position(place, self.records().position_of(slot));
        self.bury(record);
        let entry = self.join_order(slot);
        if is_visible {
            self.readmitted += 1;
            self.collect_one(now);
        }
        Ok(Inserted::Added(entry))
    }

    /// The slot is in the index: it becomes the last of the live order.
    #[inline(always)]
    fn join_order(&mut self, slot: Slot) -> Entry {
        self.live.link_last(slot);
        if self.is_walked {
            self.step_in(slot);
        }
        self.live_len += 1;
        self.live.entry(slot)
    }

    /// A slot with its value and its origin, in neither the order nor the index. An arrival that has expired
    /// already has no business in the log.
    #[inline(always)]
    fn make_slot(&mut self, arrival: Arrival, now: Tick) -> Result<Slot, Error> {
        let Arrival { key, value, inserted, .. } = arrival;
        let slot = self.live.take(&self.memory, value).ok_or(Error::NoMemory)?;
        let origin = if self.clock.is_expired(inserted, now) {
            self.live.add_aged(&self.memory, key, inserted).map(Origin::Aged)
        } else {
            self.append_live(key, inserted, slot).ok().map(Origin::Record)
        };
        let Some(origin) = origin else {
            self.live.give_back(&self.memory, slot);
            return Err(Error::NoMemory);
        };
        self.live.set_origin(slot, origin);
        Ok(slot)
    }
}
