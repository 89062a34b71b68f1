//! What batches of every kind have in common: a direct buffer that Java keeps, of sections that follow each other, and calls on a
//! part of it. The sections are drawn and named where they are used, in `history_batch` and `cursor_batch`.

use crate::boundary::address;
use crate::failure::{Failure, checked};
use crate::sys::Status;
use jni::sys::{jint, jlong};
use std::ptr;

/// Elements of one batch, and messages of a page, at most.
pub(crate) const MAX_CAPACITY: usize = 1 << 20;
/// Bytes before the first section, of a batch and of a page. They begin with a number: how many elements are done, or there.
pub(crate) const HEAD: usize = 16;

/// A batch: where its sections stand.
#[derive(Clone, Copy)]
pub(crate) struct Batch {
    pub(crate) base: *mut u8,
    pub(crate) capacity: usize,
}

impl Batch {
    /// A batch that Java keeps as an address and a capacity.
    ///
    /// # Safety
    /// They are those of a buffer that was made as the `layout` of its kind says, with a capacity that that took.
    pub(crate) unsafe fn of(base: jlong, capacity: jint) -> Batch {
        Batch { base: address(base), capacity: capacity as usize }
    }

    /// A batch at address 0: its sections stand at their offsets.
    pub(crate) fn drawn(capacity: usize) -> Batch {
        Batch { base: ptr::null_mut(), capacity }
    }

    /// The section that has `bytes_before` bytes of sections for each element before it.
    pub(crate) fn at<T>(self, bytes_before: usize) -> *mut T {
        self.base.wrapping_add(HEAD + bytes_before * self.capacity).cast()
    }
}

/// Elements `from..count` of a batch.
pub(crate) struct Part {
    pub(crate) here: Batch,
    pub(crate) from: usize,
    count: usize,
}

impl Part {
    /// A part of a batch that Java keeps as an address and a capacity.
    ///
    /// # Safety
    /// As of `Batch::of`, and `from <= count <= capacity`.
    pub(crate) unsafe fn of(base: jlong, capacity: jint, from: jint, count: jint) -> Part {
        // SAFETY: the caller's promise.
        let here = unsafe { Batch::of(base, capacity) };
        Part { here, from: from as usize, count: count as usize }
    }

    /// Makes a call that answers how many elements are done, and leaves with the batch how many of all are.
    pub(crate) fn run(&self, call: impl FnOnce(usize, *mut usize) -> Status) -> Result<jint, Failure> {
        let mut done = 0;
        let status = call(self.count - self.from, &raw mut done);
        // SAFETY: the head begins with the number.
        unsafe { self.here.base.cast::<u64>().write((self.from + done) as u64) };
        checked(status).map(|()| self.count as jint)
    }
}

/// Checks a drawing: sections, given as offset, bytes of an element and alignment, follow each other and are aligned.
#[cfg(test)]
pub(crate) fn check_sections(capacity: usize, sections: &[(usize, usize, usize)]) {
    let mut end = HEAD;
    for (start, size, align) in sections {
        assert_eq!(*start, end);
        assert_eq!(start % align, 0);
        end += size * capacity;
    }
}
