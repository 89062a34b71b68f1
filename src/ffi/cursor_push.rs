//! Calls that say what comes into a queue: pushes, and the store's answers to writes that were open.

use super::args::{Array, Out, OutArray, pointer};
use super::cursor::{Instance, qc_cursor};
use super::cursor_types::{pushed, qc_message, qc_released};
use super::guard::guard;
use super::last_error::Failed;
use super::status::qc_status;

/// Takes note of a message that the broker has handed to its store. Tokens rise from push to push, and sequences with
/// them, as far as they are known.
///
/// Parameters: `self` is the cursor; `message` is the message; `out_pushed` gets a `qc_pushed`, which says whether its body
/// stays in memory.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `message` or `out_pushed` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned, or
/// `message->write` is no qc_write. QC_ERR_UNSUPPORTED: `message->reserved` is not 0.
/// QC_ERR_ORDER: the token is not above the last one, or the sequence not above all that are known, or 2^64-1.
/// QC_ERR_CAPACITY: `max_open_writes` are open. QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing for the record
/// of an open write, or a block that is not aligned. Then the message is not taken note of, and has to be pushed again
/// before any other. (Without memory for an entry alone the message is QC_STORED: the store has it.)
/// QC_ERR_LEVEL: a level of the tracker would be above 2^61; it has to be pushed again before any other, too.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_push(
    self_: *mut qc_cursor,
    message: *const qc_message,
    out_pushed: *mut u32,
) -> qc_status {
    guard!(self_, |instance| {
        let message = pointer("message", message)?;
        // SAFETY: the caller gives a message and a place for a number.
        let out = unsafe { Out::required("out_pushed", out_pushed) }?;
        // SAFETY: as above; it is copied.
        let message = unsafe { message.read() }.to_core()?;
        let answer = instance.cursor.push(&message);
        out.write(pushed(instance.accept(answer)?));
        Ok(())
    })
}

/// As many `qc_cursor_push`, in the order of the array.
///
/// Parameters: `self` is the cursor; `messages` are `count` messages; `out_pushed` gets `count` numbers, each a
/// `qc_pushed`; `out_done` gets how many messages are done. With `count` 0 only `out_done` must not be NULL. The arrays
/// must not overlap.
///
/// It stops at the first message that fails and answers that message's status (see `qc_cursor_push`). Those before it are
/// done and stay done: `*out_done` of them, with their answers written. After QC_ERR_PANIC any number of messages may be
/// done and any of the answers written, but not `*out_done`; the cursor is poisoned. A call that fails with a status about
/// its own arguments has done nothing and written nothing.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `messages`, `out_pushed` or `out_done` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
/// QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
///
/// One thread at a time. Time in proportion to `count`; each message takes constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_push_batch(
    self_: *mut qc_cursor,
    messages: *const qc_message,
    count: usize,
    out_pushed: *mut u32,
    out_done: *mut usize,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives `count` messages.
        let messages = unsafe { Array::required("messages", messages, count) }?;
        // SAFETY: the caller gives a place for `count` answers.
        let out = unsafe { OutArray::required("out_pushed", out_pushed, count) }?;
        // SAFETY: the caller gives a place for the number.
        let out_done = unsafe { Out::required("out_done", out_done) }?;
        let mut done = 0;
        let outcome = push_many(instance, &messages, count, &out, &mut done);
        out_done.write(done);
        outcome
    })
}

/// Pushes many, up to the first that fails; `done` counts.
fn push_many(
    instance: &mut Instance,
    messages: &Array<qc_message>,
    count: usize,
    out: &OutArray<u32>,
    done: &mut usize,
) -> Result<(), Failed> {
    while *done < count {
        // SAFETY: nobody writes to the messages during the call; the one element is copied at once.
        let Some(message) = unsafe { messages.block(*done, *done + 1) }.first().copied() else { break };
        let message = message.to_core()?;
        match instance.cursor.push(&message) {
            Ok(answer) => out.write(*done, pushed(answer)),
            Err(error) => return Err(instance.refused_element(&error, "messages", *done)),
        }
        *done += 1;
    }
    Ok(())
}

/// The store has a message whose write was open.
///
/// Parameters: `self` is the cursor; `token` is the message's; `sequence` is its place in the queue.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NOT_FOUND: no open write has this token: it was never pushed as one, or it was answered.
/// QC_ERR_ORDER: the sequence does not fit between those of the messages pushed before and after, or is not the one
/// announced.
///
/// One thread at a time. Constant time when answers come in order, or tokens have no gaps; else in proportion to the writes
/// that are open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_committed(self_: *mut qc_cursor, token: u64, sequence: u64) -> qc_status {
    guard!(self_, |instance| {
        let answer = instance.cursor.committed(token, sequence);
        instance.accept(answer)
    })
}

/// As many `qc_cursor_committed`, in the order of the arrays: for a store that commits by batch.
///
/// Parameters: `self` is the cursor; `tokens` and `sequences` are `count` numbers each; `out_done` gets how many are done.
/// With `count` 0 only `out_done` must not be NULL.
///
/// It stops at the first element that fails and answers that element's status, QC_ERR_NOT_FOUND or QC_ERR_ORDER (see
/// `qc_cursor_committed`). Those before it are done and stay done: `*out_done` of them. A call that fails with any other
/// status has done nothing and written nothing, except that after QC_ERR_PANIC any number may be done.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `tokens`, `sequences` or `out_done` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
/// QC_ERR_OVERFLOW: an array of `count` elements is larger than an address space.
///
/// One thread at a time. Time in proportion to `count`, each as for `qc_cursor_committed`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_committed_batch(
    self_: *mut qc_cursor,
    tokens: *const u64,
    sequences: *const u64,
    count: usize,
    out_done: *mut usize,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives `count` numbers.
        let tokens = unsafe { Array::required("tokens", tokens, count) }?;
        // SAFETY: likewise.
        let sequences = unsafe { Array::required("sequences", sequences, count) }?;
        // SAFETY: the caller gives a place for the number.
        let out_done = unsafe { Out::required("out_done", out_done) }?;
        // SAFETY: nobody writes to them during the call: `out_done` is written when the slices are gone.
        let (tokens, sequences) = unsafe { (tokens.block(0, count), sequences.block(0, count)) };
        for (done, (token, sequence)) in tokens.iter().zip(sequences).enumerate() {
            if let Err(error) = instance.cursor.committed(*token, *sequence) {
                out_done.write(done);
                return Err(instance.refused_element(&error, "tokens", done));
            }
        }
        out_done.write(count);
        Ok(())
    })
}

/// The store has given up a write: the message is gone and its charge with it, even if it was delivered uncommitted.
/// A sequence that was announced for it is not used again: what is pushed later has a larger one.
///
/// Parameters: `self` is the cursor; `token` is the message's; `out_released` gets what was released, or NULL.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NOT_FOUND: no open write has this token: it was never pushed as one, or it was answered.
/// QC_ERR_INVALID_ARGUMENT: `out_released` is not aligned.
///
/// One thread at a time. Cost as of `qc_cursor_committed`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_cursor_aborted(
    self_: *mut qc_cursor,
    token: u64,
    out_released: *mut qc_released,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the answer, or NULL.
        let out = unsafe { Out::optional("out_released", out_released) }?;
        let answer = instance.cursor.aborted(token);
        out.write(instance.accept(answer)?.into());
        Ok(())
    })
}
