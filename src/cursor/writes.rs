//! The writes that the store has not answered yet, in the order of their pushes: the commit barrier.
//!
//! ```text
//!   front                                                          back
//!   | open, cached | answered, cached | open, stored | answered, stored |
//!     ^ the oldest open write                ^ cached ones all come before stored ones
//!   resolved: the last sequence before the front
//! ```
//! An answered write leaves when all before it are answered. So everything up to `resolved` is in the store or was
//! aborted, whatever the store does with its own time, and paging reads no further: no message is passed because its
//! commit comes late. Nobody waits for a commit in here.
//!
//! Sequences rise with pushes. An answer is checked against its neighbours: O(1) when answers come in order, otherwise
//! O(distance to the nearest answered neighbours), which `max_open_writes` bounds.

use super::entry::NO_SLOT;
use super::error::Error;
use crate::memory::{Memory, Table};

/// A write and its message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) token: u64,
    /// 0 while it is not known.
    pub(super) sequence: u64,
    /// The message's slot, while it is in the window.
    pub(super) slot: u32,
    pub(super) size_bytes: u32,
    /// The message stayed in memory when it was pushed.
    pub(super) is_cached: bool,
    pub(super) is_answered: bool,
    pub(super) is_aborted: bool,
    /// The message was acknowledged or removed before its write was answered, or before it left here.
    pub(super) is_gone: bool,
}

const NONE: Record = Record {
    token: 0,
    sequence: 0,
    slot: NO_SLOT,
    size_bytes: 0,
    is_cached: false,
    is_answered: false,
    is_aborted: false,
    is_gone: false,
};

const MIN_CAPACITY: u32 = 16;

/// A ring of records.
pub(super) struct Writes {
    ring: Table<Record>,
    first: u32,
    len: u32,
    limit: u32,
    /// The last sequence that everything up to is answered.
    pub(super) resolved: u64,
    /// The largest sequence known, answered or not, and the position of its record while it has one.
    largest: u64,
    /// Messages recorded here that are pending and in the store only, and their bytes.
    pub(super) stored: u32,
    pub(super) stored_bytes: u64,
}

impl Writes {
    pub(super) fn new(limit: u32) -> Writes {
        Writes {
            ring: Table::new(),
            first: 0,
            len: 0,
            limit,
            resolved: 0,
            largest: 0,
            stored: 0,
            stored_bytes: 0,
        }
    }

    /// Everything up to a sequence is in the store: after a restart.
    pub(super) fn start_at(&mut self, sequence: u64) {
        (self.resolved, self.largest) = (sequence, sequence);
    }

    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The largest sequence known.
    #[inline(always)]
    pub(super) fn largest(&self) -> u64 {
        self.largest
    }

    /// A message was committed and nothing is recorded: there is no need for a record.
    #[inline(always)]
    pub(super) fn pass(&mut self, sequence: u64) {
        (self.resolved, self.largest) = (sequence, sequence);
    }

    /// Checks the sequence of a new push.
    #[inline(always)]
    pub(super) fn check_new(&self, sequence: u64) -> Result<(), Error> {
        if sequence > self.largest && sequence < u64::MAX {
            return Ok(());
        }
        Err(Error::Order { what: "sequence", value: sequence, above: self.largest, below: u64::MAX })
    }

    /// Makes room for one more record.
    pub(super) fn reserve(&mut self, memory: &Memory) -> Result<(), Error> {
        if self.len >= self.limit {
            return Err(Error::TooMany { what: "open writes", limit: self.limit.into() });
        }
        if self.len as usize == self.ring.len() { self.grow(memory) } else { Ok(()) }
    }

    fn grow(&mut self, memory: &Memory) -> Result<(), Error> {
        let capacity = (self.ring.len() as u32 * 2).max(MIN_CAPACITY);
        let mut ring = Table::filled(memory, capacity, NONE).ok_or(Error::NoMemory)?;
        for (position, place) in (0..self.len).zip(ring.iter_mut()) {
            *place = *self.at(position);
        }
        std::mem::swap(&mut self.ring, &mut ring);
        self.first = 0;
        ring.release(memory);
        Ok(())
    }

    /// Adds a record at the back; there is room.
    pub(super) fn push(&mut self, record: Record) {
        let at = self.place(self.len);
        if let Some(place) = self.ring.get_mut(at) {
            *place = record;
            self.len += 1;
        }
        self.largest = self.largest.max(record.sequence);
        if !record.is_cached {
            self.count_stored(&record);
        }
    }

    /// A message that was only in memory, as far as this list knows, is only in the store from now on.
    pub(super) fn count_stored(&mut self, record: &Record) {
        self.stored += 1;
        self.stored_bytes += u64::from(record.size_bytes);
    }

    /// A message of the store is counted here no more.
    pub(super) fn uncount_stored(&mut self, size_bytes: u32) {
        self.stored -= 1;
        self.stored_bytes -= u64::from(size_bytes);
    }

    #[inline(always)]
    fn place(&self, position: u32) -> usize {
        (self.first.wrapping_add(position) & (self.ring.len() as u32).wrapping_sub(1)) as usize
    }

    /// The record at a position below `len`, from the front.
    #[inline(always)]
    pub(super) fn at(&self, position: u32) -> &Record {
        self.ring.get(self.place(position)).unwrap_or(&NONE)
    }

    /// Likewise, to change it.
    pub(super) fn at_mut(&mut self, position: u32) -> Option<&mut Record> {
        let at = self.place(position);
        self.ring.get_mut(at)
    }

    /// The front record, if it is answered; it is gone from the ring.
    pub(super) fn pop_answered(&mut self, memory: &Memory) -> Option<Record> {
        if self.len == 0 || !self.at(0).is_answered {
            return None;
        }
        let front = *self.at(0);
        self.first = self.first.wrapping_add(1);
        self.len -= 1;
        if !front.is_aborted {
            self.resolved = front.sequence;
        }
        if self.len == 0 && self.ring.len() as u32 > MIN_CAPACITY {
            self.ring.release(memory);
            self.first = 0;
        }
        Some(front)
    }

    /// The position of an open write's record.
    ///
    /// # Errors
    /// [`Error::UnknownToken`] if there is none, or it was answered.
    pub(super) fn find_open(&self, token: u64) -> Result<u32, Error> {
        match self.find(token) {
            Some(position) if !self.at(position).is_answered => Ok(position),
            _ => Err(Error::UnknownToken { token }),
        }
    }

    /// The position of a record: at once if the tokens are dense, else by bisection.
    pub(super) fn find(&self, token: u64) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let guess = token.wrapping_sub(self.at(0).token);
        if guess < u64::from(self.len) && self.at(guess as u32).token == token {
            return Some(guess as u32);
        }
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.at(middle).token < token {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.len && self.at(low).token == token).then_some(low)
    }

    /// The position of the record with a sequence. O(len): for rare calls.
    pub(super) fn find_sequence(&self, sequence: u64) -> Option<u32> {
        (0..self.len).find(|position| {
            let record = self.at(*position);
            record.sequence == sequence && !record.is_aborted
        })
    }

    /// Checks that a sequence fits between those of the neighbours of a record, and is the one that was announced.
    pub(super) fn check_answer(&self, position: u32, sequence: u64) -> Result<(), Error> {
        let announced = self.at(position).sequence;
        let (above, below) = if announced != 0 {
            (announced - 1, announced + 1)
        } else if position == 0 && sequence > self.resolved && self.largest <= self.resolved {
            (self.resolved, u64::MAX)
        } else {
            let known = |position: &u32| self.at(*position).sequence != 0;
            let before = (0..position).rev().find(known).map_or(self.resolved, |at| self.at(at).sequence);
            let behind = if sequence > self.largest && before == self.largest {
                None
            } else {
                (position + 1..self.len).find(known)
            };
            (before, behind.map_or(u64::MAX, |at| self.at(at).sequence))
        };
        if above < sequence && sequence < below {
            return Ok(());
        }
        Err(Error::Order { what: "sequence", value: sequence, above, below })
    }

    /// A sequence has become known.
    pub(super) fn note(&mut self, sequence: u64) {
        self.largest = self.largest.max(sequence);
    }

    /// Gives all memory back.
    pub(super) fn release(&mut self, memory: &Memory) {
        self.ring.release(memory);
        (self.first, self.len) = (0, 0);
    }
}
