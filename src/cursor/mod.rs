//! The window of a store-backed queue that is held in memory: caches up to a high watermark, pages in by whole pages,
//! never starves.
//!
//! A broker owns its messages and the store that has them all. A [`Cursor`] knows a token, a sequence, a size and a
//! priority of each message in its window; it says which stay in memory as they arrive, takes pages from the store when
//! consumers want more, gives messages out in order, and accounts for the memory in a [`usage`](crate::usage) tracker.
//!
//! ```
//! use queuecore::cursor::{Cursor, Delivered, MemoryStore, Message, Options, PullEnd, Pushed, Round, Stored, Write};
//! use queuecore::usage::{self, Tracker};
//! use std::sync::Arc;
//!
//! let tracker = Arc::new(Tracker::new(usage::Options { limit_bytes: 1_000, ..Default::default() })?);
//! let store = MemoryStore::new();
//! let mut cursor = Cursor::new(Options::default(), Arc::clone(&tracker), None, Box::new(store.clone()))?;
//! for sequence in 1..=10 {
//!     let (user, size_bytes, priority) = (0, 100, 4);
//!     store.insert(Stored { sequence, user, size_bytes, priority });
//!     let write = Write::Committed(sequence);
//!     let pushed = cursor.push(&Message { token: sequence, user, size_bytes, priority, write })?;
//!     // The seventh reaches the mark at 70 % and is kept; from then on the store alone has them.
//!     assert_eq!(pushed, if sequence <= 7 { Pushed::Cached } else { Pushed::Stored });
//! }
//! let mut out = [Delivered::default(); 10];
//! let pulled = cursor.pull(10, Round::Begin, &mut out)?;
//! assert_eq!(pulled.count, 7, "the others wait until memory is free: {:?}", pulled.end);
//! for message in &out[..pulled.count] {
//!     cursor.ack(message.sequence)?;
//! }
//! assert_eq!(tracker.usage_bytes(), 0);
//! assert_eq!(cursor.pull(10, Round::Begin, &mut out)?.count, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where the messages are
//! ```text
//!   in order of sequence:
//!   |  gone   |        the window        |     the store, committed     | writes that are open, and behind them |
//!   +---------+--------------------------+------------------------------+---------------------------------------+
//!             1                       position                       resolved
//!                    slots, by sequence and in order         pages            a record for each
//!                        (window, order, index)             (page)                (writes)
//! ```
//! *Position*: everything up to it has been in the window. *Resolved*: everything up to it is committed or aborted.
//! While the cursor caches, the two are equal. Sequences rise in the order of pushes; that is what makes one number
//! enough. What is behind an open write is neither delivered nor paged, whatever its priority, so consumers see the
//! queue as a prefix of what was pushed.
//!
//! | file | holds |
//! |---|---|
//! | `policy` | **the watermark policy**, a state machine of its own |
//! | `push`, `pull`, `release`, `drop_cache`, `purge`, `browse` | the calls |
//! | `page` | how a page comes in, and what is checked of it |
//! | `writes` | the commit barrier |
//! | `window`, `order`, `heap`, `index`, `slab`, `entry` | the messages in the window, each with its layout |
//! | `account`, `group`, `lend`, `ready` | the tracker, what cursors below one parent share, loans, `on_ready` |
//! | `store`, `memory_store` | what a store is, and one for tests |
//! | `options`, `types`, `stats`, `error` | what goes in and comes out |
//!
//! # Threads
//! A cursor is used by one thread at a time (`&mut self`) and may move between threads. `on_ready` may be called by any
//! thread that releases memory elsewhere; it may come before the pull that it answers has returned. A [`Group`] is used
//! by any thread.
//!
//! # Decisions
//! * `pull` takes at most one page, so that its time is bounded; [`PullEnd::More`] says to call again.
//! * In-memory messages are given out although the store fails; the error comes with the pull that has nothing else.
//!   After a failed fetch the next asks for a quarter of the messages, so that what lies before a message that cannot be
//!   read gets out.
//! * A message that `drop_cache` has given back keeps its place in the order and its redelivery count: 64 bytes that
//!   count against `max_entries`.
//! * A pull that the marks forbid a page while nothing is in flight gives the window's memory back itself: parked
//!   messages never fill a window for good.
//! * Caching resumes below the low mark, as paging does, so that it does not turn with every message at the high one.
//! * Where a push finds no memory for an entry, the message is STORED: the store has it.

mod account;
mod browse;
mod drop_cache;
mod entry;
mod error;
mod group;
mod heap;
mod index;
mod lend;
#[cfg(all(test, loom))]
mod loom_tests;
mod memory_store;
mod options;
mod order;
mod page;
mod policy;
mod pull;
mod purge;
mod push;
mod ready;
mod release;
mod slab;
mod stats;
mod store;
mod types;
mod window;
mod writes;

pub use error::Error;
pub use group::{Group, GroupOptions, GroupStats, MAX_MEMBERS};
pub use memory_store::{FetchCounts, MemoryStore};
pub use options::{
    Accounting, MAX_ENTRIES, MAX_OPEN_WRITES, MAX_PAGE_BYTES, MAX_PAGE_MESSAGES, MAX_PARENT_PERCENT, Options,
    Policy,
};
pub use ready::OnReady;
pub use store::{Fetch, Store, StoreError, Stored};
pub use types::{
    Blocked, Browsed, Delivered, Dropped, Message, PullEnd, Pulled, Purge, Purged, Pushed, Released, Round,
    Stats, Write,
};

use crate::memory::Memory;
use crate::usage::Tracker;
use account::Account;
use policy::Watermark;
use ready::Signal;
use stats::Counters;
use std::sync::Arc;
use std::time::Instant;
use window::Window;
use writes::Writes;

/// The window of one queue. See the [module](self).
pub struct Cursor {
    window: Window,
    account: Account,
    writes: Writes,
    mark: Watermark,
    policy: Policy,
    /// Everything up to this sequence has been in the window, or was never there.
    position: u64,
    /// The token of the last push; `None` before the first.
    last_token: Option<u64>,
    /// Records from the front of `writes` whose messages are in the order, or gone.
    shown: u32,
    /// Messages beyond the window and before the open writes, as far as is known, and their bytes.
    stored: u64,
    stored_bytes: u64,
    max_entries: u32,
    /// What the last pull was blocked by, and since when.
    blocked: Option<(Blocked, Instant)>,
    /// The last pull was blocked and `on_ready` is not known to have been called.
    awaits_ready: bool,
    /// The last pull was blocked by the parent: the group has it among those who wait, for its level or for a loan.
    stands_in_line: bool,
    /// Messages were in flight then.
    had_in_flight: bool,
    /// Fetches fail: ask for no more than this.
    fetch_cap: u32,
    /// The slot at which a purge goes on.
    purge_from: u32,
    counters: Counters,
    signal: Arc<Signal>,
    store: Box<dyn Store>,
}

// SAFETY: the raw pointers inside lead to blocks that this cursor alone owns; allocator, tracker, group and signal may
// be used by any thread, and a store may move. It is not Sync: the memory counts in a cell.
unsafe impl Send for Cursor {}

impl Cursor {
    /// What a cursor takes itself, in bytes: in use from the start.
    pub(crate) const OWN_BYTES: usize = size_of::<Cursor>() + size_of::<Signal>();

    /// A cursor over an empty queue. `tracker` is this queue's own; `group` is what the cursors below its parent share,
    /// and without one the parent is not looked at.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] and [`Error::Contradiction`] for a setting; [`Error::NoMemory`] and [`Error::TooMany`] of
    /// the group.
    pub fn new(
        options: Options,
        tracker: Arc<Tracker>,
        group: Option<&Group>,
        store: Box<dyn Store>,
    ) -> Result<Cursor, Error> {
        options.check()?;
        let policy = options.policy;
        let signal = Arc::new(Signal::new());
        let member = group.map(|group| group.shared.join(&signal, &tracker)).transpose()?;
        let (max_entries, max_open_writes) = (options.max_entries(), options.max_open_writes());
        let memory = Memory::new(options.allocator, Cursor::OWN_BYTES);
        Ok(Cursor {
            window: Window::new(memory),
            account: Account::new(tracker, options.accounting, &policy, member),
            writes: Writes::new(max_open_writes),
            mark: Watermark::new(policy.use_cache),
            policy,
            position: 0,
            last_token: None,
            shown: 0,
            stored: 0,
            stored_bytes: 0,
            max_entries,
            blocked: None,
            awaits_ready: false,
            stands_in_line: false,
            had_in_flight: false,
            fetch_cap: u32::MAX,
            purge_from: 0,
            counters: Counters::default(),
            signal,
            store,
        })
    }

    /// Tells a new cursor what the store already holds: after a restart. `last_sequence` is the last of the pending
    /// messages or a later one; what is pushed comes behind it.
    ///
    /// # Errors
    /// [`Error::Contradiction`] after another call has used the cursor; [`Error::OutOfRange`] for a last sequence that
    /// is below the count, or `u64::MAX`.
    pub fn open(&mut self, pending_count: u64, pending_bytes: u64, last_sequence: u64) -> Result<(), Error> {
        if self.last_token.is_some() || self.writes.largest() != 0 {
            return Err(Error::Contradiction { what: "open comes before every other call, once" });
        }
        options::in_range("last_sequence", last_sequence, pending_count, u64::MAX - 1)?;
        self.writes.start_at(last_sequence);
        (self.stored, self.stored_bytes) = (pending_count, pending_bytes);
        if pending_count == 0 {
            (self.position, self.stored_bytes) = (last_sequence, 0);
        } else {
            self.mark.is_caching = false;
        }
        Ok(())
    }

    /// Has `callback` called when a pull that was blocked can make progress: by this or any other thread, outside all
    /// locks. It must not call the cursor; it tells whoever pulls. `None` ends it; a call may be running still.
    pub fn on_ready(&mut self, callback: Option<OnReady>) {
        drop(self.signal.set_callback(callback));
    }

    /// Takes on a new policy, at once: the next push and pull go by it. What is in memory stays.
    ///
    /// # Errors
    /// As for the settings of [`new`](Self::new); the old policy stays.
    pub fn set_policy(&mut self, policy: Policy) -> Result<(), Error> {
        policy.check()?;
        self.policy = policy;
        self.account.set_marks(&policy);
        if !policy.use_cache {
            self.mark.stop_caching();
        }
        self.show_next();
        self.look_again();
        if self.awaits_ready
            && let Some((reason, _)) = self.blocked
        {
            // What it waits for may be another level now.
            self.ask_for_notice(reason);
        }
        Ok(())
    }

    /// Sets the pair of marks, in percent of the limit.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]; [`Error::Contradiction`] if the low mark is above the high one.
    pub fn set_marks(&mut self, low_percent: u32, high_percent: u32) -> Result<(), Error> {
        self.set_policy(Policy { low_percent, high_percent, ..self.policy })
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Calls `on_ready` if the last pull was blocked and something changed that the cursor could not see: the host has
    /// raised the tracker's limit.
    pub fn refresh(&mut self) {
        self.look_again();
    }

    /// Whether something is pending in the store, before the open writes or behind them, that the window does not hold.
    #[inline(always)]
    fn is_more_beyond(&self) -> bool {
        self.position < self.writes.resolved || self.writes.stored > 0 || self.window.dropped > 0
    }

    /// At the end of every call that may unblock a pull.
    #[inline(always)]
    fn look_again(&mut self) {
        if self.awaits_ready {
            self.look_closely();
        }
    }

    #[cold]
    fn look_closely(&mut self) {
        let Some((reason, _)) = self.blocked else { return };
        let zone = self.account.zone();
        self.mark.see(zone);
        let next = self.window.first();
        let has_next = next.is_some_and(|slot| self.window.at(slot).is_in_memory());
        // With nothing in flight any more a pull helps itself: see `drop_cache`.
        let is_back = self.window.in_flight == 0 && self.had_in_flight;
        let can_make_room = is_back || (self.window.in_flight == 0 && self.window.in_memory() > 0);
        // What it waited to fetch is gone: it is empty now, or waits for a commit.
        let is_over = reason != Blocked::Commit && self.start_of_page().is_none();
        let is_free = has_next
            || is_over
            || match reason {
                Blocked::OwnMark => self.mark.is_filling || can_make_room,
                Blocked::Entries => {
                    let room = self.max_entries - self.window.len();
                    // What was put aside comes with a new round alone.
                    is_back || room >= policy::room_for_page(&self.policy, self.max_entries)
                }
                Blocked::Parent => {
                    can_make_room || !self.account.is_parent_at(self.policy.parent_page_percent + 1)
                }
                Blocked::Commit => self.position < self.writes.resolved || next.is_some(),
            };
        if is_free {
            self.awaits_ready = false;
            self.signal.fire(reason);
        }
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        // Nobody is told of anything any more; who is telling it now holds the callback.
        self.signal.clear();
        self.on_ready(None);
        self.writes.release(&self.window.memory);
        self.window.release();
    }
}
