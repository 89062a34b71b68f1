//! Checks of what C hands over: pointers, counts, sizes, and structs that may be of another version.
//!
//! The files of the parts call these before they call the core. A failed check writes the words that name the
//! argument, and changes nothing.

use super::callbacks::qc_key;
use super::last_error::{Failed, fail};
use crate::history::Key;
use std::ptr::NonNull;

/// The largest `struct_size` that makes sense; a larger one is taken for a struct that nobody initialised.
pub(crate) const MAX_STRUCT_SIZE: usize = 4096;

/// A pointer that must not be NULL and must be aligned for what it points to.
#[inline(always)]
pub(crate) fn pointer<T>(name: &str, pointer: *const T) -> Result<NonNull<T>, Failed> {
    match NonNull::new(pointer.cast_mut()) {
        Some(given) if given.is_aligned() => Ok(given),
        _ => Err(bad_pointer(name, pointer.addr(), align_of::<T>())),
    }
}

/// The same for an output that words call `out_` and its name.
pub(crate) fn out_pointer<T>(name: &str, pointer: *mut T) -> Result<NonNull<T>, Failed> {
    match NonNull::new(pointer) {
        None => Err(fail!(QC_ERR_NULL_ARGUMENT, "out_{name} is NULL")),
        Some(given) if given.is_aligned() => Ok(given),
        Some(given) => Err(fail!(
            QC_ERR_INVALID_ARGUMENT,
            "out_{name} = {:#x} is not aligned to {} bytes",
            given.addr(),
            align_of::<T>()
        )),
    }
}

#[cold]
#[inline(never)]
fn bad_pointer(name: &str, address: usize, align: usize) -> Failed {
    if address == 0 {
        fail!(QC_ERR_NULL_ARGUMENT, "{name} is NULL")
    } else {
        fail!(QC_ERR_INVALID_ARGUMENT, "{name} = {address:#x} is not aligned to {align} bytes")
    }
}

/// A key where it stands in the caller's memory: for the calls that look up or insert, copying its 16 bytes first
/// would cost more than they do.
///
/// It may stand in the value of a live entry, which no call writes to or frees that leaves that entry live. The calls
/// that remove a key's entry take [`copied_key`].
///
/// # Safety
/// `key` is NULL or valid for reading, and nobody writes to it while the reference is alive.
#[inline(always)]
pub(crate) unsafe fn key<'a>(key: *const qc_key) -> Result<&'a Key, Failed> {
    let key = pointer("key", key)?.cast::<Key>();
    // SAFETY: the caller vouches for the memory; it is not NULL, and a key needs no alignment.
    Ok(unsafe { key.as_ref() })
}

/// A copy of a key, for the calls that remove its entry: the key may stand in that entry's own value, whose bytes go
/// with it.
///
/// # Safety
/// `key` is NULL or valid for reading.
#[inline(always)]
pub(crate) unsafe fn copied_key(key: *const qc_key) -> Result<Key, Failed> {
    let key = pointer("key", key)?.cast::<Key>();
    // SAFETY: the caller vouches for the memory; it is not NULL, and a key needs no alignment.
    Ok(unsafe { key.read() })
}

// The core's keys have the layout of C's.
const _: () = assert!(size_of::<Key>() == size_of::<qc_key>() && align_of::<Key>() == 1);

/// Where one result goes, checked before the call does anything.
pub(crate) struct Out<T>(Option<NonNull<T>>);

impl<T: Copy> Out<T> {
    /// A place that the caller must give.
    ///
    /// # Safety
    /// `to` is NULL or valid for writing a `T` until the end of the call.
    #[inline(always)]
    pub(crate) unsafe fn required(name: &str, to: *mut T) -> Result<Out<T>, Failed> {
        Ok(Out(Some(pointer(name, to)?)))
    }

    /// A place that the caller may leave out with NULL.
    ///
    /// # Safety
    /// As for `required`.
    #[inline(always)]
    pub(crate) unsafe fn optional(name: &str, to: *mut T) -> Result<Out<T>, Failed> {
        if to.is_null() {
            return Ok(Out(None));
        }
        // SAFETY: the same promise.
        unsafe { Out::required(name, to) }
    }

    /// Writes the result.
    #[inline(always)]
    pub(crate) fn write(&self, value: T) {
        if let Some(to) = self.0 {
            // SAFETY: whoever made this vouched for the memory until the end of the call; it is aligned.
            unsafe { to.write(value) }
        }
    }
}

/// An array that C handed over: `count` elements, or nothing at all where NULL is allowed.
///
/// Elements are read a block at a time through `block`, so that no reference into C's memory is alive while results
/// are written: arrays that overlap give nonsense, but nothing worse.
#[derive(Clone, Copy)]
pub(crate) struct Array<T> {
    start: *const T,
    count: usize,
}

impl<T> Array<T> {
    /// An array that the caller must give; NULL is fine if `count` is 0.
    ///
    /// # Safety
    /// `start` is valid for `count` elements until the end of the call, or NULL.
    #[inline(always)]
    pub(crate) unsafe fn required(name: &str, start: *const T, count: usize) -> Result<Array<T>, Failed> {
        bytes::<T>(name, count)?;
        if count == 0 {
            return Ok(Array { start: NonNull::dangling().as_ptr(), count: 0 });
        }
        Ok(Array { start: pointer(name, start)?.as_ptr(), count })
    }

    /// An array that the caller may leave out with NULL; then it is empty.
    ///
    /// # Safety
    /// As for `required`.
    #[inline(always)]
    pub(crate) unsafe fn optional(name: &str, start: *const T, count: usize) -> Result<Array<T>, Failed> {
        // SAFETY: the same promise.
        unsafe { Array::required(name, start, if start.is_null() { 0 } else { count }) }
    }

    /// The elements from `start` to before `end`, as far as they exist.
    ///
    /// # Safety
    /// Nobody writes to them while the slice is alive.
    #[inline(always)]
    pub(crate) unsafe fn block<'a>(&self, start: usize, end: usize) -> &'a [T] {
        let end = end.min(self.count);
        let start = start.min(end);
        // SAFETY: `start` is at most `count`, so this is inside the array or one past its end.
        let first = unsafe { self.start.add(start) };
        // SAFETY: whoever made this vouched for `count` elements, and these are among them; `first` is aligned, and
        // the caller keeps writers away.
        unsafe { std::slice::from_raw_parts(first, end - start) }
    }
}

/// Where an array of results goes.
pub(crate) struct OutArray<T>(Array<T>);

impl<T: Copy> OutArray<T> {
    /// A place that the caller must give; NULL is fine if `count` is 0.
    ///
    /// # Safety
    /// `start` is valid for writing `count` elements until the end of the call, or NULL.
    #[inline(always)]
    pub(crate) unsafe fn required(name: &str, start: *mut T, count: usize) -> Result<OutArray<T>, Failed> {
        // SAFETY: the same promise.
        Ok(OutArray(unsafe { Array::required(name, start, count) }?))
    }

    /// A place that the caller may leave out with NULL.
    ///
    /// # Safety
    /// As for `required`.
    #[inline(always)]
    pub(crate) unsafe fn optional(name: &str, start: *mut T, count: usize) -> Result<OutArray<T>, Failed> {
        // SAFETY: the same promise.
        Ok(OutArray(unsafe { Array::optional(name, start, count) }?))
    }

    /// Writes one result. One that was left out is dropped.
    #[inline(always)]
    pub(crate) fn write(&self, index: usize, value: T) {
        if index < self.0.count {
            // SAFETY: the index is below the count that the maker of this vouched for.
            let place = unsafe { self.0.start.cast_mut().add(index) };
            // SAFETY: the place is one of those elements, and the array is aligned.
            unsafe { place.write(value) }
        }
    }
}

/// The bytes of `count` elements, if they fit into memory at all.
#[inline(always)]
pub(crate) fn bytes<T>(name: &str, count: usize) -> Result<usize, Failed> {
    total(name, count, size_of::<T>())
}

/// `count` times `size` bytes, if they fit into memory at all.
#[inline(always)]
pub(crate) fn total(name: &str, count: usize, size: usize) -> Result<usize, Failed> {
    match count.checked_mul(size) {
        Some(total) if total <= isize::MAX as usize => Ok(total),
        _ => Err(too_many(name, count, size)),
    }
}

#[cold]
#[inline(never)]
fn too_many(name: &str, count: usize, size: usize) -> Failed {
    fail!(QC_ERR_OVERFLOW, "{name}: count = {count} times {size} bytes is more than an address space holds")
}

/// A `struct_size` that a caller may give: at least the field itself, and not absurd.
pub(crate) fn struct_size(given: usize) -> Result<usize, Failed> {
    if (size_of::<u32>()..=MAX_STRUCT_SIZE).contains(&given) {
        return Ok(given);
    }
    Err(fail!(
        QC_ERR_INVALID_ARGUMENT,
        "struct_size = {given} must be 4 to {MAX_STRUCT_SIZE}; set it to the size of the struct"
    ))
}

/// How many leading bytes of a struct a caller of `size` bytes has whole fields for. `ends` are the offsets at which
/// the fields end, in order.
pub(crate) fn whole_fields(size: usize, ends: &[usize]) -> usize {
    ends.iter().copied().take_while(|end| *end <= size).last().unwrap_or(0)
}
