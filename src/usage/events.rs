//! Delivery: percent steps to listeners and notices to their callbacks, outside the lock, by one thread at a time.
//!
//! Steps are recorded under the lock, at the crossing, into the node's ring, so a node's chain has no gap and its order
//! is the order of the crossings. Whoever leaves the lock and finds something to deliver, and nobody at it, takes the
//! duty ([`Drain`]) and delivers until nothing is left, what others record meanwhile included. So an event may arrive
//! after the call that caused it has returned on another thread; never two at once in one tree; and a listener that
//! calls back into the tree only records more for the loop that called it: no recursion.

use super::extra::{Extra, Receiver};
use super::notify::DueNotice;
use super::tree::{Held, Tree};
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

/// The duty to deliver, and a reference to the tree. Ends with `run`, or by being dropped, which is the same.
#[must_use]
pub(crate) struct Drain {
    tree: NonNull<Tree>,
    first: Option<Delivery>,
}

/// Something to deliver.
enum Delivery {
    Events { listener: Arc<dyn Listener>, events: [Event; BATCH], len: usize },
    Notice(DueNotice),
}

/// Events that are taken at a time: a balance between turns at the lock and the room for them on the stack.
const BATCH: usize = 8;

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
        let mut next = self.first.take();
        while let Some(delivery) = next.take() {
            let panicked = delivery.deliver(tree);
            let mut held = tree.lock();
            held.state.counters.listener_panics += u64::from(panicked);
            next = held.next_delivery();
            held.state.draining = next.is_some();
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
        if self.state.draining {
            return;
        }
        if let Some(first) = self.next_delivery() {
            self.state.draining = true;
            self.tree.retain();
            *drain = Some(Drain { tree: NonNull::from(self.tree), first: Some(first) });
        }
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
