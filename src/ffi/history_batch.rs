//! Calls that take arrays: they pay once for the handle, and the core overlaps the cache misses of their elements.
//!
//! Arrays go through in blocks, so that the core's own results fit on the stack and nothing is allocated.

use super::args::{self, Array, Out, OutArray};
use super::callbacks::qc_key;
use super::guard::guard;
use super::history::{Instance, qc_history};
use super::history_types::{erased, presence, qc_entry, qc_insert_result};
use super::last_error::{Failed, fail};
use super::status::qc_status;
use crate::history::{Entry, Erased, Error, History, Inserted, Key, Presence};
use std::ffi::c_void;

/// Elements of a block.
const BLOCK: usize = 64;

/// The core's `insert_batch` or `readmit_batch`.
type PutMany =
    fn(&mut History, &[Key], &[u8], &[i64], i64, &mut [Option<Inserted>]) -> (usize, Result<(), Error>);

/// What the callers of `put_many` handed over, checked.
struct Puts {
    keys: Array<Key>,
    values: Array<u8>,
    inserted_at_ns: Array<i64>,
    count: usize,
    now_ns: i64,
    results: OutArray<qc_insert_result>,
    done: Out<usize>,
}

impl Puts {
    /// # Safety
    /// The pointers are NULL or valid for `count` elements, `values` for `count * value_size` bytes, `done` for one.
    #[allow(clippy::too_many_arguments, reason = "the shape of the C function")]
    unsafe fn check(
        instance: &Instance,
        keys: *const qc_key,
        values: *const c_void,
        inserted_at_ns: *const i64,
        count: usize,
        now_ns: i64,
        results: *mut qc_insert_result,
        done: *mut usize,
    ) -> Result<Puts, Failed> {
        let value_bytes = args::total("values", count, instance.history.value_size())?;
        // SAFETY: the caller's promise, for each; a `Key` is a `qc_key` by another name.
        let keys = unsafe { Array::required("keys", keys.cast::<Key>(), count) }?;
        // SAFETY: likewise.
        let values = unsafe { Array::optional("values", values.cast::<u8>(), value_bytes) }?;
        // SAFETY: likewise.
        let inserted_at_ns = unsafe { Array::optional("inserted_at_ns", inserted_at_ns, count) }?;
        // SAFETY: likewise.
        let results = unsafe { OutArray::required("out_results", results, count) }?;
        // SAFETY: likewise.
        let done = unsafe { Out::required("out_done", done) }?;
        Ok(Puts { keys, values, inserted_at_ns, count, now_ns, results, done })
    }
}

/// Runs an insert or readmit of many, block by block, up to the first element that fails.
fn put_many(instance: &mut Instance, puts: &Puts, put: PutMany) -> Result<(), Failed> {
    let value_size = instance.history.value_size();
    let mut block = [None; BLOCK];
    let mut now_ns = puts.now_ns;
    let mut done = 0;
    while done < puts.count {
        let end = puts.count.min(done + BLOCK);
        // SAFETY: the core only reads them, and the results are written when these slices are gone.
        let keys = unsafe { puts.keys.block(done, end) };
        // SAFETY: likewise. The products fit: the check computed a larger one.
        let values = unsafe { puts.values.block(done * value_size, end * value_size) };
        // SAFETY: likewise.
        let times = unsafe { puts.inserted_at_ns.block(done, end) };
        let (results, _) = block.split_at_mut(end - done);
        let (put_now, answer) = put(&mut instance.history, keys, values, times, now_ns, results);
        for (index, result) in results.iter().take(put_now).enumerate() {
            if let Some(inserted) = result {
                puts.results.write(done + index, (*inserted).into());
            }
        }
        if let Err(error) = answer {
            puts.done.write(done + put_now);
            return Err(instance.refused_element(&error, "keys", done + put_now));
        }
        now_ns = told(instance, now_ns);
        done = end;
    }
    puts.done.write(done);
    Ok(())
}

/// As many `qc_history_insert`, in the order of the arrays, with their cache misses overlapped.
///
/// Parameters: `self` is the history. `keys` are `count` keys. `values` are `count * value_size` bytes, one value
/// after the other; NULL for values of zeros. `inserted_at_ns` are `count` times; NULL for `now_ns` each. `now_ns` is
/// the present. `out_results` gets `count` results. `out_done` gets how many elements are done. For units and ranges
/// see `qc_history_insert`. With `count` 0 only `out_done` must not be NULL. The arrays must not overlap each other.
///
/// It stops at the first element that fails and answers that element's status. The elements before it are done and
/// stay done: `*out_done` of them, with their results written. This is one of the cases in which a call that fails has
/// changed and written something; it holds for what an element can fail with, QC_ERR_OUT_OF_RANGE, QC_ERR_CLOCK,
/// QC_ERR_CAPACITY, QC_ERR_NO_MEMORY and QC_ERR_CALLBACK (see `qc_history_insert`). After QC_ERR_PANIC any number of
/// elements may be done and any of the results written, but not `*out_done`; the history is poisoned. A call that
/// fails with any other status has done no element and written nothing.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `keys`, `out_results` or `out_done` is NULL.
/// QC_ERR_INVALID_ARGUMENT: a pointer is not aligned.
/// QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
///
/// One thread at a time. Time in proportion to `count`; each element takes constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_insert_batch(
    self_: *mut qc_history,
    keys: *const qc_key,
    values: *const c_void,
    inserted_at_ns: *const i64,
    count: usize,
    now_ns: i64,
    out_results: *mut qc_insert_result,
    out_done: *mut usize,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives arrays of `count` elements and a place for the number.
        let puts = unsafe {
            Puts::check(instance, keys, values, inserted_at_ns, count, now_ns, out_results, out_done)
        }?;
        put_many(instance, &puts, History::insert_batch)
    })
}

/// As many `qc_history_readmit`, in the order of the arrays, with their cache misses overlapped.
///
/// Parameters, statuses, what is done when an element fails, thread rule and complexity: as for
/// `qc_history_insert_batch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_readmit_batch(
    self_: *mut qc_history,
    keys: *const qc_key,
    values: *const c_void,
    inserted_at_ns: *const i64,
    count: usize,
    now_ns: i64,
    out_results: *mut qc_insert_result,
    out_done: *mut usize,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives arrays of `count` elements and a place for the number.
        let puts = unsafe {
            Puts::check(instance, keys, values, inserted_at_ns, count, now_ns, out_results, out_done)
        }?;
        put_many(instance, &puts, History::readmit_batch)
    })
}

/// As many `qc_history_contains`, with their cache misses overlapped.
///
/// Parameters: `self` is the history; `keys` are `count` keys; `now_ns` is the present, in ns of the caller's
/// monotonic clock, -2^62 to 2^62; `out_presences` gets `count` numbers, each a `qc_presence`. With `count` 0 both
/// arrays may be NULL. The arrays must not overlap.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `keys` or `out_presences` is NULL. QC_ERR_INVALID_ARGUMENT: `out_presences` is not aligned.
/// QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
/// QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
/// After QC_ERR_PANIC any of the answers may be written.
///
/// One thread at a time. Time in proportion to `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_contains_batch(
    self_: *mut qc_history,
    keys: *const qc_key,
    count: usize,
    now_ns: i64,
    out_presences: *mut u32,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives `count` keys.
        let keys = unsafe { Array::required("keys", keys.cast::<Key>(), count) }?;
        // SAFETY: the caller gives a place for `count` answers.
        let out = unsafe { OutArray::required("out_presences", out_presences, count) }?;
        contains_many(instance, &keys, count, now_ns, &out)
    })
}

/// Asks for many keys, block by block. Only `now_ns` can be refused, and the first block finds that out.
fn contains_many(
    instance: &mut Instance,
    keys: &Array<Key>,
    count: usize,
    mut now_ns: i64,
    out: &OutArray<u32>,
) -> Result<(), Failed> {
    let mut block = [Presence::Absent; BLOCK];
    let mut start = 0;
    while start < count {
        let end = count.min(start + BLOCK);
        let (results, _) = block.split_at_mut(end - start);
        // SAFETY: the core only reads them, and the answers are written when the slice is gone.
        let answer = instance.history.contains_batch(unsafe { keys.block(start, end) }, now_ns, results);
        instance.accept(answer)?;
        for (index, result) in results.iter().enumerate() {
            out.write(start + index, presence(*result));
        }
        now_ns = told(instance, now_ns);
        start = end;
    }
    Ok(())
}

/// As many `qc_history_erase`, in the order of the array, with their cache misses overlapped.
///
/// Parameters: `self` is the history; `entries` are `count` live entries; `now_ns` is the present, in ns of the
/// caller's monotonic clock, -2^62 to 2^62; `out_erased` gets `count` numbers, each a `qc_erased`, and may be NULL;
/// `out_done` gets how many elements are done. With `count` 0 only `out_done` must not be NULL. The arrays must not
/// overlap.
///
/// It stops at the first element that fails and answers that element's status. The elements before it are done and
/// stay done: `*out_done` of them, with their answers written. An element can fail with QC_ERR_STALE_HANDLE,
/// QC_ERR_CLOCK, QC_ERR_CAPACITY, QC_ERR_NO_MEMORY or QC_ERR_CALLBACK (see `qc_history_erase`). After QC_ERR_PANIC any
/// number of elements may be done and any of the answers written, but not `*out_done`; the history is poisoned. A call
/// that fails with any other status has done no element and written nothing.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `entries` or `out_done` is NULL. QC_ERR_INVALID_ARGUMENT: a pointer is not aligned.
/// QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
///
/// One thread at a time. Time in proportion to `count`; each element takes constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_erase_batch(
    self_: *mut qc_history,
    entries: *const qc_entry,
    count: usize,
    now_ns: i64,
    out_erased: *mut u32,
    out_done: *mut usize,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives `count` entries.
        let entries = unsafe { Array::required("entries", entries, count) }?;
        // SAFETY: the caller gives a place for `count` answers, or NULL.
        let out = unsafe { OutArray::optional("out_erased", out_erased, count) }?;
        // SAFETY: the caller gives a place for the number.
        let out_done = unsafe { Out::required("out_done", out_done) }?;
        let mut done = 0;
        let outcome = erase_many(instance, &entries, count, now_ns, &out, &mut done);
        out_done.write(done);
        outcome
    })
}

/// Erases many, block by block, up to the first that fails; `done` counts.
fn erase_many(
    instance: &mut Instance,
    entries: &Array<qc_entry>,
    count: usize,
    mut now_ns: i64,
    out: &OutArray<u32>,
    done: &mut usize,
) -> Result<(), Failed> {
    let mut block: [Option<Erased>; BLOCK] = [None; BLOCK];
    while *done < count {
        let end = count.min(*done + BLOCK);
        // SAFETY: they are copied here, and the answers are written when the slice is gone.
        let Some((named, len)) = named_entries(unsafe { entries.block(*done, end) }) else {
            return Err(fail!(QC_ERR_STALE_HANDLE, "entries[{done}] = 0 stands for no entry"));
        };
        let (named, _) = named.split_at(len);
        let (results, _) = block.split_at_mut(len);
        let (erased_now, answer) = instance.history.erase_batch(named, now_ns, results);
        for (index, result) in results.iter().take(erased_now).enumerate() {
            if let Some(result) = result {
                out.write(*done + index, erased(*result));
            }
        }
        if let Err(error) = answer {
            *done += erased_now;
            return Err(instance.refused_element(&error, "entries", *done));
        }
        // A block that ends early ends at a 0, which the next round finds first.
        now_ns = told(instance, now_ns);
        *done += len;
    }
    Ok(())
}

/// What the further blocks of a call tell as the time: the present, so that a call that goes back counts once.
fn told(instance: &Instance, now_ns: i64) -> i64 {
    instance.history.present_ns().unwrap_or(now_ns)
}

/// The entries up to the first 0, and how many they are; `None` if the first is 0.
fn named_entries(bits: &[qc_entry]) -> Option<([Entry; BLOCK], usize)> {
    // Places behind the last entry keep a copy of the first; nobody looks at them.
    let mut named = [Entry::from_bits(*bits.first()?)?; BLOCK];
    let mut len = 0;
    for (place, entry) in named.iter_mut().zip(bits.iter().map_while(|bits| Entry::from_bits(*bits))) {
        *place = entry;
        len += 1;
    }
    Some((named, len))
}
