//! Who is due when: a heap of the histories that have something to collect, by the time at which they are to be looked at.
//!
//! Histories with the same time come in the order in which they were put there, so those that are due take turns.

use crate::memory::{Memory, Table};

const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Place {
    due_ns: i64,
    /// Counts what was put there.
    turn: u64,
    /// By what the host knows it.
    tag: u64,
    /// Where in the heap; NOWHERE if it is not scheduled.
    at: u32,
    /// The next unused number, for a number that is unused.
    next_unused: u32,
}

pub(super) struct Schedule {
    /// By number.
    places: Table<Place>,
    /// Numbers; each comes before the two at twice its index, plus one and two.
    heap: Table<u32>,
    unused: u32,
    members: u32,
    scheduled: u32,
    turn: u64,
}

impl Schedule {
    pub(super) fn new() -> Schedule {
        Schedule {
            places: Table::new(),
            heap: Table::new(),
            unused: NOWHERE,
            members: 0,
            scheduled: 0,
            turn: 0,
        }
    }

    /// Numbers in use.
    pub(super) fn len(&self) -> u32 {
        self.members
    }

    pub(super) fn scheduled(&self) -> u32 {
        self.scheduled
    }

    /// A number, not scheduled; `None` without memory. The heap gets its room here, so that `put` needs none.
    pub(super) fn add(&mut self, memory: &Memory) -> Option<u32> {
        while self.heap.len() as u32 <= self.members {
            self.heap.push(memory, NOWHERE)?;
        }
        let number = self.unused;
        if let Some(place) = self.places.get_mut(number as usize) {
            self.unused = place.next_unused;
            place.tag = 0;
            self.members += 1;
            return Some(number);
        }
        let number = self.places.len() as u32;
        self.places.push(memory, Place { due_ns: 0, turn: 0, tag: 0, at: NOWHERE, next_unused: NOWHERE })?;
        self.members += 1;
        Some(number)
    }

    /// The number is used no more.
    pub(super) fn remove(&mut self, number: u32) {
        self.take_out(number);
        let unused = self.unused;
        if let Some(place) = self.places.get_mut(number as usize) {
            place.next_unused = unused;
            self.unused = number;
            self.members -= 1;
        }
    }

    pub(super) fn set_tag(&mut self, number: u32, tag: u64) {
        if let Some(place) = self.places.get_mut(number as usize) {
            place.tag = tag;
        }
    }

    /// The number is due at this time, and at no other.
    pub(super) fn put(&mut self, number: u32, due_ns: i64) {
        self.turn += 1;
        let turn = self.turn;
        let scheduled = self.scheduled;
        let Some(place) = self.places.get_mut(number as usize) else { return };
        (place.due_ns, place.turn) = (due_ns, turn);
        if place.at == NOWHERE {
            place.at = scheduled;
            self.scheduled += 1;
            self.set(scheduled, number);
        }
        self.settle(number);
    }

    /// Whether any number is due.
    pub(super) fn is_due(&self, now_ns: i64) -> bool {
        self.scheduled > 0 && self.key(0).0 <= now_ns
    }

    /// Takes out the number that has been due longest; answers it and its tag.
    pub(super) fn pop_due(&mut self, now_ns: i64) -> Option<(u32, u64)> {
        if !self.is_due(now_ns) {
            return None;
        }
        let number = *self.heap.first()?;
        self.take_out(number);
        Some((number, self.places.get(number as usize)?.tag))
    }

    /// All that are scheduled are due at this time, in any order.
    pub(super) fn hurry(&mut self, due_ns: i64) {
        for at in 0..self.scheduled {
            let number = self.heap.get(at as usize).copied().unwrap_or(NOWHERE);
            if let Some(place) = self.places.get_mut(number as usize) {
                // In the order of the heap, which stays one.
                (place.due_ns, place.turn) = (due_ns, self.turn + u64::from(at) + 1);
            }
        }
        self.turn += u64::from(self.scheduled);
    }

    pub(super) fn release(&mut self, memory: &Memory) {
        self.places.release(memory);
        self.heap.release(memory);
    }

    fn take_out(&mut self, number: u32) {
        let Some(place) = self.places.get_mut(number as usize).filter(|place| place.at != NOWHERE) else {
            return;
        };
        let at = std::mem::replace(&mut place.at, NOWHERE);
        self.scheduled -= 1;
        let last = self.heap.get(self.scheduled as usize).copied().unwrap_or(NOWHERE);
        if last != number {
            self.set(at, last);
            self.settle(last);
        }
    }

    /// Moves a number up or down to where it belongs.
    fn settle(&mut self, number: u32) {
        let Some(mut at) = self.places.get(number as usize).map(|place| place.at) else { return };
        while at > 0 && self.key(at) < self.key((at - 1) / 2) {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        loop {
            let children = [2 * at + 1, 2 * at + 2].into_iter().filter(|child| *child < self.scheduled);
            let Some(first) = children.min_by_key(|child| self.key(*child)) else { break };
            if self.key(at) <= self.key(first) {
                break;
            }
            self.swap(at, first);
            at = first;
        }
    }

    fn key(&self, at: u32) -> (i64, u64) {
        let place = self.heap.get(at as usize).and_then(|number| self.places.get(*number as usize));
        place.map_or((i64::MAX, u64::MAX), |place| (place.due_ns, place.turn))
    }

    fn swap(&mut self, a: u32, b: u32) {
        let number = |at: u32| self.heap.get(at as usize).copied().unwrap_or(NOWHERE);
        let (first, second) = (number(a), number(b));
        self.set(a, second);
        self.set(b, first);
    }

    fn set(&mut self, at: u32, number: u32) {
        if let Some(there) = self.heap.get_mut(at as usize) {
            *there = number;
        }
        if let Some(place) = self.places.get_mut(number as usize) {
            place.at = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a plain list: what is due longest comes first, equals in turn.
    #[test]
    fn comes_in_order() {
        let memory = Memory::new(None, 0);
        let mut schedule = Schedule::new();
        let mut plain: Vec<(i64, u64, u32)> = Vec::new();
        let mut numbers = Vec::new();
        let (mut random, mut turn) = (1_u64, 0);
        for _ in 0..20_000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let pick = (random >> 33) as usize;
            match random >> 61 {
                0 if numbers.len() < 50 => numbers.push(schedule.add(&memory).unwrap()),
                1 if numbers.len() > 10 => {
                    let number = numbers.swap_remove(pick % numbers.len());
                    schedule.remove(number);
                    plain.retain(|(.., other)| *other != number);
                }
                2..6 if !numbers.is_empty() => {
                    let (number, due_ns) = (numbers[pick % numbers.len()], (random >> 20 & 31) as i64);
                    turn += 1;
                    schedule.put(number, due_ns);
                    plain.retain(|(.., other)| *other != number);
                    plain.push((due_ns, turn, number));
                }
                _ => {
                    let now_ns = (random >> 20 & 31) as i64;
                    plain.sort_unstable();
                    let first = plain.first().filter(|(due_ns, ..)| *due_ns <= now_ns).copied();
                    assert_eq!(schedule.is_due(now_ns), first.is_some());
                    assert_eq!(schedule.pop_due(now_ns), first.map(|(.., number)| (number, 0)));
                    plain.retain(|other| Some(*other) != first);
                }
            }
            assert_eq!(
                (schedule.len() as usize, schedule.scheduled() as usize),
                (numbers.len(), plain.len())
            );
        }
        schedule.release(&memory);
        assert_eq!(memory.usage().in_use, 0);
    }
}
