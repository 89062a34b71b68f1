//! What goes into the calls on a cursor and what comes out of them, as C sees it: numbers with names, and small structs.
//!
//! The files of `ffi` that export calls on cursors use these. Structs that cross in arrays have the layout of the core's
//! own, so that nothing is copied.

use super::last_error::{Failed, fail};
use crate::cursor::{
    Blocked, Browsed, Delivered, Dropped, Message, PullEnd, Pulled, Purged, Pushed, Released, Stored, Write,
};
use std::mem::offset_of;

/// How far the write of a pushed message has come. `qc_message` keeps it as a `uint8_t`.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_write {
    /// The store has it, under the message's `sequence`.
    QC_WRITE_COMMITTED = 0,
    /// It is on its way to the store: `qc_cursor_committed` or `qc_cursor_aborted` follows. `sequence` is 0 if it is not
    /// known yet, else the number that the store has given it already.
    QC_WRITE_OPEN = 1,
}

/// Where a pushed message is. Calls write it as a `uint32_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_pushed {
    /// In memory, which is charged: the host keeps its body.
    QC_CACHED = 0,
    /// In the store only: the host can let go of its body. A page brings it back.
    QC_STORED = 1,
}

/// Whether a pull begins a new round over the window. `qc_cursor_pull` takes it as a `uint32_t`.
///
/// In a round the host offers messages to its consumers and parks those that none of them takes (selectors, groups).
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_round {
    /// A new round: parked messages are offered again, at their places.
    QC_ROUND_BEGIN = 0,
    /// The same round: parked messages stay aside.
    QC_ROUND_CONTINUE = 1,
}

/// Why a pull ended. `qc_pulled` keeps it as a `uint32_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_pull_end {
    /// The demand is met, or one page was taken in: another pull may give more.
    QC_PULL_MORE = 0,
    /// Nothing is pending that is not in flight or parked.
    QC_PULL_EMPTY = 1,
    /// Something is pending and cannot be had now; the ready callback follows.
    QC_PULL_BLOCKED = 2,
}

/// What blocks a pull. `qc_pulled` keeps it as a `uint32_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum qc_blocked {
    /// Nothing: the pull did not end with QC_PULL_BLOCKED.
    QC_BLOCKED_NOT = 0,
    /// The cursor's own usage is not below the mark: messages have to be acknowledged first.
    QC_BLOCKED_OWN_MARK = 1,
    /// The parent is over its paging mark, and the guaranteed share is lent out, or not for this cursor.
    QC_BLOCKED_PARENT = 2,
    /// The window holds `max_entries` messages, or nearly.
    QC_BLOCKED_ENTRIES = 3,
    /// What is next has not been committed yet.
    QC_BLOCKED_COMMIT = 4,
}

/// A message that the broker has handed to its store.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_message {
    /// The host's number for it, rising from push to push; any number the first time.
    pub token: u64,
    /// Its place in the queue, from 1, below 2^64-1, rising from push to push; see `write`.
    pub sequence: u64,
    /// The host's own: a pull hands it out again. Often where the body is.
    pub user: u64,
    /// What it takes in memory, in bytes.
    pub size_bytes: u32,
    /// Higher goes first.
    pub priority: u8,
    /// A `qc_write`.
    pub write: u8,
    /// 0.
    pub reserved: u16,
}

/// A message in the consumers' hands.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_delivered {
    /// Its place in the queue: `qc_cursor_ack` and the calls beside it name it by this.
    pub sequence: u64,
    /// The token it was pushed with; 0 if it came from the store.
    pub token: u64,
    /// As it was pushed, or as the store told it.
    pub user: u64,
    /// Its size in bytes, likewise.
    pub size_bytes: u32,
    /// How often it was requeued. The count is kept in memory, not in the store.
    pub redeliveries: u32,
    /// Higher goes first.
    pub priority: u8,
    /// Of no meaning.
    pub reserved: [u8; 7],
}

/// A message as the store tells it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_stored {
    /// Its place in the queue, from 1.
    pub sequence: u64,
    /// The host's own: what a pull hands out with the message. Often where its body is.
    pub user: u64,
    /// What it takes in memory, in bytes. It is charged as this says.
    pub size_bytes: u32,
    /// Higher goes first.
    pub priority: u8,
    /// Of no meaning.
    pub reserved: [u8; 3],
}

/// What a pull did.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_pulled {
    /// How many messages it wrote.
    pub count: u64,
    /// A `qc_pull_end`.
    pub end: u32,
    /// A `qc_blocked`.
    pub blocked: u32,
}

/// What a browse did.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_browsed {
    /// How many messages it wrote.
    pub count: u64,
    /// Where the next browse goes on.
    pub after: u64,
    /// 1 if there may be more behind that, else 0.
    pub more: u32,
    /// 0.
    pub reserved: u32,
}

/// A message that has left the window.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_released {
    /// The host's own, 0 if the window did not hold the message.
    pub user: u64,
    /// What was charged for it and is released, in bytes.
    pub released_bytes: u64,
    /// 1 if its body was in memory, else 0.
    pub was_in_memory: u32,
    /// 0.
    pub reserved: u32,
}

/// What `qc_cursor_drop_cache` gave back.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_dropped {
    /// Messages.
    pub messages: u64,
    /// What was charged for them, in bytes.
    pub released_bytes: u64,
}

/// What a purge removed.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_purged {
    /// What is up to this sequence and not in flight is purged, or will be when there is no more to do. The host deletes it
    /// from its store.
    pub up_to: u64,
    /// Messages of the window that this call removed.
    pub messages: u64,
    /// Messages beyond the window, which the store alone had, as far as is known.
    pub stored_messages: u64,
    /// What was charged for them and is released, in bytes.
    pub released_bytes: u64,
    /// 1 if the window has more of them, else 0.
    pub more: u32,
    /// 0.
    pub reserved: u32,
}

// The core's messages have the layout of C's.
const _: () = assert!(
    size_of::<Stored>() == size_of::<qc_stored>()
        && align_of::<Stored>() == align_of::<qc_stored>()
        && offset_of!(Stored, sequence) == offset_of!(qc_stored, sequence)
        && offset_of!(Stored, user) == offset_of!(qc_stored, user)
        && offset_of!(Stored, size_bytes) == offset_of!(qc_stored, size_bytes)
        && offset_of!(Stored, priority) == offset_of!(qc_stored, priority)
);
const _: () = assert!(
    size_of::<Delivered>() == size_of::<qc_delivered>()
        && align_of::<Delivered>() == align_of::<qc_delivered>()
        && offset_of!(Delivered, sequence) == offset_of!(qc_delivered, sequence)
        && offset_of!(Delivered, token) == offset_of!(qc_delivered, token)
        && offset_of!(Delivered, user) == offset_of!(qc_delivered, user)
        && offset_of!(Delivered, size_bytes) == offset_of!(qc_delivered, size_bytes)
        && offset_of!(Delivered, redeliveries) == offset_of!(qc_delivered, redeliveries)
        && offset_of!(Delivered, priority) == offset_of!(qc_delivered, priority)
);

impl qc_message {
    /// The core's message.
    #[inline(always)]
    pub(super) fn to_core(self) -> Result<Message, Failed> {
        const COMMITTED: u8 = qc_write::QC_WRITE_COMMITTED as u8;
        const OPEN: u8 = qc_write::QC_WRITE_OPEN as u8;
        let write = match (self.write, self.sequence) {
            (COMMITTED, sequence) => Write::Committed(sequence),
            (OPEN, 0) => Write::Open,
            (OPEN, sequence) => Write::OpenAt(sequence),
            _ => return Err(self.refuse()),
        };
        if self.reserved != 0 {
            return Err(self.refuse());
        }
        Ok(Message {
            token: self.token,
            user: self.user,
            size_bytes: self.size_bytes,
            priority: self.priority,
            write,
        })
    }

    #[cold]
    #[inline(never)]
    fn refuse(&self) -> Failed {
        if self.write > qc_write::QC_WRITE_OPEN as u8 {
            return fail!(QC_ERR_INVALID_ARGUMENT, "message.write = {} is no qc_write", self.write);
        }
        fail!(QC_ERR_UNSUPPORTED, "message.reserved = {} has no meaning; it must be 0", self.reserved)
    }
}

/// The number for where a message is.
#[inline(always)]
pub(super) fn pushed(pushed: Pushed) -> u32 {
    let named = match pushed {
        Pushed::Cached => qc_pushed::QC_CACHED,
        Pushed::Stored => qc_pushed::QC_STORED,
    };
    named as u32
}

impl From<Pulled> for qc_pulled {
    #[inline(always)]
    fn from(pulled: Pulled) -> qc_pulled {
        let (end, blocked) = match pulled.end {
            PullEnd::More => (qc_pull_end::QC_PULL_MORE, qc_blocked::QC_BLOCKED_NOT),
            PullEnd::Empty => (qc_pull_end::QC_PULL_EMPTY, qc_blocked::QC_BLOCKED_NOT),
            PullEnd::Blocked(reason) => {
                let named = match reason {
                    Blocked::OwnMark => qc_blocked::QC_BLOCKED_OWN_MARK,
                    Blocked::Parent => qc_blocked::QC_BLOCKED_PARENT,
                    Blocked::Entries => qc_blocked::QC_BLOCKED_ENTRIES,
                    Blocked::Commit => qc_blocked::QC_BLOCKED_COMMIT,
                };
                (qc_pull_end::QC_PULL_BLOCKED, named)
            }
        };
        qc_pulled { count: pulled.count as u64, end: end as u32, blocked: blocked as u32 }
    }
}

impl From<Browsed> for qc_browsed {
    fn from(browsed: Browsed) -> qc_browsed {
        qc_browsed {
            count: browsed.count as u64,
            after: browsed.after,
            more: u32::from(browsed.more),
            reserved: 0,
        }
    }
}

impl From<Released> for qc_released {
    #[inline(always)]
    fn from(released: Released) -> qc_released {
        qc_released {
            user: released.user,
            released_bytes: released.released_bytes,
            was_in_memory: u32::from(released.was_in_memory),
            reserved: 0,
        }
    }
}

impl From<Purged> for qc_purged {
    fn from(purged: Purged) -> qc_purged {
        qc_purged {
            up_to: purged.up_to,
            messages: purged.messages,
            stored_messages: purged.stored_messages,
            released_bytes: purged.released_bytes,
            more: u32::from(purged.more),
            reserved: 0,
        }
    }
}

impl From<Dropped> for qc_dropped {
    fn from(dropped: Dropped) -> qc_dropped {
        qc_dropped { messages: dropped.messages, released_bytes: dropped.released_bytes }
    }
}
