//! Waiting: for space, for a reservation, for a notice. One queue for a tree, in the order of arrival.
//!
//! Who waits adds its threshold to the bounds of every level it waits for, so the very release that brings a level
//! below it comes to the lock and finds it: no polling, and no wake-up that can be lost, as enrolling, testing and
//! serving all happen under the lock. Whoever settles serves: it goes through the queue in order, decides for each
//! waiter, and wakes those it served, each by a condition of its own.
//!
//! A waiter for *space* is served when every limited level above it is below its percent. Waiters for space wake
//! together and nothing is held for them. A waiter with a *reservation* is served by charging its amount, in its place:
//! its space is held against everybody behind it. What waits in front of it on a level counts there as used, so a
//! small reservation overtakes a large one only where both fit.
//!
//! Waiters stand on the stack of the thread that waits, or in the block of the notice, and are linked: waiting needs
//! no memory. Serving goes through the whole queue: a crossing of a level while W wait costs W times the depth.

use super::gate::Bounds;
use super::lend::{begin_change, end_change};
use super::node::Node;
use super::notify::Notice;
use super::operate::After;
use super::options::{Error, in_range};
use super::percent::{MAX_AMOUNT, MAX_LEVEL, threshold};
use super::tree::Held;
use crate::sync::{self, Condvar, Guarded, Ordering};
use std::ptr;
use std::time::Instant;

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waited {
    /// With what was waited for.
    Done,
    /// Its time was up.
    TimedOut,
    /// The tracker, or one above it, is stopped, or was while it waited.
    Stopped,
    /// The tracker was destroyed while it waited.
    Destroyed,
}

/// What somebody waits for.
#[derive(Clone, Copy)]
pub(super) enum Want {
    /// Every level in the scope below this percent. A *watch* is what a user of the node waits for: stopping does not end it.
    Space { percent: i32, scope: Scope, is_watch: bool },
    /// This much on every level.
    Reservation { amount: i64 },
}

/// Which levels who waits looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// The tracker and all above it.
    Path,
    /// The tracker alone.
    Own,
}

/// Somebody who waits.
pub(super) struct Waiter {
    node: *const Node,
    want: Want,
    /// What is due when the wait ends; null if a thread waits, by the condition.
    notice: *const Notice,
    condition: Condvar,
    links: Guarded<Links>,
}

/// A waiter's place in the queue, for the holder of the lock.
struct Links {
    outcome: Option<Waited>,
    next: *const Waiter,
    previous: *const Waiter,
}

impl Waiter {
    pub(super) fn new(node: &Node, want: Want, notice: *const Notice) -> Waiter {
        let links = Links { outcome: None, next: ptr::null(), previous: ptr::null() };
        Waiter { node, want, notice, condition: Condvar::new(), links: Guarded::new(links) }
    }

    pub(super) fn notice(&self) -> *const Notice {
        self.notice
    }

    fn node(&self) -> &Node {
        // SAFETY: who waits holds its node alive: a thread by its tracker, a notice because the end of the node's last user
        // ends it.
        unsafe { &*self.node }
    }

    fn is_watch(&self) -> bool {
        matches!(self.want, Want::Space { is_watch: true, .. })
    }

    fn is_below(&self, node: &Node) -> bool {
        self.node().path().any(|level| ptr::eq(level, node))
    }
}

/// The queue.
pub(super) struct Waiters {
    first: *const Waiter,
    last: *const Waiter,
}

impl Waiters {
    pub(super) fn new() -> Waiters {
        Waiters { first: ptr::null(), last: ptr::null() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_null()
    }
}

/// Waits until every level of the path is below `percent`.
pub(crate) fn wait_for_space(node: &Node, deadline: Option<Instant>, percent: i32) -> After<Waited> {
    if let Err(error) = in_range("percent", percent, 1, i32::MAX) {
        return After::refused(error);
    }
    if percent >= 100 && super::read::is_free(node) {
        return After::with(Waited::Done);
    }
    wait(node, Want::Space { percent, scope: Scope::Path, is_watch: false }, deadline)
}

/// Waits until `amount` fits on every level of the path, and takes it.
pub(crate) fn reserve_wait(node: &Node, amount: u64, deadline: Option<Instant>) -> After<Waited> {
    if amount > MAX_AMOUNT as u64 {
        return After::refused(Error::Amount { value: amount });
    }
    // A stopped tracker answers so whether or not there is room.
    let may_go_on = !super::read::is_stopped(node);
    if may_go_on && (amount == 0 || super::operate::take_credit(node, amount)) {
        return After::with(Waited::Done);
    }
    wait(node, Want::Reservation { amount: amount as i64 }, deadline)
}

/// Takes `amount` if it fits on every level of the path now, with nobody waiting in front.
pub(crate) fn try_reserve(node: &Node, amount: u64) -> After<bool> {
    if amount == 0 {
        return After::with(true);
    }
    if amount > MAX_AMOUNT as u64 {
        return After::refused(Error::Amount { value: amount });
    }
    if super::operate::take_credit(node, amount) {
        return After::with(true);
    }
    let mut held = node.tree().lock();
    let admitted = held.admit(node.leaf(), amount as i64, Before::All);
    held.settle();
    let mut drain = None;
    held.leave(&mut drain);
    After { answer: Ok(admitted), drain }
}

fn wait(node: &Node, want: Want, deadline: Option<Instant>) -> After<Waited> {
    let mut drain = None;
    let tree = node.tree();
    let mut held = tree.lock();
    if let Some(outcome) = held.refusal(node) {
        held.leave(&mut drain);
        return After { answer: Ok(outcome), drain };
    }
    let waiter = Waiter::new(node, want, ptr::null());
    if let Want::Reservation { amount } = want
        && let Err(error) = held.can_wait_for(node, amount)
    {
        held.leave(&mut drain);
        return After { answer: Err(error), drain };
    }
    held.enrol(&waiter);
    held.settle();
    let answer = loop {
        if let Some(outcome) = held.links(&waiter).outcome {
            break outcome;
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            held.withdraw(&waiter);
            held.settle();
            break Waited::TimedOut;
        }
        held.leave(&mut drain);
        // What settling brought about is delivered before this thread sleeps: nobody else may come for it.
        if let Some(drain) = drain.take() {
            drain.run();
        }
        held = tree.lock();
        if held.links(&waiter).outcome.is_none() {
            held = held.sleep(&waiter.condition, deadline);
        }
    };
    held.leave(&mut drain);
    After { answer: Ok(answer), drain }
}

/// What counts as used besides the level when a reservation is tested.
#[derive(Clone, Copy)]
pub(super) enum Before {
    /// Everything that waits: for one that does not.
    All,
    /// What the running pass has met: for one in the queue.
    Met,
}

impl<'t> Held<'t> {
    fn sleep(self, condition: &Condvar, deadline: Option<Instant>) -> Held<'t> {
        let Held { mut state, tree, crossed, .. } = self;
        state.crossings += crossed;
        Held {
            state: sync::wait(condition, state, deadline),
            tree,
            crossed: 0,
            is_crossing: false,
            has_first: false,
        }
    }
}

impl Held<'_> {
    fn links<'a>(&'a mut self, waiter: &'a Waiter) -> &'a mut Links {
        // SAFETY: the lock of the waiter's tree is held, and `self` is borrowed for as long as the result.
        unsafe { &mut *waiter.links.get() }
    }

    /// Why nobody may wait at a node now, if so.
    pub(super) fn refusal(&mut self, node: &Node) -> Option<Waited> {
        if self.cold(node).flags.closed {
            return Some(Waited::Destroyed);
        }
        super::read::is_stopped(node).then_some(Waited::Stopped)
    }

    /// Whether a reservation may stand in the queue: it could fit some day, and what waits can be summed.
    pub(super) fn can_wait_for(&mut self, node: &Node, amount: i64) -> Result<(), Error> {
        for level in node.path() {
            let limit = level.limit();
            if limit > 0 && amount > limit {
                return Err(Error::NeverFits { amount: amount as u64, limit: limit as u64 });
            }
            let waiting = level.held_bytes();
            if waiting > MAX_LEVEL - amount {
                return Err(Error::Level { level: waiting, change: amount });
            }
        }
        Ok(())
    }

    /// Puts a waiter at the end of the queue and its threshold into the bounds. Settle afterwards, which may serve it.
    pub(super) fn enrol(&mut self, waiter: &Waiter) {
        let last = self.state.waiters.last;
        self.links(waiter).previous = last;
        // SAFETY: waiters in the queue are alive: they leave it under the lock before they end.
        match unsafe { last.as_ref() } {
            Some(last) => self.links(last).next = waiter,
            None => self.state.waiters.first = waiter,
        }
        self.state.waiters.last = waiter;
        self.hold(waiter, 1);
        self.refresh_path(waiter.node());
        self.state.serve = true;
        self.state.unsettled = true;
    }

    /// Takes a waiter out of the queue. Settle afterwards: others may be served. Its threshold may stay in the bounds:
    /// they are narrower than they need be until the next crossing.
    pub(super) fn withdraw(&mut self, waiter: &Waiter) {
        let links = self.links(waiter);
        let (next, previous) = (links.next, links.previous);
        // SAFETY: as in `enrol`.
        match unsafe { previous.as_ref() } {
            Some(before) => self.links(before).next = next,
            None => self.state.waiters.first = next,
        }
        // SAFETY: as in `enrol`.
        match unsafe { next.as_ref() } {
            Some(after) => self.links(after).previous = previous,
            None => self.state.waiters.last = previous,
        }
        self.hold(waiter, -1);
        if let Want::Reservation { .. } = waiter.want {
            // Those behind it have less in front of them now.
            self.refresh_path(waiter.node());
            self.state.serve = true;
            self.state.unsettled = true;
        }
    }

    /// Holds a reservation's amount on its path, or lets it go.
    fn hold(&mut self, waiter: &Waiter, times: i64) {
        if let Want::Reservation { amount } = waiter.want {
            for level in waiter.node().path() {
                // Relaxed: written under the lock.
                level.total.held.store(level.held_bytes() + amount * times, Ordering::Relaxed);
            }
        }
    }

    /// Puts the thresholds of everybody who waits into the bounds of a path's limited levels. Where a threshold lies
    /// beyond all that the credit below could do, the bounds move up to it and the credit stays; where it does not, the
    /// level is computed anew.
    fn refresh_path(&mut self, node: &Node) {
        for level in node.path().filter(|level| level.limit() > 0) {
            self.shut(level);
            let total = level.committed();
            // Relaxed: written under the lock.
            let slack = level.total.slack.load(Ordering::Relaxed);
            let (lo, hi) = self.bounds(level);
            let mut bounds = Bounds::of(total - slack, total, lo, hi);
            self.narrow_to_waiters(level, &mut bounds);
            let cold = self.cold(level);
            // Credit that reaches into what is held would let others overtake: it is recalled, too.
            let reaches = slack > 0 && bounds.hi > level.limit().saturating_sub(level.held_bytes());
            if bounds.are_cut || reaches {
                cold.flags.stale = true;
            } else {
                self.set_bounds(level, bounds.lo, bounds.hi);
            }
        }
    }

    /// Ends the wait of everybody at a node, or below it as well, but no watch.
    pub(super) fn end_waits(&mut self, node: &Node, outcome: Waited, below: bool) {
        self.dismiss_all(outcome, |waiter| {
            (ptr::eq(waiter.node, node) || (below && waiter.is_below(node))) && !waiter.is_watch()
        });
    }

    /// Ends everything that waits at a node whose last owner is gone.
    pub(super) fn end_all_waits(&mut self, node: &Node) {
        self.dismiss_all(Waited::Destroyed, |waiter| ptr::eq(waiter.node, node));
    }

    fn dismiss_all(&mut self, outcome: Waited, test: impl Fn(&Waiter) -> bool) {
        let mut next = self.state.waiters.first;
        // SAFETY: as in `enrol`.
        while let Some(waiter) = unsafe { next.as_ref() } {
            next = self.links(waiter).next;
            if test(waiter) {
                self.dismiss(waiter, outcome);
            }
        }
    }

    pub(super) fn dismiss(&mut self, waiter: &Waiter, outcome: Waited) {
        self.withdraw(waiter);
        // From here on the waiter may end as soon as the lock is left: nothing follows it after that.
        self.links(waiter).outcome = Some(outcome);
        if waiter.notice.is_null() {
            waiter.condition.notify_one();
        } else {
            self.make_due(waiter.notice, outcome);
        }
    }

    /// Goes through the queue once and serves whom it can.
    pub(super) fn serve_waiters(&mut self) {
        let mut next = self.state.waiters.first;
        // SAFETY: as in `enrol`.
        while let Some(waiter) = unsafe { next.as_ref() } {
            for level in waiter.node().path() {
                level.total.ahead.store(0, Ordering::Relaxed);
            }
            next = self.links(waiter).next;
        }
        let mut next = self.state.waiters.first;
        // SAFETY: as in `enrol`.
        while let Some(waiter) = unsafe { next.as_ref() } {
            next = self.links(waiter).next;
            let node = waiter.node();
            let served = match waiter.want {
                Want::Space { percent, scope: Scope::Own, .. } => is_level_below(node, percent),
                Want::Space { percent, .. } => is_below(node, percent),
                Want::Reservation { amount } => {
                    self.fits(node, amount) && self.admit(node.leaf(), amount, Before::Met)
                }
            };
            if served {
                self.dismiss(waiter, Waited::Done);
            } else if let Want::Reservation { amount } = waiter.want {
                for level in node.path() {
                    level.total.ahead.store(level.ahead_bytes() + amount, Ordering::Relaxed);
                }
            }
        }
    }

    /// Whether a queued reservation fits, as far as can be seen without changing anything.
    fn fits(&mut self, node: &Node, amount: i64) -> bool {
        node.path().all(|level| {
            let limit = level.limit();
            limit == 0 || level.committed().max(0) + level.ahead_bytes() + amount <= limit
        })
    }

    /// Charges an amount on every level of the path, or on none. The gates of the path are shut.
    pub(super) fn admit(&mut self, node: &Node, amount: i64, before: Before) -> bool {
        self.shut_path(node);
        self.state.unsettled = true;
        // Until the outcome is known the totals are nobody's to read: readers without the lock see an odd version.
        for level in node.path() {
            begin_change(level);
        }
        let refused_by = node.path().find(|level| !self.admit_at(level, amount, before));
        if let Some(level) = refused_by {
            for done in node.path().take_while(|done| !ptr::eq(*done, level)) {
                // AcqRel: see `gate::add`.
                done.total.committed.fetch_sub(amount, Ordering::AcqRel);
            }
        }
        for level in node.path() {
            end_change(level);
        }
        refused_by.is_none()
    }

    fn admit_at(&mut self, level: &Node, amount: i64, before: Before) -> bool {
        let limit = match level.limit() {
            0 => MAX_LEVEL,
            limit => limit.min(MAX_LEVEL),
        };
        let before = match before {
            Before::All => level.held_bytes(),
            Before::Met => level.ahead_bytes(),
        };
        // A level below zero makes no more room than an empty one.
        let fits = |total: i64| total.max(0).saturating_add(before).saturating_add(amount) <= limit;
        let mut total = level.committed();
        if !fits(total) {
            self.recall(level);
            total = level.committed();
        }
        while fits(total) {
            // AcqRel: see `gate::add`; the failure acquires what the next test rests on.
            let (old, new) = (level.raw(total), level.raw(total + amount));
            match level.total.committed.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return true,
                Err(seen) => total = level.unraw(seen),
            }
        }
        false
    }

    /// Puts the thresholds of everybody who waits for a level into its bounds.
    pub(super) fn narrow_to_waiters(&mut self, node: &Node, bounds: &mut Bounds) {
        let (limit, step) = (node.limit(), node.min_delta());
        let mut ahead = 0_i64;
        let mut next = self.state.waiters.first;
        // SAFETY: as in `enrol`.
        while let Some(waiter) = unsafe { next.as_ref() } {
            next = self.links(waiter).next;
            if !waiter.is_below(node) {
                continue;
            }
            match waiter.want {
                Want::Space { scope: Scope::Own, .. } if !ptr::eq(waiter.node, node) => {}
                Want::Space { percent, .. } => {
                    bounds.narrow(threshold(percent, limit, step));
                }
                Want::Reservation { amount } => {
                    // It fits at every level below this one; where it is not positive, none will do for now.
                    let first_too_full = limit.saturating_sub(ahead).saturating_sub(amount) + 1;
                    if first_too_full > 0 {
                        bounds.narrow(first_too_full);
                    }
                    ahead = ahead.saturating_add(amount);
                }
            }
        }
        if ahead > 0 {
            // What waits is held: nothing is lent into it.
            bounds.narrow(limit.saturating_sub(ahead));
        }
    }

    /// The waiter of the notice with a ticket at a node, if it is in the queue still. Goes through the queue.
    pub(super) fn waiter_of(&mut self, node: &Node, ticket: u64) -> Option<*const Waiter> {
        let mut next = self.state.waiters.first;
        // SAFETY: as in `enrol`.
        while let Some(waiter) = unsafe { next.as_ref() } {
            // SAFETY: the notice of a waiter in the queue is alive under the lock.
            let notice = unsafe { waiter.notice.as_ref() };
            if ptr::eq(waiter.node, node) && notice.is_some_and(|notice| notice.ticket() == ticket) {
                return Some(next);
            }
            next = self.links(waiter).next;
        }
        None
    }

    /// The number of waiters at a node and below.
    pub(super) fn waiters_below(&mut self, node: &Node) -> u32 {
        let mut count = 0;
        let mut next = self.state.waiters.first;
        // SAFETY: as in `enrol`.
        while let Some(waiter) = unsafe { next.as_ref() } {
            next = self.links(waiter).next;
            count += u32::from(waiter.is_below(node));
        }
        count
    }
}

/// Whether every limited level of the path is below a percent.
fn is_below(node: &Node, percent: i32) -> bool {
    node.path().all(|level| is_level_below(level, percent))
}

/// Whether a level is below a percent of its limit, if it has one. A threshold in question is among the bounds, so the
/// committed total is on the same side of it as the usage.
fn is_level_below(level: &Node, percent: i32) -> bool {
    let limit = level.limit();
    limit == 0 || level.committed() < threshold(percent, limit, level.min_delta())
}
