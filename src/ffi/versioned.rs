//! Structs that grow from version to version: they begin with `struct_size`, the caller's idea of their size.
//!
//! The files of options use `init` and `read`, those of figures `write_figures`. A program that was compiled against
//! another version has a shorter or a longer struct; both work as long as nobody asks for what the other does not know.

use super::args;
use super::last_error::{Failed, fail};
use std::ptr::NonNull;

/// A struct of options: `repr(C)`, without gaps, with `struct_size` as its first field.
///
/// # Safety
/// The first field is a `u32`, and any bytes make a valid value, callbacks aside, which are NULL or what the caller vouches
/// for.
pub(crate) unsafe trait Settings: Copy {
    /// How words name it.
    const NAME: &'static str = "options";
    /// What fields that the caller does not know are.
    const DEFAULTS: Self;
    /// Where each field ends, in order.
    const ENDS: &'static [usize];
}

/// Fills a struct with its defaults; bytes that this version does not know become zero.
///
/// # Safety
/// `out_options` is NULL or valid for writing `struct_size` bytes.
pub(crate) unsafe fn init<T: Settings>(out_options: *mut T, struct_size: usize) -> Result<(), Failed> {
    let out = args::out_pointer(T::NAME, out_options)?.cast::<u8>();
    let size = args::struct_size(struct_size)?;
    let known = size.min(size_of::<T>());
    let defaults = T::DEFAULTS;
    // SAFETY: the caller says that `struct_size` bytes are theirs to write, and `known` is no more than that or than the
    // size of the defaults, which are a local and do not overlap anything.
    unsafe { out.copy_from_nonoverlapping(NonNull::from_ref(&defaults).cast(), known) };
    // SAFETY: `known` is at most `size`, so this is inside the caller's struct or one past its end.
    let rest = unsafe { out.add(known) };
    // SAFETY: these are the last `size - known` of the caller's `struct_size` bytes.
    unsafe { rest.write_bytes(0, size - known) };
    // SAFETY: `struct_size` has room for its own field, which is aligned like the struct. It is at most 4096, so it fits.
    unsafe { out.cast::<u32>().write(size as u32) };
    Ok(())
}

/// Reads the settings from a struct of any version.
///
/// # Safety
/// `options` is NULL or valid for reading as many bytes as its `struct_size` says.
pub(crate) unsafe fn read<T: Settings>(options: *const T) -> Result<T, Failed> {
    let from = args::pointer(T::NAME, options)?.cast::<u8>();
    // SAFETY: every version of the struct begins with this field.
    let given = unsafe { from.cast::<u32>().read() };
    let size = args::struct_size(given as usize)?;
    let known = size_of::<T>();
    if size > known {
        // SAFETY: the caller's struct is `size` bytes long, which is more than `known`.
        let unknown = unsafe { from.add(known) };
        // SAFETY: these are the last `size - known` bytes of the caller's struct.
        let unknown = unsafe { std::slice::from_raw_parts(unknown.as_ptr(), size - known) };
        if let Some(at) = unknown.iter().position(|byte| *byte != 0) {
            let offset = known + at;
            return Err(fail!(
                QC_ERR_UNSUPPORTED,
                "{}: struct_size = {given} is more than the {known} bytes this version knows, and the byte at \
                 offset {offset} is not zero",
                T::NAME
            ));
        }
    }
    let mut read = T::DEFAULTS;
    let whole = args::whole_fields(size, T::ENDS);
    // SAFETY: `whole` is at most the caller's size and at most the size of `read`, which is a local. Any bytes make a valid
    // value, as the trait promises.
    unsafe { std::ptr::from_mut(&mut read).cast::<u8>().copy_from_nonoverlapping(from.as_ptr(), whole) };
    Ok(read)
}

/// What every field of a struct of figures takes; the two before the first of them together as well.
pub(crate) const FIGURE_BYTES: usize = size_of::<u64>();

/// How many bytes of whole figures go into the room that the caller has: what its `struct_size` says.
///
/// # Safety
/// `inout` is NULL or valid for reading as many bytes as its `struct_size` says, 4 at least.
pub(crate) unsafe fn figures_that_fit<T>(name: &str, inout: *mut T) -> Result<(NonNull<T>, usize), Failed> {
    let to = args::pointer(name, inout)?;
    // SAFETY: every version of the struct begins with this field.
    let room = unsafe { to.cast::<u32>().read() } as usize;
    if !(FIGURE_BYTES..=args::MAX_STRUCT_SIZE).contains(&room) {
        return Err(fail!(
            QC_ERR_INVALID_ARGUMENT,
            "{name}: struct_size = {room} must be {FIGURE_BYTES} to {}; set it to the size of the struct",
            args::MAX_STRUCT_SIZE
        ));
    }
    Ok((to, room.min(size_of::<T>()) / FIGURE_BYTES * FIGURE_BYTES))
}

/// Writes as many bytes of the figures as fit; their own `struct_size` says how many.
///
/// # Safety
/// `to` and `filled` come from [`figures_that_fit`], and the caller's memory is still there.
pub(crate) unsafe fn write_figures<T: Copy>(to: NonNull<T>, filled: usize, stats: &T) {
    let from = NonNull::from_ref(stats).cast::<u8>();
    // SAFETY: `filled` is at most the caller's room and at most the size of `stats`, which is not the caller's.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(from, filled) };
}
