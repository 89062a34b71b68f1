//! The window: the entries, found by sequence and kept in order, with the counts of what they are doing.
//!
//! It knows nothing of the store, of policies and of trackers. Its callers hand it slots that they have from it and that
//! were not freed since.

use super::entry::{Entry, Flags, NO_SLOT, State};
use super::index::Index;
use super::order::Order;
use super::slab::Slab;
use crate::memory::Memory;

pub(super) struct Window {
    pub(super) memory: Memory,
    slab: Slab,
    index: Index,
    order: Order,
    /// Bytes of all messages, in memory or dropped.
    pub(super) bytes: u64,
    /// Bytes of those in memory.
    pub(super) bytes_in_memory: u64,
    pub(super) in_flight: u32,
    pub(super) parked: u32,
    pub(super) dropped: u32,
}

impl Window {
    pub(super) fn new(memory: Memory) -> Window {
        Window {
            memory,
            slab: Slab::new(),
            index: Index::new(),
            order: Order::new(),
            bytes: 0,
            bytes_in_memory: 0,
            in_flight: 0,
            parked: 0,
            dropped: 0,
        }
    }

    /// Messages, in memory or dropped.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.slab.len()
    }

    /// Messages in memory.
    #[inline(always)]
    pub(super) fn in_memory(&self) -> u32 {
        self.slab.len() - self.dropped
    }

    #[inline(always)]
    pub(super) fn at(&self, slot: u32) -> &Entry {
        self.slab.at(slot)
    }

    /// To change what neither the order nor the counts rest on.
    #[inline(always)]
    pub(super) fn at_mut(&mut self, slot: u32) -> &mut Entry {
        self.slab.at_mut(slot)
    }

    /// The slot of a sequence.
    #[inline(always)]
    pub(super) fn find(&self, sequence: u64) -> Option<u32> {
        if sequence == 0 {
            return None;
        }
        let slot = self.index.find(&self.slab, sequence);
        if slot == NO_SLOT { None } else { Some(slot) }
    }

    /// Adds a message in memory, hidden; `None` without memory. O(1).
    #[inline(always)]
    pub(super) fn add(&mut self, entry: Entry) -> Option<u32> {
        self.index.reserve(&self.memory, self.slab.len() + 1)?;
        self.order.reserve(&self.memory, entry.priority)?;
        let (sequence, size) = (entry.sequence, u64::from(entry.size_bytes));
        let slot = self.slab.take(&self.memory, entry)?;
        if sequence != 0 {
            self.index.insert(sequence, slot);
        }
        self.bytes += size;
        self.bytes_in_memory += size;
        Some(slot)
    }

    /// Gives a message the sequence that was not known so far.
    pub(super) fn number(&mut self, slot: u32, sequence: u64) {
        self.slab.at_mut(slot).sequence = sequence;
        self.index.insert(sequence, slot);
    }

    /// A hidden message joins the order, behind all others of its priority.
    #[inline(always)]
    pub(super) fn show(&mut self, slot: u32) {
        self.order.append(&mut self.slab, slot);
    }

    /// The message that is next, in memory or dropped.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<u32> {
        let slot = self.order.first();
        if slot == NO_SLOT { None } else { Some(slot) }
    }

    /// The message that [`first`](Self::first) answered goes into the consumers' hands.
    #[inline(always)]
    pub(super) fn hand_out(&mut self, slot: u32) -> &Entry {
        self.order.take_out(&mut self.slab, slot);
        self.in_flight += 1;
        let entry = self.slab.at_mut(slot);
        entry.state = State::InFlight;
        entry
    }

    /// A message in flight goes back to its place, delivered once more.
    pub(super) fn requeue(&mut self, slot: u32) {
        let entry = self.slab.at_mut(slot);
        entry.redeliveries = entry.redeliveries.saturating_add(1);
        self.in_flight -= 1;
        self.order.put_back(&mut self.slab, slot);
    }

    /// A message in flight is put aside for this round.
    pub(super) fn park(&mut self, slot: u32) {
        self.in_flight -= 1;
        self.parked += 1;
        self.order.park(&mut self.slab, slot);
    }

    /// A new round: everything that was put aside goes back to its place.
    #[inline(always)]
    pub(super) fn unpark(&mut self) {
        if self.parked > 0 {
            self.parked -= self.order.unpark(&mut self.slab);
        }
    }

    /// The body of a message that is in the order, or parked, leaves memory; the message stays.
    pub(super) fn drop_body(&mut self, slot: u32) {
        let entry = self.slab.at_mut(slot);
        entry.flags.set(Flags::DROPPED);
        self.bytes_in_memory -= u64::from(entry.size_bytes);
        self.dropped += 1;
    }

    /// The body of a dropped message is back.
    pub(super) fn restore_body(&mut self, slot: u32, user: u64, size_bytes: u32) {
        let entry = self.slab.at_mut(slot);
        entry.flags.clear(Flags::DROPPED);
        entry.user = user;
        // The size as it reads now.
        self.bytes = self.bytes - u64::from(entry.size_bytes) + u64::from(size_bytes);
        self.bytes_in_memory += u64::from(size_bytes);
        entry.size_bytes = size_bytes;
        self.dropped -= 1;
    }

    /// A message leaves the window. Answers its entry as it was.
    #[inline(always)]
    pub(super) fn free(&mut self, slot: u32) -> Entry {
        let entry = *self.slab.at(slot);
        if entry.state == State::InFlight {
            self.in_flight -= 1;
        } else {
            self.order.take_out(&mut self.slab, slot);
            self.parked -= u32::from(entry.state == State::Parked);
        }
        let size = u64::from(entry.size_bytes);
        self.bytes -= size;
        if entry.is_in_memory() {
            self.bytes_in_memory -= size;
        } else {
            self.dropped -= 1;
        }
        if entry.sequence != 0 {
            self.index.remove(entry.sequence, slot);
        }
        self.slab.give_back(&self.memory, slot);
        self.index.shrink(&self.memory, self.slab.len());
        entry
    }

    /// A message that is in the order or parked, from slot number `from` on. To go through all of them.
    pub(super) fn next_waiting(&self, from: u32) -> Option<u32> {
        self.slab.next_after(from, |entry| !matches!(entry.state, State::Hidden | State::InFlight))
    }

    /// Gives all memory back.
    pub(super) fn release(&mut self) {
        self.index.release(&self.memory);
        self.order.release(&self.memory);
        self.slab.release(&self.memory);
    }
}
