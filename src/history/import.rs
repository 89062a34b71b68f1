//! Import: the buffers of an export become entries again, with their original times.
//!
//! A buffer is checked as a whole before anything of it is taken in: one that is broken, truncated or foreign changes
//! nothing. Entries are then taken in one by one, as if by `readmit` (a live one) or by `readmit` and `erase` (a
//! historical one). Should memory or room end in the middle, those before stay, and the same buffer can be given
//! again: what is there already is found to be so.

use super::batch::GROUP;
use super::bucket::Position;
use super::clock::{Now, Tick};
use super::entries::Found;
use super::format::{self, BufferInfo, HEADER_BYTES, Record};
use super::index::Home;
use super::insert::Arrival;
use super::rare::Rare;
use super::types::{Inserted, Key};
use super::{Error, History};

/// What `import` did with the entries of a buffer, one number for each way an entry can go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// Entries that are live now.
    pub live: u64,
    /// Entries that are historical now.
    pub historical: u64,
    /// Entries that were here already, live, or remembered for at least as long.
    pub duplicates: u64,
    /// Historical entries whose window has ended here.
    pub expired: u64,
    /// Historical entries for which there was no room under `max_history` (with `EvictOldest`).
    pub evicted: u64,
    /// Whether the buffer is the last of its export.
    pub is_last: bool,
}

impl Imported {
    /// How many entries that makes.
    pub fn entries(&self) -> u64 {
        self.live + self.historical + self.duplicates + self.expired + self.evicted
    }
}

/// Which buffer was imported last.
#[derive(Clone, Copy)]
pub(super) struct LastImport {
    export_id: u64,
    /// The number of the buffer that follows it.
    next: u32,
}

impl LastImport {
    pub(super) const NONE: LastImport = LastImport { export_id: 0, next: 0 };
}

impl History {
    /// Takes in the entries of one buffer of an export. Buffers come in order, from number 0, which may come at any
    /// time; the last one may come again.
    ///
    /// `shift_ns` is added to every insert time: 0 for the same clock, else what this host's clock shows more than the
    /// exporter's. A live entry becomes live here, last in the live order, unless its key is live already. A historical
    /// one becomes historical, unless its key is live or remembered for at least as long, or its window has ended.
    /// Collects by the policy as if each were inserted. Answers how far it got, and why not further. O(entries).
    ///
    /// # Errors
    /// Nothing is taken in: [`Error::BadBuffer`]; [`Error::BufferOrder`] for a buffer out of its turn;
    /// [`Error::OutOfRange`] for another `value_size`; [`Error::ClockStep`];
    /// [`Error::TimeRange`], [`Error::InsertedInFuture`] for an insert time that is shifted out of range or behind `now_ns`.
    /// [`Error::EntriesFull`], [`Error::HistoryFull`], [`Error::NoMemory`]: the entries before are taken in.
    pub fn import(&mut self, buffer: &[u8], now_ns: i64, shift_ns: i64) -> (Imported, Result<(), Error>) {
        let mut done = Imported::default();
        let outcome = self
            .check_import(buffer, now_ns, shift_ns)
            .and_then(|(info, now)| self.take_in(buffer, &info, now, shift_ns, &mut done));
        (done, outcome)
    }

    fn check_import(&self, buffer: &[u8], now_ns: i64, shift_ns: i64) -> Result<(BufferInfo, Now), Error> {
        let now = self.check_now(now_ns)?;
        let info = format::check(buffer).map_err(Error::BadBuffer)?;
        let size = self.value_size() as i128;
        if i128::from(info.value_size) != size {
            let (what, value) = ("the buffer's value_size", info.value_size.into());
            return Err(Error::OutOfRange { what, value, min: size, max: size });
        }
        let last = self.rare.get().map_or(LastImport::NONE, |rare| rare.last_import);
        let is_in_turn = info.number == 0 || (info.export_id == last.export_id && info.number <= last.next);
        if !is_in_turn {
            let expected = if info.export_id == last.export_id { last.next } else { 0 };
            return Err(Error::BufferOrder { number: info.number, expected });
        }
        let mut at = HEADER_BYTES;
        while let Some((record, end)) = format::record(buffer, at, info.value_size) {
            self.shifted_tick(record.inserted_at_ns, shift_ns, now)?;
            at = end;
        }
        Ok((info, now))
    }

    fn shifted_tick(&self, inserted_at_ns: i64, shift_ns: i64, now: Now) -> Result<Tick, Error> {
        // Out of range, as a sum beyond 64 bits is too.
        self.clock.insert_tick(inserted_at_ns.saturating_add(shift_ns), now)
    }

    /// Takes in the entries of a buffer that was checked, group by group, with their buckets prefetched.
    fn take_in(
        &mut self,
        buffer: &[u8],
        info: &BufferInfo,
        now: Now,
        shift_ns: i64,
        done: &mut Imported,
    ) -> Result<(), Error> {
        let rare = self.rare.get_or_make(&self.memory, Rare::new).ok_or(Error::NoMemory)?;
        rare.last_import = LastImport { export_id: info.export_id, next: info.number + 1 };
        self.clock.accept(now);
        done.is_last = info.is_last;
        let mut at = HEADER_BYTES;
        while at < buffer.len() {
            let mut group: [Option<Record<'_>>; GROUP] = [None; GROUP];
            let mut keys = [Key::default(); GROUP];
            for (place, key) in group.iter_mut().zip(&mut keys) {
                let Some((record, end)) = format::record(buffer, at, info.value_size) else { break };
                (*place, *key, at) = (Some(record), *record.key, end);
            }
            let homes = self.prefetch_homes(&keys);
            for (record, home) in group.into_iter().flatten().zip(homes) {
                let inserted = self.shifted_tick(record.inserted_at_ns, shift_ns, now)?;
                self.take_in_one(&record, home, inserted, now, done)?;
            }
        }
        Ok(())
    }

    fn take_in_one(
        &mut self,
        record: &Record<'_>,
        home: Home,
        inserted: Tick,
        now: Now,
        done: &mut Imported,
    ) -> Result<(), Error> {
        let Some(value) = record.value else {
            *self.remember(record.key, home, inserted, now, done)? += 1;
            return Ok(());
        };
        let arrival = Arrival { key: record.key, home, value, inserted, is_readmit: true };
        match self.admit(arrival, now)? {
            Inserted::Added(_) => done.live += 1,
            Inserted::DuplicateLive(_) | Inserted::DuplicateHistory => done.duplicates += 1,
        }
        Ok(())
    }

    /// A key becomes historical without having been live. Answers where that is to be counted.
    fn remember<'a>(
        &mut self,
        key: &Key,
        home: Home,
        inserted: Tick,
        now: Now,
        done: &'a mut Imported,
    ) -> Result<&'a mut u64, Error> {
        self.prepare_arrival(now.tick);
        if !self.clock.is_remembered(inserted, now.tick) {
            return Ok(&mut done.expired);
        }
        let place = self.find_key(key, home);
        let old = match place.map(|place| self.records().found(self.index.position(place))) {
            None => None,
            Some(Found::Live(_)) => return Ok(&mut done.duplicates),
            Some(Found::Historical(old)) if self.is_remembered_longer(old, inserted) => {
                return Ok(&mut done.duplicates);
            }
            Some(Found::Historical(old)) => place.map(|place| (place, old)),
        };
        if let Some((place, old)) = old {
            let record = self.append(key, inserted)?;
            self.index.set_position(place, Position::of_record(record));
            self.bury(old);
            return Ok(&mut done.historical);
        }
        if self.index.len >= self.max_entries && !self.make_room(now.tick, false) {
            return Err(Error::EntriesFull { limit: self.max_entries.into() });
        }
        if self.remembered() >= self.max_history && !self.find_room(now.tick)? {
            return Ok(&mut done.evicted);
        }
        let record = self.append(key, inserted)?;
        if self.index.insert(&self.memory, home, Position::of_record(record)).is_none() {
            self.bury(record);
            return Err(Error::NoMemory);
        }
        Ok(&mut done.historical)
    }

    /// Whether a historical entry stays at least as long as one inserted at `inserted` would.
    fn is_remembered_longer(&self, record: u32, inserted: Tick) -> bool {
        let tick = self.records().tick_of_record(record);
        tick >= inserted && !(self.is_raised && self.had_expired(record, tick))
    }
}
