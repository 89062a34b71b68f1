//! How entries leave: erase keeps the key in the history, forget does not. (`clear` drops everything.)

use super::bucket::{Decoded, Position};
use super::clock::{Now, Tick};
use super::entries::Found;
use super::index::Place;
use super::live::{Origin, Slot};
use super::types::{Entry, Erased, Key};
use super::{Error, History, Overflow};

impl History {
    /// Takes a live entry out of the live order. It is historical from now on, or gone if its window has ended;
    /// its value goes in both cases. Under the steady policy one step is collected. O(1), no line of the
    /// index, but for a live entry that has outlived its window.
    ///
    /// # Errors
    /// [`Error::StaleEntry`], [`Error::ClockStep`], [`Error::TimeRange`]: nothing is changed.
    /// [`Error::HistoryFull`]: the entry stays live. [`Error::NoMemory`]: the same; only for an entry that an
    /// eviction passed over, or whose window had ended before the clock was reset to an earlier time. An eviction
    /// that made room for it is not undone.
    #[inline]
    pub fn erase(&mut self, entry: Entry, now_ns: i64) -> Result<Erased, Error> {
        let now = self.check_now(now_ns)?;
        let slot = self.resolve(entry)?;
        self.depart(slot, now)
    }

    /// As [`erase`](Self::erase), by key.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the key is not live; else as for [`erase`](Self::erase).
    pub fn erase_key(&mut self, key: &Key, now_ns: i64) -> Result<Erased, Error> {
        let now = self.check_now(now_ns)?;
        let home = self.home_of_key(key);
        let slot = self.find_slot(key, home).ok_or(Error::NotFound)?;
        self.depart(slot, now)
    }

    /// Erases every live entry: the queue is purged, its history kept. Returns how many. O(live entries).
    ///
    /// # Errors
    /// [`Error::ClockStep`], [`Error::TimeRange`], [`Error::HistoryFull`] if not all would fit (under `Reject`):
    /// nothing is changed. [`Error::NoMemory`]: some may be erased, the rest is live; `live_len` tells.
    pub fn erase_all_live(&mut self, now_ns: i64) -> Result<u64, Error> {
        let now = self.check_now(now_ns)?;
        self.check_room_for_all(now.tick)?;
        self.clock.accept(now);
        let mut erased = 0;
        while let Some(slot) = self.live.first() {
            self.depart(slot, now.again())?;
            erased += 1;
        }
        Ok(erased)
    }

    /// Removes a live entry as if it had never been there: the undo of an insert. Its key can be inserted at
    /// once. O(1).
    ///
    /// # Errors
    /// [`Error::StaleEntry`]: nothing is changed.
    pub fn forget(&mut self, entry: Entry) -> Result<(), Error> {
        let slot = self.resolve(entry)?;
        self.index.begin_call();
        self.remove_live(slot);
        Ok(())
    }

    /// Removes a key, live or historical, as if it had never been there. O(1).
    ///
    /// # Errors
    /// [`Error::NotFound`] if it is neither, judged by the largest time seen: nothing is changed.
    pub fn forget_key(&mut self, key: &Key) -> Result<(), Error> {
        self.index.begin_call();
        let home = self.home_of_key(key);
        let place = self.find_key(key, home).ok_or(Error::NotFound)?;
        match self.records().found(self.index.position(place)) {
            Found::Live(slot) => self.remove_live(slot),
            Found::Historical(record) => {
                if !self.is_visible(record, self.clock.seen_tick()) {
                    return Err(Error::NotFound);
                }
                self.index.remove(&self.memory, place);
                self.bury(record);
            }
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn depart(&mut self, slot: Slot, now: Now) -> Result<Erased, Error> {
        let is_kept = self.clock.is_remembered(self.records().tick_of_slot(slot), now.tick);
        self.clock.accept(now);
        self.index.begin_call();
        let is_kept = is_kept && (self.remembered() < self.max_history || self.find_room(now.tick)?);
        let erased = if is_kept {
            self.make_historical(slot)?;
            Erased::Historical
        } else {
            self.remove_live(slot);
            Erased::Gone
        };
        self.collect_one(now.tick);
        Ok(erased)
    }

    /// In a full history: whether there is room for one more entry now. If not, it has to do without.
    #[cold]
    pub(super) fn find_room(&mut self, now: Tick) -> Result<bool, Error> {
        let may_evict = self.overflow == Overflow::EvictOldest;
        if self.make_room(now, may_evict) {
            return Ok(true);
        }
        if !may_evict {
            return Err(Error::HistoryFull { limit: self.max_history.into() });
        }
        self.evicted_early += 1;
        Ok(false)
    }

    #[inline(always)]
    fn make_historical(&mut self, slot: Slot) -> Result<(), Error> {
        match self.live.origin(slot) {
            Origin::Record(record) => {
                let record = if self.is_raised { self.move_over_line(slot, record)? } else { record };
                self.detach(record);
            }
            Origin::Aged(aged) => self.return_to_log(slot, aged)?,
        }
        self.release_slot(slot);
        Ok(())
    }

    /// An entry that had left the log is historical after all.
    #[cold]
    fn return_to_log(&mut self, slot: Slot, aged: u32) -> Result<(), Error> {
        // SAFETY: the origin of a slot in use.
        let &super::live::Aged { key, tick } = unsafe { self.live.aged(aged) };
        let place = self.place_of(slot);
        let record = self.append(&key, tick)?;
        if let Some(place) = place {
            self.index.set_position(place, Position::of_record(record));
        }
        // SAFETY: as above; the caller gives the slot back.
        unsafe { self.live.remove_aged(&self.memory, aged) };
        Ok(())
    }

    /// A live entry is about to become historical. If its record counts among those that had expired when the window
    /// was raised, it gets another, which is to be detached in its place.
    #[cold]
    fn move_over_line(&mut self, slot: Slot, record: u32) -> Result<u32, Error> {
        let tick = self.records().tick_of_record(record);
        if !self.had_expired(record, tick) {
            return Ok(record);
        }
        let key = *self.records().key(Decoded::Record(record));
        let place = self.place_of(slot);
        let moved = self.append_live(&key, tick, slot)?;
        if let Some(place) = place {
            self.index.set_position(place, Position::of_record(moved));
        }
        self.detach(record);
        self.bury(record);
        Ok(moved)
    }

    /// The record of a live entry is that of a historical one, or nobody's.
    #[inline(always)]
    pub(super) fn detach(&mut self, record: u32) {
        // SAFETY: the callers pass the origin of a slot in use: its record is attached, neither passed nor buried.
        unsafe { self.log.detach(&self.memory, record) };
    }

    /// Where the index has a live entry.
    pub(super) fn place_of(&self, slot: Slot) -> Option<Place> {
        let at = self.records().position_of(slot);
        self.index.locate(self.home_of_key(self.records().key_of_slot(slot)), at)
    }

    /// A live entry goes, and nothing of it is left.
    pub(super) fn remove_live(&mut self, slot: Slot) {
        if let Some(place) = self.place_of(slot) {
            self.index.remove(&self.memory, place);
        }
        self.drop_origin(slot);
        self.release_slot(slot);
    }

    /// The slot's key and time go.
    pub(super) fn drop_origin(&mut self, slot: Slot) {
        match self.live.origin(slot) {
            Origin::Record(record) => {
                self.detach(record);
                self.bury(record);
            }
            // SAFETY: the origin of a slot in use, which is given back next.
            Origin::Aged(aged) => unsafe { self.live.remove_aged(&self.memory, aged) },
        }
    }

    #[inline(always)]
    pub(super) fn release_slot(&mut self, slot: Slot) {
        if self.is_walked {
            self.step_aside(slot);
        }
        self.live.unlink(slot);
        self.live.give_back(&self.memory, slot);
        self.live_len -= 1;
    }

    /// Whether all live entries fit into the history, once what is due there has gone.
    fn check_room_for_all(&mut self, now: Tick) -> Result<(), Error> {
        let has_room = |history: &Self| history.index.len <= history.max_history;
        if self.overflow == Overflow::EvictOldest || has_room(self) {
            return Ok(());
        }
        self.collect(now, self.live_len.into());
        if has_room(self) {
            return Ok(());
        }
        let slots = std::iter::successors(self.live.first(), |slot| self.live.next(*slot));
        let kept =
            slots.filter(|slot| self.clock.is_remembered(self.records().tick_of_slot(*slot), now)).count();
        if u64::from(self.remembered()) + kept as u64 <= self.max_history.into() {
            return Ok(());
        }
        Err(Error::HistoryFull { limit: self.max_history.into() })
    }
}
