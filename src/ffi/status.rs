//! The answers of the C ABI: one number for each reason a call can fail, and a short text for each number.
//!
//! Every file of `ffi` uses this one. Numbers are part of the ABI: they are never changed and never used again.

use std::ffi::c_char;

/// What a call answers: `QC_OK`, or why nothing was done.
///
/// A call that fails has changed nothing, unless the head of this file or its own description says otherwise. The
/// numbers never change; later versions may add more, so treat an unknown one as a failure.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_status {
    /// Done.
    QC_OK = 0,
    /// The handle is NULL.
    QC_ERR_NULL_HANDLE = 1,
    /// The handle was never given out by this library: an address, a number, or bits that were overwritten.
    QC_ERR_FOREIGN_HANDLE = 2,
    /// The handle belongs to another part, for example a usage tracker where a history is wanted.
    QC_ERR_WRONG_PART = 3,
    /// The handle was destroyed; for a wait: before the call, or while it waited.
    QC_ERR_DESTROYED = 4,
    /// Another thread is inside a call on this handle: the host's own order among its threads is broken.
    QC_ERR_BUSY = 5,
    /// The call comes from a callback of the very call that is running on this handle.
    QC_ERR_REENTRANT = 6,
    /// An earlier call on this handle ended in QC_ERR_PANIC; only destroy works on it.
    QC_ERR_POISONED = 7,
    /// This call hit a defect of the library. The handle is poisoned. A panic or exception that leaves a callback ends
    /// the process instead; only Rust programs that link the crate itself get this status for a callback that panics.
    QC_ERR_PANIC = 8,
    /// A pointer that must not be NULL is NULL.
    QC_ERR_NULL_ARGUMENT = 9,
    /// An argument makes no sense: an unknown enum value, a wrong length, a pointer that is not aligned.
    QC_ERR_INVALID_ARGUMENT = 10,
    /// A number is outside its range.
    QC_ERR_OUT_OF_RANGE = 11,
    /// A count times a size does not fit.
    QC_ERR_OVERFLOW = 12,
    /// An option struct is larger than this version knows, and the part it does not know is not all zero.
    QC_ERR_UNSUPPORTED = 13,
    /// No memory was to be had: the allocator callback returned NULL, or the process has none left.
    QC_ERR_NO_MEMORY = 14,
    /// A limit is reached: `max_entries`, `max_history`, `max_open_writes`, `limit_bytes` of a group of histories, the trackers or levels of a tree, the cursors of a group, or the number of handles.
    QC_ERR_CAPACITY = 15,
    /// A time is outside -2^62 to 2^62 ns, or `now_ns` is more than `max_clock_step_ns` ahead.
    QC_ERR_CLOCK = 16,
    /// An entry handle that is not live (any more).
    QC_ERR_STALE_HANDLE = 17,
    /// The key, token or sequence is not there.
    QC_ERR_NOT_FOUND = 18,
    /// A callback broke its word: it returned a block that is not aligned as asked. In C++, also: it threw.
    QC_ERR_CALLBACK = 19,
    /// The time of a wait was up.
    QC_ERR_TIMED_OUT = 20,
    /// A wait ended, or did not begin, because the tracker or one above it is stopped.
    QC_ERR_STOPPED = 21,
    /// A level would leave -2^61 to 2^61 bytes.
    QC_ERR_LEVEL = 22,
    /// A reservation is larger than a limit above it: it could wait for ever.
    QC_ERR_NEVER_FITS = 23,
    /// The system gave no event descriptor.
    QC_ERR_NO_DESCRIPTOR = 24,
    /// A token or a sequence is out of order.
    QC_ERR_ORDER = 25,
    /// The message is pending, but in no consumer's hands: it was requeued or parked, or not pulled yet.
    QC_ERR_NOT_IN_FLIGHT = 26,
    /// The store's `fetch` failed. Nothing is changed, and the call can be repeated.
    QC_ERR_STORE = 27,
    /// The store's `fetch` broke its word: too many messages, out of order, outside the range. Nothing is changed.
    QC_ERR_BAD_FETCH = 28,
    /// A buffer is not one that an export wrote: truncated, changed, foreign. Or it is out of its turn.
    QC_ERR_BAD_BUFFER = 29,
    /// The object cannot end yet: a group that still has histories.
    QC_ERR_IN_USE = 30,
    /// Nothing is under way that the call could go on with: no export was begun, or its last buffer was written.
    QC_ERR_NOT_BEGUN = 31,
}

/// A status and its text, in the order of the numbers.
const TEXTS: [(qc_status, &str); 32] = {
    use qc_status::*;
    [
        (QC_OK, "done\0"),
        (QC_ERR_NULL_HANDLE, "the handle is NULL\0"),
        (QC_ERR_FOREIGN_HANDLE, "the handle was never given out by this library\0"),
        (QC_ERR_WRONG_PART, "the handle belongs to another part\0"),
        (QC_ERR_DESTROYED, "the handle was destroyed\0"),
        (QC_ERR_BUSY, "another thread is inside a call on this handle\0"),
        (QC_ERR_REENTRANT, "the call comes from a callback of this handle\0"),
        (QC_ERR_POISONED, "an earlier call on this handle panicked\0"),
        (QC_ERR_PANIC, "the call panicked\0"),
        (QC_ERR_NULL_ARGUMENT, "an argument is NULL\0"),
        (QC_ERR_INVALID_ARGUMENT, "an argument makes no sense\0"),
        (QC_ERR_OUT_OF_RANGE, "a number is out of its range\0"),
        (QC_ERR_OVERFLOW, "a count times a size does not fit\0"),
        (QC_ERR_UNSUPPORTED, "the option struct asks for something that this version does not know\0"),
        (QC_ERR_NO_MEMORY, "no memory\0"),
        (QC_ERR_CAPACITY, "a limit is reached\0"),
        (QC_ERR_CLOCK, "a time is out of range or too far ahead\0"),
        (QC_ERR_STALE_HANDLE, "the entry is not live\0"),
        (QC_ERR_NOT_FOUND, "the key, token or sequence is not there\0"),
        (QC_ERR_CALLBACK, "a callback failed\0"),
        (QC_ERR_TIMED_OUT, "the time of the wait was up\0"),
        (QC_ERR_STOPPED, "the tracker is stopped\0"),
        (QC_ERR_LEVEL, "a level would leave its range\0"),
        (QC_ERR_NEVER_FITS, "the reservation is larger than a limit\0"),
        (QC_ERR_NO_DESCRIPTOR, "the system gave no event descriptor\0"),
        (QC_ERR_ORDER, "a token or a sequence is out of order\0"),
        (QC_ERR_NOT_IN_FLIGHT, "the message is in no consumer's hands\0"),
        (QC_ERR_STORE, "the store failed\0"),
        (QC_ERR_BAD_FETCH, "the store returned what it must not\0"),
        (QC_ERR_BAD_BUFFER, "the buffer is not one that an export wrote\0"),
        (QC_ERR_IN_USE, "the object is still in use\0"),
        (QC_ERR_NOT_BEGUN, "nothing is under way to go on with\0"),
    ]
};

/// A short text for a status, the same each time.
///
/// `code` may be any number; one that is no status gives "unknown status". Never NULL. The text is static: it stays
/// valid for as long as the library is loaded. Any thread, at any time. Constant time.
#[unsafe(no_mangle)]
pub extern "C" fn qc_status_string(code: i32) -> *const c_char {
    let known = TEXTS.iter().find(|(status, _)| *status as i32 == code);
    known.map_or("unknown status\0", |(_, text)| *text).as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text(code: i32) -> &'static str {
        // SAFETY: every text is static and ends in a zero byte.
        unsafe { CStr::from_ptr(qc_status_string(code)) }.to_str().expect("the texts are ASCII")
    }

    #[test]
    fn every_number_has_its_own_text() {
        let mut seen = std::collections::HashSet::new();
        for (number, (status, _)) in TEXTS.iter().enumerate() {
            assert_eq!(*status as i32, number as i32);
            assert!(!text(number as i32).is_empty());
            assert!(seen.insert(text(number as i32)), "{} stands for two statuses", text(number as i32));
        }
    }

    #[test]
    fn any_other_number_is_unknown() {
        for code in [-1, 32, i32::MIN, i32::MAX] {
            assert_eq!(text(code), "unknown status");
        }
    }

    #[test]
    fn each_text_ends_once() {
        for (_, text) in TEXTS {
            assert_eq!(text.find('\0'), Some(text.len() - 1));
        }
    }
}
