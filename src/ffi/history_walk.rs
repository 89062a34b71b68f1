//! The iteration over all entries of a history, live and historical.

use super::args::{Out, OutArray};
use super::callbacks::qc_key;
use super::guard::guard;
use super::history::qc_history;
use super::history_types::{entry_bits, qc_entry};
use super::status::qc_status;
use crate::history::Item;

/// One entry, live or historical.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_history_item {
    /// Its key.
    pub key: qc_key,
    /// Its insert time in ns, rounded down to a multiple of the resolution.
    pub inserted_at_ns: i64,
    /// The live entry, or 0 if it is historical.
    pub entry: qc_entry,
}

/// Items that the core is asked for at a time.
const BLOCK: usize = 32;

/// Begins an iteration over all entries, live and historical, in the order of their inserts. One that is under way
/// ends.
///
/// Parameters: `self` is the history.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK, QC_ERR_CAPACITY: the allocator gave nothing, or a block that is not aligned, or
/// the group is at its limit.
///
/// One thread at a time. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_iter_begin(self_: *mut qc_history) -> qc_status {
    guard!(self_, |instance| {
        let answer = instance.history.iterate();
        instance.accept(answer)
    })
}

/// The next entries of the iteration.
///
/// Parameters: `self` is the history; `out_items` gets up to `count` items, and may be NULL if `count` is 0; `out_done`
/// gets how many were written; `out_more` gets 1 if the iteration goes on, 0 if it is over. A call looks at no more than
/// four records for each of the `count` places, so that its time is bounded where many entries were forgotten: it may
/// write fewer items than there are places, or none, and go on all the same.
///
/// Historical entries whose window has ended are left out. Other calls may come in between: an entry that is there all the
/// while comes exactly once, and again each time it is re-admitted after it came; one that comes or goes meanwhile may
/// come. Without an iteration under way it is over at once.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_items`, `out_done` or `out_more` is NULL.
/// QC_ERR_INVALID_ARGUMENT: a pointer is not aligned.
/// QC_ERR_OVERFLOW: an array of `count` items is larger than an address space.
///
/// One thread at a time. Time in proportion to `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_iter_next(
    self_: *mut qc_history,
    out_items: *mut qc_history_item,
    count: usize,
    out_done: *mut usize,
    out_more: *mut u32,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for `count` items.
        let items = unsafe { OutArray::required("out_items", out_items, count) }?;
        // SAFETY: the caller gives a place for the number.
        let out_done = unsafe { Out::required("out_done", out_done) }?;
        // SAFETY: the caller gives a place for the answer.
        let out_more = unsafe { Out::required("out_more", out_more) }?;
        let mut block = [Item::default(); BLOCK];
        let (mut done, mut asked, mut more) = (0, 0, true);
        while more && asked < count {
            let places = block.get_mut(..BLOCK.min(count - asked)).unwrap_or_default();
            asked += places.len();
            let (written, goes_on) = instance.history.next_items(places);
            more = goes_on;
            for item in places.iter().take(written) {
                let key = qc_key { bytes: item.key.0 };
                let entry = entry_bits(item.entry);
                items.write(done, qc_history_item { key, inserted_at_ns: item.inserted_at_ns, entry });
                done += 1;
            }
        }
        if count == 0 {
            more = instance.history.next_items(&mut []).1;
        }
        out_done.write(done);
        out_more.write(more.into());
        Ok(())
    })
}
