//! Delivery: percent steps to listeners and notices to their callbacks, outside the lock, by one thread at a time.
//!
//! Steps are recorded under the lock, at the crossing, so a node's chain has no gap and its order is the order of the
//! crossings. Whoever leaves the lock and finds something to deliver, and nobody at it, takes the duty ([`Drain`]) and
//! delivers until nothing is left, what others record meanwhile included. So an event may arrive after the call that
//! caused it has returned on another thread; never two at once in one tree; and a listener that calls back into the tree
//! only records more for the loop that called it: no recursion.
//!
//! ```text
//!          leave: something to deliver             leave: something more
//!    0   ------------------------------>  TAKEN  ------------------------>  TAKEN, MORE
//!    ^                                    |   ^                                  |
//!    +------ end: nothing came since -----+   +-- under the lock: that is all ---+
//! ```
//! The duty is an atomic beside the lock, so that a drain that found nothing more ends without the lock. Whoever records
//! while it is taken adds MORE, and the drain that is running takes the lock once more: nothing is forgotten. It changes
//! from 0 under the lock only, and to 0 outside it only.
//!
//! # Two ways
//! A step that a crossing writer records while nothing waits and nobody delivers stays with it: `Delivery::first`, a few
//! steps of one node, which the drain reads in place, with the listener borrowed from the node. Everything else goes into
//! the node's ring and the queue of nodes. What is first was recorded before anything that is queued.

use super::extra::{Extra, Receiver};
use super::notify::DueNotice;
use super::tree::{Held, Tree};
use crate::sync::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
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

/// Bits of `Delivery::duty`; without the first, nobody delivers.
/// Somebody delivers.
pub(super) const TAKEN: u32 = 1;
/// Whoever delivers is to look for more under the lock.
const MORE: u32 = 2;
/// Nobody refers to the tree any more: whoever delivers ends it.
pub(super) const ORPHAN: u32 = 4;

/// The duty to deliver. Ends with `run`, or by being dropped, which is the same.
#[must_use]
pub(crate) struct Drain {
    /// Alive as long as the duty is taken: see `Tree::release`.
    tree: NonNull<Tree>,
}

/// Steps of one node that are delivered by the thread that crossed, past all queues: nothing was waiting.
///
/// The listener is the node's, borrowed: whoever takes it from the node meanwhile leaves it to the drain (`retire`).
pub(super) struct First {
    listener: Option<NonNull<dyn Listener>>,
    len: usize,
    events: [Event; BATCH],
}

impl First {
    pub(super) fn none() -> First {
        First { listener: None, len: 0, events: [Event::default(); BATCH] }
    }
}

/// Something that was queued.
enum Queued {
    Events {
        listener: Arc<dyn Listener>,
        events: [Event; BATCH],
        len: usize,
    },
    Notice(DueNotice),
    /// A listener that was taken from its node while it was perhaps being called.
    Retired(Arc<dyn Listener>),
}

/// Events that are taken at a time: a balance between turns at the lock and what is copied. Models fill it sooner.
const BATCH: usize = if cfg!(loom) { 2 } else { 4 };

impl Drain {
    /// Delivers until nothing is left.
    pub(crate) fn run(self) {
        drop(self);
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        // SAFETY: whoever ends the tree leaves that to the holder of the duty, and this is the one.
        let tree = unsafe { self.tree.as_ref() };
        // SAFETY: it belongs to whoever has the duty, and the host, who is called meanwhile, cannot reach it.
        let first = unsafe { &mut *tree.delivery.first.get() };
        let mut panicked = match first.listener.take() {
            Some(listener) => {
                // SAFETY: the node's reference to it, or the one that `retire` kept, lasts until this drain has taken
                // the lock again or has ended.
                let listener = unsafe { listener.as_ref() };
                tell_all(listener, first.events.get(..first.len).unwrap_or_default())
            }
            None => false,
        };
        loop {
            if !panicked {
                // AcqRel: releases what the host did here to the next drain, and acquires that of the threads that
                // recorded. Acquire on failure: pairs with `Tree::release`; what was recorded the lock orders.
                match tree.delivery.duty.compare_exchange(TAKEN, 0, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return,
                    // Nobody refers to the tree: nothing comes any more.
                    Err(was) if was & MORE == 0 => break,
                    Err(_) => {}
                }
            }
            panicked = tree.lock().go_on(panicked).is_some_and(|queued| queued.deliver(tree));
        }
        // SAFETY: nobody refers to the tree, and `Tree::release` left it to the holder of the duty.
        unsafe { Tree::end(self.tree.as_ptr()) };
    }
}

/// Calls a listener with some events. Answers whether it panicked.
fn tell_all(listener: &dyn Listener, events: &[Event]) -> bool {
    let mut panicked = false;
    for event in events {
        panicked |= catch_unwind(AssertUnwindSafe(|| listener.percent_changed(*event))).is_err();
    }
    panicked
}

/// Drops what may be the last reference to something of the host's, so that its end is the host's code. Answers whether it
/// panicked, which harms nobody.
pub(super) fn drop_of_host<T>(value: T) -> bool {
    catch_unwind(AssertUnwindSafe(|| drop(value))).is_err()
}

impl Queued {
    /// Calls the host. Answers whether it panicked.
    fn deliver(self, tree: &Tree) -> bool {
        match self {
            Queued::Events { listener, events, len } => {
                tell_all(&*listener, events.get(..len).unwrap_or_default()) | drop_of_host(listener)
            }
            Queued::Retired(listener) => drop_of_host(listener),
            Queued::Notice(notice) => notice.call(tree),
        }
    }
}

impl<'t> Held<'t> {
    /// Leaves the lock; with the duty to deliver if there is something and nobody is at it.
    pub(super) fn leave(mut self, drain: &mut Option<Drain>) {
        debug_assert!(self.state.gated.is_null(), "left with a gate shut");
        self.signal_poll();
        self.state.crossings += self.crossed;
        let tree = NonNull::from(self.tree);
        if self.has_first {
            let duty = if self.has_delivery() { TAKEN | MORE } else { TAKEN };
            // Relaxed: `deliver_first` found the duty free, and it is taken under the lock only, which is held since.
            self.tree.delivery.duty.store(duty, Ordering::Relaxed);
            *drain = Some(Drain { tree });
        } else if self.has_delivery() {
            // Acquire: what the drain before did happens before this one, if this gets the duty. If another has it, it
            // takes the lock once more, and comes here after this.
            if self.tree.delivery.duty.fetch_or(TAKEN | MORE, Ordering::Acquire) & TAKEN == 0 {
                self.state.first = ptr::null();
                *drain = Some(Drain { tree });
            }
        }
    }

    /// Has a step delivered by this thread, right after it has left the lock, if it may go past all queues: nothing
    /// is in them and nobody delivers. Otherwise answers `false`.
    pub(super) fn deliver_first(
        &mut self,
        extra: *const Extra,
        listener: &Arc<dyn Listener>,
        event: Event,
    ) -> bool {
        if !self.is_crossing || self.has_delivery() {
            return false;
        }
        let may_be = if self.has_first {
            ptr::eq(self.state.first, extra)
        } else {
            // Acquire: as in `leave`.
            self.tree.delivery.duty.load(Ordering::Acquire) & TAKEN == 0
        };
        if !may_be {
            return false;
        }
        // SAFETY: it belongs to whoever has the duty. Nobody has, and only the holder of the lock can get it.
        let first = unsafe { &mut *self.tree.delivery.first.get() };
        if !self.has_first {
            self.has_first = true;
            self.state.first = extra;
            first.listener = NonNull::new(Arc::as_ptr(listener).cast_mut());
            first.len = 0;
        }
        let Some(place) = first.events.get_mut(first.len) else { return false };
        *place = event;
        first.len += 1;
        true
    }

    /// Takes over a receiver that was just taken from the node with this block, if it is a listener that is perhaps being
    /// called: the drain that calls it drops it. Otherwise hands it back, to be dropped outside the lock.
    pub(super) fn retire(&mut self, extra: *const Extra, receiver: Receiver) -> Receiver {
        let Receiver::Listener(listener) = receiver else { return receiver };
        if !ptr::eq(self.state.first, extra) || self.state.retired.is_some() {
            // Not the one that is borrowed: either that is another node's, or it is kept already.
            return Receiver::Listener(listener);
        }
        let duty = &self.tree.delivery.duty;
        // Acquire: a drain that has ended uses it no more. The rest is ordered by the lock, which the drain takes now.
        if duty.fetch_or(MORE, Ordering::Acquire) & TAKEN == 0 {
            // Relaxed: nobody looks at it but under the lock.
            duty.fetch_and(!MORE, Ordering::Relaxed);
            return Receiver::Listener(listener);
        }
        self.state.retired = Some(listener);
        Receiver::Nobody
    }

    /// For the drain that is running, under the lock: what to deliver next, if anything. The duty goes on: it ends when
    /// the lock is left, since then the tree may end, and the lock with it.
    fn go_on(mut self, panicked: bool) -> Option<Queued> {
        self.state.counters.listener_panics += u64::from(panicked);
        let next = self.next_delivery();
        if !self.has_delivery() {
            // Relaxed: it is set and cleared under the lock.
            self.tree.delivery.duty.fetch_and(!MORE, Ordering::Relaxed);
        }
        next
    }

    /// Whether there is something for a listener or a callback.
    fn has_delivery(&self) -> bool {
        !self.state.calls.is_empty() || !self.state.due.is_empty() || self.state.retired.is_some()
    }

    /// Takes what is to be delivered next. Events that are polled stay where they are.
    fn next_delivery(&mut self) -> Option<Queued> {
        if let Some(listener) = self.state.retired.take() {
            return Some(Queued::Retired(listener));
        }
        if let Some(notice) = self.pop_due() {
            return Some(Queued::Notice(notice));
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
    fn take_batch(&mut self) -> Option<Queued> {
        let Receiver::Listener(listener) = &self.receiver else { return None };
        let listener = Arc::clone(listener);
        let mut events = [Event::default(); BATCH];
        let mut len = 0;
        for place in &mut events {
            let Some(event) = self.pop() else { break };
            *place = event;
            len += 1;
        }
        (len > 0).then_some(Queued::Events { listener, events, len })
    }
}
