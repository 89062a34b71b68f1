//! The table behind every handle: which object a handle names, whether it is alive, and who is inside it.
//!
//! A handle is not an address. It holds a slot of this table and a generation ([`word`] draws the bits), so that a
//! handle that is NULL, foreign, of another part or destroyed is found out, each as itself, without touching memory
//! that is not the library's. Only [`guard`](super::guard) and [`pinned`](super::pinned) call this file.
//!
//! # How it works
//! Each slot has one atomic *word*. At rest the word holds the identity of its object (generation and part) and says
//! `idle`. A call computes that word from its handle and exchanges it for the name of its thread: one
//! compare-and-exchange proves that the handle is right, that the object is alive and not poisoned, and that nobody
//! is inside, and it shuts everybody else out. Leaving stores the idle word back. If the exchange fails, what it
//! found says why.
//!
//! # Invariants
//! 1. A handle is given out at most once: publishing takes the slot's next generation, and a slot whose generation
//!    is the last one is retired instead of being free again.
//! 2. At most one call is inside an object, and it is the one whose thread stands in the word. Only that call stores
//!    to the word; everybody else may only exchange an idle (or, to destroy, a poisoned) word.
//! 3. From `publish` to `retire` the entry's `object` and `identity` do not change; both are written while the word
//!    is unused or vacant and the roster is held, so no call can be inside.
//! 4. A vacant word changes only in `publish`, which gives it a higher generation. So a call with a stale handle
//!    never enters, and never keeps anybody out, whatever stands in the slot by then.
//! 5. What a call wrote to the object happens before the next call on it: leaving releases, entering acquires.
//! 6. Entries are never freed or moved; a look-up takes no lock and waits for nobody.
//!
//! # Objects whose calls overlap
//! Calls on a usage tracker do not exclude each other. They leave the word alone: it stays idle, and [`Table::look`] is one
//! load of it that has to find it so. Only destroy exchanges it, as above, which makes the handle stale; and the
//! object stays until all calls that found it before are over, which `pins.rs` sees to. Where such a call panics, it
//! exchanges the idle word for the poisoned one.

mod segments;
mod word;

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;

use crate::sync::{Mutex, Ordering, ThreadId, lock};
use segments::{Entry, MAX_SLOTS, Segments};
use std::ptr::NonNull;
pub(crate) use word::Kind;
use word::{Identity, MAX_GENERATION, Name, State, busy};

/// Why a handle was not let in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// It is NULL.
    Null,
    /// It was never given out.
    Foreign,
    /// It names an object of another part.
    WrongPart,
    /// Its object was destroyed.
    Destroyed,
    /// Another thread is inside.
    Busy,
    /// This thread is inside already.
    Reentrant,
    /// A call on it panicked earlier.
    Poisoned,
}

/// Why no handle could be given out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoHandle {
    /// All slots are in use or retired.
    Full {
        /// How many there are.
        limit: u32,
    },
    /// The process has no memory for more entries.
    NoMemory,
}

/// Which slots are free.
struct Roster {
    /// One more than the slot that was freed last, or 0. The others hang behind it.
    free: u32,
    /// How many slots have ever been used.
    used: u32,
}

/// All handles of one process (the tests make tables of their own).
pub(crate) struct Table {
    segments: Segments,
    roster: Mutex<Roster>,
    max_slots: u32,
    max_generation: u32,
}

impl Table {
    /// An empty table.
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Table {
        Table::with_limits(MAX_SLOTS, MAX_GENERATION)
    }

    /// An empty table with lower limits.
    #[cfg(not(loom))]
    const fn with_limits(max_slots: u32, max_generation: u32) -> Table {
        let roster = Mutex::new(Roster { free: 0, used: 0 });
        Table { segments: Segments::new(), roster, max_slots, max_generation }
    }

    /// The same for loom, whose locks cannot be made while compiling.
    #[cfg(loom)]
    pub(crate) fn new() -> Table {
        let roster = Mutex::new(Roster { free: 0, used: 0 });
        Table { segments: Segments::new(), roster, max_slots: MAX_SLOTS, max_generation: MAX_GENERATION }
    }

    /// Gives out a handle for an object. The object stays the caller's until a call enters.
    pub(crate) fn publish(&self, kind: Kind, object: NonNull<()>) -> Result<usize, NoHandle> {
        let mut roster = lock(&self.roster);
        let slot = if roster.free != 0 { roster.free - 1 } else { roster.used };
        if slot >= self.max_slots {
            return Err(NoHandle::Full { limit: self.max_slots });
        }
        let entry = self.segments.get_or_make(slot).ok_or(NoHandle::NoMemory)?;
        if roster.free != 0 {
            // Relaxed, like every access to `next_free`: the roster's lock orders them.
            roster.free = entry.next_free.load(Ordering::Relaxed);
        } else {
            roster.used += 1;
        }
        let generation = entry.load_identity().generation() + 1;
        let identity = Identity::new(generation, kind);
        // Relaxed, both: the release of the word below makes them visible to whoever enters.
        entry.object.store(object.as_ptr(), Ordering::Relaxed);
        entry.identity.store(identity.to_bits(), Ordering::Relaxed);
        // Release: pairs with the acquire of the exchange in `exchange`.
        entry.word.store(identity.idle(), Ordering::Release);
        Ok(Name { slot, generation }.to_handle())
    }

    /// Lets the call of `thread` into the object of `handle`, alone.
    #[inline(always)]
    pub(crate) fn enter(&self, handle: usize, kind: Kind, thread: ThreadId) -> Result<Inside<'_>, Refusal> {
        let Some((entry, name)) = self.find(handle) else { return Err(not_found(handle)) };
        let identity = Identity::new(name.generation, kind);
        match exchange(entry, identity.idle(), busy(thread)) {
            Ok(()) => Ok(Inside { entry, identity, slot: name.slot }),
            Err(seen) => Err(refuse(entry, identity, kind, seen, Some(thread))),
        }
    }

    /// As `enter`, for the call that will destroy the object: a poisoned one lets it in.
    pub(crate) fn enter_to_destroy(
        &self,
        handle: usize,
        kind: Kind,
        thread: ThreadId,
    ) -> Result<Inside<'_>, Refusal> {
        let refusal = match self.enter(handle, kind, thread) {
            Err(Refusal::Poisoned) => Refusal::Poisoned,
            other => return other,
        };
        let Some((entry, name)) = self.find(handle) else { return Err(refusal) };
        let identity = Identity::new(name.generation, kind);
        match exchange(entry, identity.poisoned(), busy(thread)) {
            Ok(()) => Ok(Inside { entry, identity, slot: name.slot }),
            Err(seen) => Err(refuse(entry, identity, kind, seen, Some(thread))),
        }
    }

    /// The object of a handle of a part whose calls overlap, or why not. The caller is pinned, and the object stays until
    /// it is not. An object that is being destroyed is refused as `Busy`.
    pub(crate) fn look(&self, handle: usize, kind: Kind) -> Result<*mut (), Refusal> {
        let Some((entry, name)) = self.find(handle) else { return Err(not_found(handle)) };
        let identity = Identity::new(name.generation, kind);
        match idle_object(entry, identity) {
            Ok(object) => Ok(object),
            Err(seen) => Err(refuse(entry, identity, kind, seen, None)),
        }
    }

    /// As `look`, without the reason: it calls nothing.
    #[inline(always)]
    pub(crate) fn glance(&self, handle: usize, kind: Kind) -> Option<*mut ()> {
        let (entry, name) = self.find(handle)?;
        idle_object(entry, Identity::new(name.generation, kind)).ok()
    }

    /// Lets only destroy find the object from now on, unless it is being destroyed. For parts whose calls overlap.
    #[cold]
    pub(crate) fn poison(&self, handle: usize, kind: Kind) {
        if let Some((entry, name)) = self.find(handle) {
            let identity = Identity::new(name.generation, kind);
            // If it fails, the object is being destroyed, or poisoned already.
            let _ = exchange(entry, identity.idle(), identity.poisoned());
        }
    }

    /// Puts off the end of an object that is being destroyed: a number for [`Table::resume`], not 0. `behind` is such a
    /// number that comes after this one, or 0. The handle stays stale, and its slot in use.
    pub(crate) fn defer(&self, inside: Inside<'_>, behind: u32) -> u32 {
        // Relaxed: the field is free while the slot is in use, and the one thread that is inside uses it.
        inside.entry.next_free.store(behind, Ordering::Relaxed);
        inside.slot + 1
    }

    /// Goes on where `defer` left off. Answers also what comes behind.
    pub(crate) fn resume(&self, number: u32) -> Option<(Inside<'_>, u32)> {
        let slot = number.checked_sub(1)?;
        let entry = self.segments.get(slot)?;
        // Relaxed: as in `defer`.
        let behind = entry.next_free.load(Ordering::Relaxed);
        Some((Inside { entry, identity: entry.load_identity(), slot }, behind))
    }

    /// Takes the object out of the table: its handle says `Destroyed` from now on.
    pub(crate) fn retire(&self, inside: Inside<'_>) {
        let Inside { entry, identity, slot } = inside;
        // Relaxed: nobody acquires from a vacant word. A refused call reads it alone, and the next `publish` in this
        // slot comes through the roster's lock.
        entry.word.store(identity.vacant(), Ordering::Relaxed);
        if identity.generation() >= self.max_generation {
            return;
        }
        let mut roster = lock(&self.roster);
        entry.next_free.store(roster.free, Ordering::Relaxed);
        roster.free = slot + 1;
    }

    #[inline(always)]
    fn find(&self, handle: usize) -> Option<(&Entry, Name)> {
        let name = Name::from_handle(handle)?;
        Some((self.segments.get(name.slot)?, name))
    }
}

/// Exchanges an entry's word, if it is `expected`, for `next`; otherwise tells what it is.
#[inline(always)]
fn exchange(entry: &Entry, expected: u64, next: u64) -> Result<(), u64> {
    // Success acquires: pairs with the release in `publish` for the object itself, and with those in `Inside::leave`
    // and `Inside::poison` for what the last call did to it.
    // Failure acquires: pairs with the last release of the word, through the exchange of the call that is inside, if
    // one is, which continues its release sequence. The first time that is the release in `publish`; after a call it
    // is the one in `leave` or `poison`, whose thread had acquired the one before. So what `publish` wrote is there,
    // and `refuse` reads an identity at least as new as the word.
    entry.word.compare_exchange(expected, next, Ordering::Acquire, Ordering::Acquire).map(drop)
}

/// The object of an entry, if its word is idle; otherwise what it is.
#[inline(always)]
fn idle_object(entry: &Entry, identity: Identity) -> Result<*mut (), u64> {
    // Acquire: pairs with the release in `publish` for the object itself; and for `refuse` as in `exchange`. For the
    // other side of the order with destroy see `pins.rs`.
    let seen = entry.word.load(Ordering::Acquire);
    if seen != identity.idle() {
        return Err(seen);
    }
    // Relaxed: the load of the word has acquired what `publish` released.
    Ok(entry.object.load(Ordering::Relaxed))
}

/// Why a number is no handle of this table.
#[cold]
fn not_found(handle: usize) -> Refusal {
    if handle == 0 { Refusal::Null } else { Refusal::Foreign }
}

/// Why a call of `thread` (if that matters) may not enter `wanted`, having found the word `seen`.
#[cold]
fn refuse(entry: &Entry, wanted: Identity, kind: Kind, seen: u64, thread: Option<ThreadId>) -> Refusal {
    let (there, refusal) = match State::of(seen) {
        State::Unused => return Refusal::Foreign,
        State::Vacant(there) => (there, Refusal::Destroyed),
        State::Poisoned(there) => (there, Refusal::Poisoned),
        // Another identity: the wanted one, idle, would have been exchanged. It is told apart below.
        State::Idle(there) => (there, Refusal::Busy),
        State::Busy(by) if thread.is_some_and(|thread| by == busy(thread)) => {
            (entry.load_identity(), Refusal::Reentrant)
        }
        State::Busy(_) => (entry.load_identity(), Refusal::Busy),
    };
    match wanted.generation().cmp(&there.generation()) {
        std::cmp::Ordering::Less if wanted.generation() == 0 => Refusal::Foreign,
        std::cmp::Ordering::Less => Refusal::Destroyed,
        std::cmp::Ordering::Greater => Refusal::Foreign,
        std::cmp::Ordering::Equal if refusal == Refusal::Destroyed || there.is(kind) => refusal,
        std::cmp::Ordering::Equal => Refusal::WrongPart,
    }
}

/// The right to be inside an object, alone. It ends with `leave`, `poison` or [`Table::retire`].
#[must_use]
pub(crate) struct Inside<'a> {
    entry: &'a Entry,
    identity: Identity,
    slot: u32,
}

impl Inside<'_> {
    /// The object.
    #[inline(always)]
    pub(crate) fn object(&self) -> *mut () {
        // Relaxed: the exchange that let the call in has acquired what `publish` released.
        self.entry.object.load(Ordering::Relaxed)
    }

    /// Lets the next call in.
    #[inline(always)]
    pub(crate) fn leave(self) {
        // Release: pairs with the acquire in `exchange`.
        self.entry.word.store(self.identity.idle(), Ordering::Release);
    }

    /// Lets only destroy in from now on.
    #[cold]
    pub(crate) fn poison(self) {
        // Release: pairs with the acquire in `exchange`.
        self.entry.word.store(self.identity.poisoned(), Ordering::Release);
    }
}
