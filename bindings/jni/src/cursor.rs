//! The natives of a cursor, for single calls, and those of its group. `this` is a `qc_cursor` as a number, `mailbox` that of its
//! tracker's tree, at which Java looks afterwards, and `desk` the memory for further answers (`direct`). Wrong handles,
//! overlapping calls and wrong numbers are found out by the library.

use crate::arguments::{ask, defaults, handle, narrow, natural, number};
use crate::boundary::{address, natives, object};
use crate::cursor_store::{self, Notes};
use crate::direct::Desk;
use crate::failure::{Failure, checked};
use crate::mailbox::{self, Asked};
use crate::sys::{Handle, Status};
use crate::sys_cursor::{
    self as abi, CursorOptions, Dropped, GroupOptions, Message, Policy, Purged, Released, Stats, Store,
};
use crate::trackers::shared;
use jni::EnvUnowned;
use jni::objects::{JClass, JLongArray};
use jni::sys::{jboolean, jint, jlong};
use std::ptr;

const POLICY: usize = 10;

/// A policy, in Java's order.
fn told(policy: &Policy) -> [jlong; POLICY] {
    [
        policy.high_percent.into(),
        policy.low_percent.into(),
        policy.parent_cache_percent.into(),
        policy.parent_page_percent.into(),
        policy.page_messages.into(),
        policy.page_bytes as jlong,
        policy.min_page_messages.into(),
        policy.lazy_dispatch.into(),
        policy.use_cache.into(),
        policy.deliver_uncommitted.into(),
    ]
}

fn policy_of(settings: [jlong; POLICY]) -> Result<Policy, Failure> {
    let [high, low, parent_cache, parent_page, messages, bytes, min_messages, lazy, cache, uncommitted] =
        settings;
    let mut policy = defaults(abi::qc_cursor_policy_init)?;
    policy.high_percent = narrow("high_percent", high)?;
    policy.low_percent = narrow("low_percent", low)?;
    policy.parent_cache_percent = narrow("parent_cache_percent", parent_cache)?;
    policy.parent_page_percent = narrow("parent_page_percent", parent_page)?;
    policy.page_messages = narrow("page_messages", messages)?;
    policy.page_bytes = natural("page_bytes", bytes)?;
    policy.min_page_messages = narrow("min_page_messages", min_messages)?;
    policy.lazy_dispatch = (lazy != 0).into();
    policy.use_cache = (cache != 0).into();
    policy.deliver_uncommitted = (uncommitted != 0).into();
    Ok(policy)
}

/// Writes the default policy.
pub(crate) extern "system" fn policy_defaults<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    into: JLongArray<'local>,
) {
    object(&mut env, 0, |env| Ok(into.set_region(env, 0, &told(&defaults(abi::qc_cursor_policy_init)?))?));
}

/// Makes a cursor on a tracker, in a group unless that is 0. `settings` are accounting, most entries, most open writes,
/// and the number by which Java knows the cursor. Writes into `made` its handle and its notes.
#[allow(clippy::too_many_arguments, reason = "Java's order")]
pub(crate) extern "system" fn create<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    usage: jlong,
    mailbox: jlong,
    group: jlong,
    settings: JLongArray<'local>,
    policy: JLongArray<'local>,
    made: JLongArray<'local>,
) {
    object(&mut env, mailbox, |env| {
        let (mut given, mut marks) = ([0; 4], [0; POLICY]);
        settings.get_region(env, 0, &mut given)?;
        policy.get_region(env, 0, &mut marks)?;
        // Before anything is made: that it can be told.
        made.set_region(env, 0, &[0; 2])?;
        let [accounting, max_entries, max_open_writes, known_as] = given;
        let policy = policy_of(marks)?;
        let mut options: CursorOptions = defaults(abi::qc_cursor_options_init)?;
        options.accounting = narrow("accounting", accounting)?;
        options.max_entries = narrow("max_entries", max_entries)?;
        options.max_open_writes = narrow("max_open_writes", max_open_writes)?;
        let mut cursor = Made { handle: ptr::null_mut(), notes: Box::default() };
        let mut store: Store = defaults(abi::qc_store_init)?;
        store.ctx = ptr::from_ref::<Notes>(&cursor.notes).cast_mut().cast();
        store.fetch = Some(cursor_store::fetch);
        store.discard = Some(cursor_store::discard);
        // SAFETY: the structs are whole, and there is a place for the handle.
        checked(unsafe {
            let (options, policy, store) = (&raw const options, &raw const policy, &raw const store);
            abi::qc_cursor_create(
                options,
                policy,
                handle(usage),
                handle(group),
                store,
                &raw mut cursor.handle,
            )
        })?;
        let ready = Asked::context(&shared(mailbox)?, known_as);
        // SAFETY: the callback takes such contexts, and the library gives this one back once, to the release.
        let status = unsafe {
            abi::qc_cursor_on_ready(
                cursor.handle,
                Some(mailbox::on_ready),
                ready,
                Some(mailbox::release_asked),
            )
        };
        checked(status).inspect_err(|_| {
            // SAFETY: made above, and the library did not take it.
            unsafe { mailbox::release_asked(ready) }
        })?;
        made.set_region(env, 0, &[number(cursor.handle), number(ptr::from_ref::<Notes>(&cursor.notes))])?;
        cursor.hand_over();
        Ok(())
    });
}

/// A cursor that was just made, and goes again unless it is handed over.
struct Made {
    handle: Handle,
    notes: Box<Notes>,
}

impl Made {
    /// It is Java's from now on: `destroy` and `release_notes` end it.
    fn hand_over(mut self) {
        self.handle = ptr::null_mut();
        let _ = Box::into_raw(std::mem::take(&mut self.notes));
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // Null, or what was just made; an error of ending it would hide the one that counts.
        abi::qc_cursor_destroy(self.handle);
    }
}

/// Leaves what a message took.
fn released(desk: jlong, call: impl FnOnce(*mut Released) -> Status) -> Result<(), Failure> {
    let released = ask(call)?;
    // SAFETY: Java's desk.
    unsafe { Desk::of(desk) }.put([released.user, released.released_bytes, released.was_in_memory.into()]);
    Ok(())
}

natives! {
    by mailbox;

    /// Ends a cursor. Its notes stay.
    fn destroy(this: jlong, mailbox: jlong) {
        checked(abi::qc_cursor_destroy(handle(this)))
    }

    /// Ends a cursor's notes, after the cursor.
    fn release_notes(notes: jlong, mailbox: jlong) {
        if notes != 0 {
            // SAFETY: `hand_over` left it, once, and nobody looks at it any more.
            drop(unsafe { Box::from_raw(address::<Notes>(notes)) });
        }
        Ok(())
    }

    /// How many notes of discarded messages wait.
    fn noted(notes: jlong, mailbox: jlong) -> jint {
        // SAFETY: the notes stay while Java has the cursor.
        Ok(unsafe { Notes::of(notes) }.len() as jint)
    }

    /// Says what the store holds.
    fn open(this: jlong, mailbox: jlong, count: jlong, bytes: jlong, last_sequence: jlong) {
        let (count, bytes) = (natural("pending_count", count)?, natural("pending_bytes", bytes)?);
        checked(abi::qc_cursor_open(handle(this), count, bytes, natural("last_sequence", last_sequence)?))
    }

    /// Pushes a message. Answers whether it stays in memory.
    fn push(
        this: jlong, mailbox: jlong, token: jlong, sequence: jlong, user: jlong, size_bytes: jint, priority: jint, write: jint
    ) -> jboolean {
        let message = Message {
            token: natural("token", token)?,
            sequence: natural("sequence", sequence)?,
            user: user as u64,
            size_bytes: size_bytes as u32,
            priority: priority as u8,
            write: write as u8,
            reserved: 0,
        };
        let mut pushed = 0;
        // SAFETY: the message is one, and there is a place for the answer.
        checked(unsafe { abi::qc_cursor_push(handle(this), &raw const message, &raw mut pushed) })?;
        Ok(pushed == CACHED)
    }

    /// A write is committed.
    fn committed(this: jlong, mailbox: jlong, token: jlong, sequence: jlong) {
        checked(abi::qc_cursor_committed(handle(this), natural("token", token)?, natural("sequence", sequence)?))
    }

    /// A write is given up. Leaves what it took.
    fn aborted(this: jlong, mailbox: jlong, desk: jlong, token: jlong) {
        let token = natural("token", token)?;
        // SAFETY: there is a place for the answer.
        released(desk, |out| unsafe { abi::qc_cursor_aborted(handle(this), token, out) })
    }

    /// A message is done with. Leaves what it took.
    fn ack(this: jlong, mailbox: jlong, desk: jlong, sequence: jlong) {
        let sequence = natural("sequence", sequence)?;
        // SAFETY: there is a place for the answer.
        released(desk, |out| unsafe { abi::qc_cursor_ack(handle(this), sequence, out) })
    }

    /// A message goes back to its place.
    fn requeue(this: jlong, mailbox: jlong, sequence: jlong) {
        checked(abi::qc_cursor_requeue(handle(this), natural("sequence", sequence)?))
    }

    /// A message is put aside.
    fn park(this: jlong, mailbox: jlong, sequence: jlong) {
        checked(abi::qc_cursor_park(handle(this), natural("sequence", sequence)?))
    }

    /// A message is gone. Leaves what it took.
    fn remove(this: jlong, mailbox: jlong, desk: jlong, sequence: jlong, stored_bytes: jint) {
        let stored_bytes = narrow("stored_bytes", stored_bytes.into())?;
        let sequence = natural("sequence", sequence)?;
        // SAFETY: there is a place for the answer.
        released(desk, |out| unsafe { abi::qc_cursor_remove(handle(this), sequence, stored_bytes, out) })
    }

    /// Purges. Leaves what it removed, in the order of the struct.
    fn purge(this: jlong, mailbox: jlong, desk: jlong, up_to: jlong, max_messages: jint) {
        // SAFETY: there is a place for the answer.
        let purged = ask(|out| unsafe { abi::qc_cursor_purge(handle(this), up_to as u64, max_messages as u32, out) })?;
        let Purged { up_to, messages, stored_messages, released_bytes, more, .. } = purged;
        // SAFETY: Java's desk.
        unsafe { Desk::of(desk) }.put([up_to, messages, stored_messages, released_bytes, more.into()]);
        Ok(())
    }

    /// Gives memory back. Leaves how many messages and bytes.
    fn drop_cache(this: jlong, mailbox: jlong, desk: jlong) {
        // SAFETY: there is a place for the answer.
        let dropped: Dropped = ask(|out| unsafe { abi::qc_cursor_drop_cache(handle(this), out) })?;
        // SAFETY: Java's desk.
        unsafe { Desk::of(desk) }.put([dropped.messages, dropped.released_bytes]);
        Ok(())
    }

    /// Sets the marks.
    fn set_marks(this: jlong, mailbox: jlong, low: jint, high: jint) {
        checked(abi::qc_cursor_set_marks(handle(this), low as u32, high as u32))
    }

    /// Looks again whether a blocked pull can make progress.
    fn refresh(this: jlong, mailbox: jlong) {
        checked(abi::qc_cursor_refresh(handle(this)))
    }

    /// Leaves the figures of `struct qc_cursor_stats`, in their order.
    fn stats(this: jlong, mailbox: jlong, desk: jlong) {
        let mut stats = Stats::<{ abi::CURSOR_FIGURES }>::new();
        // SAFETY: the struct is as long as it says.
        checked(unsafe { abi::qc_cursor_stats(handle(this), &raw mut stats) })?;
        // SAFETY: Java's desk.
        let desk = unsafe { Desk::of(desk) };
        desk.put_entry((u64::from(stats.second) << 32) | u64::from(stats.first));
        desk.put(stats.figures);
        Ok(())
    }

    /// Ends a group.
    fn group_destroy(this: jlong, mailbox: jlong) {
        checked(abi::qc_cursor_group_destroy(handle(this)))
    }
}

/// `QC_CACHED`.
const CACHED: u32 = 0;

/// Takes on a policy.
pub(crate) extern "system" fn set_policy<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    this: jlong,
    mailbox: jlong,
    policy: JLongArray<'local>,
) {
    object(&mut env, mailbox, |env| {
        let mut given = [0; POLICY];
        policy.get_region(env, 0, &mut given)?;
        let policy = policy_of(given)?;
        // SAFETY: the struct is whole.
        checked(unsafe { abi::qc_cursor_set_policy(handle(this), &raw const policy) })
    });
}

/// Writes the present policy.
pub(crate) extern "system" fn get_policy<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    this: jlong,
    mailbox: jlong,
    into: JLongArray<'local>,
) {
    object(&mut env, mailbox, |env| {
        let mut policy: Policy = defaults(abi::qc_cursor_policy_init)?;
        // SAFETY: the struct is as long as it says.
        checked(unsafe { abi::qc_cursor_get_policy(handle(this), &raw mut policy) })?;
        Ok(into.set_region(env, 0, &told(&policy))?)
    });
}

/// How many notes are taken at a time.
const BATCH: usize = 32;

/// Takes notes of discarded messages: sequence, user and size of each. Answers how many.
pub(crate) extern "system" fn take_discards<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    notes: jlong,
    into: JLongArray<'local>,
) -> jint {
    object(&mut env, 0, |env| {
        let room = (into.len(env)? / 3).min(BATCH);
        let mut discarded = [[0; 3]; BATCH];
        // SAFETY: the notes stay while Java has the cursor.
        let count = unsafe { Notes::of(notes) }.take(discarded.get_mut(..room).unwrap_or_default());
        into.set_region(env, 0, discarded.as_flattened().get(..3 * count).unwrap_or_default())?;
        Ok(count as jint)
    })
}

/// Makes a group below a tracker. Answers its handle.
pub(crate) extern "system" fn group_create<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    parent: jlong,
    mailbox: jlong,
    divides_limit: jboolean,
    max_lent_bytes: jlong,
) -> jlong {
    object(&mut env, mailbox, |_| {
        let mut options: GroupOptions = defaults(abi::qc_cursor_group_options_init)?;
        options.divides_limit = divides_limit.into();
        options.max_lent_bytes = natural("max_lent_bytes", max_lent_bytes)?;
        let mut made = ptr::null_mut();
        // SAFETY: the options are a whole struct, and there is a place for the handle.
        checked(unsafe { abi::qc_cursor_group_create(&raw const options, handle(parent), &raw mut made) })?;
        Ok(number(made))
    })
}

/// Writes the figures of `struct qc_cursor_group_stats`, in their order.
pub(crate) extern "system" fn group_stats<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    this: jlong,
    into: JLongArray<'local>,
) {
    object(&mut env, 0, |env| {
        let mut stats = Stats::<{ abi::GROUP_FIGURES }>::new();
        // SAFETY: the struct is as long as it says.
        checked(unsafe { abi::qc_cursor_group_stats(handle(this), &raw mut stats) })?;
        let [lent, peak, pages, refused, bytes] = stats.figures.map(|figure| figure as jlong);
        let figures = [stats.first.into(), stats.second.into(), lent, peak, pages, refused, bytes];
        Ok(into.set_region(env, 0, &figures)?)
    });
}
