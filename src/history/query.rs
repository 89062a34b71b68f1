//! What can be asked: is a key there, what is an entry, what comes before and after it, how large is all this.

use super::clock::{Now, Tick};
use super::entries::Found;
use super::index::{Home, Place};
use super::live::Slot;
use super::types::{Entry, EntryInfo, Key, Presence, Stats};
use super::{Error, History, Visibility};
use crate::memory::Allocator;
use std::ptr::NonNull;
use std::sync::Arc;

impl History {
    /// The live entry of a key. O(1): the bucket, the slot and the key.
    pub fn find(&self, key: &Key) -> Option<Entry> {
        self.find_slot(key, self.home_of_key(key)).map(|slot| self.live.entry(slot))
    }

    /// Whether a key is live, historical or neither. Moves the largest time seen. O(1), one line if absent.
    ///
    /// # Errors
    /// [`Error::ClockStep`], [`Error::TimeRange`].
    #[inline(always)]
    pub fn contains(&mut self, key: &Key, now_ns: i64) -> Result<Presence, Error> {
        let now = self.check_now(now_ns)?;
        self.clock.accept(now);
        Ok(self.presence(key, self.home_of_key(key), now.tick))
    }

    /// The first entry of the live order, the one inserted first. O(1).
    pub fn first(&self) -> Option<Entry> {
        self.live.first().map(|slot| self.live.entry(slot))
    }

    /// The last entry of the live order. O(1).
    pub fn last(&self) -> Option<Entry> {
        self.live.last().map(|slot| self.live.entry(slot))
    }

    /// The entry that follows in the live order. To erase while walking, ask for the next first. O(1).
    ///
    /// # Errors
    /// [`Error::StaleEntry`].
    pub fn next(&self, entry: Entry) -> Result<Option<Entry>, Error> {
        let slot = self.resolve(entry)?;
        Ok(self.live.next(slot).map(|slot| self.live.entry(slot)))
    }

    /// The entry that precedes in the live order. O(1).
    ///
    /// # Errors
    /// [`Error::StaleEntry`].
    pub fn prev(&self, entry: Entry) -> Result<Option<Entry>, Error> {
        let slot = self.resolve(entry)?;
        Ok(self.live.previous(slot).map(|slot| self.live.entry(slot)))
    }

    /// The entry that follows a live key's in the live order: to go on where a walk stopped, by key. O(1).
    ///
    /// # Errors
    /// [`Error::NotFound`] if the key is not live.
    pub fn next_from(&self, key: &Key) -> Result<Option<Entry>, Error> {
        let slot = self.find_slot(key, self.home_of_key(key)).ok_or(Error::NotFound)?;
        Ok(self.live.next(slot).map(|slot| self.live.entry(slot)))
    }

    /// Key and insert time of a live entry. O(1).
    ///
    /// # Errors
    /// [`Error::StaleEntry`].
    pub fn info(&self, entry: Entry) -> Result<EntryInfo, Error> {
        let slot = self.resolve(entry)?;
        let records = self.records();
        let inserted_at_ns = self.clock.ns_of(records.tick_of_slot(slot));
        Ok(EntryInfo { key: *records.key_of_slot(slot), inserted_at_ns })
    }

    /// The value of a live entry. O(1).
    ///
    /// # Errors
    /// [`Error::StaleEntry`].
    pub fn value(&self, entry: Entry) -> Result<&[u8], Error> {
        Ok(self.value_of(self.resolve(entry)?))
    }

    pub(super) fn value_of(&self, slot: Slot) -> &[u8] {
        let value = self.live.value(slot);
        // SAFETY: a slot in use begins with `value_size` initialised bytes, and `self` is borrowed meanwhile.
        unsafe { std::slice::from_raw_parts(value.as_ptr(), self.value_size()) }
    }

    /// The value of a live entry, to change. O(1).
    ///
    /// # Errors
    /// [`Error::StaleEntry`].
    pub fn value_mut(&mut self, entry: Entry) -> Result<&mut [u8], Error> {
        let value = self.live.value(self.resolve(entry)?);
        // SAFETY: as in `value`, and the borrow is exclusive.
        Ok(unsafe { std::slice::from_raw_parts_mut(value.as_ptr(), self.value_size()) })
    }

    /// Where the value stands until the entry is erased, forgotten or cleared, whatever else is called: the
    /// address never changes. Aligned to 16 from 16 bytes of `value_size` on, else to 8. O(1).
    ///
    /// # Errors
    /// [`Error::StaleEntry`].
    pub fn value_ptr(&mut self, entry: Entry) -> Result<NonNull<u8>, Error> {
        Ok(self.live.value(self.resolve(entry)?))
    }

    /// Bytes of value per entry, as given at creation.
    pub fn value_size(&self) -> usize {
        self.live.value_size()
    }

    /// The largest `now_ns` told so far (or set by `clock_reset`), which is the present; `None` before the first. O(1).
    pub fn present_ns(&self) -> Option<i64> {
        self.clock.seen_ns()
    }

    /// Entries inserted and not yet erased. O(1).
    pub fn live_len(&self) -> u64 {
        self.live_len.into()
    }

    /// Historical entries held, expired ones that are not collected yet included. O(1).
    pub fn history_len(&self) -> u64 {
        self.remembered().into()
    }

    /// The index has the live entries and the historical ones.
    #[inline(always)]
    pub(super) fn remembered(&self) -> u32 {
        self.index.len - self.live_len
    }

    /// Where the memory of the history comes from, if not from the process.
    pub fn allocator(&self) -> Option<&Arc<dyn Allocator>> {
        self.memory.host()
    }

    /// Whether the last request for memory that was refused to the group of this history was refused because of the
    /// group's limit; `false` without a group.
    pub fn is_group_full(&self) -> bool {
        self.member().is_some_and(|member| member.group.was_full())
    }

    /// All figures. O(1).
    pub fn stats(&self) -> Stats {
        let usage = self.memory.usage();
        let (index_buckets, overflow_buckets) = self.index.buckets();
        Stats {
            live_len: self.live_len.into(),
            history_len: self.remembered().into(),
            tombstones: self.log.buried(),
            bytes_in_use: usage.in_use,
            bytes_peak: usage.peak,
            allocations: usage.allocations,
            deallocations: usage.deallocations,
            collected_total: self.collected_total,
            evicted_early: self.evicted_early,
            duplicates: self.duplicates,
            readmitted: self.readmitted,
            clock_regressions: self.clock.regressions(),
            max_entries_moved_per_call: self.index.max_moved.into(),
            index_buckets,
            overflow_buckets,
            buckets_probed: self.index.probed(),
        }
    }

    #[inline(always)]
    pub(super) fn presence(&self, key: &Key, home: Home, now: Tick) -> Presence {
        let Some(place) = self.find_key(key, home) else { return Presence::Absent };
        match self.records().found(self.index.position(place)) {
            Found::Live(_) => Presence::Live,
            Found::Historical(record) if self.is_visible(record, now) => Presence::Historical,
            Found::Historical(_) => Presence::Absent,
        }
    }

    /// The place of a key. Most keys that are asked for are absent: their way is kept short.
    #[inline(always)]
    pub(super) fn find_key(&self, key: &Key, home: Home) -> Option<Place> {
        if self.index.may_hold(home) { self.find_among_similar(key, home) } else { None }
    }

    #[inline(never)]
    fn find_among_similar(&self, key: &Key, home: Home) -> Option<Place> {
        let records = self.records();
        self.index.find(home, |at| records.key(at) == key)
    }

    /// Whether the historical entry of a record counts as there.
    pub(super) fn is_visible(&self, record: u32, now: Tick) -> bool {
        self.visibility == Visibility::UntilCollected
            || !self.has_expired(record, self.records().tick_of_record(record), now)
    }

    /// Whether the window of a record's entry has ended, be it the window now or one that was raised since.
    #[inline(always)]
    pub(super) fn has_expired(&self, record: u32, tick: Tick, now: Tick) -> bool {
        self.clock.is_expired(tick, now) || (self.is_raised && self.had_expired(record, tick))
    }

    /// What `now_ns` counts as. A jump that a group was told of is none.
    #[inline(always)]
    pub(super) fn check_now(&self, now_ns: i64) -> Result<Now, Error> {
        self.clock.check(now_ns).or_else(|error| self.check_by_group(now_ns, error))
    }

    #[inline(always)]
    pub(super) fn find_slot(&self, key: &Key, home: Home) -> Option<Slot> {
        let records = self.records();
        let place = self.find_key(key, home)?;
        match records.found(self.index.position(place)) {
            Found::Live(slot) => Some(slot),
            Found::Historical(_) => None,
        }
    }

    #[inline(always)]
    pub(super) fn resolve(&self, entry: Entry) -> Result<Slot, Error> {
        self.live.resolve(entry).ok_or(Error::StaleEntry { entry: entry.to_bits() })
    }
}
