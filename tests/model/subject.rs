//! What is compared with the model: the calls of a history, answered by the Rust core or through the C ABI.

use queuecore::ffi::status::qc_status;
use queuecore::history::{
    Collected, Entry, EntryInfo, Erased, Error, Exported, History, Imported, Inserted, Item, Key, Presence,
    Stats,
};

/// Why a call failed, as far as the subject tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The core's reason, with its numbers.
    Core(Error),
    /// The status of the C ABI.
    Status(qc_status),
}

impl Failure {
    pub fn is_no_memory(self) -> bool {
        matches!(self, Failure::Core(Error::NoMemory) | Failure::Status(qc_status::QC_ERR_NO_MEMORY))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Core(error)
    }
}

pub type Answered<T> = Result<T, Failure>;

/// The calls, named and meant as those of [`History`].
pub trait Subject {
    fn put(&mut self, key: &Key, value: &[u8], at_ns: i64, now_ns: i64, readmit: bool) -> Answered<Inserted>;
    fn put_batch(
        &mut self,
        keys: &[Key],
        values: &[u8],
        at_ns: &[i64],
        now_ns: i64,
        readmit: bool,
        results: &mut [Option<Inserted>],
    ) -> (usize, Answered<()>);
    fn forget(&mut self, entry: Entry) -> Answered<()>;
    fn forget_key(&mut self, key: &Key) -> Answered<()>;
    fn erase(&mut self, entry: Entry, now_ns: i64) -> Answered<Erased>;
    fn erase_key(&mut self, key: &Key, now_ns: i64) -> Answered<Erased>;
    fn erase_batch(
        &mut self,
        entries: &[Entry],
        now_ns: i64,
        results: &mut [Option<Erased>],
    ) -> (usize, Answered<()>);
    fn erase_all_live(&mut self, now_ns: i64) -> Answered<u64>;
    fn gc(&mut self, now_ns: i64, max: u64) -> Answered<Collected>;
    fn clear(&mut self);
    fn clear_step(&mut self, max: u64) -> Collected;
    fn clock_reset(&mut self, now_ns: i64) -> Answered<()>;
    fn set_window(&mut self, window_ns: i64) -> Answered<()>;
    fn contains(&mut self, key: &Key, now_ns: i64) -> Answered<Presence>;
    fn contains_batch(&mut self, keys: &[Key], now_ns: i64, results: &mut [Presence]) -> Answered<()>;
    fn find(&mut self, key: &Key) -> Option<Entry>;
    fn first(&mut self) -> Option<Entry>;
    fn last(&mut self) -> Option<Entry>;
    fn next(&mut self, entry: Entry) -> Answered<Option<Entry>>;
    fn prev(&mut self, entry: Entry) -> Answered<Option<Entry>>;
    fn next_from(&mut self, key: &Key) -> Answered<Option<Entry>>;
    fn info(&mut self, entry: Entry) -> Answered<EntryInfo>;
    /// Where the value is, and a copy of it.
    fn value(&mut self, entry: Entry) -> Answered<(usize, Vec<u8>)>;
    fn set_value(&mut self, entry: Entry, value: &[u8]) -> Answered<()>;
    fn iterate(&mut self) -> Answered<()>;
    fn next_items(&mut self, items: &mut [Item]) -> (usize, bool);
    fn begin_export(&mut self) -> Answered<()>;
    fn export(&mut self, buffer: &mut [u8]) -> Answered<Exported>;
    fn import(&mut self, buffer: &[u8], now_ns: i64, shift_ns: i64) -> (Imported, Answered<()>);
    fn stats(&mut self) -> Stats;
    fn live_len(&mut self) -> u64;
    fn history_len(&mut self) -> u64;
}

impl Subject for History {
    fn put(&mut self, key: &Key, value: &[u8], at_ns: i64, now_ns: i64, readmit: bool) -> Answered<Inserted> {
        let put = if readmit { History::readmit } else { History::insert };
        Ok(put(self, key, value, at_ns, now_ns)?)
    }

    fn put_batch(
        &mut self,
        keys: &[Key],
        values: &[u8],
        at_ns: &[i64],
        now_ns: i64,
        readmit: bool,
        results: &mut [Option<Inserted>],
    ) -> (usize, Answered<()>) {
        let put = if readmit { History::readmit_batch } else { History::insert_batch };
        let (done, outcome) = put(self, keys, values, at_ns, now_ns, results);
        (done, outcome.map_err(Failure::Core))
    }

    fn forget(&mut self, entry: Entry) -> Answered<()> {
        Ok(History::forget(self, entry)?)
    }

    fn forget_key(&mut self, key: &Key) -> Answered<()> {
        Ok(History::forget_key(self, key)?)
    }

    fn erase(&mut self, entry: Entry, now_ns: i64) -> Answered<Erased> {
        Ok(History::erase(self, entry, now_ns)?)
    }

    fn erase_key(&mut self, key: &Key, now_ns: i64) -> Answered<Erased> {
        Ok(History::erase_key(self, key, now_ns)?)
    }

    fn erase_batch(
        &mut self,
        entries: &[Entry],
        now_ns: i64,
        results: &mut [Option<Erased>],
    ) -> (usize, Answered<()>) {
        let (done, outcome) = History::erase_batch(self, entries, now_ns, results);
        (done, outcome.map_err(Failure::Core))
    }

    fn erase_all_live(&mut self, now_ns: i64) -> Answered<u64> {
        Ok(History::erase_all_live(self, now_ns)?)
    }

    fn gc(&mut self, now_ns: i64, max: u64) -> Answered<Collected> {
        Ok(History::gc(self, now_ns, max)?)
    }

    fn clear(&mut self) {
        History::clear(self);
    }

    fn clear_step(&mut self, max: u64) -> Collected {
        History::clear_step(self, max)
    }

    fn clock_reset(&mut self, now_ns: i64) -> Answered<()> {
        Ok(History::clock_reset(self, now_ns)?)
    }

    fn set_window(&mut self, window_ns: i64) -> Answered<()> {
        Ok(History::set_window(self, window_ns)?)
    }

    fn contains(&mut self, key: &Key, now_ns: i64) -> Answered<Presence> {
        Ok(History::contains(self, key, now_ns)?)
    }

    fn contains_batch(&mut self, keys: &[Key], now_ns: i64, results: &mut [Presence]) -> Answered<()> {
        Ok(History::contains_batch(self, keys, now_ns, results)?)
    }

    fn find(&mut self, key: &Key) -> Option<Entry> {
        History::find(self, key)
    }

    fn first(&mut self) -> Option<Entry> {
        History::first(self)
    }

    fn last(&mut self) -> Option<Entry> {
        History::last(self)
    }

    fn next(&mut self, entry: Entry) -> Answered<Option<Entry>> {
        Ok(History::next(self, entry)?)
    }

    fn prev(&mut self, entry: Entry) -> Answered<Option<Entry>> {
        Ok(History::prev(self, entry)?)
    }

    fn next_from(&mut self, key: &Key) -> Answered<Option<Entry>> {
        Ok(History::next_from(self, key)?)
    }

    fn info(&mut self, entry: Entry) -> Answered<EntryInfo> {
        Ok(History::info(self, entry)?)
    }

    fn value(&mut self, entry: Entry) -> Answered<(usize, Vec<u8>)> {
        let address = self.value_ptr(entry)?.as_ptr().addr();
        assert_eq!(self.value_mut(entry)?.len(), self.value_size());
        let value = History::value(self, entry)?;
        if !value.is_empty() {
            assert_eq!(value.as_ptr().addr(), address);
        }
        Ok((address, value.to_vec()))
    }

    fn set_value(&mut self, entry: Entry, value: &[u8]) -> Answered<()> {
        self.value_mut(entry)?.copy_from_slice(value);
        Ok(())
    }

    fn iterate(&mut self) -> Answered<()> {
        Ok(History::iterate(self)?)
    }

    fn next_items(&mut self, items: &mut [Item]) -> (usize, bool) {
        History::next_items(self, items)
    }

    fn begin_export(&mut self) -> Answered<()> {
        Ok(History::begin_export(self)?)
    }

    fn export(&mut self, buffer: &mut [u8]) -> Answered<Exported> {
        Ok(History::export(self, buffer)?)
    }

    fn import(&mut self, buffer: &[u8], now_ns: i64, shift_ns: i64) -> (Imported, Answered<()>) {
        let (done, outcome) = History::import(self, buffer, now_ns, shift_ns);
        (done, outcome.map_err(Failure::Core))
    }

    fn stats(&mut self) -> Stats {
        History::stats(self)
    }

    fn live_len(&mut self) -> u64 {
        History::live_len(self)
    }

    fn history_len(&mut self) -> u64 {
        History::history_len(self)
    }
}
