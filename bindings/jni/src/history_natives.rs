//! All natives of a history and its group, in the order of `NativeHistory.java`.

use crate::{history, history_batch, history_upkeep};
use jni::{NativeMethod, native_method};

/// The macro compares each signature with its function.
pub(crate) const NATIVES: &[NativeMethod<'static>] = &[
    native_method! { static raw fn defaults(into: jlong[]), fn = history::defaults },
    native_method! { static raw fn create(settings: jlong[], group: jlong) -> jlong, fn = history::create },
    native_method! { static raw fn destroy(this: jlong), fn = history::destroy },
    native_method! {
        static raw fn insert(
            this: jlong, desk: jlong, high: jlong, low: jlong, value_len: jint, at: jlong, now: jlong
        ) -> jint,
        fn = history::insert
    },
    native_method! {
        static raw fn readmit(
            this: jlong, desk: jlong, high: jlong, low: jlong, value_len: jint, at: jlong, now: jlong
        ) -> jint,
        fn = history::readmit
    },
    native_method! { static raw fn forget(this: jlong, entry: jlong), fn = history::forget },
    native_method! { static raw fn forget_key(this: jlong, high: jlong, low: jlong), fn = history::forget_key },
    native_method! { static raw fn erase(this: jlong, entry: jlong, now: jlong) -> jint, fn = history::erase },
    native_method! {
        static raw fn erase_key(this: jlong, high: jlong, low: jlong, now: jlong) -> jint, fn = history::erase_key
    },
    native_method! { static raw fn find(this: jlong, high: jlong, low: jlong) -> jlong, fn = history::find },
    native_method! {
        static raw fn contains(this: jlong, high: jlong, low: jlong, now: jlong) -> jint, fn = history::contains
    },
    native_method! { static raw fn first(this: jlong) -> jlong, fn = history::first },
    native_method! { static raw fn last(this: jlong) -> jlong, fn = history::last },
    native_method! { static raw fn next(this: jlong, entry: jlong) -> jlong, fn = history::next },
    native_method! { static raw fn prev(this: jlong, entry: jlong) -> jlong, fn = history::prev },
    native_method! { static raw fn next_from(this: jlong, high: jlong, low: jlong) -> jlong, fn = history::next_from },
    native_method! { static raw fn entry_info(this: jlong, desk: jlong, entry: jlong), fn = history::entry_info },
    native_method! {
        static raw fn get_value(this: jlong, desk: jlong, entry: jlong, value_len: jint), fn = history::get_value
    },
    native_method! {
        static raw fn set_value(this: jlong, desk: jlong, entry: jlong, value_len: jint), fn = history::set_value
    },
    native_method! { static raw fn live_len(this: jlong) -> jlong, fn = history::live_len },
    native_method! { static raw fn history_len(this: jlong) -> jlong, fn = history::history_len },
    native_method! {
        static raw fn batch_layout(capacity: jint, value_size: jint, into: jlong[]), fn = history_batch::layout
    },
    native_method! {
        static raw fn insert_batch(
            this: jlong, base: jlong, capacity: jint, from: jint, count: jint, value_size: jint, now: jlong
        ) -> jint,
        fn = history_batch::insert_batch
    },
    native_method! {
        static raw fn readmit_batch(
            this: jlong, base: jlong, capacity: jint, from: jint, count: jint, value_size: jint, now: jlong
        ) -> jint,
        fn = history_batch::readmit_batch
    },
    native_method! {
        static raw fn contains_batch(this: jlong, base: jlong, capacity: jint, from: jint, count: jint, now: jlong) -> jint,
        fn = history_batch::contains_batch
    },
    native_method! {
        static raw fn erase_batch(this: jlong, base: jlong, capacity: jint, from: jint, count: jint, now: jlong) -> jint,
        fn = history_batch::erase_batch
    },
    native_method! {
        static raw fn walk(this: jlong, base: jlong, capacity: jint, after: jlong) -> jint, fn = history_batch::walk
    },
    native_method! {
        static raw fn iter_next(this: jlong, base: jlong, capacity: jint) -> jint, fn = history_batch::iter_next
    },
    native_method! {
        static raw fn gc(this: jlong, desk: jlong, now: jlong, max: jlong) -> jlong, fn = history_upkeep::gc
    },
    native_method! { static raw fn erase_all_live(this: jlong, now: jlong) -> jlong, fn = history_upkeep::erase_all_live },
    native_method! { static raw fn clear(this: jlong), fn = history_upkeep::clear },
    native_method! {
        static raw fn clear_step(this: jlong, desk: jlong, max: jlong) -> jlong, fn = history_upkeep::clear_step
    },
    native_method! { static raw fn set_window(this: jlong, window: jlong), fn = history_upkeep::set_window },
    native_method! { static raw fn clock_reset(this: jlong, now: jlong), fn = history_upkeep::clock_reset },
    native_method! { static raw fn iter_begin(this: jlong), fn = history_upkeep::iter_begin },
    native_method! { static raw fn export_begin(this: jlong), fn = history_upkeep::export_begin },
    native_method! {
        static raw fn export(this: jlong, desk: jlong, buffer: JByteBuffer, offset: jlong, len: jlong),
        fn = history_upkeep::export
    },
    native_method! {
        static raw fn import(
            this: jlong, desk: jlong, buffer: JByteBuffer, offset: jlong, len: jlong, now: jlong, shift: jlong
        ),
        name = "importBuffer",
        fn = history_upkeep::import
    },
    native_method! {
        static raw fn buffer_info(into: jlong[], buffer: JByteBuffer, offset: jlong, len: jlong),
        fn = history_upkeep::buffer_info
    },
    native_method! { static raw fn stats(this: jlong, desk: jlong), fn = history_upkeep::stats },
    native_method! { static raw fn group_defaults(into: jlong[]), fn = history_upkeep::group_defaults },
    native_method! { static raw fn group_create(settings: jlong[]) -> jlong, fn = history_upkeep::group_create },
    native_method! { static raw fn group_destroy(this: jlong), fn = history_upkeep::group_destroy },
    native_method! {
        static raw fn group_gc_many(this: jlong, desk: jlong, now: jlong, max: jlong) -> jlong,
        fn = history_upkeep::group_gc_many
    },
    native_method! { static raw fn group_clock_reset(this: jlong, now: jlong), fn = history_upkeep::group_clock_reset },
    native_method! { static raw fn group_stats(this: jlong, desk: jlong), fn = history_upkeep::group_stats },
];
