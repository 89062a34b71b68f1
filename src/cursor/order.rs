//! The order in which the window gives its messages out: priority descending, then sequence.
//!
//! ```text
//!   lanes, by priority:     fresh, never delivered               requeued
//!   +-----+                 first                  last
//!   |  9  | -->             17 <-> 20 <-> 21 <->  30             heap
//!   +-----+
//!   |  4  | -->             18 <-> 19 <-> 22 <->  29             heap: 3, 5, 12
//!   +-----+
//!   parked, of all lanes:   2 <-> 16 <-> 8
//! ```
//! A lane for each priority that was ever used. Fresh messages come in order, from the cache and from pages, so the
//! list of a lane is sorted by being appended to and handed out from the front. What is put back goes into the lane's
//! heap, and is earlier than all that is fresh. All links stand in the entries.
//!
//! The first of all: O(lanes), and O(1) with one priority. Taking out and putting back: O(1), in heaps O(log n)
//! amortised.

use super::entry::{NO_SLOT, State};
use super::heap;
use super::slab::Slab;
use crate::memory::{Memory, Table};

#[derive(Clone, Copy)]
struct List {
    first: u32,
    last: u32,
}

const EMPTY: List = List { first: NO_SLOT, last: NO_SLOT };

impl List {
    #[inline(always)]
    fn append(&mut self, slab: &mut Slab, slot: u32) {
        let entry = slab.at_mut(slot);
        (entry.previous, entry.next) = (self.last, NO_SLOT);
        if self.last == NO_SLOT {
            self.first = slot;
        } else {
            slab.at_mut(self.last).next = slot;
        }
        self.last = slot;
    }

    #[inline(always)]
    fn remove(&mut self, slab: &mut Slab, slot: u32) {
        let entry = slab.at(slot);
        let (previous, next) = (entry.previous, entry.next);
        if previous == NO_SLOT {
            self.first = next;
        } else {
            slab.at_mut(previous).next = next;
        }
        if next == NO_SLOT {
            self.last = previous;
        } else {
            slab.at_mut(next).previous = previous;
        }
    }
}

#[derive(Clone, Copy)]
struct Lane {
    priority: u8,
    fresh: List,
    /// The root of the heap.
    requeued: u32,
}

impl Lane {
    /// The slot that is next in this lane, or [`NO_SLOT`]. What was put back was handed out before everything that is
    /// fresh, so it is earlier.
    #[inline(always)]
    fn first(&self) -> u32 {
        if self.requeued == NO_SLOT { self.fresh.first } else { self.requeued }
    }
}

pub(super) struct Order {
    lanes: Table<Lane>,
    parked: List,
}

impl Order {
    pub(super) const fn new() -> Order {
        Order { lanes: Table::new(), parked: EMPTY }
    }

    /// Makes a lane for a priority, unless there is one; `None` without memory.
    #[inline(always)]
    pub(super) fn reserve(&mut self, memory: &Memory, priority: u8) -> Option<()> {
        if self.lanes.first().is_some_and(|lane| lane.priority == priority) {
            return Some(());
        }
        self.make_lane(memory, priority)
    }

    fn make_lane(&mut self, memory: &Memory, priority: u8) -> Option<()> {
        let at = self.place_of(priority);
        if self.lanes.get(at).is_some_and(|lane| lane.priority == priority) {
            return Some(());
        }
        self.lanes.push(memory, Lane { priority, fresh: EMPTY, requeued: NO_SLOT })?;
        if let Some(moved) = self.lanes.get_mut(at..) {
            moved.rotate_right(1);
        }
        Some(())
    }

    fn place_of(&self, priority: u8) -> usize {
        self.lanes.partition_point(|lane| lane.priority > priority)
    }

    #[inline(always)]
    fn lane_mut(&mut self, priority: u8) -> Option<&mut Lane> {
        let at = match self.lanes.first() {
            Some(lane) if lane.priority == priority => 0,
            _ => self.place_of(priority),
        };
        self.lanes.get_mut(at)
    }

    /// The slot of the message that is next, in memory or dropped, or [`NO_SLOT`].
    #[inline(always)]
    pub(super) fn first(&self) -> u32 {
        for lane in self.lanes.iter() {
            let first = lane.first();
            if first != NO_SLOT {
                return first;
            }
        }
        NO_SLOT
    }

    /// Adds a message behind all fresh ones of its priority. There is a lane for it.
    #[inline(always)]
    pub(super) fn append(&mut self, slab: &mut Slab, slot: u32) {
        let entry = slab.at_mut(slot);
        entry.state = State::Fresh;
        let priority = entry.priority;
        if let Some(lane) = self.lane_mut(priority) {
            lane.fresh.append(slab, slot);
        }
    }

    /// Puts a message back that is in no list.
    pub(super) fn put_back(&mut self, slab: &mut Slab, slot: u32) {
        let entry = slab.at_mut(slot);
        entry.state = State::Requeued;
        let priority = entry.priority;
        if let Some(lane) = self.lane_mut(priority) {
            lane.requeued = heap::insert(slab, lane.requeued, slot);
        }
    }

    /// Puts a message aside that is in no list.
    pub(super) fn park(&mut self, slab: &mut Slab, slot: u32) {
        slab.at_mut(slot).state = State::Parked;
        self.parked.append(slab, slot);
    }

    /// Puts everything back that was put aside. Answers how many. O(parked).
    pub(super) fn unpark(&mut self, slab: &mut Slab) -> u32 {
        let mut count = 0;
        let mut next = self.parked.first;
        self.parked = EMPTY;
        while next != NO_SLOT {
            let slot = next;
            next = slab.at(slot).next;
            self.put_back(slab, slot);
            count += 1;
        }
        count
    }

    /// Takes a message out of whatever list it is in. Its state stays, for the caller to change.
    #[inline(always)]
    pub(super) fn take_out(&mut self, slab: &mut Slab, slot: u32) {
        let entry = slab.at(slot);
        let (state, priority) = (entry.state, entry.priority);
        match state {
            State::Hidden | State::InFlight => {}
            State::Parked => self.parked.remove(slab, slot),
            State::Fresh => {
                if let Some(lane) = self.lane_mut(priority) {
                    lane.fresh.remove(slab, slot);
                }
            }
            State::Requeued => {
                if let Some(lane) = self.lane_mut(priority) {
                    lane.requeued = heap::remove(slab, lane.requeued, slot);
                }
            }
        }
    }

    /// Gives all memory back.
    pub(super) fn release(&mut self, memory: &Memory) {
        self.lanes.release(memory);
        self.parked = EMPTY;
    }
}

#[allow(clippy::expect_used, reason = "tests")]
#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::entry::Entry;
    use super::*;

    struct Rig {
        memory: Memory,
        slab: Slab,
        order: Order,
    }

    impl Rig {
        fn new() -> Rig {
            Rig { memory: Memory::new(None, 0), slab: Slab::new(), order: Order::new() }
        }

        fn add(&mut self, sequence: u64, priority: u8) {
            self.order.reserve(&self.memory, priority).expect("memory");
            let entry = Entry::new(sequence, 0, 0, 0, priority);
            let slot = self.slab.take(&self.memory, entry).expect("memory");
            self.order.append(&mut self.slab, slot);
        }

        fn take(&mut self) -> Option<u32> {
            let slot = self.order.first();
            if slot == NO_SLOT {
                return None;
            }
            self.order.take_out(&mut self.slab, slot);
            self.slab.at_mut(slot).state = State::InFlight;
            Some(slot)
        }

        fn sequences(&mut self) -> Vec<u64> {
            std::iter::from_fn(|| self.take().map(|slot| self.slab.at(slot).sequence)).collect()
        }
    }

    impl Drop for Rig {
        fn drop(&mut self) {
            self.slab.release(&self.memory);
            self.order.release(&self.memory);
            assert_eq!(self.memory.usage().in_use, 0);
        }
    }

    #[test]
    fn priorities_go_first_and_sequences_decide_within_them() {
        let mut rig = Rig::new();
        for (sequence, priority) in [(1, 4), (2, 0), (3, 9), (4, 4), (5, 255), (6, 9), (7, 0)] {
            rig.add(sequence, priority);
        }
        assert_eq!(rig.sequences(), [5, 3, 6, 1, 4, 2, 7]);
    }

    #[test]
    fn what_is_put_back_is_at_its_place() {
        let mut rig = Rig::new();
        for sequence in 1..=9 {
            rig.add(sequence, 4);
        }
        let taken: Vec<u32> = (0..6).filter_map(|_| rig.take()).collect();
        for at in [4, 1, 5, 2] {
            rig.order.put_back(&mut rig.slab, taken[at]);
        }
        assert_eq!(rig.sequences(), [2, 3, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn what_is_parked_comes_with_the_next_round() {
        let mut rig = Rig::new();
        for sequence in 1..=5 {
            rig.add(sequence, (sequence % 2) as u8);
        }
        for _ in 0..3 {
            let slot = rig.take().expect("there are five");
            rig.order.park(&mut rig.slab, slot);
        }
        assert_eq!(rig.sequences(), [2, 4]);
        assert_eq!(rig.order.unpark(&mut rig.slab), 3);
        assert_eq!(rig.sequences(), [1, 3, 5]);
    }
}
