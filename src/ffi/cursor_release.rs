//! Calls that say what became of messages: acknowledged, put back, put aside, gone, dropped from memory.

use super::args::{Array, Out, OutArray};
use super::cursor::qc_cursor;
use super::cursor_types::{qc_dropped, qc_purged, qc_released};
use super::guard::guard;
use super::status::qc_status;
use crate::cursor::Purge;

/// A message in flight is done with: it leaves the window and its charge is released.
///
/// Parameters: `self` is the cursor; `sequence` names the message; `out_released` gets what was released, or NULL.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NOT_FOUND: no message of the window has this sequence. QC_ERR_NOT_IN_FLIGHT: it was requeued or parked, or not
/// pulled yet. QC_ERR_INVALID_ARGUMENT: `out_released` is not aligned.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_ack(
    self_: *mut qc_cursor,
    sequence: u64,
    out_released: *mut qc_released,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the answer, or NULL.
        let out = unsafe { Out::optional("out_released", out_released) }?;
        let answer = instance.cursor.ack(sequence);
        out.write(instance.accept(answer)?.into());
        Ok(())
    })
}

/// As many `qc_cursor_ack`, in the order of the array.
///
/// Parameters: `self` is the cursor; `sequences` are `count` numbers; `out_released` gets `count` answers, or is NULL;
/// `out_done` gets how many are done. With `count` 0 only `out_done` must not be NULL. The arrays must not overlap.
///
/// It stops at the first element that fails and answers that element's status, QC_ERR_NOT_FOUND or QC_ERR_NOT_IN_FLIGHT.
/// Those before it are done and stay done: `*out_done` of them, with their answers written. A call that fails with any other
/// status has done nothing and written nothing, except that after QC_ERR_PANIC any number may be done.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `sequences` or `out_done` is NULL. QC_ERR_INVALID_ARGUMENT: a pointer is not aligned.
/// QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
///
/// One thread at a time. Time in proportion to `count`; each takes constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_ack_batch(
    self_: *mut qc_cursor,
    sequences: *const u64,
    count: usize,
    out_released: *mut qc_released,
    out_done: *mut usize,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives `count` numbers.
        let sequences = unsafe { Array::required("sequences", sequences, count) }?;
        // SAFETY: the caller gives a place for `count` answers, or NULL.
        let out = unsafe { OutArray::optional("out_released", out_released, count) }?;
        // SAFETY: the caller gives a place for the number.
        let out_done = unsafe { Out::required("out_done", out_done) }?;
        for done in 0..count {
            // SAFETY: nobody writes to it while it is copied.
            let Some(sequence) = unsafe { sequences.block(done, done + 1) }.first().copied() else { break };
            match instance.cursor.ack(sequence) {
                Ok(released) => out.write(done, released.into()),
                Err(error) => {
                    out_done.write(done);
                    return Err(instance.refused_element(&error, "sequences", done));
                }
            }
        }
        out_done.write(count);
        Ok(())
    })
}

/// A message in flight goes back to its place in the order, with one more redelivery.
///
/// Parameters: `self` is the cursor; `sequence` names the message.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NOT_FOUND, QC_ERR_NOT_IN_FLIGHT: as for `qc_cursor_ack`.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_requeue(self_: *mut qc_cursor, sequence: u64) -> qc_status {
    guard!(self_, |instance| {
        let answer = instance.cursor.requeue(sequence);
        instance.accept(answer)
    })
}

/// A message in flight that no consumer took is put aside: pulls with QC_ROUND_CONTINUE leave it alone, the next round
/// offers it at its place. It stays in memory, and no redelivery is counted.
///
/// Parameters: `self` is the cursor; `sequence` names the message.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NOT_FOUND, QC_ERR_NOT_IN_FLIGHT: as for `qc_cursor_ack`.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_park(self_: *mut qc_cursor, sequence: u64) -> qc_status {
    guard!(self_, |instance| {
        let answer = instance.cursor.park(sequence);
        instance.accept(answer)
    })
}

/// A message is gone: expired, purged or moved; in memory or not, in flight or not.
///
/// One that the window does not hold is believed to be in the store, which must not return it from now on; nor may it
/// return one that was removed from the window before its write was answered, once that is.
///
/// Parameters: `self` is the cursor; `sequence` names the message; `stored_bytes` is its size, for the figure
/// `pending_bytes` alone, if the window does not hold it; `out_released` gets what was released, or NULL.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NOT_FOUND: the message has left the window, or its write is open and the window does not hold it, or not under
/// this sequence yet. QC_ERR_INVALID_ARGUMENT: `out_released` is not aligned.
///
/// One thread at a time. Constant time, or in proportion to the open writes for a message behind one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_remove(
    self_: *mut qc_cursor,
    sequence: u64,
    stored_bytes: u32,
    out_released: *mut qc_released,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the answer, or NULL.
        let out = unsafe { Out::optional("out_released", out_released) }?;
        let answer = instance.cursor.remove(sequence, stored_bytes);
        out.write(instance.accept(answer)?.into());
        Ok(())
    })
}

/// Removes what is pending up to the oldest open write and is in no consumer's hands, without fetching any of it: the first
/// call all that lies beyond the window, at once, and each call up to `max_messages` of the window. Those of the window that
/// were in memory are told to the store's `discard`, so that the host can let go of their bodies.
///
/// Go on with the answer's `up_to` while its `more` is set; other calls may come in between, and what is pushed meanwhile
/// stays, while what is requeued or parked before the last call goes as well. Then the host deletes from its store what is
/// up to `up_to` and not in flight when the last call has answered, with one operation of its own; until it has, its `fetch`
/// may return it. A host that deletes earlier also deletes what comes back between the calls.
///
/// Parameters: `self` is the cursor; `up_to` is 0 to begin a purge, or what the purge's first call answered; `max_messages`
/// is how many messages of the window to remove at most, any number; `out_purged` gets what was removed.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_purged` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
/// QC_ERR_OUT_OF_RANGE: `up_to` is not one that a purge has answered.
///
/// One thread at a time. Time in proportion to `max_messages` and to the messages in flight.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_purge(
    self_: *mut qc_cursor,
    up_to: u64,
    max_messages: u32,
    out_purged: *mut qc_purged,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_purged", out_purged) }?;
        let part = if up_to == 0 { Purge::Begin } else { Purge::Continue(up_to) };
        let answer = instance.cursor.purge(part, max_messages);
        out.write(instance.accept(answer)?.into());
        Ok(())
    })
}

/// Gives back the memory of all messages that nobody has in hand; they stay pending, at their places, and a page brings
/// them back. Caching ends until the store has nothing beyond the window. Each is told to the store's `discard`, in no
/// particular order, so that the host can let go of its body.
///
/// Parameters: `self` is the cursor; `out_dropped` gets what was given back, or NULL.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_INVALID_ARGUMENT: `out_dropped` is not aligned.
///
/// One thread at a time. Time in proportion to the window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_drop_cache(
    self_: *mut qc_cursor,
    out_dropped: *mut qc_dropped,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the answer, or NULL.
        let out = unsafe { Out::optional("out_dropped", out_dropped) }?;
        out.write(instance.cursor.drop_cache().into());
        Ok(())
    })
}
