//! A message of the window: what the cursor knows of it, and where it is in the order. One cache line.
//!
//! ```text
//!               push, cached                        page in
//!                    |                                 |
//!        open, or    v      all before it answered     v
//!        behind   Hidden  ------------------------>  Fresh  -----------+
//!        an open    |                                                  | pull
//!        write      | drop_cache                     Requeued  --------+
//!                   v                                  ^  ^            v
//!            (in the store only)      the next round   |  |         InFlight
//!                                  Parked -------------+  |  requeue   |
//!                                    ^                    +------------+
//!                                    +---------------------------------+--> gone: ack, remove, abort
//!                                                 park
//! ```
//! Fresh, requeued and parked messages may be *dropped* besides: `drop_cache` has given their memory back and left them
//! at their places; a page brings them back.

use super::store::Stored;

/// No slot.
pub(super) const NO_SLOT: u32 = u32::MAX;

/// What is going on with a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum State {
    /// Not to be delivered yet: its write or an earlier one is open. In no list.
    Hidden,
    /// Never delivered: in the list of its lane.
    Fresh,
    /// Put back: in the heap of its lane.
    Requeued,
    /// Put aside for this round: in the list of the parked.
    Parked,
    /// In the consumers' hands: in no list.
    InFlight,
}

/// Yes-or-no facts of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Flags(u8);

impl Flags {
    /// Its memory was given back; it is in the store.
    pub(super) const DROPPED: Flags = Flags(1);
    /// It came in by the guaranteed share.
    pub(super) const LENT: Flags = Flags(2);
    /// Its write is still recorded.
    pub(super) const WRITE: Flags = Flags(4);

    pub(super) const fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    pub(super) fn set(&mut self, flag: Flags) {
        self.0 |= flag.0;
    }

    pub(super) fn clear(&mut self, flag: Flags) {
        self.0 &= !flag.0;
    }
}

/// A message of the window.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Entry {
    /// 0 while it is not known.
    pub(super) sequence: u64,
    pub(super) token: u64,
    pub(super) user: u64,
    pub(super) size_bytes: u32,
    /// What was charged for it and not released.
    pub(super) charged_bytes: u32,
    pub(super) redeliveries: u32,
    /// In a list: the one before. In a heap: the sibling before, or the parent of a first child.
    pub(super) previous: u32,
    /// In a list: the one behind. In a heap: the sibling behind.
    pub(super) next: u32,
    /// In a heap: the first child.
    pub(super) child: u32,
    pub(super) priority: u8,
    pub(super) state: State,
    pub(super) flags: Flags,
}

const _: () = assert!(size_of::<Entry>() == 64);

impl Entry {
    /// A message in no list whose memory is there.
    pub(super) fn new(sequence: u64, token: u64, user: u64, size_bytes: u32, priority: u8) -> Entry {
        Entry {
            sequence,
            token,
            user,
            size_bytes,
            charged_bytes: 0,
            redeliveries: 0,
            previous: NO_SLOT,
            next: NO_SLOT,
            child: NO_SLOT,
            priority,
            state: State::Hidden,
            flags: Flags::default(),
        }
    }

    /// As a store would tell it.
    pub(super) fn as_stored(&self) -> Stored {
        let Entry { sequence, user, size_bytes, priority, .. } = *self;
        Stored { sequence, user, size_bytes, priority }
    }

    /// Whether it takes memory.
    pub(super) fn is_in_memory(&self) -> bool {
        !self.flags.has(Flags::DROPPED)
    }
}
