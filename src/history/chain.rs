//! Overflow: what does not fit a home bucket goes to buckets from a slab, chained by the link.
//!
//! While a bucket has a chain its own lanes are full: a lane that becomes empty is refilled from the chain, so
//! chains go as soon as they can. The home bucket's link tells which tags the chain holds, by three bits of each,
//! so that most look-ups of an absent key end at the home bucket nevertheless.
//!
//! Where 6.6 entries per bucket are the mean, 3 % of the buckets have a chain, and 1 % of all look-ups follow one.

use super::bucket::{Bucket, Decoded, LANES, Link, Position};
use super::index::{Index, Place};
use super::slab::Slab;
use crate::memory::Memory;
use std::ptr::NonNull;

/// A chain that a split or a merge is building, in a home bucket that is not in use yet.
pub(super) struct Draft {
    pub(super) home: NonNull<Bucket>,
    /// The home bucket's lanes that are filled, the first ones.
    len: usize,
}

impl Draft {
    /// Begins a chain, with an empty home bucket.
    ///
    /// # Safety
    /// The bucket is in an open segment and not in use.
    pub(super) unsafe fn begin(home: NonNull<Bucket>) -> Draft {
        // SAFETY: so it is memory of the index's own.
        unsafe { home.write(Bucket::EMPTY) };
        Draft { home, len: 0 }
    }
}

impl Index {
    /// The overflow bucket behind a bucket.
    #[inline(always)]
    pub(super) fn next(&self, bucket: &Bucket) -> Option<NonNull<Bucket>> {
        let number = bucket.link.number()?;
        // SAFETY: links hold numbers in use: a bucket is given back when it is taken off its chain.
        Some(unsafe { self.overflow_bucket(number) })
    }

    /// The overflow bucket of a number.
    ///
    /// # Safety
    /// The number is in use.
    #[inline(always)]
    unsafe fn overflow_bucket(&self, number: u32) -> NonNull<Bucket> {
        // SAFETY: the slab is there as long as a number of it is in use.
        let overflow = unsafe { self.overflow.get().unwrap_unchecked() };
        // SAFETY: the caller's promise.
        unsafe { overflow.place(number) }.cast()
    }

    /// The overflow bucket of a number is used no more.
    ///
    /// # Safety
    /// The number is in use, and no chain has it any more.
    unsafe fn give_back_overflow(&mut self, memory: &Memory, number: u32) {
        let Some(overflow) = self.overflow.get_mut() else { return };
        // SAFETY: the caller's promise.
        unsafe { overflow.give_back(memory, number, 0) };
        if overflow.len() == 0 {
            self.release_overflow(memory);
        }
    }

    /// Gives the memory of all overflow buckets back; none is in use any more.
    pub(super) fn release_overflow(&mut self, memory: &Memory) {
        if let Some(mut overflow) = self.overflow.take(memory) {
            overflow.release(memory);
        }
    }

    /// The buckets of a chain, from `first` on.
    #[inline(always)]
    pub(super) fn chain(&self, first: NonNull<Bucket>) -> impl Iterator<Item = (&Bucket, NonNull<Bucket>)> {
        let mut next = Some(first);
        std::iter::from_fn(move || {
            let address = next?;
            // SAFETY: home buckets and chained ones are in memory and initialised; `self` is borrowed meanwhile.
            let bucket: &Bucket = unsafe { address.as_ref() };
            next = self.next(bucket);
            Some((bucket, address))
        })
    }

    /// What `find` does beyond the home bucket.
    #[cold]
    pub(super) fn find_in_overflow(
        &self,
        home: NonNull<Bucket>,
        tag: u8,
        is_it: &dyn Fn(Decoded) -> bool,
    ) -> Option<Place> {
        for (bucket, address) in self.chain(home).skip(1) {
            self.probed.set(self.probed.get() + 1);
            for lane in bucket.matches(tag) {
                if is_it(bucket.position(lane).decode()) {
                    return Some(Place::new(home, address, lane));
                }
            }
        }
        None
    }

    /// Adds an entry to the overflow of a full home bucket, to a new bucket if need be; `None` without memory.
    #[cold]
    pub(super) fn insert_in_overflow(
        &mut self,
        memory: &Memory,
        mut home: NonNull<Bucket>,
        tag: u8,
        position: Position,
    ) -> Option<()> {
        let room =
            self.chain(home).skip(1).find_map(|(bucket, at)| Some((at, bucket.empty_lanes().first()?)));
        let (mut overflow, lane) = match room {
            Some(room) => room,
            None => (self.extend(memory, home)?, 0),
        };
        // SAFETY: an overflow bucket in use, and no other reference to it is held.
        unsafe { overflow.as_mut() }.set(lane, tag, position);
        // SAFETY: home buckets are in memory and initialised, and this one is not the overflow bucket.
        let home = unsafe { home.as_mut() };
        home.link = home.link.with(tag);
        Some(())
    }

    /// Adds an entry to a chain that is being built.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        memory: &Memory,
        draft: &mut Draft,
        tag: u8,
        position: Position,
    ) -> Option<()> {
        self.moved = self.moved.saturating_add(1);
        if draft.len == LANES {
            return self.insert_in_overflow(memory, draft.home, tag, position);
        }
        // SAFETY: a draft's home bucket is in memory and initialised, and no reference to it is held.
        unsafe { draft.home.as_mut() }.set(draft.len, tag, position);
        draft.len += 1;
        Some(())
    }

    /// Hands each entry of a chain to `push`, up to the first that finds no memory. The chain itself stays.
    #[inline(always)]
    pub(super) fn copy_chain(
        &mut self,
        home: NonNull<Bucket>,
        mut push: impl FnMut(&mut Index, u8, Position) -> Option<()>,
    ) -> Option<()> {
        let mut next = Some(home);
        while let Some(at) = next {
            // SAFETY: a copy of a bucket of a chain, in memory and initialised.
            let bucket = unsafe { at.read() };
            for lane in bucket.full_lanes() {
                push(self, bucket.tag(lane), bucket.position(lane))?;
            }
            next = self.next(&bucket);
        }
        Some(())
    }

    /// Gives the overflow buckets of a chain back; the home bucket is left as it is, and not in use any more.
    pub(super) fn drop_chain(&mut self, memory: &Memory, home: NonNull<Bucket>) {
        // SAFETY: the home bucket is in memory and initialised.
        let mut link = unsafe { home.as_ref() }.link;
        while let Some(number) = link.number() {
            // SAFETY: the number is in use, and its bucket in memory and initialised.
            link = unsafe { self.overflow_bucket(number).as_ref() }.link;
            // SAFETY: the number is in use, and the chain that has it is not used any more.
            unsafe { self.give_back_overflow(memory, number) };
        }
    }

    /// After a removal from a chain: the home bucket's lanes are kept full, and a bucket without an entry goes.
    #[cold]
    pub(super) fn tighten(&mut self, memory: &Memory, removed: Place) {
        let (mut home, mut drained, lane) = (removed.home, removed.bucket(), removed.lane());
        if drained == home {
            // SAFETY: the home bucket is in memory and initialised.
            let Some(front) = self.next(unsafe { home.as_ref() }) else { return };
            drained = front;
            // SAFETY: an overflow bucket in use; the reference is the only one to it.
            let from = unsafe { drained.as_mut() };
            if let Some(last) = from.full_lanes().first() {
                // SAFETY: an overflow bucket is not the home bucket, so the two references do not overlap.
                unsafe { home.as_mut() }.set(lane, from.tag(last), from.position(last));
                from.clear(last);
            }
        }
        // SAFETY: in memory, initialised, and no other reference is held.
        if unsafe { drained.as_ref() }.full_lanes().first().is_none() {
            self.unchain(memory, home, drained);
        }
        self.renew_filter(home);
    }

    /// A new, empty bucket at the front of a chain; `None` without memory or number.
    fn extend(&mut self, memory: &Memory, mut home: NonNull<Bucket>) -> Option<NonNull<Bucket>> {
        let make = || Slab::new(size_of::<Bucket>(), align_of::<Bucket>(), 0);
        let taken = self.overflow.get_or_make(memory, make)?.take(memory)?;
        let Some(link) = Link::to(taken.number) else {
            // SAFETY: just taken.
            unsafe { self.give_back_overflow(memory, taken.number) };
            return None;
        };
        // SAFETY: home buckets are in memory and initialised, and no reference to one is held here.
        let home = unsafe { home.as_mut() };
        let bucket = taken.place.cast::<Bucket>();
        // SAFETY: the slab's places are as large and aligned as a bucket.
        unsafe { bucket.write(Bucket { link: home.link, ..Bucket::EMPTY }) };
        home.link = link.with_all_of(home.link);
        Some(bucket)
    }

    fn unchain(&mut self, memory: &Memory, home: NonNull<Bucket>, unused: NonNull<Bucket>) {
        let before = self.chain(home).find(|(bucket, _)| self.next(bucket) == Some(unused));
        let Some(mut before) = before.map(|(_, address)| address) else { return };
        // SAFETY: an overflow bucket in use.
        let after = unsafe { unused.as_ref() }.link;
        // SAFETY: a bucket of the chain, in memory and initialised, and not `unused`.
        let link = std::mem::replace(&mut unsafe { before.as_mut() }.link, after);
        if let Some(number) = link.number() {
            // SAFETY: the number was in use in the chain, and is in it no more.
            unsafe { self.give_back_overflow(memory, number) };
        }
    }

    /// The home bucket's link tells of the tags that the chain holds now.
    fn renew_filter(&self, mut home: NonNull<Bucket>) {
        // SAFETY: home buckets are in memory and initialised.
        let link = unsafe { home.as_ref() }.link.without_tags();
        let overflow = self.chain(home).skip(1);
        let link = overflow.fold(link, |link, (bucket, _)| {
            bucket.full_lanes().fold(link, |link, lane| link.with(bucket.tag(lane)))
        });
        // SAFETY: as above, and no reference to it is held any more.
        unsafe { home.as_mut() }.link = link;
    }
}
