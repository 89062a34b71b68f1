//! What only some nodes have: a listener, a queue of events, marks. A block of its own, made when first wanted.
//!
//! ```text
//! +-------+----------+--------------+--------------------------------+
//! | Extra | Event 0  | Event 1 ...  | Event capacity - 1             |   a ring: `first`, `len`
//! +-------+----------+--------------+--------------------------------+
//! ```
//! Nothing is allocated when a level crosses: the room for events is there before the first of them.

use super::events::{Event, Listener};
use super::node::Node;
use super::options::Error;
use super::percent::percent_of;
use super::tree::Held;
use std::alloc::Layout;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// Who gets a node's events.
#[derive(Clone)]
pub(crate) enum Receiver {
    Nobody,
    Listener(Arc<dyn Listener>),
    Poll,
}

/// A pair of percents: over `high` a node is over its mark, and stays so until it is below `low`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Marks {
    /// Below this it is no longer over its mark.
    pub low: i32,
    /// At this or more it is over its mark.
    pub high: i32,
}

/// See the head of this file.
pub(super) struct Extra {
    pub(super) receiver: Receiver,
    pub(super) marks: Option<Marks>,
    tag: u64,
    /// The percent of the last event, or the one that was there when somebody began to listen.
    last: i32,
    capacity: u32,
    first: u32,
    len: u32,
    pub(super) next_pending: *mut Extra,
    is_pending: bool,
}

fn layout(capacity: u32) -> Option<(Layout, usize)> {
    Layout::new::<Extra>().extend(Layout::array::<Event>(capacity as usize).ok()?).ok()
}

impl Extra {
    /// The place of the event `index` behind the first.
    fn place(&mut self, index: u32) -> *mut Event {
        let slot = (self.first + index) % self.capacity.max(1);
        let events = Layout::new::<Extra>().size().next_multiple_of(align_of::<Event>());
        // SAFETY: `make` allocated the ring behind this struct, at this offset, and the slot is inside it.
        unsafe { ptr::from_mut(self).byte_add(events).cast::<Event>().add(slot as usize) }
    }

    /// Adds a step to the end of the chain; merges with the last one if there is no room. Answers whether it merged.
    fn push(&mut self, new: i32) -> bool {
        let event = Event { tag: self.tag, old: self.last, new };
        self.last = new;
        if self.len < self.capacity {
            let place = self.place(self.len);
            // SAFETY: the place is inside the ring.
            unsafe { place.write(event) };
            self.len += 1;
            return false;
        }
        let place = self.place(self.len - 1);
        // SAFETY: the last event was written; this is its only reference.
        let last = unsafe { &mut *place };
        last.new = new;
        if last.old == last.new {
            self.len -= 1;
        }
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes the oldest event.
    pub(super) fn pop(&mut self) -> Option<Event> {
        if self.len == 0 {
            return None;
        }
        // SAFETY: the first event was written.
        let event = unsafe { self.place(0).read() };
        self.first = (self.first + 1) % self.capacity.max(1);
        self.len -= 1;
        Some(event)
    }
}

/// Nodes with events to deliver, in the order in which they got the first of those.
pub(super) struct Pending {
    first: *mut Extra,
    last: *mut Extra,
}

impl Pending {
    pub(super) fn new() -> Pending {
        Pending { first: ptr::null_mut(), last: ptr::null_mut() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_null()
    }

    /// The node in front. Its block is alive: it is taken out before it is freed.
    pub(super) fn front(&mut self) -> Option<&mut Extra> {
        // SAFETY: as said, and only the holder of the lock has the queue.
        unsafe { self.first.as_mut() }
    }

    fn append(&mut self, extra: *mut Extra) {
        // SAFETY: blocks in the queue are alive.
        match unsafe { self.last.as_mut() } {
            Some(last) => last.next_pending = extra,
            None => self.first = extra,
        }
        self.last = extra;
    }

    /// Takes out the node in front.
    pub(super) fn pop(&mut self) {
        if let Some(first) = self.front() {
            let next = std::mem::replace(&mut first.next_pending, ptr::null_mut());
            first.is_pending = false;
            self.first = next;
            if next.is_null() {
                self.last = ptr::null_mut();
            }
        }
    }

    /// Takes out a node, wherever it is. Linear in the nodes that wait.
    fn remove(&mut self, extra: *mut Extra) {
        let mut rest = std::mem::replace(self, Pending::new());
        while !rest.first.is_null() {
            let first = rest.first;
            rest.pop();
            if !ptr::eq(first, extra) {
                // SAFETY: it was in the queue, so it is alive.
                unsafe { (*first).is_pending = true };
                self.append(first);
            }
        }
    }
}

impl Held<'_> {
    pub(super) fn extra<'a>(&'a mut self, node: &'a Node) -> Option<&'a mut Extra> {
        // SAFETY: the block is the node's, and `self` is borrowed for as long as the result.
        unsafe { self.cold(node).extra.as_mut() }
    }

    pub(super) fn listens(&mut self, node: &Node) -> bool {
        self.extra(node).is_some_and(|extra| !matches!(extra.receiver, Receiver::Nobody))
    }

    pub(super) fn marks(&mut self, node: &Node) -> Option<Marks> {
        self.extra(node).and_then(|extra| extra.marks)
    }

    /// Makes the block, unless it is there. Room for events is fixed here.
    pub(super) fn make_extra(&mut self, node: &Node) -> Result<(), Error> {
        if !self.cold(node).extra.is_null() {
            return Ok(());
        }
        let capacity = self.cold(node).event_capacity;
        let (layout, _) = layout(capacity).ok_or(Error::NoMemory)?;
        let block: NonNull<Extra> = self.state.memory.allocate(layout).ok_or(Error::NoMemory)?.cast();
        let tag = node.total.tag;
        let extra = Extra {
            receiver: Receiver::Nobody,
            marks: None,
            tag,
            last: 0,
            capacity,
            first: 0,
            len: 0,
            next_pending: ptr::null_mut(),
            is_pending: false,
        };
        // SAFETY: the block is fresh and fits.
        unsafe { block.write(extra) };
        self.cold(node).extra = block.as_ptr();
        Ok(())
    }

    /// Changes who gets the events, those included that wait to be delivered; without a new receiver these are gone. The
    /// old receiver is handed back, to be dropped outside the lock. The node has no slack, and is settled afterwards.
    pub(super) fn set_receiver(&mut self, node: &Node, receiver: Receiver) -> Receiver {
        let percent = percent_of(node.committed(), node.limit(), node.min_delta());
        let was_listening = self.listens(node);
        let extra = self.cold(node).extra;
        self.unqueue(extra);
        // SAFETY: the block is the node's, alive, and the lock is held.
        let Some(extra) = (unsafe { extra.as_mut() }) else { return receiver };
        if !was_listening {
            extra.last = percent;
        }
        let old = std::mem::replace(&mut extra.receiver, receiver);
        if matches!(extra.receiver, Receiver::Nobody) {
            extra.len = 0;
        }
        self.queue(extra);
        self.retire(extra, old)
    }

    /// Notes a node's new percent for whoever listens.
    pub(super) fn record(&mut self, node: &Node, percent: i32) {
        let Some(extra) = self.extra(node) else { return };
        if matches!(extra.receiver, Receiver::Nobody) || extra.last == percent {
            return;
        }
        let event = Event { tag: extra.tag, old: extra.last, new: percent };
        let extra = ptr::from_mut(extra);
        // SAFETY: the block is the node's, alive, and the lock is held; this is its only reference.
        let extra = unsafe { &mut *extra };
        if let Receiver::Listener(listener) = &extra.receiver
            && self.deliver_first(extra, listener, event)
        {
            extra.last = percent;
            return;
        }
        let merged = extra.push(percent);
        let extra = ptr::from_mut(extra);
        self.state.counters.merged_events += u64::from(merged);
        self.queue(extra);
    }

    /// Puts a node with events at the end of its receiver's queue, unless it is there.
    fn queue(&mut self, extra: *mut Extra) {
        // SAFETY: the caller's block is alive and the lock is held.
        let Some(this) = (unsafe { extra.as_mut() }) else { return };
        if this.is_pending || this.len == 0 {
            return;
        }
        this.is_pending = true;
        match this.receiver {
            Receiver::Nobody => this.is_pending = false,
            Receiver::Listener(_) => self.state.calls.append(extra),
            Receiver::Poll => self.state.polls.append(extra),
        }
    }

    /// Takes a node out of its receiver's queue.
    fn unqueue(&mut self, extra: *mut Extra) {
        self.state.calls.remove(extra);
        self.state.polls.remove(extra);
    }

    /// Frees a node's block; its events that were not delivered are gone. The receiver is to be dropped outside the
    /// lock.
    pub(super) fn take_extra(&mut self, node: &Node) -> Receiver {
        let block = std::mem::replace(&mut self.cold(node).extra, ptr::null_mut());
        let Some(block) = NonNull::new(block) else { return Receiver::Nobody };
        self.unqueue(block.as_ptr());
        // SAFETY: the block is initialised and nobody refers to it any more.
        let extra = unsafe { block.read() };
        if let Some((layout, _)) = layout(extra.capacity) {
            // SAFETY: `make_extra` took it with this layout.
            unsafe { self.state.memory.deallocate(block.cast(), layout) };
        }
        self.retire(block.as_ptr(), extra.receiver)
    }
}
