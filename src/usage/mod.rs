//! An exact memory meter that many threads share without sharing a line: a tree of trackers with limits, percent
//! steps, events, reservations and waiting for space.
//!
//! ```
//! use queuecore::usage::{Options, Tracker};
//!
//! let memory = Tracker::new(Options { limit_bytes: 1_000_000, ..Options::default() })?;
//! let orders = memory.child(Options { share_ppm: 700_000, ..Options::default() })?;
//! orders.increase(700_000)?;
//! assert_eq!((orders.percent(), memory.percent()), (100, 70));
//! assert!(orders.is_full() && !memory.is_full());
//! assert!(!orders.try_reserve(1)?);
//! orders.decrease(350_000)?;
//! assert_eq!(memory.usage_bytes(), 350_000);
//! # Ok::<(), queuecore::usage::Error>(())
//! ```
//!
//! # The map
//! | file | holds |
//! |---|---|
//! | `operate` | increase and decrease, and **the idea of the algorithm** |
//! | `gate` | bounds, crossings, and **the proof** that none is missed |
//! | `lend`, `recall` | how credit comes into stripes, and back |
//! | `stripes` | more stripes for a node that several processors use |
//! | `word`, `percent` | the arithmetic of stripes and of percents |
//! | `node`, `tree`, `share`, `extra` | memory: a node and its layout, the lock, a parent's own share, rare things |
//! | `wait`, `notify` | reservations, waiting, notices |
//! | `events`, `poll` | delivery to listeners, or to a loop |
//! | `read`, `stats`, `configure` | questions, figures, settings |
//! | `layout`, `raw` | the memory layout for other languages; what the C ABI calls |
//!
//! # Threads and cost
//! Every call may be made by any thread at any time. Lines written that other processors write as well, per call:
//!
//! | call | usually | at worst |
//! |---|---|---|
//! | `increase`, `decrease`, `try_reserve` | none | at a crossing the lock, one for each level, and one for each active stripe below the level that is crossed |
//! | `is_full`, `percent` | none | the same, once, for a percent that is read and that nobody keeps |
//! | `usage_bytes` | none, or the lock if credit is lent below | the same |
//! | all others | the lock | the lock, one for each level, one for each active stripe below |
//!
//! Where somebody waits, a crossing also looks at each waiter and its levels. Whoever has the duty to deliver
//! (`events`) calls listeners and notices before it returns, those of other threads' crossings too, and a wait may
//! therefore return later than its deadline.

mod configure;
mod events;
mod extra;
mod gate;
#[cfg_attr(loom, allow(dead_code, reason = "a loom build has no C ABI"))]
pub(crate) mod layout;
mod lend;
mod node;
mod notify;
mod operate;
mod options;
mod percent;
mod poll;
#[cfg_attr(loom, allow(dead_code, unused_imports, reason = "a loom build has no C ABI"))]
pub(crate) mod raw;
mod read;
mod recall;
mod share;
mod stats;
mod stripes;
mod tree;
mod tuning;
mod wait;
mod word;

#[cfg(test)]
mod invariants;
#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;

pub use events::{Event, Listener};
pub use extra::Marks;
pub use notify::{Notified, Reserving};
pub use options::{Error, MAX_DEPTH, MAX_EVENT_CAPACITY, MAX_TRACKERS, Options, WHOLE_PPM};
pub use percent::{MAX_AMOUNT, MAX_LEVEL, MAX_LIMIT};
pub use stats::{Child, Stats};
pub(crate) use wait::Scope;
pub use wait::Waited;

use crate::sync::Ordering;
use extra::Receiver;
use node::Node;
use operate::After;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tree::{Dead, Tree};
use tuning::Tuning;

/// A meter with a limit, alone or below another one. Dropping it destroys it: see [`Tracker::destroy`].
pub struct Tracker {
    node: NonNull<Node>,
    /// It is one of the users of a node whose handle somebody else has.
    is_user: bool,
}

// SAFETY: a node is made to be shared: its hot parts are atomic, its cold part belongs to the holder of the lock.
unsafe impl Send for Tracker {}
// SAFETY: as above.
unsafe impl Sync for Tracker {}

/// The moment when a wait that begins now ends; `None` if it does not, or lies beyond what a clock can tell.
pub(crate) fn deadline(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}

impl Tracker {
    /// A tracker without a parent: the root of a tree of its own.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] and [`Error::Contradiction`] for a setting, [`Error::NoMemory`].
    pub fn new(options: Options) -> Result<Tracker, Error> {
        let tuning = Tuning::for_machine(options.max_stripes);
        Tracker::with_tuning(options, tuning)
    }

    fn with_tuning(options: Options, tuning: Tuning) -> Result<Tracker, Error> {
        options.check(true)?;
        let tree = Tree::create(options.allocator.clone(), tuning)?;
        // SAFETY: just made, with one reference, which the root takes over or `release` ends.
        let mut held = unsafe { tree.as_ref() }.lock();
        let made = held.add_node(None, options.limit_bytes as i64, options.min_delta_percent, options.tag);
        if let Ok(node) = made {
            // SAFETY: just made, with the reference that the new tracker takes over.
            held.cold(unsafe { node.as_ref() }).event_capacity = options.event_capacity;
        }
        held.settle();
        let mut drain = None;
        held.leave(&mut drain);
        match made {
            Ok(node) => Ok(Tracker { node, is_user: false }),
            Err(error) => {
                // SAFETY: the reference from `create`, which nobody else has.
                unsafe { Tree::release(tree.as_ptr()) };
                Err(error)
            }
        }
    }

    /// A tracker below this one: whatever it counts, this one and all above count too.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] and [`Error::Contradiction`] for a setting, [`Error::NoMemory`], and
    /// [`Error::TooMany`] at [`MAX_TRACKERS`] or [`MAX_DEPTH`].
    pub fn child(&self, options: Options) -> Result<Tracker, Error> {
        make_child(self.node(), &options).finish().map(|node| Tracker { node, is_user: false })
    }

    #[inline(always)]
    fn node(&self) -> &Node {
        // SAFETY: the node is alive by this handle's reference.
        unsafe { self.node.as_ref() }
    }

    /// Counts `amount` bytes more, here and on every level above. Never blocks and never refuses for want of space.
    ///
    /// # Errors
    /// [`Error::Amount`] above [`MAX_AMOUNT`], [`Error::Level`] if a level would leave plus and minus [`MAX_LEVEL`].
    #[inline]
    pub fn increase(&self, amount: u64) -> Result<(), Error> {
        operate::increase(self.node(), amount).finish()
    }

    /// Counts `amount` bytes less, here and on every level above. Levels below zero are counted and shown.
    ///
    /// # Errors
    /// As [`Tracker::increase`].
    #[inline]
    pub fn decrease(&self, amount: u64) -> Result<(), Error> {
        operate::decrease(self.node(), amount).finish()
    }

    /// Counts `amount` bytes more if they fit under the limit of every level, behind everybody who waits with a
    /// reservation; otherwise changes nothing, and nobody sees a trace of it. 0 always fits. A level below zero makes
    /// no more room than an empty one.
    ///
    /// # Errors
    /// [`Error::Amount`].
    #[inline]
    pub fn try_reserve(&self, amount: u64) -> Result<bool, Error> {
        wait::try_reserve(self.node(), amount).finish()
    }

    /// As [`Tracker::try_reserve`], but waits for its turn, first come, first served: the space is held for the first
    /// in line. `None` waits without end.
    ///
    /// # Errors
    /// [`Error::Amount`]; [`Error::NeverFits`] if it is more than a limit above.
    pub fn reserve_wait(&self, amount: u64, timeout: Option<Duration>) -> Result<Waited, Error> {
        wait::reserve_wait(self.node(), amount, deadline(timeout)).finish()
    }

    /// Waits until every limited level is below `percent` (1 or more). Nothing is held: waiters wake together. The time
    /// is for the path as a whole; `None` waits without end.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for the percent.
    pub fn wait_for_space(&self, timeout: Option<Duration>, percent: i32) -> Result<Waited, Error> {
        wait::wait_for_space(self.node(), deadline(timeout), percent).finish()
    }

    /// As [`Tracker::reserve_wait`], without a thread that waits: if the amount does not fit now, it stands in the same line,
    /// and `callback` is called once, outside all locks, when it is counted ([`Waited::Done`]) or the tracker is stopped or
    /// destroyed before. [`Tracker::withdraw_reservation`] takes it out of the line.
    ///
    /// # Errors
    /// As of [`Tracker::reserve_wait`], and [`Error::NoMemory`]. The callback is dropped.
    pub fn reserve_later(
        &self,
        amount: u64,
        callback: impl FnOnce(Waited) + Send + 'static,
    ) -> Result<Reserving, Error> {
        notify::reserve_later(self.node(), amount, callback).finish()
    }

    /// Takes a reservation, or a notice of [`Tracker::space_later`], out of the line by its ticket. True: nothing is counted
    /// for it, and its callback is dropped uncalled. False: it is not in line (any more); its callback was called, or will be in a moment. Goes through the line.
    pub fn withdraw_reservation(&self, ticket: u64) -> bool {
        notify::withdraw_reservation(self.node(), ticket).finish().unwrap_or(false)
    }

    /// Has `callback` called once, outside all locks, when no level is full any more, or with another reason when the
    /// tracker is stopped or destroyed before. If nothing is full now, drops it and says so.
    ///
    /// # Errors
    /// [`Error::NoMemory`]; the callback is dropped.
    pub fn notify_when_not_full(
        &self,
        callback: impl FnOnce(Waited) + Send + 'static,
    ) -> Result<Notified, Error> {
        notify::notify_when_not_full(self.node(), callback).finish()
    }

    /// As [`Tracker::notify_when_not_full`], when every limited level is below `percent` (1 or more): when
    /// [`Tracker::is_full_at`] would answer no.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for the percent; [`Error::NoMemory`]. The callback is dropped.
    pub fn notify_when_below(
        &self,
        percent: i32,
        callback: impl FnOnce(Waited) + Send + 'static,
    ) -> Result<Notified, Error> {
        notify::notify_when_below(self.node(), percent, callback).finish()
    }

    /// As [`Tracker::notify_when_below`], and answers a ticket, by which [`Tracker::withdraw_reservation`] takes the notice
    /// back and [`Tracker::is_in_line`] asks after it; `None` if every level is below now.
    ///
    /// # Errors
    /// As there.
    pub fn space_later(
        &self,
        percent: i32,
        callback: impl FnOnce(Waited) + Send + 'static,
    ) -> Result<Option<u64>, Error> {
        notify::space_later(self.node(), percent, Scope::Path, false, callback).finish()
    }

    /// Whether what has this ticket still stands in line: it was not served up to now. Goes through the line.
    pub fn is_in_line(&self, ticket: u64) -> bool {
        notify::is_in_line(self.node(), ticket)
    }

    /// As [`Tracker::notify_when_below`], for this tracker's own level alone.
    ///
    /// # Errors
    /// As there.
    pub fn notify_when_own_below(
        &self,
        percent: i32,
        callback: impl FnOnce(Waited) + Send + 'static,
    ) -> Result<Notified, Error> {
        notify::notify_below(self.node(), percent, Scope::Own, false, callback).finish()
    }

    /// For a cursor: as [`Tracker::notify_when_below`] or [`Tracker::notify_when_own_below`], but stopping the tracker
    /// does not end it.
    pub(crate) fn watch_below(
        &self,
        percent: i32,
        scope: Scope,
        callback: impl FnOnce(Waited) + Send + 'static,
    ) -> Result<Notified, Error> {
        notify::notify_below(self.node(), percent, scope, true, callback).finish()
    }

    /// The percent of this tracker's own limit that is used, truncated to a multiple of its step; 0 if unlimited.
    #[inline]
    pub fn percent(&self) -> i32 {
        read::percent(self.node()).finish().unwrap_or(0)
    }

    /// Whether this tracker or one above it is at 100 % or more.
    #[inline]
    pub fn is_full(&self) -> bool {
        read::is_full(self.node())
    }

    /// Whether this tracker or one above it is at `percent` or more of its own limit, by its own step. Unlimited ones
    /// never are.
    pub fn is_full_at(&self, percent: i32) -> bool {
        read::is_full_at(self.node(), percent).finish().unwrap_or(false)
    }

    /// Whether the percent reached the upper mark and has not been below the lower one since.
    pub fn is_over_mark(&self) -> bool {
        read::is_over_mark(self.node())
    }

    /// What is counted. Exact while nobody writes; otherwise operations that run at the same time count or not.
    pub fn usage_bytes(&self) -> i64 {
        let mut drain = None;
        let usage = read::usage(self.node(), &mut drain);
        After { answer: Ok(usage), drain }.finish().unwrap_or(usage)
    }

    /// What is counted at one moment during the call, whoever writes. Recalls all credit below: not for every message.
    pub fn usage_exact_bytes(&self) -> i64 {
        read::usage_exact(self.node()).finish().unwrap_or(0)
    }

    /// Sets what this tracker itself counts, its children's part aside; the levels above follow by the same change.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] outside plus and minus [`MAX_AMOUNT`]; [`Error::Level`].
    pub fn set_usage_bytes(&self, usage_bytes: i64) -> Result<(), Error> {
        configure::set_usage(self.node(), usage_bytes).finish()
    }

    /// Sets a limit; 0 for none. A share of the parent's limit is given up.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] above [`MAX_LIMIT`].
    pub fn set_limit_bytes(&self, limit_bytes: u64) -> Result<(), Error> {
        configure::set_limit(self.node(), limit_bytes).finish()
    }

    /// Takes a share of the parent's limit, from 1 to [`WHOLE_PPM`] parts per million, instead of a limit.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]; [`Error::Contradiction`] on a root.
    pub fn set_share_ppm(&self, share_ppm: u32) -> Result<(), Error> {
        configure::set_share(self.node(), share_ppm).finish()
    }

    /// Sets the step in which percents count; 1 or more.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn set_min_delta_percent(&self, min_delta_percent: u32) -> Result<(), Error> {
        configure::set_min_delta(self.node(), min_delta_percent).finish()
    }

    /// Sets the pair of percents of [`Tracker::is_over_mark`], or removes it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a percent below 1; [`Error::Contradiction`] if the lower is above the upper one.
    pub fn set_marks(&self, marks: Option<Marks>) -> Result<(), Error> {
        configure::set_marks(self.node(), marks).finish()
    }

    /// The limit; 0 means unlimited.
    pub fn limit_bytes(&self) -> u64 {
        raw::limit(self.node())
    }

    /// Has `listener` called with every percent step from now on, in an unbroken chain; nothing is reported now.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn set_listener(&self, listener: Arc<dyn Listener>) -> Result<(), Error> {
        self.set_receiver(Receiver::Listener(listener))
    }

    /// Keeps percent steps for [`Tracker::poll_events`] from now on.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn keep_events(&self) -> Result<(), Error> {
        self.set_receiver(Receiver::Poll)
    }

    /// Ends events of this tracker; those that wait to be delivered are gone. A listener may be running still, and up to
    /// four steps that are on their way to it already are still told. Its end is when it is dropped.
    pub fn clear_events(&self) -> Result<(), Error> {
        self.set_receiver(Receiver::Nobody)
    }

    fn set_receiver(&self, receiver: Receiver) -> Result<(), Error> {
        configure::set_receiver(self.node(), receiver).finish().map(drop)
    }

    /// Takes events of all trackers of this tree that keep them, each one's in order, as many as fit. Answers how many.
    pub fn poll_events(&self, events: &mut [Event]) -> usize {
        poll::poll_events(self.node(), events)
    }

    /// A descriptor that is readable while there are events to poll. It stays the tree's: do not read or close it.
    ///
    /// # Errors
    /// [`Error::NoDescriptor`].
    pub fn event_descriptor(&self) -> Result<i32, Error> {
        poll::descriptor(self.node())
    }

    /// Lets waits at this tracker begin (again). A tracker is made started.
    pub fn start(&self) {
        // It has no error.
        let _ = configure::set_stopped(self.node(), false).finish();
    }

    /// Ends all waits here and below with [`Waited::Stopped`], and answers new ones so. Everything else goes on.
    pub fn stop(&self) {
        // It has no error.
        let _ = configure::set_stopped(self.node(), true).finish();
    }

    /// Figures at one moment. Linear in the active stripes and the waiters below.
    pub fn stats(&self) -> Stats {
        stats::stats(self.node()).finish().unwrap_or_default()
    }

    /// Writes the children into `children` as far as they fit, in no particular order. Answers how many there are.
    pub fn children(&self, children: &mut [Child]) -> usize {
        stats::children(self.node(), children).finish().unwrap_or(0)
    }

    /// Ends the tracker. What it still counts itself is taken off every level above, and answered. Its waits end with
    /// [`Waited::Destroyed`]; its own events end, those that wait to be delivered included, while those of the levels
    /// above tell of what is taken off. It stays, without a handle, as a level for the children it has.
    pub fn destroy(self) -> i64 {
        let residual = self.end();
        std::mem::forget(self);
        residual.finish().unwrap_or(0)
    }

    fn end(&self) -> After<i64> {
        if self.is_user { leave(self.node) } else { close(self.node) }
    }
}

impl Drop for Tracker {
    fn drop(&mut self) {
        // The residual is of no interest to who drops a tracker.
        let _ = self.end().finish();
    }
}

/// A node below `parent`, with the reference that the new tracker takes over.
pub(crate) fn make_child(parent: &Node, options: &Options) -> After<NonNull<Node>> {
    if let Err(error) = options.check(false) {
        return After::refused(error);
    }
    let mut held = parent.tree().lock();
    let limit = match options.share_ppm {
        0 => options.limit_bytes as i64,
        share_ppm => percent::share_of(parent.limit(), share_ppm),
    };
    let mut dead = Dead::new();
    let mut made = held.add_node(Some(parent), limit, options.min_delta_percent, options.tag);
    if let Ok(node) = made
        && let Err(error) = held.split_off(parent)
    {
        held.settle();
        // SAFETY: just made; nobody else knows it.
        held.release_node(unsafe { node.as_ref() }, &mut dead);
        made = Err(error);
    }
    if let Ok(node) = made {
        // SAFETY: just made, and the new tracker has no other user yet.
        let cold = held.cold(unsafe { node.as_ref() });
        (cold.share_ppm, cold.event_capacity) = (options.share_ppm, options.event_capacity);
    }
    held.settle();
    let mut drain = None;
    held.leave(&mut drain);
    dead.bury(parent.tree());
    After { answer: made, drain }
}

/// Ends a handle's reference to a node.
pub(crate) fn close(node: NonNull<Node>) -> After<i64> {
    // SAFETY: alive by the reference of the handle, which ends here.
    let node = unsafe { node.as_ref() };
    let (residual, drain) = end_reference(node, |held| {
        held.cold(node).flags.closed = true;
        held.end_waits(node, Waited::Destroyed, false);
        // Its own listener hears no more, whether or not it stays as a level.
        let receiver = held.take_extra(node);
        (held.end_if_last(node), receiver)
    });
    After { answer: Ok(residual), drain }
}

/// Ends a user's reference to a node. The last one takes off what is counted, if the handle is gone.
fn leave(node: NonNull<Node>) -> After<i64> {
    // SAFETY: alive by the reference of the user, which ends here.
    let node = unsafe { node.as_ref() };
    let (residual, drain) = end_reference(node, |held| {
        // Relaxed, as all accesses to `users`: the lock orders them.
        node.total.users.fetch_sub(1, Ordering::Relaxed);
        (held.end_if_last(node), Receiver::Nobody)
    });
    After { answer: Ok(residual), drain }
}

/// Ends one reference to a node, after `before` was done under the same lock. That answers a number, and a receiver to
/// drop outside the lock while the tree is still there. The node may be gone afterwards.
fn end_reference(
    node: &Node,
    before: impl FnOnce(&mut tree::Held<'_>) -> (i64, Receiver),
) -> (i64, Option<events::Drain>) {
    let tree = node.tree();
    // For `bury`, which runs after the node's own reference to the tree is gone.
    tree.retain();
    let mut drain = None;
    let mut dead = Dead::new();
    let mut held = tree.lock();
    let (answer, receiver) = before(&mut held);
    // A reservation that was ended has shut the gates of its path.
    held.settle();
    held.release_node(node, &mut dead);
    held.leave(&mut drain);
    events::drop_of_host(receiver);
    dead.bury(tree);
    // SAFETY: the reference taken above; the tree is not used after this.
    unsafe { Tree::release(tree) };
    (answer, drain)
}

impl tree::Held<'_> {
    /// Takes off what a node counts itself, for good, once its handle and all users are gone. Answers what it was.
    fn end_if_last(&mut self, node: &Node) -> i64 {
        if !self.cold(node).flags.closed || node.total.users.load(Ordering::Relaxed) > 0 {
            return 0;
        }
        self.end_all_waits(node);
        self.take_share(node)
    }
}

/// Gives up a reference to a node that is not the handle's.
fn let_go(node: &Node) {
    if let (_, Some(drain)) = end_reference(node, |_| (0, Receiver::Nobody)) {
        drain.run();
    }
}
