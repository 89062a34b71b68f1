//! The natives of a history, for single calls. `this` is a `qc_history` as a number, a key is the two halves of its 16 bytes,
//! read as big-endian numbers (as `java.util.UUID` has them), and `desk` is the memory for further answers (`direct`).
//! Wrong handles, overlapping calls and wrong numbers are found out by the library.

use crate::arguments::{self, ask, handle, narrow, natural, number};
use crate::boundary::{natives, object};
use crate::direct::Desk;
use crate::failure::{Failure, checked};
use crate::sys::{self, Handle};
use crate::sys_history::{self as abi, EntryInfo, HistoryOptions, InsertResult, Key};
use jni::EnvUnowned;
use jni::objects::{JClass, JLongArray};
use jni::sys::{jint, jlong};
use std::mem::MaybeUninit;
use std::ptr;

#[inline(always)]
fn key(high: jlong, low: jlong) -> Key {
    (((high as u128) << 64) | u128::from(low as u64)).to_be_bytes()
}

/// The two halves of a key.
fn halves(key: Key) -> [u64; 2] {
    let whole = u128::from_be_bytes(key);
    [(whole >> 64) as u64, whole as u64]
}

/// What a history is made of, in Java's order.
fn settings_of(options: &HistoryOptions) -> [jlong; 11] {
    [
        options.value_size.into(),
        options.window_ns,
        options.resolution_ns,
        options.max_clock_step_ns,
        options.max_entries as jlong,
        options.max_history as jlong,
        options.overflow.into(),
        options.visibility.into(),
        options.gc_policy.into(),
        options.gc_step.into(),
        options.seed as jlong,
    ]
}

/// Writes the settings that a history has by default.
pub(crate) extern "system" fn defaults<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    into: JLongArray<'local>,
) {
    object(&mut env, 0, |env| {
        Ok(into.set_region(env, 0, &settings_of(&arguments::defaults(abi::qc_history_options_init)?))?)
    });
}

/// Makes a history, in a group unless that is 0. Answers its handle.
pub(crate) extern "system" fn create<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    settings: JLongArray<'local>,
    group: jlong,
) -> jlong {
    object(&mut env, 0, |env| {
        let mut given = [0; 11];
        settings.get_region(env, 0, &mut given)?;
        let [value_size, window, resolution, max_step, max_entries, max_history, ..] = given;
        let [.., overflow, visibility, gc_policy, gc_step, seed] = given;
        let mut options = arguments::defaults(abi::qc_history_options_init)?;
        options.value_size = narrow("value_size", value_size)?;
        options.window_ns = window;
        options.resolution_ns = resolution;
        options.max_clock_step_ns = max_step;
        options.max_entries = natural("max_entries", max_entries)?;
        options.max_history = natural("max_history", max_history)?;
        options.overflow = narrow("overflow", overflow)?;
        options.visibility = narrow("visibility", visibility)?;
        options.gc_policy = narrow("gc_policy", gc_policy)?;
        options.gc_step = narrow("gc_step", gc_step)?;
        options.seed = seed as u64;
        options.group = handle(group);
        let mut made = ptr::null_mut();
        // SAFETY: the options are a whole struct, and there is a place for the handle.
        checked(unsafe { abi::qc_history_create(&raw const options, &raw mut made) })?;
        Ok(number(made))
    })
}

type Insert = unsafe extern "C" fn(
    Handle,
    *const Key,
    *const std::ffi::c_void,
    usize,
    i64,
    i64,
    *mut InsertResult,
) -> sys::Status;

/// The outcome; the entry is left on the desk. The value stands there, unless `value_len` is 0.
#[inline(always)]
fn insert_by(
    call: Insert,
    this: jlong,
    desk: jlong,
    key: Key,
    value_len: jint,
    times: (jlong, jlong),
) -> Result<jint, Failure> {
    // SAFETY: Java's desk, with room for the value behind it.
    let desk = unsafe { Desk::of(desk) };
    let value = if value_len == 0 { ptr::null() } else { desk.value().cast_const().cast() };
    let mut result = InsertResult::default();
    // SAFETY: all are readable, and there is a place for the answer.
    checked(unsafe {
        call(handle(this), &raw const key, value, value_len as usize, times.0, times.1, &raw mut result)
    })?;
    desk.put_entry(result.entry);
    Ok(result.outcome as jint)
}

/// Where the value of an entry stands, and how it is called with a value of 8 bytes and more alike.
fn value_of(this: jlong, entry: jlong) -> Result<*mut u8, Failure> {
    let mut value = ptr::null_mut();
    // SAFETY: there is a place for the answer.
    checked(unsafe { abi::qc_history_value(handle(this), entry as u64, &raw mut value) })?;
    Ok(value.cast())
}

natives! {
    /// Ends a history.
    fn destroy(this: jlong) {
        checked(abi::qc_history_destroy(handle(this)))
    }

    /// Inserts. Answers the outcome, and leaves the entry.
    fn insert(this: jlong, desk: jlong, high: jlong, low: jlong, value_len: jint, at: jlong, now: jlong) -> jint {
        insert_by(abi::qc_history_insert, this, desk, key(high, low), value_len, (at, now))
    }

    /// Re-admits. Answers the outcome, and leaves the entry.
    fn readmit(this: jlong, desk: jlong, high: jlong, low: jlong, value_len: jint, at: jlong, now: jlong) -> jint {
        insert_by(abi::qc_history_readmit, this, desk, key(high, low), value_len, (at, now))
    }

    /// Removes an entry without a trace.
    fn forget(this: jlong, entry: jlong) {
        checked(abi::qc_history_forget(handle(this), entry as u64))
    }

    /// Removes a key without a trace.
    fn forget_key(this: jlong, high: jlong, low: jlong) {
        let key = key(high, low);
        // SAFETY: the key is one.
        checked(unsafe { abi::qc_history_forget_key(handle(this), &raw const key) })
    }

    /// Erases an entry. Answers what was left behind.
    fn erase(this: jlong, entry: jlong, now: jlong) -> jint {
        // SAFETY: there is a place for the answer.
        ask(|out: *mut u32| unsafe { abi::qc_history_erase(handle(this), entry as u64, now, out) })
            .map(|erased| erased as jint)
    }

    /// Erases the entry of a key. Answers what was left behind.
    fn erase_key(this: jlong, high: jlong, low: jlong, now: jlong) -> jint {
        let key = key(high, low);
        // SAFETY: the key is one, and there is a place for the answer.
        ask(|out: *mut u32| unsafe { abi::qc_history_erase_key(handle(this), &raw const key, now, out) })
            .map(|erased| erased as jint)
    }

    /// The live entry of a key, or 0.
    fn find(this: jlong, high: jlong, low: jlong) -> jlong {
        let key = key(high, low);
        // SAFETY: the key is one, and there is a place for the answer.
        ask(|out: *mut u64| unsafe { abi::qc_history_find(handle(this), &raw const key, out) })
            .map(|entry| entry as jlong)
    }

    /// What is known of a key.
    fn contains(this: jlong, high: jlong, low: jlong, now: jlong) -> jint {
        let key = key(high, low);
        // SAFETY: the key is one, and there is a place for the answer.
        ask(|out: *mut u32| unsafe { abi::qc_history_contains(handle(this), &raw const key, now, out) })
            .map(|presence| presence as jint)
    }

    /// The oldest live entry, or 0.
    fn first(this: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        ask(|out: *mut u64| unsafe { abi::qc_history_first(handle(this), out) }).map(|entry| entry as jlong)
    }

    /// The newest live entry, or 0.
    fn last(this: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        ask(|out: *mut u64| unsafe { abi::qc_history_last(handle(this), out) }).map(|entry| entry as jlong)
    }

    /// The live entry after another one, or 0.
    fn next(this: jlong, entry: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        ask(|out: *mut u64| unsafe { abi::qc_history_next(handle(this), entry as u64, out) })
            .map(|entry| entry as jlong)
    }

    /// The live entry before another one, or 0.
    fn prev(this: jlong, entry: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        ask(|out: *mut u64| unsafe { abi::qc_history_prev(handle(this), entry as u64, out) })
            .map(|entry| entry as jlong)
    }

    /// The live entry after that of a key, or 0.
    fn next_from(this: jlong, high: jlong, low: jlong) -> jlong {
        let key = key(high, low);
        // SAFETY: the key is one, and there is a place for the answer.
        ask(|out: *mut u64| unsafe { abi::qc_history_next_from(handle(this), &raw const key, out) })
            .map(|entry| entry as jlong)
    }

    /// Leaves the two halves of an entry's key and its insert time.
    fn entry_info(this: jlong, desk: jlong, entry: jlong) {
        let mut info = MaybeUninit::<EntryInfo>::uninit();
        // SAFETY: there is a place for the answer, which is read once it is there.
        let info = unsafe {
            checked(abi::qc_history_entry_info(handle(this), entry as u64, info.as_mut_ptr()))?;
            info.assume_init()
        };
        let [high, low] = halves(info.key);
        // SAFETY: Java's desk.
        unsafe { Desk::of(desk) }.put([high, low, info.inserted_at_ns as u64]);
        Ok(())
    }

    /// Leaves an entry's value, `value_len` bytes, which is the history's `value_size`.
    fn get_value(this: jlong, desk: jlong, entry: jlong, value_len: jint) {
        let value = value_of(this, entry)?;
        // SAFETY: the entry is live and its value that long; Java's desk has room for it.
        unsafe { ptr::copy_nonoverlapping(value, Desk::of(desk).value(), value_len as usize) };
        Ok(())
    }

    /// Takes an entry's value from the desk, `value_len` bytes, which is the history's `value_size`.
    fn set_value(this: jlong, desk: jlong, entry: jlong, value_len: jint) {
        let value = value_of(this, entry)?;
        // SAFETY: as in `get_value`.
        unsafe { ptr::copy_nonoverlapping(Desk::of(desk).value(), value, value_len as usize) };
        Ok(())
    }

    /// How many entries are live.
    fn live_len(this: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        ask(|out: *mut u64| unsafe { abi::qc_history_live_len(handle(this), out) }).map(|len| len as jlong)
    }

    /// How many historical entries are held.
    fn history_len(this: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        ask(|out: *mut u64| unsafe { abi::qc_history_history_len(handle(this), out) }).map(|len| len as jlong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_its_halves_as_a_uuid_has_them() {
        let key = key(0x0011_2233_4455_6677, 0x8899_aabb_ccdd_eeff_u64 as jlong);
        assert_eq!(key[..3], [0x00, 0x11, 0x22]);
        assert_eq!(key[7..10], [0x77, 0x88, 0x99]);
        assert_eq!(halves(key), [0x0011_2233_4455_6677, 0x8899_aabb_ccdd_eeff]);
        assert_eq!(super::key(-1, 0)[8..], [0; 8], "the halves do not touch");
        assert_eq!(super::key(0, -1)[..8], [0; 8]);
    }
}
