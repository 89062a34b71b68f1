//! The index: from a key's hash to where its entry is, one cache line per look-up, growing and shrinking by one
//! bucket at a time.
//!
//! # The idea
//! It is linear hashing (Litwin 1980) over a hash that is not uniform but exponential, as in spiral storage
//! (Martin 1979). The buckets in use are numbered `first .. 2 * first`. The hash gives each key a number m whose
//! binary digits after the leading 1 are its path; the key's home is the prefix of m that lies in that range:
//!
//! ```text
//!                  low level, 2^k .. 2^(k+1)              high level, 2^(k+1) .. 2^(k+2)
//!   numbers   2^k ....... first ========= 2^(k+1) | 2^(k+1) ============ 2*first ....... 2^(k+2)
//!                          \  in use              |  in use             /
//!                           \                                          /
//!   grow:    bucket `first` is split into 2*first and 2*first + 1, and is no more; first += 1
//!   shrink:  the last two, 2*first - 2 and 2*first - 1, are merged into first - 1; first -= 1
//! ```
//!
//! With a uniform m every bucket of the low level would hold twice as many entries as one of the high level,
//! and growth would swing between half full and overfull. With m = 2^x, x uniform, the expected number of
//! entries falls smoothly from the first bucket (1.4 times the mean) to the last (0.7 times), at every size: the
//! fullest bucket is the next to be split, the emptiest two the next to be merged, and the fill never changes.
//! 2^x is approximated by a quadratic that is exact at both ends; correctness needs no more of it than that it
//! is one function, because a split only ever looks at one more digit of m.
//!
//! So there is no rehash, no table to migrate and no size at which anything jumps. A split re-reads the keys of
//! one bucket. It is known three splits ahead which bucket that will be, so its line, its overflow line and the
//! keys are prefetched one after the other, a split apart. A merge reads no key at all.
//!
//! # Overflow
//! A bucket holds 12 entries and, at 6.6 entries per bucket on average, 9.5 to 10 where it is fullest. What does
//! not fit goes to overflow buckets (`chain`).
//!
//! # Cost, in cache lines touched
//! | operation | lines |
//! |---|---|
//! | look-up, absent | 1 bucket (1.01 with overflow); a key's line in 3 % of cases, by a tag that is equal by chance |
//! | look-up, present | the same and the key's line (and its owner's and the slot's, for a live entry) |
//! | erase | none |
//! | insert after the look-up | no other |
//! | change of position, removal | 1 bucket (1.1) |
//! | growth, per insert | 1/6.6 of a split: 3 bucket lines in sequence, 10 key lines prefetched |
//!
//! # Memory
//! A level is an array of segments (`level`). The low level's go as its buckets are split, the high level's come;
//! buckets are not touched before they are used. 64 bytes per 6.6 entries, 3 % overflow and 2 % unused ends make
//! 10.2 bytes per entry.
//!
//! This file finds, adds and removes; splits and merges are in `growth`, overflow in `chain`.

use super::boxed::Boxed;
use super::bucket::{Bucket, Decoded, Link, Position, tag_of};
use super::level::{Level, Spare};
use super::prefetch::prefetch;
use super::slab::Slab;
use crate::memory::Memory;
use std::cell::Cell;
use std::ptr::NonNull;

/// What the index has to know of the entries that it leads to.
pub(super) trait Entries {
    /// The hash of the entry's key.
    fn hash_at(&self, at: Decoded) -> u64;
    /// Brings the entry's key near.
    fn prefetch_key(&self, at: Decoded);
}

/// An entry's place in the index. Any change of the index but `set_position` ends it.
///
/// Two words, so that it stays in registers: the lane is told by the address of its tag, since buckets are
/// aligned to their size.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) home: NonNull<Bucket>,
    tag: NonNull<u8>,
}

impl Place {
    /// The place of a lane of a bucket that belongs to the chain of `home`.
    #[inline(always)]
    pub(super) fn new(home: NonNull<Bucket>, bucket: NonNull<Bucket>, lane: usize) -> Place {
        // SAFETY: a bucket begins with its tags, one a lane, and `lane` is one of its lanes.
        Place { home, tag: unsafe { bucket.cast::<u8>().add(lane) } }
    }

    #[inline(always)]
    pub(super) fn lane(self) -> usize {
        self.tag.addr().get() % size_of::<Bucket>()
    }

    #[inline(always)]
    pub(super) fn bucket(self) -> NonNull<Bucket> {
        // SAFETY: the tag of lane n lies n bytes behind the beginning of its bucket.
        unsafe { self.tag.sub(self.lane()).cast() }
    }
}

/// A hash and its home bucket. After a split or a merge the home is looked up anew.
#[derive(Clone, Copy)]
pub(super) struct Home {
    hash: u64,
    bucket: NonNull<Bucket>,
    shape: u16,
}

impl Home {
    /// The bucket is on its way to the cache.
    #[inline(always)]
    pub(super) fn prefetch(self) {
        prefetch(self.bucket.as_ptr());
    }
}

pub(super) struct Index {
    /// The buckets in use are first .. 2 * first.
    pub(super) first: u32,
    /// 31 - log2 of the low level: m shifted right by this is a number of the low level.
    pub(super) shift: u8,
    /// The low and the high level.
    pub(super) levels: [Level; 2],
    pub(super) spare: Spare,
    /// Entries in the index.
    pub(super) len: u32,
    /// Counts splits and merges, so that a home that was found before one is not used after it.
    pub(super) shape: u16,
    pub(super) grow_from: u32,
    pub(super) shrink_below: u32,
    pub(super) overflow: Boxed<Slab>,
    /// Entries moved by the call under way, and the most by any call.
    pub(super) moved: u16,
    pub(super) max_moved: u16,
    pub(super) probed: Cell<u64>,
}

impl Index {
    /// An index of one bucket; `None` without memory.
    pub(super) fn new(memory: &Memory) -> Option<Index> {
        let mut index = Index {
            first: 1,
            shift: 31,
            levels: [Level::absent(0), Level::absent(1)],
            spare: Spare::NONE,
            len: 0,
            shape: 0,
            grow_from: 0,
            shrink_below: 0,
            overflow: Boxed::EMPTY,
            moved: 0,
            max_moved: 0,
            probed: Cell::new(0),
        };
        index.levels[0] = Level::of_first_bucket(memory)?;
        index.set_thresholds();
        Some(index)
    }

    /// Buckets that the chains hang on, and overflow buckets.
    pub(super) fn buckets(&self) -> (u64, u64) {
        (self.first.into(), self.overflow.get().map_or(0, Slab::len).into())
    }

    pub(super) fn probed(&self) -> u64 {
        self.probed.get()
    }

    /// Where a hash belongs.
    #[inline(always)]
    pub(super) fn home_of(&self, hash: u64) -> Home {
        Home { hash, bucket: self.home(hash), shape: self.shape }
    }

    /// As `home_of`, and the bucket is on its way to the cache. For many see [`Home::prefetch`].
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) -> Home {
        let home = self.home_of(hash);
        home.prefetch();
        home
    }

    /// Brings near what a look-up goes to behind the home bucket, which is near: the key of an entry with the same tag, and
    /// the overflow bucket, if there is one.
    #[inline(always)]
    pub(super) fn prefetch_behind(&self, home: Home, entries: &impl Entries) {
        // SAFETY: home buckets are in memory and initialised; `self` is borrowed meanwhile.
        let bucket = unsafe { self.current(home).bucket.as_ref() };
        if let Some(lane) = bucket.matches(tag_of(home.hash)).first() {
            entries.prefetch_key(bucket.position(lane).decode());
        }
        self.prefetch_overflow(bucket);
    }

    /// The overflow bucket alone, for an entry whose record is known.
    #[inline(always)]
    pub(super) fn prefetch_chain(&self, home: Home) {
        // SAFETY: as in `prefetch_behind`.
        self.prefetch_overflow(unsafe { self.current(home).bucket.as_ref() });
    }

    #[inline(always)]
    fn prefetch_overflow(&self, bucket: &Bucket) {
        if let Some(number) = bucket.link.number()
            && let Some(place) = self.overflow.get().and_then(|overflow| overflow.place_if_touched(number))
        {
            prefetch(place.as_ptr());
        }
    }

    /// Whether an entry with this hash may be there. If not, its key is absent, and no more had to be looked at
    /// than the tags and the link of one bucket.
    #[inline(always)]
    pub(super) fn may_hold(&self, home: Home) -> bool {
        let tag = tag_of(home.hash);
        self.probed.set(self.probed.get() + 1);
        // SAFETY: home buckets are in memory and initialised; `self` is borrowed meanwhile.
        let bucket = unsafe { self.current(home).bucket.as_ref() };
        bucket.matches(tag).first().is_some() || bucket.link.may_hold(tag)
    }

    /// Looks for an entry of which `is_it` holds, where `may_hold` says that it may be there. It is asked of entries
    /// with the hash's tag only.
    #[inline(always)]
    pub(super) fn find(&self, home: Home, is_it: impl Fn(Decoded) -> bool) -> Option<Place> {
        let tag = tag_of(home.hash);
        let home = self.current(home).bucket;
        // SAFETY: home buckets are in memory and initialised; `self` is borrowed meanwhile.
        let bucket = unsafe { home.as_ref() };
        for lane in bucket.matches(tag) {
            if is_it(bucket.position(lane).decode()) {
                return Some(Place::new(home, home, lane));
            }
        }
        if bucket.link.may_hold(tag) { self.find_in_overflow(home, tag, &is_it) } else { None }
    }

    /// The place of an entry that is known to be there, at a position. The search starts from its key's hash; should a
    /// host's hash have changed its mind, it goes through the whole index: slow, but right.
    #[inline(always)]
    pub(super) fn locate(&self, home: Home, at: Position) -> Option<Place> {
        let tag = tag_of(home.hash);
        self.probed.set(self.probed.get() + 1);
        let home = self.current(home).bucket;
        // SAFETY: home buckets are in memory and initialised; `self` is borrowed meanwhile.
        let bucket = unsafe { home.as_ref() };
        for lane in bucket.matches(tag) {
            if bucket.position(lane) == at {
                return Some(Place::new(home, home, lane));
            }
        }
        self.locate_behind(home, tag, at)
    }

    #[cold]
    fn locate_behind(&self, home: NonNull<Bucket>, tag: u8, at: Position) -> Option<Place> {
        self.find_in_overflow(home, tag, &|other| other == at.decode()).or_else(|| self.locate_anywhere(at))
    }

    /// Where the entry at a place is.
    #[inline(always)]
    pub(super) fn position(&self, place: Place) -> Decoded {
        // SAFETY: the place is of this index, unchanged since, so the bucket is in memory and initialised.
        unsafe { place.bucket().as_ref() }.position(place.lane()).decode()
    }

    /// Adds an entry that `find` did not find; `None` if an overflow bucket was needed and there is no memory.
    #[inline(always)]
    pub(super) fn insert(&mut self, memory: &Memory, home: Home, position: Position) -> Option<()> {
        let (tag, mut home) = (tag_of(home.hash), self.current(home).bucket);
        // SAFETY: the home bucket of a hash is in memory and initialised, and no reference to it is held.
        let bucket = unsafe { home.as_mut() };
        match bucket.empty_lanes().first() {
            Some(lane) => bucket.set(lane, tag, position),
            None => self.insert_in_overflow(memory, home, tag, position)?,
        }
        self.len += 1;
        Some(())
    }

    /// The entry is at another position now.
    #[inline(always)]
    pub(super) fn set_position(&mut self, place: Place, position: Position) {
        // SAFETY: the place is of this index, unchanged since, so the bucket is in memory and initialised.
        unsafe { place.bucket().as_mut() }.set_position(place.lane(), position);
    }

    /// Removes an entry, and shrinks the index if that is due.
    #[inline(always)]
    pub(super) fn remove(&mut self, memory: &Memory, place: Place) {
        // SAFETY: as in `set_position`.
        unsafe { place.bucket().as_mut() }.clear(place.lane());
        self.len -= 1;
        // SAFETY: the home bucket is in memory and initialised.
        if unsafe { place.home.as_ref() }.link != Link::NONE {
            self.tighten(memory, place);
        }
        self.shrink_if_due(memory);
    }

    /// Gives all memory back; the index is of no use afterwards.
    pub(super) fn release(&mut self, memory: &Memory) {
        for level in &mut self.levels {
            level.release(memory);
        }
        self.spare.release(memory);
        self.release_overflow(memory);
        self.len = 0;
    }

    #[inline(always)]
    fn current(&self, home: Home) -> Home {
        if home.shape == self.shape { home } else { self.home_of(home.hash) }
    }

    /// The home bucket of a hash.
    #[inline(always)]
    fn home(&self, hash: u64) -> NonNull<Bucket> {
        let path = path_of(hash);
        let low = path >> self.shift;
        // Without a branch: which level it is, is a toss of a coin.
        let is_high = u32::from(low < self.first);
        let number = path >> (u32::from(self.shift) - is_high);
        // SAFETY: `is_high` is 0 or 1. A number of the low level that is not below `first` is in use; one that
        // is has its children, of which `number` is one, in use in the high level.
        unsafe { self.levels.get_unchecked(is_high as usize).bucket(number) }
    }

    /// The bucket of any number in use.
    pub(super) fn bucket(&self, number: u32) -> NonNull<Bucket> {
        debug_assert!(number >= self.first && u64::from(number) < 2 * u64::from(self.first));
        let is_high = number >> (31 - self.shift) != 1;
        // SAFETY: the number is in use, and the level is the one that it belongs to.
        unsafe { self.levels[usize::from(is_high)].bucket(number) }
    }

    fn locate_anywhere(&self, at: Position) -> Option<Place> {
        for number in self.first..2 * self.first {
            let home = self.bucket(number);
            for (bucket, address) in self.chain(home) {
                for lane in bucket.full_lanes() {
                    if bucket.position(lane) == at {
                        return Some(Place::new(home, address, lane));
                    }
                }
            }
        }
        None
    }
}

/// The 32 binary digits, the first always 1, that lead to a key's home: 2^31 * 2^x for x = the high half of the
/// hash over 2^32, with 2^x approximated by 1 + 0.6565 x + 0.3435 x^2.
#[inline(always)]
pub(super) fn path_of(hash: u64) -> u32 {
    const ONE: u64 = 1 << 31;
    const SQUARE: u64 = 737_656_995; // 0.3435 * 2^31
    let x = hash >> 32;
    let slope = (ONE - SQUARE) + ((SQUARE * x) >> 32);
    (ONE + ((slope * x) >> 32)) as u32
}
