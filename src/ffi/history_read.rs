//! Calls that look at a history: a key, an entry, the live order, the lengths.

use super::args::{self, Out};
use super::callbacks::qc_key;
use super::guard::guard;
use super::history::{Instance, entry, qc_history};
use super::history_types::{entry_bits, presence, qc_entry, qc_entry_info};
use super::last_error::Failed;
use super::status::qc_status;
use crate::history::Entry;
use std::ffi::c_void;

/// Where the value of an entry stands; NULL if values have no bytes.
#[inline(always)]
fn address(instance: &mut Instance, entry: Entry) -> Result<*mut c_void, Failed> {
    let answer = instance.history.value_ptr(entry);
    let value = instance.accept(answer)?;
    if instance.history.value_size() == 0 {
        return Ok(std::ptr::null_mut());
    }
    Ok(value.as_ptr().cast())
}

/// Finds the live entry of a key.
///
/// Parameters: `self` is the history; `key` is the key; `out_entry` gets the live entry, or 0 if the key is not live.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `key` or `out_entry` is NULL. QC_ERR_INVALID_ARGUMENT: `out_entry` is not aligned.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_find(
    self_: *mut qc_history,
    key: *const qc_key,
    out_entry: *mut qc_entry,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a key and leaves it alone during the call.
        let key = unsafe { args::key(key) }?;
        // SAFETY: the caller gives a place for the entry.
        let out = unsafe { Out::required("out_entry", out_entry) }?;
        out.write(entry_bits(instance.history.find(key)));
        Ok(())
    })
}

/// Tells whether a key is live, historical or neither.
///
/// Parameters: `self` is the history; `key` is the key; `now_ns` is the present, in ns of the caller's monotonic
/// clock, -2^62 to 2^62; `out_presence` gets a `qc_presence`. A live key is QC_LIVE at any age; a historical one is
/// QC_ABSENT from the moment its window ends (`now_ns` equal to its insert time plus the window), unless the
/// history's visibility is QC_VISIBLE_UNTIL_COLLECTED.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `key` or `out_presence` is NULL. QC_ERR_INVALID_ARGUMENT: `out_presence` is not aligned.
/// QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_contains(
    self_: *mut qc_history,
    key: *const qc_key,
    now_ns: i64,
    out_presence: *mut u32,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a key and leaves it alone during the call.
        let key = unsafe { args::key(key) }?;
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_presence", out_presence) }?;
        let answer = instance.history.contains(key, now_ns);
        out.write(presence(instance.accept(answer)?));
        Ok(())
    })
}

/// The oldest live entry: the one that was inserted first.
///
/// Parameters: `self` is the history; `out_entry` gets the entry, or 0 if none is live. To walk the live order, go on
/// with `qc_history_next`; to erase while walking, ask for the next entry first.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_entry` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_first(self_: *mut qc_history, out_entry: *mut qc_entry) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the entry.
        let out = unsafe { Out::required("out_entry", out_entry) }?;
        out.write(entry_bits(instance.history.first()));
        Ok(())
    })
}

/// The newest live entry: the one that was inserted last.
///
/// Parameters, statuses, thread rule and complexity: as for `qc_history_first`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_last(self_: *mut qc_history, out_entry: *mut qc_entry) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the entry.
        let out = unsafe { Out::required("out_entry", out_entry) }?;
        out.write(entry_bits(instance.history.last()));
        Ok(())
    })
}

/// The live entry that was inserted after another.
///
/// Parameters: `self` is the history; `entry` is a live entry; `out_entry` gets the next one, or 0 if `entry` is the
/// last.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_entry` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
/// QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_next(
    self_: *mut qc_history,
    entry: qc_entry,
    out_entry: *mut qc_entry,
) -> qc_status {
    guard!(self_, |instance| {
        let entry = self::entry(entry)?;
        // SAFETY: the caller gives a place for the entry.
        let out = unsafe { Out::required("out_entry", out_entry) }?;
        let answer = instance.history.next(entry);
        out.write(entry_bits(instance.accept(answer)?));
        Ok(())
    })
}

/// The live entry that was inserted before another.
///
/// Parameters: `self` is the history; `entry` is a live entry; `out_entry` gets the one before, or 0 if `entry` is the
/// first.
///
/// Statuses, thread rule and complexity: as for `qc_history_next`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_prev(
    self_: *mut qc_history,
    entry: qc_entry,
    out_entry: *mut qc_entry,
) -> qc_status {
    guard!(self_, |instance| {
        let entry = self::entry(entry)?;
        // SAFETY: the caller gives a place for the entry.
        let out = unsafe { Out::required("out_entry", out_entry) }?;
        let answer = instance.history.prev(entry);
        out.write(entry_bits(instance.accept(answer)?));
        Ok(())
    })
}

/// The live entry that was inserted after that of a key: goes on where a walk stopped, by key.
///
/// Parameters: `self` is the history; `key` is a live key; `out_entry` gets the next live entry, or 0 if the key's is the
/// last.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `key` or `out_entry` is NULL. QC_ERR_INVALID_ARGUMENT: `out_entry` is not aligned.
/// QC_ERR_NOT_FOUND: the key is not live.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_next_from(
    self_: *mut qc_history,
    key: *const qc_key,
    out_entry: *mut qc_entry,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a key and leaves it alone during the call.
        let key = unsafe { args::key(key) }?;
        // SAFETY: the caller gives a place for the entry.
        let out = unsafe { Out::required("out_entry", out_entry) }?;
        let answer = instance.history.next_from(key);
        out.write(entry_bits(instance.accept(answer)?));
        Ok(())
    })
}

/// Where the value of a live entry stands.
///
/// Parameters: `self` is the history; `entry` is a live entry; `out_value` gets the address of its `value_size` bytes,
/// which the caller may read and write; NULL if `value_size` is 0. The address is aligned to 16 if `value_size` is 16
/// or more, else to 8. It stays the same until the entry is erased, forgotten or cleared; then it is gone.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_value` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
/// QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
///
/// One thread at a time. The library never touches the bytes of a live entry, so other threads may use them while calls
/// run; order their accesses with the call that removes the entry. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_value(
    self_: *mut qc_history,
    entry: qc_entry,
    out_value: *mut *mut c_void,
) -> qc_status {
    guard!(self_, |instance| {
        let entry = self::entry(entry)?;
        // SAFETY: the caller gives a place for the address.
        let out = unsafe { Out::required("out_value", out_value) }?;
        out.write(address(instance, entry)?);
        Ok(())
    })
}

/// The key, the insert time and the value's address of a live entry.
///
/// Parameters: `self` is the history; `entry` is a live entry; `out_info` gets what is known of it. For the value's
/// address see `qc_history_value`.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_info` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
/// QC_ERR_STALE_HANDLE: `entry` is 0 or not live.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_entry_info(
    self_: *mut qc_history,
    entry: qc_entry,
    out_info: *mut qc_entry_info,
) -> qc_status {
    guard!(self_, |instance| {
        let entry = self::entry(entry)?;
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_info", out_info) }?;
        let answer = instance.history.info(entry);
        let info = instance.accept(answer)?;
        let key = qc_key { bytes: info.key.0 };
        let value = address(instance, entry)?;
        out.write(qc_entry_info { key, inserted_at_ns: info.inserted_at_ns, value });
        Ok(())
    })
}

/// How many entries are live.
///
/// Parameters: `self` is the history; `out_len` gets the number.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_len` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_live_len(self_: *mut qc_history, out_len: *mut u64) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_len", out_len) }?;
        out.write(instance.history.live_len());
        Ok(())
    })
}

/// How many historical entries are held, expired ones that are not collected yet included.
///
/// Parameters, statuses, thread rule and complexity: as for `qc_history_live_len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_history_len(self_: *mut qc_history, out_len: *mut u64) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_len", out_len) }?;
        out.write(instance.history.history_len());
        Ok(())
    })
}
