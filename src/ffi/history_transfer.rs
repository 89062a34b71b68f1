//! Export and import: the entries of a history as buffers, for a failover or a restart.

use super::args::{self, Out};
use super::guard::guard;
use super::history::{qc_history, refused};
use super::last_error::Failed;
use super::status::qc_status;
use crate::history::{BufferInfo, Error, Imported};
use std::ffi::c_void;

/// What an export wrote into one buffer.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_export_result {
    /// Bytes of the buffer that are to be kept, from its beginning.
    pub bytes: u64,
    /// Entries in them.
    pub entries: u32,
    /// 1 if another buffer follows, 0 if this is the last.
    pub more: u32,
}

/// What an import did with the entries of one buffer: each counts in one of the first five numbers.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_import_result {
    /// Entries that are live now.
    pub live: u64,
    /// Entries that are historical now.
    pub historical: u64,
    /// Entries that were here already: live, or remembered for at least as long.
    pub duplicates: u64,
    /// Historical entries whose window has ended here.
    pub expired: u64,
    /// Historical entries for which there was no room under `max_history`, with QC_OVERFLOW_EVICT_OLDEST.
    pub evicted: u64,
    /// 1 if the buffer is the last of its export.
    pub is_last: u32,
    /// 0.
    pub reserved: u32,
}

/// What stands at the beginning of a buffer of an export.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_buffer_info {
    /// Names the export: a random number, the same in all its buffers.
    pub export_id: u64,
    /// The largest `now_ns` that the exported history had been given, by its own clock; 0 before any.
    pub present_ns: i64,
    /// The window of the exported history.
    pub window_ns: i64,
    /// Which buffer of its export it is, from 0.
    pub number: u32,
    /// Entries in it.
    pub entries: u32,
    /// Bytes of value per live entry.
    pub value_size: u32,
    /// 1 if it is the last of its export.
    pub is_last: u32,
}

impl From<BufferInfo> for qc_buffer_info {
    fn from(info: BufferInfo) -> qc_buffer_info {
        let BufferInfo { export_id, number, is_last, entries, value_size, present_ns, window_ns } = info;
        qc_buffer_info {
            export_id,
            present_ns,
            window_ns,
            number,
            entries,
            value_size,
            is_last: is_last.into(),
        }
    }
}

impl From<Imported> for qc_import_result {
    fn from(done: Imported) -> qc_import_result {
        let Imported { live, historical, duplicates, expired, evicted, is_last } = done;
        qc_import_result {
            live,
            historical,
            duplicates,
            expired,
            evicted,
            is_last: is_last.into(),
            reserved: 0,
        }
    }
}

/// A buffer to read.
///
/// # Safety
/// `buffer` is valid for reading `len` bytes while the slice is alive, or NULL.
unsafe fn bytes_of<'a>(buffer: *const c_void, len: usize) -> Result<&'a [u8], Failed> {
    args::total("buffer", len, 1)?;
    let start = args::pointer("buffer", buffer.cast::<u8>())?;
    // SAFETY: the caller vouches for `len` bytes; bytes need no alignment.
    Ok(unsafe { std::slice::from_raw_parts(start.as_ptr(), len) })
}

/// Begins an export of all entries. One that is under way ends.
///
/// Parameters: `self` is the history.
///
/// Statuses, thread rule and complexity: as for `qc_history_iter_begin`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_export_begin(self_: *mut qc_history) -> qc_status {
    guard!(self_, |instance| {
        let answer = instance.history.begin_export();
        instance.accept(answer)
    })
}

/// Writes the next buffer of the export: as many entries as fit, in the order of their inserts, live ones with their
/// value, historical ones that are inside their window without.
///
/// Each buffer stands for itself: it has a version, a number and a checksum, and `qc_history_import` takes it in as a
/// whole. docs/history.md tells its layout byte by byte.
///
/// Parameters: `self` is the history; `buffer` has room for `len` bytes, 89 and the history's `value_size` at least;
/// `out_result` gets how many of them are to be kept, how many entries these hold, and whether another buffer follows.
/// A call looks at no more than four records for each 25 bytes of the buffer, so that its time is bounded where many
/// entries were forgotten: a buffer may hold few entries, or none, and not be the last.
///
/// Other calls may come in between. What holds then is told at `qc_history_iter_next`: an entry that is there from the first to
/// the last call is exported once. To follow a history that goes on, note where the log of its calls stands when the
/// export begins, and replay them from there on after the import.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `buffer` or `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: `out_result` is not aligned.
/// QC_ERR_OVERFLOW: `len` is larger than an address space. QC_ERR_OUT_OF_RANGE: `len` is too small.
/// QC_ERR_NOT_BEGUN: no export was begun, or its last buffer was written.
///
/// One thread at a time. Time in proportion to `len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_export(
    self_: *mut qc_history,
    buffer: *mut c_void,
    len: usize,
    out_result: *mut qc_export_result,
) -> qc_status {
    guard!(self_, |instance| {
        args::total("buffer", len, 1)?;
        let start = args::pointer("buffer", buffer.cast::<u8>())?;
        // SAFETY: the caller gives a place for the result.
        let out = unsafe { Out::required("out_result", out_result) }?;
        // SAFETY: the caller vouches for `len` bytes, which nobody else uses during the call; whatever is in them is
        // overwritten or left alone, never read.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), len) };
        let answer = instance.history.export(bytes);
        let done = instance.accept(answer)?;
        out.write(qc_export_result {
            bytes: done.bytes as u64,
            entries: done.entries,
            more: done.more.into(),
        });
        Ok(())
    })
}

/// Takes in the entries of one buffer of an export, with their original insert times.
///
/// A live entry becomes live here, last in the live order, as by `qc_history_readmit`; a live key of this history stays as
/// it is. A historical one becomes historical, unless its key is live here or remembered for at least as long, or its
/// window has ended. Expired entries are collected as if each were inserted.
///
/// Parameters: `self` is the history; `buffer` is `len` bytes that `qc_history_export` of a history with the same
/// `value_size` wrote, all of them; `now_ns` is the present; `shift_ns` is added to each insert time, any number: 0 if both
/// histories use one clock, else what this one's clock shows more than the other's (`qc_history_buffer_info` tells what
/// that one showed). `out_result` gets what was done.
///
/// The buffers of an export come in order, from number 0, which may come at any time; the last one may come again.
/// The unit is the buffer: all of it is checked before anything is taken in. A call that fails with QC_ERR_CAPACITY,
/// QC_ERR_NO_MEMORY or QC_ERR_CALLBACK has taken in the first entries, which stay; `*out_result` tells how many. The same
/// buffer can be given again when there is room: entries that are there already count as `duplicates`. A call that
/// fails with any other status has changed and written nothing.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `buffer` or `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: `out_result` is not aligned.
/// QC_ERR_OVERFLOW: `len` is larger than an address space.
/// QC_ERR_BAD_BUFFER: the buffer is truncated, longer than it should be, changed, or not one of an export; or it is not
/// the next of its export.
/// QC_ERR_UNSUPPORTED: it is of a later version of the library.
/// QC_ERR_OUT_OF_RANGE: the exporter's `value_size` is another, or a shifted insert time is later than the present.
/// QC_ERR_CLOCK: `now_ns` or a shifted insert time is outside -2^62 to 2^62, or `now_ns` is more than
/// `max_clock_step_ns` ahead.
/// QC_ERR_CAPACITY: `max_entries`, `max_history` or the limit of the group is reached.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
///
/// One thread at a time. Time in proportion to `len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_import(
    self_: *mut qc_history,
    buffer: *const c_void,
    len: usize,
    now_ns: i64,
    shift_ns: i64,
    out_result: *mut qc_import_result,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives `len` bytes and leaves them alone during the call.
        let bytes = unsafe { bytes_of(buffer, len) }?;
        // SAFETY: the caller gives a place for the result.
        let out = unsafe { Out::required("out_result", out_result) }?;
        let (done, answer) = instance.history.import(bytes, now_ns, shift_ns);
        let ran_out =
            matches!(answer, Err(Error::EntriesFull { .. } | Error::HistoryFull { .. } | Error::NoMemory));
        if answer.is_ok() || ran_out {
            out.write(done.into());
        }
        instance.accept(answer)
    })
}

/// Checks a buffer of an export as `qc_history_import` does, and tells what stands at its beginning.
///
/// Parameters: `buffer` is `len` bytes; `out_info` gets what it says.
///
/// QC_ERR_NULL_ARGUMENT: `buffer` or `out_info` is NULL. QC_ERR_INVALID_ARGUMENT: `out_info` is not aligned.
/// QC_ERR_OVERFLOW: `len` is larger than an address space.
/// QC_ERR_BAD_BUFFER: it is truncated, longer than it should be, changed, or not one of an export.
/// QC_ERR_UNSUPPORTED: it is of a later version of the library.
///
/// Any thread. Time in proportion to `len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_buffer_info(
    buffer: *const c_void,
    len: usize,
    out_info: *mut qc_buffer_info,
) -> qc_status {
    guard!(|| {
        // SAFETY: the caller gives `len` bytes and leaves them alone during the call.
        let bytes = unsafe { bytes_of(buffer, len) }?;
        // SAFETY: the caller gives a place for the answer.
        let out = unsafe { Out::required("out_info", out_info) }?;
        match BufferInfo::read(bytes) {
            Ok(info) => {
                out.write(info.into());
                Ok(())
            }
            Err(bad) => Err(refused(false, &Error::BadBuffer(bad), &"")),
        }
    })
}

#[cfg(test)]
mod tests {

    #[test]
    fn the_numbers_of_the_header_are_right() {
        let least =
            crate::history::History::new(Default::default()).map(|history| history.min_export_bytes());
        assert_eq!(least.ok(), Some(89));
    }
}
