//! What Java hands over and what it gets back, as natives of every kind need it: handles as numbers, settings in their
//! ranges, one answer through a pointer.

use crate::failure::{Failure, checked};
use crate::sys::{self, Handle, Status};
use jni::sys::{jint, jlong};
use std::mem::MaybeUninit;
use std::ptr;

/// A handle that Java keeps as a number.
#[inline(always)]
pub(crate) fn handle(number: jlong) -> Handle {
    ptr::without_provenance_mut(number as usize)
}

/// The number by which Java keeps a handle, or memory of ours (see `boundary::address`).
pub(crate) fn number<T>(pointer: *const T) -> jlong {
    pointer.expose_provenance() as jlong
}

fn out_of_range(words: String) -> Failure {
    Failure::new(sys::OUT_OF_RANGE, words)
}

/// A setting of 32 bits that Java has as a long.
pub(crate) fn narrow(name: &str, value: jlong) -> Result<u32, Failure> {
    u32::try_from(value).map_err(|_| out_of_range(format!("{name} = {value} is outside its range")))
}

/// A setting of 64 bits without a sign that Java has as a long.
pub(crate) fn natural(name: &str, value: jlong) -> Result<u64, Failure> {
    u64::try_from(value).map_err(|_| out_of_range(format!("{name} = {value} is negative")))
}

/// A number that has to be in a range.
pub(crate) fn in_range(name: &str, value: jint, min: usize, max: usize) -> Result<usize, Failure> {
    match usize::try_from(value) {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(out_of_range(format!("{name} = {value}: it has to be {min} to {max}"))),
    }
}

/// A struct of settings with the library's defaults.
pub(crate) fn defaults<T>(init: unsafe extern "C" fn(*mut T, usize) -> Status) -> Result<T, Failure> {
    let mut settings = MaybeUninit::<T>::uninit();
    // SAFETY: the library fills the struct, as long as it is told, or says why not.
    unsafe {
        checked(init(settings.as_mut_ptr(), size_of::<T>()))?;
        Ok(settings.assume_init())
    }
}

/// A call that answers one thing through a pointer.
#[inline(always)]
pub(crate) fn ask<T: Default>(call: impl FnOnce(*mut T) -> Status) -> Result<T, Failure> {
    let mut answer = T::default();
    checked(call(&raw mut answer))?;
    Ok(answer)
}
