//! Who is inside a call on an object whose calls may overlap, so that destroying it waits for them and for nobody else.
//!
//! A count of calls in the object would be written by every thread at every call: the very line that the usage meter
//! exists to avoid. So each thread has a *record* of its own, and says in it that it is inside *some* call. Who destroys
//! first makes the handle stale in the table ([`handle`](super::handle)), so that no call finds the object any more, and
//! then waits until every record was seen outside, or in a later call. [`pinned`](super::pinned) alone uses this file.
//!
//! ```text
//!   a call                                         destroy
//!   record.turn = odd            (1)               entry.word: idle -> busy      (4)
//!   ---- light half of a barrier ----              ---- heavy half of it ----
//!   entry.word == idle?          (2)               every record.turn: odd?       (5)
//!     use the object                                 wait until it changes       (6)
//!   record.turn = even           (3)               free the object
//! ```
//! Either (2) sees (4), and the call is refused without a look at the object; or (5) sees (1), and destroy waits for (3).
//! The barrier in two halves (`sync::asymmetric`) is what excludes the third case.
//!
//! # Invariants
//! 1. A record's turn is written by the thread that owns it alone. It is odd exactly from the begin of its outermost call
//!    to that call's end, and never has the same odd value twice.
//! 2. Records are linked, and never unlinked, moved or freed. Whoever walks the list after the heavy half meets every
//!    record with which a call found an object before: a record is linked before its first turn.
//! 3. The owner changes only while the turn is even.
//! 4. What a call did to an object happens before its end: (3) releases, (6) acquires.
//! 5. Nobody waits in `wait_for_all` while inside: two that waited for each other would wait for ever. Who destroys while
//!    inside leaves the object to the end of its own outermost call (`defer`).

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, Ordering, asymmetric};
use std::ptr;

/// All records of a process (the tests make lists of their own).
pub(crate) struct Pins {
    first: AtomicPtr<Record>,
}

/// One thread's record: a pair of lines of its own, as processors fetch lines in pairs.
#[cfg_attr(not(loom), repr(C, align(128)))]
pub(crate) struct Record {
    /// Odd while the owner is inside a call.
    turn: AtomicU64,
    /// What the owner has to free at the end of its outermost call: the caller's number, or 0. The owner's alone.
    deferred: AtomicU32,
    /// The name of the owner's thread, or 0 for none.
    owner: AtomicU64,
    /// Written before the record is linked, and never again.
    next: *const Record,
}

// SAFETY: `next` leads to records, which are never freed, and does not change; all other fields are atomic.
unsafe impl Send for Record {}
// SAFETY: as above.
unsafe impl Sync for Record {}

/// The state of being inside. It ends with `leave`.
#[must_use]
pub(crate) struct Pin<'a> {
    record: &'a Record,
    /// The turn from before the call, or the one after it: see `Record::enter`.
    after: u64,
}

impl Pins {
    /// No records.
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Pins {
        Pins { first: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The same for loom, whose atomics cannot be made while compiling.
    #[cfg(loom)]
    pub(crate) fn new() -> Pins {
        Pins { first: AtomicPtr::new(ptr::null_mut()) }
    }

    /// A record for a thread that has none: one without an owner, or a new one. `None` if there is no memory for it.
    /// Linear in the records. `thread` is not 0.
    #[cold]
    pub(crate) fn register(&self, thread: u64) -> Option<&'static Record> {
        #[cfg(not(loom))]
        asymmetric::prepare();
        let mut next: *const Record = self.first();
        // SAFETY: records are never freed.
        while let Some(record) = unsafe { next.as_ref() } {
            if record.take_over(thread) {
                return Some(record);
            }
            next = record.next;
        }
        self.link(thread)
    }

    fn first(&self) -> *mut Record {
        // Acquire: pairs with the release in `link`: what is in a record is there before its address is.
        self.first.load(Ordering::Acquire)
    }

    fn link(&self, thread: u64) -> Option<&'static Record> {
        let record = allocate(Record {
            turn: AtomicU64::new(0),
            deferred: AtomicU32::new(0),
            owner: AtomicU64::new(thread),
            next: ptr::null(),
        })?;
        let mut first = self.first();
        loop {
            // SAFETY: fresh from `allocate`, and nobody else knows it yet.
            unsafe { (*record).next = first };
            // Release: pairs with the acquires of `first`. A failure acquires for the next attempt to link behind it.
            match self.first.compare_exchange(first, record, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: records are never freed, and this one is not written any more but for its atomics.
                Ok(_) => return Some(unsafe { &*record }),
                Err(seen) => first = seen,
            }
        }
    }

    /// Waits until every call that may have found the object is over. Called after the object's handle was made stale, by
    /// a thread that is not inside. `false` if the kernel refused the barrier: then calls may be inside still.
    ///
    /// Some microseconds for the barrier, linear in the records, and as long as the longest call that is inside.
    #[cold]
    pub(crate) fn wait_for_all(&self) -> bool {
        if !asymmetric::heavy() {
            return false;
        }
        let mut next: *const Record = self.first();
        // SAFETY: records are never freed.
        while let Some(record) = unsafe { next.as_ref() } {
            record.wait_until_outside();
            next = record.next;
        }
        true
    }
}

impl Record {
    /// Begins a call of the owner's. After it the look-up of the handle is this side's read of the barrier.
    #[inline(always)]
    pub(crate) fn enter(&self) -> Pin<'_> {
        // Relaxed: only the owner writes it.
        let turn = self.turn.load(Ordering::Relaxed);
        // A call within a call leaves the turn as it is, in both stores.
        let after = if turn.is_multiple_of(2) { turn + 2 } else { turn };
        // Release: who waits for the call before may find this turn instead of that one's end, and has to acquire what
        // that call did all the same. The barrier orders it before the look-up.
        self.turn.store(turn | 1, Ordering::Release);
        asymmetric::light();
        Pin { record: self, after }
    }

    /// Whether the owner, who asks, is inside a call.
    pub(crate) fn is_inside(&self) -> bool {
        // Relaxed: the owner's own.
        self.turn.load(Ordering::Relaxed) % 2 == 1
    }

    /// Leaves something to the end of the owner's outermost call: `number`, not 0. Answers what was left before, or 0.
    pub(crate) fn defer(&self, number: u32) -> u32 {
        // Relaxed, both: the owner's own.
        let before = self.deferred.load(Ordering::Relaxed);
        self.deferred.store(number, Ordering::Relaxed);
        before
    }

    /// Whether it is the record of `thread`, which asks.
    #[inline(always)]
    pub(crate) fn belongs_to(&self, thread: u64) -> bool {
        // Relaxed: only `thread` itself makes itself the owner.
        self.owner.load(Ordering::Relaxed) == thread
    }

    /// Gives the record up at the end of its thread.
    pub(crate) fn release(&self) {
        // Release: pairs with the acquire in `take_over`: the next owner begins with the turn that this one left.
        self.owner.store(0, Ordering::Release);
    }

    /// Makes `thread` the owner if nobody is. A thread that ended without `release`, for lack of a last word, had the
    /// same name: no two threads that run have.
    fn take_over(&self, thread: u64) -> bool {
        // Relaxed: for a free one the exchange below decides, and one of this thread's own name is nobody else's.
        match self.owner.load(Ordering::Relaxed) {
            0 => self.owner.compare_exchange(0, thread, Ordering::Acquire, Ordering::Relaxed).is_ok(),
            owner => owner == thread,
        }
    }

    fn wait_until_outside(&self) {
        // Acquire, both: pair with the release in `Pin::leave`: what the call did to the object is done.
        let seen = self.turn.load(Ordering::Acquire);
        let mut round = 0;
        while seen % 2 == 1 && self.turn.load(Ordering::Acquire) == seen {
            asymmetric::pause(round);
            round = round.saturating_add(1);
        }
    }
}

impl Pin<'_> {
    /// Ends the call. Answers what the thread has to free now, if this was its outermost call and something was left.
    #[inline(always)]
    pub(crate) fn leave(self) -> Option<u32> {
        // Release: pairs with the acquire in `wait_until_outside`.
        self.record.turn.store(self.after, Ordering::Release);
        // Relaxed: the owner's own.
        if self.record.deferred.load(Ordering::Relaxed) == 0 { None } else { self.take_deferred() }
    }

    /// The same for a call that ran no code but the library's own: it left nothing to its end.
    #[inline(always)]
    pub(crate) fn leave_at_once(self) {
        // Release: as in `leave`.
        self.record.turn.store(self.after, Ordering::Release);
    }

    #[cold]
    fn take_deferred(self) -> Option<u32> {
        if self.record.is_inside() {
            return None;
        }
        Some(self.record.defer(0))
    }
}

/// A place for a record, for good. It comes from the process: no object has it.
#[cfg(not(loom))]
fn allocate(record: Record) -> Option<*mut Record> {
    // SAFETY: a record has a size.
    let place = unsafe { std::alloc::alloc(std::alloc::Layout::new::<Record>()) }.cast::<Record>();
    if place.is_null() {
        return None;
    }
    // SAFETY: the place is fresh, and large and aligned enough.
    unsafe { place.write(record) };
    Some(place)
}

/// The same under loom: not through its allocator, which would report what is never freed.
#[cfg(loom)]
fn allocate(record: Record) -> Option<*mut Record> {
    Some(Box::leak(Box::new(record)))
}
