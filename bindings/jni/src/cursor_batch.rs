//! Batches of calls on a cursor: one crossing for many messages, over one direct buffer that `CursorBatch` keeps; and pages.
//!
//! ```text
//! batch of n elements                       bytes    what                                            who writes it
//! 0            +-------------------------+
//!              | number | end | blocked  |   16      elements done, or messages given; of a pull:    native
//! 16           +-------------------------+           why it ended (4), what blocks it (4)
//!              | message 0 .. n-1        |   32 n    pushed: token, sequence, user, size (4),        Java
//!              |                         |           priority (1), write (1), 0 (2)
//!              +-------------------------+
//!              | delivered 0 .. n-1      |   40 n    pulled: sequence, token, user, size (4),        native
//!              |                         |           redeliveries (4), priority (1), 0 (7)
//!              +-------------------------+
//!              | released 0 .. n-1       |   24 n    of acks: user, bytes, was in memory (4), 0 (4)  native
//!              +-------------------------+
//!              | ack 0 .. n-1            |    8 n    sequences that are acknowledged                 Java
//!              +-------------------------+
//!              | token 0 .. n-1          |    8 n    tokens of writes that are committed             Java
//!              +-------------------------+
//!              | committed 0 .. n-1      |    8 n    their sequences                                 Java
//!              +-------------------------+
//!              | pushed 0 .. n-1         |    4 n    of pushes: cached or stored                     native
//!              +-------------------------+
//!
//! page of n messages
//! 0            +-------------------------+
//!              | count | 0               |   16      messages on it                                  who fills it
//! 16           +-------------------------+
//!              | stored 0 .. n-1         |   24 n    sequence, user, size (4), priority (1), 0 (3)   who fills it
//!              +-------------------------+
//! ```
//! The sections of [`Batch`] below are this drawing; Java asks where things stand ([`layout`], [`fields`]) and writes no offset down.

use crate::arguments::{handle, in_range};
use crate::batch::{Batch, HEAD, MAX_CAPACITY, Part};
use crate::boundary::{address, natives, object, scalar};
use crate::cursor_store::{Callable, Notes};
use crate::direct::Desk;
use crate::failure::checked;
use crate::sys_cursor::{self as abi, Browsed, Delivered, Message, Pulled, Released, Stored};
use jni::EnvUnowned;
use jni::objects::{JClass, JLongArray, JObject};
use jni::sys::{jint, jlong};
use std::mem::offset_of;

/// Where the sections of a batch for a cursor stand.
impl Batch {
    fn head(self) -> *mut Pulled {
        self.base.cast()
    }

    fn messages(self) -> *mut Message {
        self.at(0)
    }

    fn delivered(self) -> *mut Delivered {
        self.at(32)
    }

    fn released(self) -> *mut Released {
        self.at(72)
    }

    fn acks(self) -> *mut u64 {
        self.at(96)
    }

    fn tokens(self) -> *mut u64 {
        self.at(104)
    }

    fn committed(self) -> *mut u64 {
        self.at(112)
    }

    fn pushed(self) -> *mut u32 {
        self.at(120)
    }

    fn end(self) -> *mut u8 {
        self.at(124)
    }
}

/// Writes where the sections of a batch stand, in the order of the drawing, and the bytes of it all; then the bytes of a page
/// of the same capacity.
pub(crate) extern "system" fn layout<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    capacity: jint,
    into: JLongArray<'local>,
) {
    object(&mut env, 0, |env| {
        let capacity = in_range("capacity", capacity, 1, MAX_CAPACITY)?;
        let here = Batch::drawn(capacity);
        let offsets = [
            here.messages().addr(),
            here.delivered().addr(),
            here.released().addr(),
            here.acks().addr(),
            here.tokens().addr(),
            here.committed().addr(),
            here.pushed().addr(),
            here.end().addr(),
            HEAD + capacity * size_of::<Stored>(),
        ];
        Ok(into.set_region(env, 0, &offsets.map(|offset| offset as jlong))?)
    });
}

/// Writes what `CursorLayout` has, in its order: the head of a page, and the bytes and fields of each struct.
pub(crate) extern "system" fn fields<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    into: JLongArray<'local>,
) {
    object(&mut env, 0, |env| {
        let numbers = [
            HEAD,
            offset_of!(Pulled, end),
            offset_of!(Pulled, blocked),
            size_of::<Message>(),
            offset_of!(Message, token),
            offset_of!(Message, sequence),
            offset_of!(Message, user),
            offset_of!(Message, size_bytes),
            offset_of!(Message, priority),
            offset_of!(Message, write),
            size_of::<Delivered>(),
            offset_of!(Delivered, sequence),
            offset_of!(Delivered, token),
            offset_of!(Delivered, user),
            offset_of!(Delivered, size_bytes),
            offset_of!(Delivered, redeliveries),
            offset_of!(Delivered, priority),
            size_of::<Released>(),
            offset_of!(Released, user),
            offset_of!(Released, released_bytes),
            offset_of!(Released, was_in_memory),
            size_of::<Stored>(),
            offset_of!(Stored, sequence),
            offset_of!(Stored, user),
            offset_of!(Stored, size_bytes),
            offset_of!(Stored, priority),
        ];
        Ok(into.set_region(env, 0, &numbers.map(|number| number as jlong))?)
    });
}

natives! {
    by mailbox;

    /// Pushes messages of a batch.
    fn push_batch(this: jlong, mailbox: jlong, base: jlong, capacity: jint, from: jint, count: jint) -> jint {
        // SAFETY: Java made it, and counts.
        let part = unsafe { Part::of(base, capacity, from, count) };
        let (messages, pushed) = (part.here.messages(), part.here.pushed());
        // SAFETY: the sections are as long as the capacity, and Java does not touch them meanwhile.
        part.run(|count, done| unsafe {
            abi::qc_cursor_push_batch(handle(this), messages.add(part.from), count, pushed.add(part.from), done)
        })
    }

    /// Takes note that writes of a batch are committed.
    fn committed_batch(this: jlong, mailbox: jlong, base: jlong, capacity: jint, from: jint, count: jint) -> jint {
        // SAFETY: Java made it, and counts.
        let part = unsafe { Part::of(base, capacity, from, count) };
        let (tokens, sequences) = (part.here.tokens(), part.here.committed());
        // SAFETY: as in `push_batch`.
        part.run(|count, done| unsafe {
            abi::qc_cursor_committed_batch(handle(this), tokens.add(part.from), sequences.add(part.from), count, done)
        })
    }

    /// Acknowledges sequences of a batch.
    fn ack_batch(this: jlong, mailbox: jlong, base: jlong, capacity: jint, from: jint, count: jint) -> jint {
        // SAFETY: Java made it, and counts.
        let part = unsafe { Part::of(base, capacity, from, count) };
        let (sequences, released) = (part.here.acks(), part.here.released());
        // SAFETY: as in `push_batch`.
        part.run(|count, done| unsafe {
            abi::qc_cursor_ack_batch(handle(this), sequences.add(part.from), count, released.add(part.from), done)
        })
    }
}

/// Pulls into a batch. Leaves with the batch how many messages it gave, why it ended and what blocks it. Answers how many notes
/// of discarded messages wait.
#[allow(clippy::too_many_arguments, reason = "Java's order")]
pub(crate) extern "system" fn pull<'local>(
    mut env: EnvUnowned<'local>,
    class: JClass<'local>,
    this: jlong,
    mailbox: jlong,
    notes: jlong,
    cursor: JObject<'local>,
    demand: jint,
    round: jint,
    base: jlong,
    capacity: jint,
) -> jint {
    let callable = Callable::enter(&env, &class, &cursor);
    let waiting = scalar(&mut env, mailbox, || {
        // SAFETY: Java made it.
        let here = unsafe { Batch::of(base, capacity) };
        let mut pulled = Pulled::default();
        // SAFETY: there is room for as many as the capacity, and a place for the answer.
        let status = unsafe {
            let (out, room) = (here.delivered(), here.capacity);
            abi::qc_cursor_pull(handle(this), demand as u32, round as u32, out, room, &raw mut pulled)
        };
        // SAFETY: the head of a batch has that form.
        unsafe { here.head().write(pulled) };
        checked(status)?;
        // SAFETY: the notes stay while Java has the cursor.
        Ok(unsafe { Notes::of(notes) }.len() as jint)
    });
    drop(callable);
    waiting
}

/// Browses into a page. Leaves with the page how many messages are on it, and on the desk where to go on and whether there
/// is more. Answers as `pull`.
#[allow(clippy::too_many_arguments, reason = "Java's order")]
pub(crate) extern "system" fn browse<'local>(
    mut env: EnvUnowned<'local>,
    class: JClass<'local>,
    this: jlong,
    mailbox: jlong,
    notes: jlong,
    cursor: JObject<'local>,
    desk: jlong,
    after: jlong,
    page: jlong,
    capacity: jint,
) -> jint {
    let callable = Callable::enter(&env, &class, &cursor);
    let waiting = scalar(&mut env, mailbox, || {
        let page = address::<u8>(page);
        let out = page.wrapping_add(HEAD).cast::<Stored>();
        let mut browsed = Browsed::default();
        // SAFETY: the page has room for as many as its capacity, and there is a place for the answer.
        let status = unsafe {
            page.cast::<u64>().write(0);
            abi::qc_cursor_browse(handle(this), after as u64, out, capacity as usize, &raw mut browsed)
        };
        checked(status)?;
        // SAFETY: as above; Java's desk; and the notes stay while Java has the cursor.
        unsafe {
            page.cast::<u64>().write(browsed.count);
            Desk::of(desk).put([browsed.after, browsed.more.into()]);
            Ok(Notes::of(notes).len() as jint)
        }
    });
    drop(callable);
    waiting
}

const _: () = assert!(HEAD == size_of::<Pulled>());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::check_sections;

    #[test]
    fn sections_follow_each_other_and_are_aligned() {
        for capacity in [1, 7, 64, MAX_CAPACITY] {
            let here = Batch::drawn(capacity);
            let sections = [
                (here.messages().addr(), size_of::<Message>(), align_of::<Message>()),
                (here.delivered().addr(), size_of::<Delivered>(), align_of::<Delivered>()),
                (here.released().addr(), size_of::<Released>(), align_of::<Released>()),
                (here.acks().addr(), 8, 8),
                (here.tokens().addr(), 8, 8),
                (here.committed().addr(), 8, 8),
                (here.pushed().addr(), 4, 4),
                (here.end().addr(), 0, 1),
            ];
            check_sections(capacity, &sections);
        }
    }
}
