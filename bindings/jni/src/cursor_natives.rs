//! All natives of a cursor and its group, in the order of `NativeCursor.java`.

use crate::{cursor, cursor_batch};
use jni::{NativeMethod, native_method};

/// The macro compares each signature with its function.
pub(crate) const NATIVES: &[NativeMethod<'static>] = &[
    native_method! { static raw fn policy_defaults(into: jlong[]), fn = cursor::policy_defaults },
    native_method! {
        static raw fn create(
            usage: jlong, mailbox: jlong, group: jlong, settings: jlong[], policy: jlong[], made: jlong[]
        ),
        fn = cursor::create
    },
    native_method! { static raw fn destroy(this: jlong, mailbox: jlong), fn = cursor::destroy },
    native_method! { static raw fn release_notes(notes: jlong, mailbox: jlong), fn = cursor::release_notes },
    native_method! { static raw fn noted(notes: jlong, mailbox: jlong) -> jint, fn = cursor::noted },
    native_method! { static raw fn take_discards(notes: jlong, into: jlong[]) -> jint, fn = cursor::take_discards },
    native_method! {
        static raw fn open(this: jlong, mailbox: jlong, count: jlong, bytes: jlong, last_sequence: jlong),
        fn = cursor::open
    },
    native_method! {
        static raw fn push(
            this: jlong, mailbox: jlong, token: jlong, sequence: jlong, user: jlong, size_bytes: jint, priority: jint,
            write: jint
        ) -> jboolean,
        fn = cursor::push
    },
    native_method! {
        static raw fn committed(this: jlong, mailbox: jlong, token: jlong, sequence: jlong), fn = cursor::committed
    },
    native_method! { static raw fn aborted(this: jlong, mailbox: jlong, desk: jlong, token: jlong), fn = cursor::aborted },
    native_method! { static raw fn ack(this: jlong, mailbox: jlong, desk: jlong, sequence: jlong), fn = cursor::ack },
    native_method! { static raw fn requeue(this: jlong, mailbox: jlong, sequence: jlong), fn = cursor::requeue },
    native_method! { static raw fn park(this: jlong, mailbox: jlong, sequence: jlong), fn = cursor::park },
    native_method! {
        static raw fn remove(this: jlong, mailbox: jlong, desk: jlong, sequence: jlong, stored_bytes: jint),
        fn = cursor::remove
    },
    native_method! {
        static raw fn purge(this: jlong, mailbox: jlong, desk: jlong, up_to: jlong, max_messages: jint),
        fn = cursor::purge
    },
    native_method! { static raw fn drop_cache(this: jlong, mailbox: jlong, desk: jlong), fn = cursor::drop_cache },
    native_method! { static raw fn set_policy(this: jlong, mailbox: jlong, policy: jlong[]), fn = cursor::set_policy },
    native_method! { static raw fn get_policy(this: jlong, mailbox: jlong, into: jlong[]), fn = cursor::get_policy },
    native_method! { static raw fn set_marks(this: jlong, mailbox: jlong, low: jint, high: jint), fn = cursor::set_marks },
    native_method! { static raw fn refresh(this: jlong, mailbox: jlong), fn = cursor::refresh },
    native_method! { static raw fn stats(this: jlong, mailbox: jlong, desk: jlong), fn = cursor::stats },
    native_method! { static raw fn layout(capacity: jint, into: jlong[]), fn = cursor_batch::layout },
    native_method! { static raw fn fields(into: jlong[]), fn = cursor_batch::fields },
    native_method! {
        static raw fn push_batch(
            this: jlong, mailbox: jlong, base: jlong, capacity: jint, from: jint, count: jint
        ) -> jint,
        fn = cursor_batch::push_batch
    },
    native_method! {
        static raw fn committed_batch(
            this: jlong, mailbox: jlong, base: jlong, capacity: jint, from: jint, count: jint
        ) -> jint,
        fn = cursor_batch::committed_batch
    },
    native_method! {
        static raw fn ack_batch(
            this: jlong, mailbox: jlong, base: jlong, capacity: jint, from: jint, count: jint
        ) -> jint,
        fn = cursor_batch::ack_batch
    },
    native_method! {
        static raw fn pull(
            this: jlong, mailbox: jlong, notes: jlong, cursor: JObject, demand: jint, round: jint, base: jlong,
            capacity: jint
        ) -> jint,
        fn = cursor_batch::pull
    },
    native_method! {
        static raw fn browse(
            this: jlong, mailbox: jlong, notes: jlong, cursor: JObject, desk: jlong, after: jlong, page: jlong,
            capacity: jint
        ) -> jint,
        fn = cursor_batch::browse
    },
    native_method! {
        static raw fn group_create(
            parent: jlong, mailbox: jlong, divides_limit: jboolean, max_lent_bytes: jlong
        ) -> jlong,
        fn = cursor::group_create
    },
    native_method! { static raw fn group_destroy(this: jlong, mailbox: jlong), fn = cursor::group_destroy },
    native_method! { static raw fn group_stats(this: jlong, into: jlong[]), fn = cursor::group_stats },
];
