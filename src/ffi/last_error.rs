//! What went wrong in this thread's last failed call, in words: 512 bytes a thread, and no allocation.
//!
//! Every file of `ffi` that refuses something calls `fail!`, which writes the words
//! and hands back the status. A call that succeeds does not come here.

use super::status::qc_status;
use std::cell::UnsafeCell;
use std::ffi::c_char;
use std::fmt::{self, Write};

/// Bytes of text a thread keeps, the final zero included.
const ROOM: usize = 512;

/// A text of bounded length, always zero-terminated. What does not fit is cut off at the end of a character.
#[repr(C)]
struct Text {
    bytes: [u8; ROOM],
    len: usize,
}

impl Text {
    const fn new() -> Text {
        Text { bytes: [0; ROOM], len: 0 }
    }

    /// Starts over.
    fn set(&mut self, words: fmt::Arguments<'_>) {
        self.len = 0;
        // An error means that the text is cut, which is the agreement; `write_str` has kept what fits.
        let _ = self.write_fmt(words);
        if let Some(end) = self.bytes.get_mut(self.len) {
            *end = 0;
        }
    }
}

impl Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let room = ROOM - 1 - self.len;
        let fitting = more.floor_char_boundary(room);
        let (taken, _) = more.as_bytes().split_at(fitting);
        if let Some(place) = self.bytes.get_mut(self.len..self.len + fitting) {
            place.copy_from_slice(taken);
            self.len += fitting;
        }
        if fitting < more.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

thread_local! {
    /// Needs no destructor, so that the thread pays nothing for it until its first failure, and nothing at its end.
    static LAST: UnsafeCell<Text> = const { UnsafeCell::new(Text::new()) };
}

/// Proof that a call has failed and that its words are written: the status to answer, never `QC_OK`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed(qc_status);

impl Failed {
    /// The status to answer.
    pub(crate) fn status(self) -> qc_status {
        self.0
    }
}

/// Writes the words of a failure. Out of line: a call that succeeds pays one branch for each check.
#[cold]
#[inline(never)]
pub(crate) fn record(status: qc_status, words: fmt::Arguments<'_>) -> Failed {
    LAST.with(|last| {
        // SAFETY: the cell belongs to this thread, and no other reference into it exists: `set` only formats
        // numbers and texts of this crate, which do not come back here, and `qc_last_error` hands out no reference.
        let text = unsafe { &mut *last.get() };
        text.set(words);
    });
    Failed(status)
}

/// `fail!(QC_ERR_X, "words {}", value)`: writes the words and gives the [`Failed`] to return.
macro_rules! fail {
    ($status:ident, $($words:tt)+) => {
        $crate::ffi::last_error::record($crate::ffi::status::qc_status::$status, format_args!($($words)+))
    };
}
pub(crate) use fail;

/// What went wrong in the calling thread's last failed call, in words that name the argument and its value.
///
/// Never NULL; "" if no call of this thread has failed yet. A call that succeeds leaves the text as it is. The text
/// is UTF-8, at most 511 bytes long, and stays valid and unchanged until the thread's next failing call or its end:
/// copy it to keep it. It is for people and logs: its wording may change, the status will not. Any thread, each
/// sees its own. Constant time.
#[unsafe(no_mangle)]
pub extern "C" fn qc_last_error() -> *const c_char {
    LAST.with(|last| last.get().cast::<c_char>().cast_const())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text() -> String {
        // SAFETY: the text is zero-terminated, and no call of this thread fails while it is copied.
        unsafe { CStr::from_ptr(qc_last_error()) }.to_str().expect("it is UTF-8").to_owned()
    }

    #[test]
    fn a_thread_starts_with_an_empty_text_and_sees_its_own() {
        assert_eq!(text(), "");
        let failed = fail!(QC_ERR_OUT_OF_RANGE, "step = {} is out of range", 7);
        assert_eq!(failed.status(), qc_status::QC_ERR_OUT_OF_RANGE);
        assert_eq!(text(), "step = 7 is out of range");
        std::thread::spawn(|| assert_eq!(text(), "")).join().expect("the other thread sees none");
        fail!(QC_ERR_NOT_FOUND, "no");
        assert_eq!(text(), "no");
    }

    #[test]
    fn a_long_text_is_cut_at_the_end_of_a_character() {
        fail!(QC_ERR_NOT_FOUND, "{}", "a".repeat(2000));
        assert_eq!(text(), "a".repeat(ROOM - 1));
        fail!(QC_ERR_NOT_FOUND, "{}", "é".repeat(300));
        assert_eq!(text(), "é".repeat(255));
        fail!(QC_ERR_NOT_FOUND, "{}{}", "b".repeat(ROOM - 1), "c");
        assert_eq!(text(), "b".repeat(ROOM - 1));
        fail!(QC_ERR_NOT_FOUND, "short again");
        assert_eq!(text(), "short again");
    }

    #[test]
    fn the_bytes_come_first_so_that_the_cell_is_the_text() {
        assert_eq!(std::mem::offset_of!(Text, bytes), 0);
    }
}
