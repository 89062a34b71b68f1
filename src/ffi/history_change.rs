//! Calls that put one entry into a history or take one out: insert, readmit, forget, erase.
//!
//! These are the calls of every message; the batches stand in `history_batch`.

use super::args::{self, Out};
use super::callbacks::qc_key;
use super::guard::guard;
use super::history::{Instance, entry, qc_history};
use super::history_types::{erased, qc_entry, qc_insert_result};
use super::last_error::{Failed, fail};
use super::status::qc_status;
use std::ffi::c_void;

/// The value of one insert: as long as values are, or nothing, which the core takes for zeros.
///
/// # Safety
/// `value` is NULL or valid for reading `len` bytes while the slice is alive.
#[inline(always)]
unsafe fn value<'a>(instance: &Instance, value: *const c_void, len: usize) -> Result<&'a [u8], Failed> {
    if value.is_null() && len == 0 {
        return Ok(&[]);
    }
    if value.is_null() || len != instance.history.value_size() {
        return Err(bad_value(instance.history.value_size(), value.is_null(), len));
    }
    // SAFETY: the caller vouches for `len` bytes, of which there are at most 1024; bytes need no alignment.
    Ok(unsafe { std::slice::from_raw_parts(value.cast(), len) })
}

#[cold]
#[inline(never)]
fn bad_value(size: usize, is_null: bool, len: usize) -> Failed {
    if is_null {
        return fail!(
            QC_ERR_NULL_ARGUMENT,
            "value is NULL but value_len = {len}; give 0 with NULL for a value of zeros"
        );
    }
    fail!(QC_ERR_INVALID_ARGUMENT, "value_len = {len} must be value_size = {size}")
}

/// Inserts a message, unless its key is live or in the history: duplicate check and insert in one probe.
///
/// What a primary calls for each message that a producer puts.
///
/// Parameters: `self` is the history. `key` is the message's identifier. `value` is `value_len` bytes to keep with
/// the entry, and `value_len` must be the history's `value_size`; NULL with 0 stands for a value of zeros. The bytes
/// are copied. `inserted_at_ns` is the time from which the window runs, at most `now_ns`; `now_ns` is the present;
/// both in ns of the caller's monotonic clock, -2^62 to 2^62. A `now_ns` smaller than one seen before counts as the
/// largest one seen. `out_result` gets the outcome and the entry: QC_ADDED and the new one; QC_DUPLICATE_LIVE and
/// the one that was there; or QC_DUPLICATE_HISTORY and 0. A duplicate changes no entry.
///
/// Before it looks for the key, it collects expired entries as the policy says (`qc_gc_policy`).
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `key` or `out_result` is NULL, or `value` is NULL and `value_len` is not 0.
/// QC_ERR_INVALID_ARGUMENT: `value_len` is not `value_size`, or `out_result` is not aligned.
/// QC_ERR_OUT_OF_RANGE: `inserted_at_ns` is later than `now_ns`, or than the largest one seen if that is later.
/// QC_ERR_CLOCK: a time is outside -2^62 to 2^62, or `now_ns` is more than `max_clock_step_ns` ahead.
/// QC_ERR_CAPACITY: `max_entries` is reached, and no expired entry was found among the oldest 64 records.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
///
/// One thread at a time. Constant time at any size: growth moves a bounded number of entries per call
/// (`max_entries_moved_per_call`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_insert(
    self_: *mut qc_history,
    key: *const qc_key,
    value: *const c_void,
    value_len: usize,
    inserted_at_ns: i64,
    now_ns: i64,
    out_result: *mut qc_insert_result,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a key and leaves it alone during the call.
        let key = unsafe { args::key(key) }?;
        // SAFETY: the caller gives `value_len` bytes.
        let value = unsafe { self::value(instance, value, value_len) }?;
        // SAFETY: the caller gives a place for the result.
        let out = unsafe { Out::required("out_result", out_result) }?;
        let answer = instance.history.insert(key, value, inserted_at_ns, now_ns);
        out.write(instance.accept(answer)?.into());
        Ok(())
    })
}

/// As `qc_history_insert`, but a key that is in the history becomes live again, last in the live order.
///
/// What a replica, a proxy or a recovery calls. A live key is still QC_DUPLICATE_LIVE; the outcome is never
/// QC_DUPLICATE_HISTORY. The place of the old record is collected when its turn comes; until then `tombstones`
/// counts it.
///
/// Parameters, statuses, thread rule and complexity: as for `qc_history_insert`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_readmit(
    self_: *mut qc_history,
    key: *const qc_key,
    value: *const c_void,
    value_len: usize,
    inserted_at_ns: i64,
    now_ns: i64,
    out_result: *mut qc_insert_result,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a key and leaves it alone during the call.
        let key = unsafe { args::key(key) }?;
        // SAFETY: the caller gives `value_len` bytes.
        let value = unsafe { self::value(instance, value, value_len) }?;
        // SAFETY: the caller gives a place for the result.
        let out = unsafe { Out::required("out_result", out_result) }?;
        let answer = instance.history.readmit(key, value, inserted_at_ns, now_ns);
        out.write(instance.accept(answer)?.into());
        Ok(())
    })
}

/// Removes a live entry and leaves no trace of it: the undo of an insert whose store write failed, so that the
/// producer's retry is QC_ADDED.
///
/// Parameters: `self` is the history; `entry` is the live entry, which is stale afterwards.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_forget(self_: *mut qc_history, entry: qc_entry) -> qc_status {
    guard!(self_, |instance| {
        let entry = self::entry(entry)?;
        let answer = instance.history.forget(entry);
        instance.accept(answer)
    })
}

/// Removes a key, live or historical, and leaves no trace of it.
///
/// Parameters: `self` is the history; `key` is the key, which may stand in the value of its own entry.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `key` is NULL.
/// QC_ERR_NOT_FOUND: the key is neither live nor in the history, judged by the largest time seen.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_forget_key(self_: *mut qc_history, key: *const qc_key) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a key.
        let key = unsafe { args::copied_key(key) }?;
        let answer = instance.history.forget_key(&key);
        instance.accept(answer)
    })
}

/// Erases a live entry: its message is acknowledged. It leaves the live order, its value is gone, and its key is
/// remembered until its window ends; if that has ended already, nothing is kept. For a full history see `qc_overflow`.
///
/// Parameters: `self` is the history. `entry` is the live entry, which is stale afterwards. `now_ns` is the present,
/// in ns of the caller's monotonic clock, -2^62 to 2^62. `out_erased` gets a `qc_erased`; NULL if it is not wanted.
///
/// Afterwards it collects one expired entry, if the policy is QC_GC_STEADY.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_INVALID_ARGUMENT: `out_erased` is not aligned.
/// QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
/// QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
/// QC_ERR_CAPACITY: `max_history` is reached, the overflow policy is QC_OVERFLOW_REJECT, and no expired entry was found
/// among the oldest 64 records; the entry stays live.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned; the entry stays
/// live, but with QC_OVERFLOW_EVICT_OLDEST another one may have been evicted for it. An erase needs memory in two rare
/// cases only: an eviction has passed over the entry, or its window had ended before `qc_history_clock_reset` set the
/// time back.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_erase(
    self_: *mut qc_history,
    entry: qc_entry,
    now_ns: i64,
    out_erased: *mut u32,
) -> qc_status {
    guard!(self_, |instance| {
        let entry = self::entry(entry)?;
        // SAFETY: the caller gives a place for the result, or NULL.
        let out = unsafe { Out::optional("out_erased", out_erased) }?;
        let answer = instance.history.erase(entry, now_ns);
        out.write(erased(instance.accept(answer)?));
        Ok(())
    })
}

/// As `qc_history_erase`, for the live entry of a key.
///
/// Parameters: `self` is the history; `key` is the key of a live entry, and may stand in its value; `now_ns` and
/// `out_erased` as there.
///
/// Statuses as there, except that instead of QC_ERR_STALE_HANDLE there is QC_ERR_NOT_FOUND: the key is not live.
/// QC_ERR_NULL_ARGUMENT: `key` is NULL.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_erase_key(
    self_: *mut qc_history,
    key: *const qc_key,
    now_ns: i64,
    out_erased: *mut u32,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a key.
        let key = unsafe { args::copied_key(key) }?;
        // SAFETY: the caller gives a place for the result, or NULL.
        let out = unsafe { Out::optional("out_erased", out_erased) }?;
        let answer = instance.history.erase_key(&key, now_ns);
        out.write(erased(instance.accept(answer)?));
        Ok(())
    })
}
