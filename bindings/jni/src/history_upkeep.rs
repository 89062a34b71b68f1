//! The natives of a history that no message pays for: collection, purge, window, iteration, export and import, figures; and
//! those of a group. For `this` and `desk` see `history`.

use crate::arguments::{ask, defaults, handle, natural, number};
use crate::boundary::{natives, object};
use crate::direct::{self, Desk};
use crate::failure::{Failure, checked};
use crate::sys::Status;
use crate::sys_history::{
    self as abi, BufferInfo, ExportResult, GcResult, GroupOptions, ImportResult, Stats,
};
use jni::objects::{JByteBuffer, JClass, JLongArray};
use jni::sys::jlong;
use jni::{Env, EnvUnowned};
use std::ptr;

/// What a collection answers: how many, and on the desk whether there is more.
fn collected(desk: jlong, call: impl FnOnce(*mut GcResult) -> Status) -> Result<jlong, Failure> {
    let result = ask(call)?;
    // SAFETY: Java's desk.
    unsafe { Desk::of(desk) }.put([result.more.into()]);
    Ok(result.collected as jlong)
}

natives! {
    /// Collects. Answers how many, and leaves whether there is more.
    fn gc(this: jlong, desk: jlong, now: jlong, max: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        collected(desk, |out| unsafe { abi::qc_history_gc(handle(this), now, max as u64, out) })
    }

    /// Erases all live entries. Answers how many.
    fn erase_all_live(this: jlong, now: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        ask(|out: *mut u64| unsafe { abi::qc_history_erase_all_live(handle(this), now, out) }).map(|count| count as jlong)
    }

    /// Forgets everything.
    fn clear(this: jlong) {
        checked(abi::qc_history_clear(handle(this)))
    }

    /// Forgets some. Answers how many, and leaves whether there is more.
    fn clear_step(this: jlong, desk: jlong, max: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        collected(desk, |out| unsafe { abi::qc_history_clear_step(handle(this), max as u64, out) })
    }

    /// Sets the window.
    fn set_window(this: jlong, window: jlong) {
        checked(abi::qc_history_set_window(handle(this), window))
    }

    /// Sets the largest time seen.
    fn clock_reset(this: jlong, now: jlong) {
        checked(abi::qc_history_clock_reset(handle(this), now))
    }

    /// Begins an iteration; `history_batch` goes on with it.
    fn iter_begin(this: jlong) {
        checked(abi::qc_history_iter_begin(handle(this)))
    }

    /// Begins an export.
    fn export_begin(this: jlong) {
        checked(abi::qc_history_export_begin(handle(this)))
    }

    /// Leaves the figures of `struct qc_history_stats`, in their order.
    fn stats(this: jlong, desk: jlong) {
        let mut stats = Stats::<{ abi::HISTORY_FIGURES }>::new();
        // SAFETY: the struct is as long as it says.
        checked(unsafe { abi::qc_history_stats(handle(this), &raw mut stats) })?;
        // SAFETY: Java's desk.
        unsafe { Desk::of(desk) }.put(stats.figures);
        Ok(())
    }

    /// Ends a group.
    fn group_destroy(this: jlong) {
        checked(abi::qc_history_group_destroy(handle(this)))
    }

    /// Collects in all histories of a group. Answers how many, and leaves whether there is more.
    fn group_gc_many(this: jlong, desk: jlong, now: jlong, max: jlong) -> jlong {
        // SAFETY: there is a place for the answer.
        collected(desk, |out| unsafe { abi::qc_history_group_gc_many(handle(this), now, max as u64, out) })
    }

    /// Sets the largest time that a group was told.
    fn group_clock_reset(this: jlong, now: jlong) {
        checked(abi::qc_history_group_clock_reset(handle(this), now))
    }

    /// Leaves the figures of `struct qc_history_group_stats`, in their order.
    fn group_stats(this: jlong, desk: jlong) {
        let mut stats = Stats::<{ abi::GROUP_FIGURES }>::new();
        // SAFETY: the struct is as long as it says.
        checked(unsafe { abi::qc_history_group_stats(handle(this), &raw mut stats) })?;
        // SAFETY: Java's desk.
        unsafe { Desk::of(desk) }.put(stats.figures);
        Ok(())
    }
}

/// Writes the next buffer of an export into bytes of a direct buffer. Leaves how many bytes are to be kept, how many entries
/// they hold, and whether another buffer follows.
pub(crate) extern "system" fn export<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    this: jlong,
    desk: jlong,
    buffer: JByteBuffer<'local>,
    offset: jlong,
    len: jlong,
) {
    object(&mut env, 0, |env| {
        let (start, len) = direct::range(env, &buffer, offset, len)?;
        let mut result = ExportResult::default();
        // SAFETY: the bytes are inside the buffer, and there is a place for the answer.
        checked(unsafe { abi::qc_history_export(handle(this), start.cast(), len, &raw mut result) })?;
        // SAFETY: Java's desk.
        unsafe { Desk::of(desk) }.put([result.bytes, result.entries.into(), result.more.into()]);
        Ok(())
    });
}

/// Takes in bytes of a direct buffer. Leaves what became of the entries.
#[allow(clippy::too_many_arguments, reason = "Java's order")]
pub(crate) extern "system" fn import<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    this: jlong,
    desk: jlong,
    buffer: JByteBuffer<'local>,
    offset: jlong,
    len: jlong,
    now: jlong,
    shift: jlong,
) {
    object(&mut env, 0, |env| {
        let (start, len) = direct::range(env, &buffer, offset, len)?;
        let mut result = ImportResult::default();
        let bytes = start.cast_const().cast();
        // SAFETY: the bytes are inside the buffer, and there is a place for the answer.
        let status = unsafe { abi::qc_history_import(handle(this), bytes, len, now, shift, &raw mut result) };
        checked(status)?;
        let ImportResult { live, historical, duplicates, expired, evicted, is_last, .. } = result;
        // SAFETY: Java's desk.
        unsafe { Desk::of(desk) }.put([live, historical, duplicates, expired, evicted, is_last.into()]);
        Ok(())
    });
}

/// Checks a buffer of an export, and leaves what stands at its beginning.
pub(crate) extern "system" fn buffer_info<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    into: JLongArray<'local>,
    buffer: JByteBuffer<'local>,
    offset: jlong,
    len: jlong,
) {
    object(&mut env, 0, |env| {
        let (start, len) = direct::range(env, &buffer, offset, len)?;
        let mut info = BufferInfo::default();
        // SAFETY: the bytes are inside the buffer, and there is a place for the answer.
        checked(unsafe { abi::qc_history_buffer_info(start.cast_const().cast(), len, &raw mut info) })?;
        let numbers = [
            info.export_id as jlong,
            info.present_ns,
            info.window_ns,
            info.number.into(),
            info.entries.into(),
            info.value_size.into(),
            info.is_last.into(),
        ];
        Ok(into.set_region(env, 0, &numbers)?)
    });
}

/// Writes the settings that a group has by default.
pub(crate) extern "system" fn group_defaults<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    into: JLongArray<'local>,
) {
    object(&mut env, 0, |env| {
        let options: GroupOptions = defaults(abi::qc_history_group_options_init)?;
        let settings = [
            options.limit_bytes as jlong,
            options.cache_bytes as jlong,
            options.max_clock_step_ns,
            options.seed as jlong,
        ];
        Ok(into.set_region(env, 0, &settings)?)
    });
}

/// Makes a group. Answers its handle.
pub(crate) extern "system" fn group_create<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    settings: JLongArray<'local>,
) -> jlong {
    object(&mut env, 0, |env: &mut Env<'local>| {
        let mut given = [0; 4];
        settings.get_region(env, 0, &mut given)?;
        let [limit, cache, max_step, seed] = given;
        let mut options: GroupOptions = defaults(abi::qc_history_group_options_init)?;
        options.limit_bytes = natural("limit_bytes", limit)?;
        options.cache_bytes = natural("cache_bytes", cache)?;
        options.max_clock_step_ns = max_step;
        options.seed = seed as u64;
        let mut made = ptr::null_mut();
        // SAFETY: the options are a whole struct, and there is a place for the handle.
        checked(unsafe { abi::qc_history_group_create(&raw const options, &raw mut made) })?;
        Ok(number(made))
    })
}
