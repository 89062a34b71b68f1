//! A history through the C ABI: every call is the exported function that a C program would call.

use super::setup::Setup;
use super::subject::{Answered, Failure, Subject};
use queuecore::ffi::callbacks::qc_key;
use queuecore::ffi::history::{qc_history, qc_history_create, qc_history_destroy};
use queuecore::ffi::history_batch::{
    qc_history_contains_batch, qc_history_erase_batch, qc_history_insert_batch, qc_history_readmit_batch,
};
use queuecore::ffi::history_change::{
    qc_history_erase, qc_history_erase_key, qc_history_forget, qc_history_forget_key, qc_history_insert,
    qc_history_readmit,
};
use queuecore::ffi::history_group::qc_history_group;
use queuecore::ffi::history_options::{qc_gc_policy, qc_history_options, qc_history_options_init};
use queuecore::ffi::history_options::{qc_overflow, qc_visibility};
use queuecore::ffi::history_read::{
    qc_history_contains, qc_history_entry_info, qc_history_find, qc_history_first, qc_history_history_len,
    qc_history_last, qc_history_live_len, qc_history_next, qc_history_next_from, qc_history_prev,
    qc_history_value,
};
use queuecore::ffi::history_stats::qc_history_stats;
use queuecore::ffi::history_transfer::{
    qc_export_result, qc_history_export, qc_history_export_begin, qc_history_import, qc_import_result,
};
use queuecore::ffi::history_types::{qc_entry_info, qc_gc_result, qc_insert_result};
use queuecore::ffi::history_upkeep::{
    qc_history_clear, qc_history_clear_step, qc_history_clock_reset, qc_history_erase_all_live,
    qc_history_gc, qc_history_set_window,
};
use queuecore::ffi::history_walk::{qc_history_item, qc_history_iter_begin, qc_history_iter_next};
use queuecore::ffi::status::qc_status;
use queuecore::history::{
    Collected, Entry, EntryInfo, Erased, Exported, GcPolicy, Imported, Inserted, Item, Key, Overflow,
    Presence, Stats, Visibility,
};
use std::mem::MaybeUninit;
use std::ptr;

/// A history behind its handle, which is destroyed with it.
pub struct CHistory {
    handle: *mut qc_history,
    value_size: usize,
}

/// The status as a result.
pub fn done(status: qc_status) -> Answered<()> {
    if status == qc_status::QC_OK { Ok(()) } else { Err(Failure::Status(status)) }
}

/// Calls with a place for the result, which is there if the call succeeds.
fn ask<T>(call: impl FnOnce(*mut T) -> qc_status) -> Answered<T> {
    let mut out = MaybeUninit::uninit();
    done(call(out.as_mut_ptr()))?;
    // SAFETY: a call that succeeds writes its result.
    Ok(unsafe { out.assume_init() })
}

fn key(key: &Key) -> *const qc_key {
    ptr::from_ref(key).cast()
}

fn inserted(result: &qc_insert_result) -> Inserted {
    match (result.outcome, Entry::from_bits(result.entry)) {
        (0, Some(entry)) => Inserted::Added(entry),
        (1, Some(entry)) => Inserted::DuplicateLive(entry),
        (2, None) => Inserted::DuplicateHistory,
        _ => panic!("{result:?} is no outcome"),
    }
}

fn presence(number: u32) -> Presence {
    [Presence::Absent, Presence::Live, Presence::Historical][number as usize]
}

fn erased(number: u32) -> Erased {
    [Erased::Historical, Erased::Gone][number as usize]
}

fn collected(result: &qc_gc_result) -> Collected {
    assert!(result.more <= 1 && result.reserved == 0, "{result:?}");
    Collected { collected: result.collected, more: result.more == 1 }
}

impl CHistory {
    /// A history with this setup, in a group or in none.
    pub fn new(setup: &Setup, group: *mut qc_history_group) -> CHistory {
        let mut options: qc_history_options =
            // SAFETY: the function fills the struct.
            ask(|out| unsafe { qc_history_options_init(out, size_of::<qc_history_options>()) })
                .expect("a place for options");
        options.value_size = setup.value_size as u32;
        options.window_ns = setup.window_ns;
        options.resolution_ns = setup.resolution_ns;
        options.max_clock_step_ns = setup.clock_step_ns().unwrap_or(0);
        options.max_entries = setup.max_entries;
        options.max_history = setup.max_history;
        options.overflow = match setup.overflow {
            Overflow::Reject => qc_overflow::QC_OVERFLOW_REJECT as u32,
            Overflow::EvictOldest => qc_overflow::QC_OVERFLOW_EVICT_OLDEST as u32,
        };
        options.visibility = match setup.visibility {
            Visibility::UntilExpiry => qc_visibility::QC_VISIBLE_UNTIL_EXPIRY as u32,
            Visibility::UntilCollected => qc_visibility::QC_VISIBLE_UNTIL_COLLECTED as u32,
        };
        (options.gc_policy, options.gc_step) = match setup.gc {
            GcPolicy::Steady { step } => (qc_gc_policy::QC_GC_STEADY as u32, step),
            GcPolicy::OnDemand { batch } => (qc_gc_policy::QC_GC_ON_DEMAND as u32, batch),
            GcPolicy::Scheduled => (qc_gc_policy::QC_GC_SCHEDULED as u32, 0),
        };
        options.seed = if group.is_null() { setup.seed | 1 } else { 0 };
        options.group = group;
        // SAFETY: options from their init function, and a place for the handle.
        let handle = ask(|out| unsafe { qc_history_create(&options, out) }).expect("the setup is valid");
        CHistory { handle, value_size: setup.value_size }
    }
}

impl Drop for CHistory {
    fn drop(&mut self) {
        // SAFETY: the handle is this object's own.
        assert_eq!(unsafe { qc_history_destroy(self.handle) }, qc_status::QC_OK);
    }
}

// Every argument below is either a value, or a reference or slice of the caller's with its true length.
#[allow(clippy::undocumented_unsafe_blocks, reason = "told once, above")]
impl Subject for CHistory {
    fn put(&mut self, new: &Key, value: &[u8], at_ns: i64, now_ns: i64, readmit: bool) -> Answered<Inserted> {
        let call = if readmit { qc_history_readmit } else { qc_history_insert };
        let bytes = if value.is_empty() { ptr::null() } else { value.as_ptr().cast() };
        let result =
            ask(|out| unsafe { call(self.handle, key(new), bytes, value.len(), at_ns, now_ns, out) })?;
        Ok(inserted(&result))
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
        let call = if readmit { qc_history_readmit_batch } else { qc_history_insert_batch };
        let values = if values.is_empty() { ptr::null() } else { values.as_ptr().cast() };
        let at_ns = if at_ns.is_empty() { ptr::null() } else { at_ns.as_ptr() };
        let mut raw = vec![qc_insert_result { entry: 0, outcome: 9, reserved: 0 }; keys.len()];
        let mut count = 0;
        let status = unsafe {
            call(
                self.handle,
                keys.as_ptr().cast(),
                values,
                at_ns,
                keys.len(),
                now_ns,
                raw.as_mut_ptr(),
                &mut count,
            )
        };
        for (place, result) in results.iter_mut().zip(&raw).take(count) {
            *place = Some(inserted(result));
        }
        (count, done(status))
    }

    fn forget(&mut self, entry: Entry) -> Answered<()> {
        done(unsafe { qc_history_forget(self.handle, entry.to_bits()) })
    }

    fn forget_key(&mut self, old: &Key) -> Answered<()> {
        done(unsafe { qc_history_forget_key(self.handle, key(old)) })
    }

    fn erase(&mut self, entry: Entry, now_ns: i64) -> Answered<Erased> {
        ask(|out| unsafe { qc_history_erase(self.handle, entry.to_bits(), now_ns, out) }).map(erased)
    }

    fn erase_key(&mut self, old: &Key, now_ns: i64) -> Answered<Erased> {
        ask(|out| unsafe { qc_history_erase_key(self.handle, key(old), now_ns, out) }).map(erased)
    }

    fn erase_batch(
        &mut self,
        entries: &[Entry],
        now_ns: i64,
        results: &mut [Option<Erased>],
    ) -> (usize, Answered<()>) {
        let bits: Vec<u64> = entries.iter().map(|entry| entry.to_bits()).collect();
        let mut raw = vec![9; entries.len()];
        let mut count = 0;
        let status = unsafe {
            qc_history_erase_batch(
                self.handle,
                bits.as_ptr(),
                bits.len(),
                now_ns,
                raw.as_mut_ptr(),
                &mut count,
            )
        };
        for (place, result) in results.iter_mut().zip(&raw).take(count) {
            *place = Some(erased(*result));
        }
        (count, done(status))
    }

    fn erase_all_live(&mut self, now_ns: i64) -> Answered<u64> {
        ask(|out| unsafe { qc_history_erase_all_live(self.handle, now_ns, out) })
    }

    fn gc(&mut self, now_ns: i64, max: u64) -> Answered<Collected> {
        ask(|out| unsafe { qc_history_gc(self.handle, now_ns, max, out) }).map(|result| collected(&result))
    }

    fn clear(&mut self) {
        done(unsafe { qc_history_clear(self.handle) }).expect("it cannot fail");
    }

    fn clear_step(&mut self, max: u64) -> Collected {
        let result = ask(|out| unsafe { qc_history_clear_step(self.handle, max, out) });
        collected(&result.expect("it cannot fail"))
    }

    fn clock_reset(&mut self, now_ns: i64) -> Answered<()> {
        done(unsafe { qc_history_clock_reset(self.handle, now_ns) })
    }

    fn set_window(&mut self, window_ns: i64) -> Answered<()> {
        done(unsafe { qc_history_set_window(self.handle, window_ns) })
    }

    fn contains(&mut self, asked: &Key, now_ns: i64) -> Answered<Presence> {
        ask(|out| unsafe { qc_history_contains(self.handle, key(asked), now_ns, out) }).map(presence)
    }

    fn contains_batch(&mut self, keys: &[Key], now_ns: i64, results: &mut [Presence]) -> Answered<()> {
        let mut raw = vec![9; keys.len()];
        done(unsafe {
            qc_history_contains_batch(self.handle, keys.as_ptr().cast(), keys.len(), now_ns, raw.as_mut_ptr())
        })?;
        results.iter_mut().zip(raw).for_each(|(place, number)| *place = presence(number));
        Ok(())
    }

    fn find(&mut self, asked: &Key) -> Option<Entry> {
        let bits = ask(|out| unsafe { qc_history_find(self.handle, key(asked), out) });
        Entry::from_bits(bits.expect("it cannot fail"))
    }

    fn first(&mut self) -> Option<Entry> {
        Entry::from_bits(ask(|out| unsafe { qc_history_first(self.handle, out) }).expect("it cannot fail"))
    }

    fn last(&mut self) -> Option<Entry> {
        Entry::from_bits(ask(|out| unsafe { qc_history_last(self.handle, out) }).expect("it cannot fail"))
    }

    fn next(&mut self, entry: Entry) -> Answered<Option<Entry>> {
        ask(|out| unsafe { qc_history_next(self.handle, entry.to_bits(), out) }).map(Entry::from_bits)
    }

    fn prev(&mut self, entry: Entry) -> Answered<Option<Entry>> {
        ask(|out| unsafe { qc_history_prev(self.handle, entry.to_bits(), out) }).map(Entry::from_bits)
    }

    fn next_from(&mut self, asked: &Key) -> Answered<Option<Entry>> {
        ask(|out| unsafe { qc_history_next_from(self.handle, key(asked), out) }).map(Entry::from_bits)
    }

    fn info(&mut self, entry: Entry) -> Answered<EntryInfo> {
        let info: qc_entry_info =
            ask(|out| unsafe { qc_history_entry_info(self.handle, entry.to_bits(), out) })?;
        Ok(EntryInfo { key: Key(info.key.bytes), inserted_at_ns: info.inserted_at_ns })
    }

    fn value(&mut self, entry: Entry) -> Answered<(usize, Vec<u8>)> {
        let address = ask(|out| unsafe { qc_history_value(self.handle, entry.to_bits(), out) })?;
        if self.value_size == 0 {
            assert!(address.is_null());
            return Ok((0, Vec::new()));
        }
        // The value of a live entry is `value_size` bytes.
        let value = unsafe { std::slice::from_raw_parts(address.cast::<u8>(), self.value_size) };
        Ok((address.addr(), value.to_vec()))
    }

    fn set_value(&mut self, entry: Entry, value: &[u8]) -> Answered<()> {
        let address = ask(|out| unsafe { qc_history_value(self.handle, entry.to_bits(), out) })?;
        if !value.is_empty() {
            unsafe { address.cast::<u8>().copy_from_nonoverlapping(value.as_ptr(), value.len()) };
        }
        Ok(())
    }

    fn iterate(&mut self) -> Answered<()> {
        done(unsafe { qc_history_iter_begin(self.handle) })
    }

    fn next_items(&mut self, items: &mut [Item]) -> (usize, bool) {
        let empty = qc_history_item { key: qc_key { bytes: [0; 16] }, inserted_at_ns: 0, entry: 0 };
        let mut raw = vec![empty; items.len()];
        let (mut count, mut more) = (0, 9);
        let status =
            unsafe { qc_history_iter_next(self.handle, raw.as_mut_ptr(), raw.len(), &mut count, &mut more) };
        done(status).expect("it cannot fail");
        for (place, item) in items.iter_mut().zip(&raw).take(count) {
            *place = Item {
                key: Key(item.key.bytes),
                inserted_at_ns: item.inserted_at_ns,
                entry: Entry::from_bits(item.entry),
            };
        }
        assert!(more <= 1);
        (count, more == 1)
    }

    fn begin_export(&mut self) -> Answered<()> {
        done(unsafe { qc_history_export_begin(self.handle) })
    }

    fn export(&mut self, buffer: &mut [u8]) -> Answered<Exported> {
        let result: qc_export_result = ask(|out| unsafe {
            qc_history_export(self.handle, buffer.as_mut_ptr().cast(), buffer.len(), out)
        })?;
        Ok(Exported { bytes: result.bytes as usize, entries: result.entries, more: result.more == 1 })
    }

    fn import(&mut self, buffer: &[u8], now_ns: i64, shift_ns: i64) -> (Imported, Answered<()>) {
        let nothing = qc_import_result {
            live: 0,
            historical: 0,
            duplicates: 0,
            expired: 0,
            evicted: 0,
            is_last: 0,
            reserved: 0,
        };
        let mut result = nothing;
        let status = unsafe {
            qc_history_import(
                self.handle,
                buffer.as_ptr().cast(),
                buffer.len(),
                now_ns,
                shift_ns,
                &mut result,
            )
        };
        let imported = Imported {
            live: result.live,
            historical: result.historical,
            duplicates: result.duplicates,
            expired: result.expired,
            evicted: result.evicted,
            is_last: result.is_last == 1,
        };
        (imported, done(status))
    }

    fn stats(&mut self) -> Stats {
        let struct_size = size_of::<qc_history_stats>() as u32;
        let mut stats = qc_history_stats { struct_size, ..qc_history_stats::default() };
        let status = unsafe { queuecore::ffi::history_stats::qc_history_stats(self.handle, &mut stats) };
        done(status).expect("it cannot fail");
        Stats {
            live_len: stats.live_len,
            history_len: stats.history_len,
            tombstones: stats.tombstones,
            bytes_in_use: stats.bytes_in_use,
            bytes_peak: stats.bytes_peak,
            allocations: stats.allocations,
            deallocations: stats.deallocations,
            collected_total: stats.collected_total,
            evicted_early: stats.evicted_early,
            duplicates: stats.duplicates,
            readmitted: stats.readmitted,
            clock_regressions: stats.clock_regressions,
            max_entries_moved_per_call: stats.max_entries_moved_per_call,
            index_buckets: stats.index_buckets,
            overflow_buckets: stats.overflow_buckets,
            buckets_probed: stats.buckets_probed,
        }
    }

    fn live_len(&mut self) -> u64 {
        ask(|out| unsafe { qc_history_live_len(self.handle, out) }).expect("it cannot fail")
    }

    fn history_len(&mut self) -> u64 {
        ask(|out| unsafe { qc_history_history_len(self.handle, out) }).expect("it cannot fail")
    }
}
