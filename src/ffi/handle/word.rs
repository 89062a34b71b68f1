//! How handles and the words of the table are put together out of bits. Pure arithmetic; the table alone uses it.
//!
//! ```text
//!            63      56 55                        25 24              1 0
//! handle    +----------+----------------------------+-----------------+-+
//!           |   0x51   |  generation, 1 to 2^31-1   |  slot           |1|
//!           +----------+----------------------------+-----------------+-+
//!                          40                     10 9        2 1    0
//! word      +-------------+-------------------------+----------+------+     01 idle      a call may enter
//! (at rest) |      0      |  generation             |  part    | kind |     10 vacant    destroyed
//!           +-------------+-------------------------+----------+------+     11 poisoned  only destroy may enter
//! word      +--------------------------------------------------+------+
//! (busy)    |  thread identity of the call that is inside      |  00  |     all zero: no handle of this slot yet
//!           +--------------------------------------------------+------+
//! ```
//! No pointer has the value of a handle: on the 64-bit machines in use the top byte of an address is all zeros or all
//! ones, or a small tag on machines that ignore it; small integers have a top byte of zero, and objects lie at even
//! addresses. So a number that was never given out is told from one that was.

use crate::sync::ThreadId;

#[cfg(not(target_pointer_width = "64"))]
compile_error!("a handle packs its tag, generation and slot into the 64 bits of a pointer");

/// The top byte of every handle.
const TAG: u64 = 0x51;
const TAG_SHIFT: u32 = 56;
const GENERATION_SHIFT: u32 = 25;
const SLOT_BITS: u32 = 24;

/// The last generation of a slot. After it the slot is retired, so that no handle ever comes twice.
pub(super) const MAX_GENERATION: u32 = (1 << (TAG_SHIFT - GENERATION_SHIFT)) - 1;

/// The kind of object behind a handle. Numbers are internal: no handle contains one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A `qc_history`.
    History = 1,
    /// A `qc_usage`.
    Usage = 2,
    /// A `qc_cursor`.
    Cursor = 3,
    /// A `qc_cursor_group`.
    CursorGroup = 4,
    /// A `qc_usage_hold`.
    UsageHold = 5,
    /// A `qc_history_group`.
    HistoryGroup = 8,
    /// Stands for the parts to come, so that the tests can mix handles up.
    #[cfg(test)]
    Other = 6,
}

/// What a handle says: the slot of the table, and which of the slot's objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

impl Name {
    /// The handle.
    pub(super) fn to_handle(self) -> usize {
        let bits = (TAG << TAG_SHIFT)
            | (u64::from(self.generation) << GENERATION_SHIFT)
            | (u64::from(self.slot) << 1)
            | 1;
        bits as usize
    }

    /// Takes a handle apart; `None` if no handle looks like this.
    #[inline(always)]
    pub(super) fn from_handle(handle: usize) -> Option<Name> {
        let bits = handle as u64;
        if bits >> TAG_SHIFT != TAG || bits & 1 == 0 {
            return None;
        }
        let slot = ((bits >> 1) & ((1 << SLOT_BITS) - 1)) as u32;
        let generation = ((bits >> GENERATION_SHIFT) as u32) & MAX_GENERATION;
        Some(Name { slot, generation })
    }
}

/// What identifies one object among all that ever stood in its slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Identity(u64);

impl Identity {
    #[inline(always)]
    pub(super) fn new(generation: u32, kind: Kind) -> Identity {
        Identity((u64::from(generation) << 8) | kind as u64)
    }

    pub(super) fn from_bits(bits: u64) -> Identity {
        Identity(bits)
    }

    pub(super) fn to_bits(self) -> u64 {
        self.0
    }

    pub(super) fn generation(self) -> u32 {
        (self.0 >> 8) as u32
    }

    /// Whether it is an object of this kind.
    pub(super) fn is(self, kind: Kind) -> bool {
        self.0 & 0xff == kind as u64
    }

    /// The word while nobody is inside.
    #[inline(always)]
    pub(super) fn idle(self) -> u64 {
        (self.0 << 2) | 0b01
    }

    /// The word after the object was destroyed.
    pub(super) fn vacant(self) -> u64 {
        (self.0 << 2) | 0b10
    }

    /// The word after a call panicked.
    pub(super) fn poisoned(self) -> u64 {
        (self.0 << 2) | 0b11
    }
}

/// A word, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// No object has stood here yet.
    Unused,
    /// A call of this thread is inside. Which object it is stands in the entry's identity.
    Busy(u64),
    /// Free to enter.
    Idle(Identity),
    /// Destroyed.
    Vacant(Identity),
    /// Poisoned.
    Poisoned(Identity),
}

impl State {
    pub(super) fn of(word: u64) -> State {
        let identity = Identity(word >> 2);
        match word & 0b11 {
            0b01 => State::Idle(identity),
            0b10 => State::Vacant(identity),
            0b11 => State::Poisoned(identity),
            _ if word == 0 => State::Unused,
            _ => State::Busy(word),
        }
    }
}

/// The word while a call of `thread` is inside.
#[inline(always)]
pub(super) fn busy(thread: ThreadId) -> u64 {
    thread.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_taken_apart_as_it_was_put_together() {
        for slot in [0, 1, 63, 64, (1 << SLOT_BITS) - 1] {
            for generation in [1, 2, MAX_GENERATION - 1, MAX_GENERATION] {
                let name = Name { slot, generation };
                assert_eq!(Name::from_handle(name.to_handle()), Some(name));
            }
        }
    }

    #[test]
    fn addresses_and_small_numbers_are_no_handles() {
        let here = 5_u8;
        let boxed = Box::new([0_u64; 4]);
        let function = a_handle_is_taken_apart_as_it_was_put_together as fn() as usize;
        for number in [0, 1, 7, 4096, 0xdead_beef, usize::MAX, usize::MAX >> 1, 1 << 47, !0 << 47, function] {
            assert_eq!(Name::from_handle(number), None, "{number:#x}");
        }
        assert_eq!(Name::from_handle(std::ptr::from_ref(&here).addr()), None);
        assert_eq!(Name::from_handle(boxed.as_ptr().addr()), None);
        let handle = Name { slot: 3, generation: 9 }.to_handle();
        assert_eq!(Name::from_handle(handle & !1), None, "an even number");
        for bit in 56..64 {
            assert_eq!(Name::from_handle(handle ^ (1 << bit)), None, "another top byte");
        }
    }

    #[test]
    fn a_word_is_taken_apart_as_it_was_put_together() {
        let identity = Identity::new(MAX_GENERATION, Kind::History);
        assert_eq!(State::of(0), State::Unused);
        assert_eq!(State::of(identity.idle()), State::Idle(identity));
        assert_eq!(State::of(identity.vacant()), State::Vacant(identity));
        assert_eq!(State::of(identity.poisoned()), State::Poisoned(identity));
        let thread = ThreadId::made_up(5);
        assert_eq!(State::of(busy(thread)), State::Busy(thread.to_bits()));
        assert_eq!(identity.generation(), MAX_GENERATION);
        assert!(identity.is(Kind::History) && !identity.is(Kind::Other));
        assert_eq!(Identity::from_bits(identity.to_bits()), identity);
    }
}
