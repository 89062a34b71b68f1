//! One cache line of the index: twelve entries of a tag and a position, and a link to an overflow bucket.
//!
//! ```text
//!  byte 0           12      16                                              64
//!       +-----------+-------+-----------------------------------------------+
//!       | 12 tags   | link  | 12 positions, 4 bytes each                    |
//!       +-----------+-------+-----------------------------------------------+
//!  tag       8 bits of the key's hash, 0 where the lane is empty
//!  position  31 bits: a record of the log (top bit clear), or (top bit set) the slot of a live entry that has
//!            outlived its window and left the log
//!  link      24 bits: the number of the overflow bucket that continues this one, if one does; 8 bits: which
//!            tags, by their lowest three bits, the overflow buckets hold (kept in the home bucket only)
//! ```
//!
//! A look-up compares all tags at once and reads a key only where the tag is the same, one time in 255 by
//! chance. Where the position is known, it is compared instead, in the same line, and no key is read.

/// Entries in a bucket.
pub(super) const LANES: usize = 12;
/// The tag of an empty lane.
const EMPTY_TAG: u8 = 0;

/// What a bucket knows of the overflow buckets behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Link(u32);

impl Link {
    const NUMBER_BITS: u32 = 24;
    /// No overflow bucket, and no tag in it.
    pub(super) const NONE: Link = Link((1 << Self::NUMBER_BITS) - 1);

    /// A link to an overflow bucket; `None` for a number that does not fit.
    pub(super) fn to(number: u32) -> Option<Link> {
        if number < Self::NONE.0 { Some(Link(number)) } else { None }
    }

    /// The number of the next overflow bucket.
    #[inline(always)]
    pub(super) fn number(self) -> Option<u32> {
        let number = self.0 & Self::NONE.0;
        if number == Self::NONE.0 { None } else { Some(number) }
    }

    /// Whether the chain may hold an entry with this tag. If not, a look-up ends here.
    #[inline(always)]
    pub(super) fn may_hold(self, tag: u8) -> bool {
        self.0 & Self::filter(tag) != 0
    }

    /// The same link, and the chain holds this tag.
    pub(super) fn with(self, tag: u8) -> Link {
        Link(self.0 | Self::filter(tag))
    }

    /// The same link, and the chain holds what `other` tells of.
    pub(super) fn with_all_of(self, other: Link) -> Link {
        Link(self.0 | other.0 & !Self::NONE.0)
    }

    /// The same link, to a chain without an entry.
    pub(super) fn without_tags(self) -> Link {
        Link(self.0 & Self::NONE.0)
    }

    fn filter(tag: u8) -> u32 {
        1 << (Self::NUMBER_BITS + u32::from(tag & 7))
    }
}

/// Where an entry's data is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Position(u32);

impl Position {
    const LIVE: u32 = 1 << 31;
    /// In empty lanes: never the position of an entry, since slots and records stay below 2^31 - 1.
    const NONE: Position = Position(u32::MAX);

    #[inline(always)]
    pub(super) fn of_slot(slot: u32) -> Position {
        Position(slot | Self::LIVE)
    }

    #[inline(always)]
    pub(super) fn of_record(record: u32) -> Position {
        Position(record)
    }

    /// The record of an entry, or the slot of a live one that has left the log.
    #[inline(always)]
    pub(super) fn decode(self) -> Decoded {
        if self.0 & Self::LIVE != 0 { Decoded::Slot(self.0 & !Self::LIVE) } else { Decoded::Record(self.0) }
    }
}

/// A position, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decoded {
    Slot(u32),
    Record(u32),
}

/// The tag of a hash: its low byte, moved off the mark of an empty lane. (The home bucket is chosen by the
/// high half, so the two are independent.)
#[inline(always)]
pub(super) fn tag_of(hash: u64) -> u8 {
    (hash as u8).max(EMPTY_TAG + 1)
}

/// A set of lanes, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lanes(u32);

impl Lanes {
    const ALL: u32 = (1 << LANES) - 1;

    #[inline(always)]
    pub(super) fn first(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as usize) }
    }
}

impl Iterator for Lanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let lane = self.first()?;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Bucket {
    pub(super) tags: [u8; LANES],
    pub(super) link: Link,
    pub(super) positions: [Position; LANES],
}

impl Bucket {
    pub(super) const EMPTY: Bucket =
        Bucket { tags: [EMPTY_TAG; LANES], link: Link::NONE, positions: [Position::NONE; LANES] };

    /// The lanes that carry `tag`.
    #[inline(always)]
    pub(super) fn matches(&self, tag: u8) -> Lanes {
        Lanes(equal_bytes(self, tag) & Lanes::ALL)
    }

    #[inline(always)]
    pub(super) fn empty_lanes(&self) -> Lanes {
        self.matches(EMPTY_TAG)
    }

    #[inline(always)]
    pub(super) fn full_lanes(&self) -> Lanes {
        Lanes(!self.matches(EMPTY_TAG).0 & Lanes::ALL)
    }

    #[inline(always)]
    pub(super) fn tag(&self, lane: usize) -> u8 {
        self.tags[lane]
    }

    #[inline(always)]
    pub(super) fn position(&self, lane: usize) -> Position {
        self.positions[lane]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, tag: u8, position: Position) {
        self.tags[lane] = tag;
        self.positions[lane] = position;
    }

    /// The entry of the lane is at another position now.
    #[inline(always)]
    pub(super) fn set_position(&mut self, lane: usize, position: Position) {
        self.positions[lane] = position;
    }

    #[inline(always)]
    pub(super) fn clear(&mut self, lane: usize) {
        self.set(lane, EMPTY_TAG, Position::NONE);
    }
}

/// The comparison, with the vector instructions that every x86_64 has.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn equal_bytes(bucket: &Bucket, byte: u8) -> u32 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_load_si128, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: the bucket is 64 initialised bytes, aligned to 64, and SSE2 is part of every x86_64. The four
    // bytes of the link are compared too; the caller drops their bits.
    unsafe {
        let tags = _mm_load_si128(std::ptr::from_ref(bucket).cast());
        _mm_movemask_epi8(_mm_cmpeq_epi8(tags, _mm_set1_epi8(byte as i8))) as u32
    }
}

/// The comparison, in a form that compilers turn into vector code.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn equal_bytes(bucket: &Bucket, byte: u8) -> u32 {
    bucket.tags.iter().enumerate().fold(0, |set, (lane, tag)| set | u32::from(*tag == byte) << lane)
}

const _: () = assert!(size_of::<Bucket>() == 64);
