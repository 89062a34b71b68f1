//! Calls that give messages out, and that look at the queue.

use super::args::{self, Out, pointer};
use super::cursor::qc_cursor;
use super::cursor_types::{qc_browsed, qc_delivered, qc_pulled, qc_round, qc_stored};
use super::guard::guard;
use super::last_error::{Failed, fail};
use super::status::qc_status;
use crate::cursor::{Delivered, Round, Stored};

/// Gives out up to `demand` messages, as many as `out_messages` has room for, in order: priority descending, then sequence,
/// among those in the window. If those do not do, it takes at most one page from the store, as the policy allows. The
/// messages are in flight until `qc_cursor_ack`, `qc_cursor_requeue`, `qc_cursor_park` or `qc_cursor_remove`.
///
/// Parameters: `self` is the cursor; `demand` is how many the consumers want, any number; `round` is a `qc_round`;
/// `out_messages` has room for `capacity` messages, NULL is fine if that is 0; `out_pulled` gets how many were written and
/// why the pull ended. A demand or capacity of 0 gives nothing out: with QC_ROUND_BEGIN it begins a new round, and this
/// cursor wants no loan of the guaranteed share any more, so that its turn is passed on; `on_ready` still comes for the pull
/// that was blocked.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_messages` or `out_pulled` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned, or `round` is
/// no qc_round. QC_ERR_OVERFLOW: `capacity` messages are larger than an address space.
/// Only when nothing was given out, and the pull can be repeated, as what is pending is as before:
/// QC_ERR_STORE: the store's `fetch` failed. QC_ERR_BAD_FETCH: it broke its word. The next fetch asks for fewer messages, so
/// that what lies before one that cannot be read gets out.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing for the page, or a block that is not aligned.
/// QC_ERR_LEVEL: a level of the tracker would be above 2^61. After these, messages in nobody's hands may have left memory to
/// make room for the page, as by `qc_cursor_drop_cache`.
///
/// One thread at a time. Time in proportion to the messages given out and paged in; O(log n) more, amortised, for each that
/// was put back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_pull(
    self_: *mut qc_cursor,
    demand: u32,
    round: u32,
    out_messages: *mut qc_delivered,
    capacity: usize,
    out_pulled: *mut qc_pulled,
) -> qc_status {
    guard!(self_, |instance| {
        let round = round_of(round)?;
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_pulled", out_pulled) }?;
        // SAFETY: the caller gives room for `capacity` messages, which have the layout of the core's; any bytes are one,
        // and nobody else uses them during the call.
        let room = unsafe { room::<_, Delivered>("out_messages", out_messages, capacity) }?;
        let answer = instance.cursor.pull(demand, round, room);
        out.write(instance.accept(answer)?.into());
        Ok(())
    })
}

fn round_of(given: u32) -> Result<Round, Failed> {
    const BEGIN: u32 = qc_round::QC_ROUND_BEGIN as u32;
    const CONTINUE: u32 = qc_round::QC_ROUND_CONTINUE as u32;
    match given {
        BEGIN => Ok(Round::Begin),
        CONTINUE => Ok(Round::Continue),
        _ => Err(fail!(QC_ERR_INVALID_ARGUMENT, "round = {given} is no qc_round")),
    }
}

/// The caller's room for results that have the layout of the core's.
///
/// # Safety
/// `start` is NULL or valid for reading and writing `capacity` elements, each of which is a `T` whatever its bytes are, and
/// nobody else uses them while the slice is alive.
unsafe fn room<'a, C, T>(name: &str, start: *mut C, capacity: usize) -> Result<&'a mut [T], Failed> {
    const { assert!(size_of::<C>() == size_of::<T>() && align_of::<C>() == align_of::<T>()) };
    args::bytes::<C>(name, capacity)?;
    if capacity == 0 {
        return Ok(&mut []);
    }
    let start = pointer(name, start)?.cast::<T>();
    // SAFETY: the caller's promise; it is aligned, and the size was checked.
    Ok(unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), capacity) })
}

/// Writes what is pending behind the sequence `after`, in order of sequence: at most a page, committed messages only, those
/// in flight included. It asks the store alone and charges nothing. Go on with the answer's `after` while its `more` is
/// set, even if its `count` is 0.
///
/// Parameters: `self` is the cursor; `after` is 0 for the front of the queue; `out_messages` has room for `capacity`
/// messages, NULL is fine if that is 0; `out_browsed` gets what was done. The `user` of what is written is the store's, and
/// its body the caller's to let go.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_messages` or `out_browsed` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
/// QC_ERR_OVERFLOW: `capacity` messages are larger than an address space.
/// QC_ERR_STORE, QC_ERR_BAD_FETCH, QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: as for `qc_cursor_pull`.
///
/// One thread at a time. Time in proportion to the messages fetched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_browse(
    self_: *mut qc_cursor,
    after: u64,
    out_messages: *mut qc_stored,
    capacity: usize,
    out_browsed: *mut qc_browsed,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_browsed", out_browsed) }?;
        // SAFETY: as in `qc_cursor_pull`.
        let room = unsafe { room::<_, Stored>("out_messages", out_messages, capacity) }?;
        let answer = instance.cursor.browse(after, room);
        out.write(instance.accept(answer)?.into());
        Ok(())
    })
}
