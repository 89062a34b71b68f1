//! Delivery: percent steps to listeners and notices to their callbacks, outside the lock, by one thread at a time.
//!
//! Steps are recorded under the lock, at the crossing, into the node's ring, so a node's chain has no gap and its order
//! is the order of the crossings. Whoever leaves the lock and finds something to deliver, and nobody at it, takes the
//! duty ([`Drain`]) and delivers until nothing is left, what others record meanwhile included. So an event may arrive
//! after the call that caused it has returned on another thread; never two at once in one tree; and a listener that
//! calls back into the tree only records more for the loop that called it: no recursion.
//!
//! ```text
//!            leave: something to deliver              leave: more
//!   IDLE  ------------------------------->  AT_IT  ---------------->  MORE
//!     ^                                     |   ^                       |
//!     +---- done: nothing came meanwhile ---+   +--- done: goes on -----+   (under the lock)
//! ```
//! The duty is an atomic beside the lock, so that a drain that found nothing more ends without the lock. Whoever records
//! leaves the lock afterwards and then moves the duty from IDLE (and has it) or from AT_IT to MORE, so the drain that is
//! running takes the lock once more: nothing that was recorded is forgotten.

use super::extra::{Extra, Receiver};
use super::notify::DueNotice;
use super::tree::{Held, Tree};
use crate::sync::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

/// One step of a tracker's percent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Event {
    /// The tracker's tag.
    pub tag: u64,
    /// The percent before: the `new` of the event before, or that of the moment when listening began.
    pub old: i32,
    /// The percent at the crossing.
    pub new: i32,
}

/// Who is called with a tracker's events.
///
/// Called by whichever thread happens to drain, never by two at once, holding no lock. It may call into any tracker.
/// A panic is caught and counted. While it runs, no other event or notice of the tree is delivered.
pub trait Listener: Send + Sync {
    /// Takes one event.
    fn percent_changed(&self, event: Event);
}

impl<F: Fn(Event) + Send + Sync> Listener for F {
    fn percent_changed(&self, event: Event) {
        self(event);
    }
}

/// `Tree::duty`: nobody delivers.
pub(super) const IDLE: u32 = 0;
/// Somebody does, and has taken all that there was.
const AT_IT: u32 = 1;
/// Somebody does, and is to look for more.
const MORE: u32 = 2;

/// The duty to deliver, and a reference to the tree. Ends with `run`, or by being dropped, which is the same.
#[must_use]
pub(crate) struct Drain {
    tree: NonNull<Tree>,
}

/// Something to deliver.
pub(super) enum Delivery {
    Events { listener: Arc<dyn Listener>, events: [Event; BATCH], len: usize },
    Notice(DueNotice),
}

/// Events that are taken at a time: a balance between turns at the lock and what is copied. A crossing makes one.
const BATCH: usize = 4;

impl Drain {
    /// Delivers until nothing is left.
    pub(crate) fn run(self) {
        drop(self);
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        // SAFETY: alive by this duty's own reference.
        let tree = unsafe { self.tree.as_ref() };
        // SAFETY: `Tree::delivery` belongs to whoever has the duty, and `leave` gave it to this drain.
        let mut next = unsafe { (*tree.delivery.get()).take() };
        while let Some(delivery) = next {
            let panicked = delivery.deliver(tree);
            // AcqRel: releases what the host did here to the next drain, and acquires that of the threads that
            // recorded. On failure the lock does so.
            let ended = !panicked
                && tree.duty.compare_exchange(AT_IT, IDLE, Ordering::AcqRel, Ordering::Relaxed).is_ok();
            next = if ended { None } else { tree.lock().go_on(panicked) };
        }
        // SAFETY: the reference that `leave` took; the tree is not used after this.
        unsafe { Tree::release(self.tree.as_ptr()) };
    }
}

impl Delivery {
    /// Calls the host. Answers whether it panicked.
    fn deliver(self, tree: &Tree) -> bool {
        match self {
            Delivery::Events { listener, events, len } => {
                let mut panicked = false;
                for event in events.into_iter().take(len) {
                    panicked |= catch_unwind(AssertUnwindSafe(|| listener.percent_changed(event))).is_err();
                }
                // The last reference to a listener may be this one, and dropping it the host's code.
                panicked | catch_unwind(AssertUnwindSafe(|| drop(listener))).is_err()
            }
            Delivery::Notice(notice) => notice.call(tree),
        }
    }
}

impl<'t> Held<'t> {
    /// Leaves the lock; with the duty to deliver if there is something and nobody is at it.
    pub(super) fn leave(mut self, drain: &mut Option<Drain>) {
        debug_assert!(self.state.gated.is_null(), "left with a gate shut");
        self.signal_poll();
        if !self.has_delivery() {
            return;
        }
        // Acquire: what the drain before did happens before this one. Relaxed on failure: the lock orders the rest.
        while self.tree.duty.compare_exchange(IDLE, AT_IT, Ordering::Acquire, Ordering::Relaxed).is_err() {
            // Relaxed, both: only says that somebody should look under the lock.
            let duty = &self.tree.duty;
            if duty.load(Ordering::Relaxed) == MORE
                || duty.compare_exchange(AT_IT, MORE, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            {
                return;
            }
        }
        let first = self.take_delivery();
        if first.is_none() {
            // Release: pairs with the acquire above, of the next who comes.
            self.tree.duty.store(IDLE, Ordering::Release);
            return;
        }
        self.tree.retain();
        // SAFETY: it belongs to whoever has the duty, which this thread has just got.
        unsafe { *self.tree.delivery.get() = first };
        *drain = Some(Drain { tree: NonNull::from(self.tree) });
    }

    /// For the drain that is running, under the lock: what to deliver next, if anything; otherwise the duty ends.
    fn go_on(mut self, panicked: bool) -> Option<Delivery> {
        self.state.counters.listener_panics += u64::from(panicked);
        let next = self.take_delivery();
        if next.is_none() {
            // Release: pairs with the acquire in `leave`.
            self.tree.duty.store(IDLE, Ordering::Release);
        }
        next
    }

    /// Whether there is something for a listener or a callback.
    fn has_delivery(&self) -> bool {
        !self.state.calls.is_empty() || !self.state.due.is_empty()
    }

    /// Takes what is next, and sets the duty to what is left behind it.
    fn take_delivery(&mut self) -> Option<Delivery> {
        let next = self.next_delivery();
        // Relaxed: under the lock, by whoever has the duty; see `leave`.
        self.tree.duty.store(if self.has_delivery() { MORE } else { AT_IT }, Ordering::Relaxed);
        next
    }

    /// Takes what is to be delivered next. Events that are polled stay where they are.
    fn next_delivery(&mut self) -> Option<Delivery> {
        if let Some(notice) = self.pop_due() {
            return Some(Delivery::Notice(notice));
        }
        while let Some(first) = self.state.calls.front() {
            let delivery = first.take_batch();
            if first.is_empty() {
                self.state.calls.pop();
            }
            if delivery.is_some() {
                return delivery;
            }
        }
        None
    }
}

impl Extra {
    /// The next few events for the listener.
    fn take_batch(&mut self) -> Option<Delivery> {
        let Receiver::Listener(listener) = &self.receiver else { return None };
        let listener = Arc::clone(listener);
        let mut events = [Event::default(); BATCH];
        let mut len = 0;
        for place in &mut events {
            let Some(event) = self.pop() else { break };
            *place = event;
            len += 1;
        }
        (len > 0).then_some(Delivery::Events { listener, events, len })
    }
}
