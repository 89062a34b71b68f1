//! Calls that keep a history in order: collect, purge, clear, and set the clock right.

use super::args::Out;
use super::guard::guard;
use super::history::qc_history;
use super::history_types::qc_gc_result;
use super::status::qc_status;

/// Collects expired entries, the oldest first.
///
/// A host calls it on a timer: always with QC_GC_SCHEDULED, and with the other policies for histories that may be
/// idle. It stops at the first entry whose window has not ended. A live entry whose window has ended costs one step
/// once in its life, and never holds up what is behind it.
///
/// Parameters: `self` is the history; `now_ns` is the present, in ns of the caller's monotonic clock, -2^62 to 2^62;
/// `max` is the most steps to take, 0 to any number; `out_result` gets how many entries were removed, and whether
/// another call would find work at once.
///
/// To pass a live entry may need a little memory. Without it the call stops there and answers QC_OK all the same, with
/// `more` 0, since another call at once would be no use; a later one goes on.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
/// QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
///
/// One thread at a time. Time in proportion to the steps taken, at any size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_gc(
    self_: *mut qc_history,
    now_ns: i64,
    max: u64,
    out_result: *mut qc_gc_result,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the result.
        let out = unsafe { Out::required("out_result", out_result) }?;
        let answer = instance.history.gc(now_ns, max);
        out.write(instance.accept(answer)?.into());
        Ok(())
    })
}

/// Erases every live entry, as `qc_history_erase` does one: the purge of a queue, which keeps its history.
///
/// Parameters: `self` is the history; `now_ns` is the present, in ns of the caller's monotonic clock, -2^62 to 2^62;
/// `out_count` gets how many entries were erased.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_count` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
/// QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than `max_clock_step_ns` ahead.
/// QC_ERR_CAPACITY: with QC_OVERFLOW_REJECT, the entries do not all fit under `max_history`; nothing was erased.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: as for `qc_history_erase`. Some entries may be erased by then, the oldest first,
/// and stay erased; `qc_history_live_len` tells how many are left. Another call goes on with those.
///
/// One thread at a time. Time in proportion to the live entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_erase_all_live(
    self_: *mut qc_history,
    now_ns: i64,
    out_count: *mut u64,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_count", out_count) }?;
        let answer = instance.history.erase_all_live(now_ns);
        out.write(instance.accept(answer)?);
        Ok(())
    })
}

/// Forgets everything, live and historical, and gives its memory back. Every entry handle is stale afterwards.
///
/// Settings, the counters of `qc_history_stats` and the largest time seen stay.
///
/// Parameters: `self` is the history.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
///
/// One thread at a time. Time in proportion to the memory held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_clear(self_: *mut qc_history) -> qc_status {
    guard!(self_, |instance| {
        instance.history.clear();
        Ok(())
    })
}

/// Forgets up to `max` entries, live ones first, then historical ones, oldest first: `qc_history_clear` in steps of a
/// bounded length.
///
/// What is not forgotten yet is there as ever, and what is inserted meanwhile gets its turn like the rest. The place of
/// an entry that was forgotten or re-admitted before costs a step too.
///
/// Parameters: `self` is the history; `max` is the most steps to take, 0 to any number; `out_result` gets in `collected`
/// how many entries were forgotten, and in `more` whether any are left.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
///
/// One thread at a time. Time in proportion to the steps taken, at any size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_clear_step(
    self_: *mut qc_history,
    max: u64,
    out_result: *mut qc_gc_result,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the result.
        let out = unsafe { Out::required("out_result", out_result) }?;
        out.write(instance.history.clear_step(max).into());
        Ok(())
    })
}

/// Changes how long keys are remembered. It applies at once to the insert times that are stored.
///
/// After the window is lowered, keys that are older have expired, and collection takes them away in its usual steps.
/// After it is raised, keys that had not expired at the largest time seen are remembered for longer, and so are live
/// entries of any age once they are erased; what had expired stays so.
///
/// Parameters: `self` is the history; `window_ns` is how long a key is remembered, from its insert, in ns: 0 (no
/// history) to 2^62. Rounded up to a multiple of the resolution.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_OUT_OF_RANGE: `window_ns` is negative or larger than 2^62.
/// QC_ERR_CAPACITY: it was raised 16 times while entries that had expired before were not collected: call
/// `qc_history_gc` first. Or the group is at its limit.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_set_window(self_: *mut qc_history, window_ns: i64) -> qc_status {
    guard!(self_, |instance| {
        let answer = instance.history.set_window(window_ns);
        instance.accept(answer)
    })
}

/// Sets the largest time seen to `now_ns`, forward or back: the way on after a true jump of the clock, which would
/// be QC_ERR_CLOCK or count as a clock that runs backwards.
///
/// Entries keep their insert times.
///
/// Parameters: `self` is the history; `now_ns` is the present, in ns of the caller's clock, -2^62 to 2^62.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_clock_reset(self_: *mut qc_history, now_ns: i64) -> qc_status {
    guard!(self_, |instance| {
        let answer = instance.history.clock_reset(now_ns);
        instance.accept(answer)
    })
}
