//! The log: one record of key and insert time per entry, in the order of insertion.
//!
//! ```text
//!   head                                                         tail
//!   +---------+     +---------+     +---------+            +---------+
//!   | chunk 7 | --> | chunk 2 | --> | chunk 9 | -->  ...   | chunk 4 |
//!   +---------+     +---------+     +---------+            +---------+
//!        ^ head_offset: collection works here                   ^ records are appended here
//!
//!   chunk:  | header 32 B | capacity keys, 16 B each | capacity times, 4 B each (8 B in a wide chunk) |
//!   record number:  chunk number << 12 | offset in the chunk
//! ```
//!
//! A chunk has 8 records at first, 16 while the log is small, and a 64th of the log as it grows, up to 512; from 65,536
//! records on all new chunks have 4,094 (20 pages). So a drained chunk fits the next one that is needed: it is kept
//! and used again, and a history of steady size neither asks for memory nor touches a page for the first time.
//! Further drained chunks go back.
//!
//! Times are ticks, kept as 4-byte offsets from a base that a chunk takes from its first record, half the range
//! on either side. A time that does not fit closes the chunk. Should that happen to a chunk that is less than
//! half full (the host's times jump to and fro), the next one is wide and takes any time, so that jumping times
//! cost at most twice the memory and no chunk numbers.
//!
//! A record whose entry was forgotten or moved on is buried: its time becomes a mark, and collection passes it.

use super::chunk::{Chunk, END};
use super::clock::Tick;
use super::owners::{Owners, Spare};
use super::types::Key;
use crate::memory::{Memory, Table};

pub(super) const OFFSET_BITS: u32 = 12;
/// Records of the largest chunks: with 2^OFFSET_BITS of them, they would be a few bytes more than 20 pages.
pub(super) const MAX_RECORDS: u32 = (1 << OFFSET_BITS) - 2;
const MIN_RECORDS: u32 = 8;
/// Chunk numbers stay below this, so that record numbers stay below 2^31 - 1.
const MAX_CHUNKS: u32 = (1 << (31 - OFFSET_BITS)) - 1;
/// A chunk is this fraction of the log when it is opened, while the log is not large.
const CHUNKS_PER_LOG: u32 = 64;
/// From this many records on all new chunks are of the largest size.
const LARGE_LOG_RECORDS: u32 = 65_536;

#[derive(Clone, Copy)]
pub(super) struct Directory {
    /// The chunk of this number, if there is one.
    chunk: Option<Chunk>,
    /// Its live entries.
    pub(super) owners: Owners,
    /// The next number without a chunk.
    next_unused: u32,
}

/// A place between records: it stays where it is while records come and go, and can be compared with others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Mark {
    /// The ordinal of the chunk.
    ordinal: u64,
    offset: u32,
}

/// How far a walk has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogPosition {
    mark: Mark,
    /// The number of the mark's chunk, as long as that chunk is there.
    number: u32,
}

impl LogPosition {
    /// Before the oldest record there is.
    pub(super) const START: LogPosition = LogPosition { mark: Mark { ordinal: 0, offset: 0 }, number: END };
}

/// The oldest record, or the one that a walk has come to.
pub(super) struct Head {
    pub(super) record: u32,
    /// `None` if it is buried.
    pub(super) tick: Option<Tick>,
}

pub(super) struct Log {
    pub(super) directory: Table<Directory>,
    head: Option<Chunk>,
    tail: Option<Chunk>,
    head_number: u32,
    pub(super) tail_number: u32,
    head_offset: u32,
    unused: u32,
    spare: Option<Chunk>,
    pub(super) spare_owners: Spare,
    len: u32,
    buried: u32,
    /// Chunks opened so far.
    opened: u64,
}

impl Log {
    pub(super) fn new() -> Log {
        Log {
            directory: Table::new(),
            head: None,
            tail: None,
            head_number: END,
            tail_number: END,
            head_offset: 0,
            unused: END,
            spare: None,
            spare_owners: Spare::NONE,
            len: 0,
            buried: 0,
            opened: 0,
        }
    }

    /// Whether there is no record, buried ones included.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Records, buried ones included.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is one record, buried or not.
    pub(super) fn has_one(&self) -> bool {
        self.len == 1
    }

    /// Records that are buried and not passed yet.
    pub(super) fn buried(&self) -> u64 {
        self.buried.into()
    }

    /// Adds a record at the tail; `None` if there is no memory or no chunk number left.
    #[inline(always)]
    pub(super) fn append(&mut self, memory: &Memory, key: &Key, tick: Tick) -> Option<u32> {
        let appended = self.tail.and_then(|tail| tail.append(key, tick));
        let offset = match appended {
            Some(offset) => offset,
            None => {
                let tail = self.open_chunk(memory)?;
                // A fresh narrow chunk takes its base from this time, and a wide one takes any: it fits.
                tail.append(key, tick)?
            }
        };
        self.len += 1;
        Some(self.tail_number << OFFSET_BITS | offset)
    }

    /// The key of a record between head and tail.
    ///
    /// # Safety
    /// `append` returned the number, and collection has not passed it.
    #[inline(always)]
    pub(super) unsafe fn key(&self, record: u32) -> &Key {
        let (chunk, offset) = self.locate(record);
        // SAFETY: records up to the chunk's length are written.
        unsafe { chunk.key(offset).as_ref() }
    }

    /// The time of a record between head and tail that is not buried.
    ///
    /// # Safety
    /// `append` returned the number, and collection has not passed it.
    #[inline(always)]
    pub(super) unsafe fn tick(&self, record: u32) -> Tick {
        let (chunk, offset) = self.locate(record);
        chunk.tick(offset).unwrap_or(0)
    }

    /// The record's entry is gone or elsewhere. The newest record is removed at once, unless it is sealed; any other
    /// becomes a mark.
    ///
    /// # Safety
    /// `append` returned the number, collection has not passed it, and it is not buried.
    pub(super) unsafe fn bury(&mut self, record: u32) {
        let (mut chunk, offset) = self.locate(record);
        let is_newest = record >> OFFSET_BITS == self.tail_number && offset + 1 == chunk.header().len;
        if is_newest && offset >= u32::from(chunk.header().sealed) {
            chunk.header_mut().len = offset;
            self.len -= 1;
        } else {
            chunk.bury(offset);
            self.buried += 1;
        }
    }

    /// The oldest record, if there is one.
    #[inline(always)]
    pub(super) fn head(&self) -> Option<Head> {
        if self.len == 0 {
            return None;
        }
        let tick = self.head?.tick(self.head_offset);
        Some(Head { record: self.head_number << OFFSET_BITS | self.head_offset, tick })
    }

    /// Passes the oldest record, which `head` returned.
    #[inline(always)]
    pub(super) fn advance(&mut self, memory: &Memory, passed: &Head) {
        let Some(head) = self.head else { return };
        self.buried -= u32::from(passed.tick.is_none());
        self.head_offset += 1;
        self.len -= 1;
        if self.head_offset == head.header().len {
            self.leave_head(memory, head);
        }
    }

    /// The key that is `ahead` records behind the head, or nearly so; to prefetch by, nothing else.
    #[inline(always)]
    pub(super) fn key_ahead(&self, ahead: u32) -> Option<&Key> {
        let head = self.head?;
        let (len, offset) = (head.header().len, self.head_offset + ahead);
        let (chunk, offset) = if offset < len {
            (head, offset)
        } else {
            (self.directory.get(head.header().next as usize)?.chunk?, offset - len)
        };
        if offset >= chunk.header().len {
            return None;
        }
        // SAFETY: records below `len` are written.
        Some(unsafe { chunk.key(offset).as_ref() })
    }

    /// Where the key of a record is, to prefetch.
    ///
    /// # Safety
    /// As for `key`.
    #[inline(always)]
    pub(super) unsafe fn key_address(&self, record: u32) -> *const Key {
        let (chunk, offset) = self.locate(record);
        chunk.key(offset).as_ptr()
    }

    /// Where the time of a record is, to prefetch.
    ///
    /// # Safety
    /// As for `key`.
    #[inline(always)]
    pub(super) unsafe fn time_address(&self, record: u32) -> *const u8 {
        let (chunk, offset) = self.locate(record);
        let size = if chunk.header().is_wide { size_of::<u64>() } else { size_of::<u32>() };
        // SAFETY: the record's time lies in the chunk.
        unsafe { chunk.times().add(offset as usize * size) }.as_ptr()
    }

    /// Gives all memory back; the log is empty afterwards.
    pub(super) fn release(&mut self, memory: &Memory) {
        for number in 0..self.directory.len() as u32 {
            let Some(Directory { chunk: Some(chunk), .. }) = self.directory.get(number as usize) else {
                continue;
            };
            let chunk = *chunk;
            self.drop_owners(memory, number);
            chunk.free(memory);
        }
        self.spare_owners.release(memory);
        if let Some(chunk) = self.spare {
            chunk.free(memory);
        }
        self.directory.release(memory);
        *self = Log { opened: self.opened, ..Log::new() };
    }

    /// Where a record is, to be compared.
    ///
    /// # Safety
    /// As for `key`.
    pub(super) unsafe fn mark(&self, record: u32) -> Mark {
        let (chunk, offset) = self.locate(record);
        Mark { ordinal: chunk.header().ordinal, offset }
    }

    /// The place before the oldest record.
    pub(super) fn head_mark(&self) -> Mark {
        self.head
            .map_or(self.end_mark(), |head| Mark { ordinal: head.header().ordinal, offset: self.head_offset })
    }

    /// The place behind the newest record: all that are appended later come after it.
    pub(super) fn seal(&mut self) -> Mark {
        if let Some(tail) = &mut self.tail {
            tail.header_mut().sealed = tail.header().len as u16;
        }
        self.end_mark()
    }

    fn end_mark(&self) -> Mark {
        self.tail.map_or(Mark { ordinal: self.opened + 1, offset: 0 }, |tail| Mark {
            ordinal: tail.header().ordinal,
            offset: tail.header().len,
        })
    }

    /// The record that a walk comes to next, if there is one yet. Records that collection has passed meanwhile are
    /// left out, and so may those be that were appended where the newest had been removed.
    pub(super) fn step(&self, at: &mut LogPosition) -> Option<Head> {
        let mut number = at.number;
        let known = self.directory.get(number as usize).and_then(|entry| entry.chunk);
        let mut chunk = match known.filter(|chunk| chunk.header().ordinal == at.mark.ordinal) {
            Some(chunk) => chunk,
            None => {
                number = self.head_number;
                at.mark.offset = 0;
                self.head?
            }
        };
        let mut offset = at.mark.offset.min(chunk.header().len);
        if number == self.head_number {
            offset = offset.max(self.head_offset);
        }
        if offset >= chunk.header().len && chunk.header().next != END {
            number = chunk.header().next;
            chunk = self.directory.get(number as usize)?.chunk?;
            offset = 0;
        }
        *at = LogPosition { mark: Mark { ordinal: chunk.header().ordinal, offset }, number };
        if offset >= chunk.header().len {
            return None;
        }
        at.mark.offset += 1;
        Some(Head { record: number << OFFSET_BITS | offset, tick: chunk.tick(offset) })
    }

    /// What the directory has of a record's chunk.
    #[inline(always)]
    pub(super) fn entry(&self, record: u32) -> &Directory {
        let number = (record >> OFFSET_BITS) as usize;
        debug_assert!(self.directory.get(number).is_some_and(|entry| entry.chunk.is_some()));
        // SAFETY: records that collection has not passed lie in a chunk of the directory; the callers, which are
        // unsafe or in this file or in `owners`, pass only such.
        unsafe { self.directory.get_unchecked(number) }
    }

    /// The same, to change.
    #[inline(always)]
    pub(super) fn entry_mut(&mut self, record: u32) -> &mut Directory {
        let number = (record >> OFFSET_BITS) as usize;
        debug_assert!(self.directory.get(number).is_some_and(|entry| entry.chunk.is_some()));
        // SAFETY: as in `entry`.
        unsafe { self.directory.get_unchecked_mut(number) }
    }

    /// Records that a chunk has room for.
    pub(super) fn capacity_of(&self, number: u32) -> u32 {
        let chunk = self.directory.get(number as usize).and_then(|entry| entry.chunk);
        chunk.map_or(0, |chunk| chunk.header().capacity)
    }

    #[inline(always)]
    fn locate(&self, record: u32) -> (Chunk, u32) {
        // SAFETY: as in `entry`: a record that collection has not passed has a chunk.
        let chunk = unsafe { self.entry(record).chunk.unwrap_unchecked() };
        (chunk, record & ((1 << OFFSET_BITS) - 1))
    }

    /// A new chunk at the tail.
    #[cold]
    fn open_chunk(&mut self, memory: &Memory) -> Option<Chunk> {
        let is_wide = self.tail.is_some_and(|tail| {
            let header = tail.header();
            !header.is_wide && header.len != 0 && header.len < header.capacity / 2
        });
        let capacity = self.next_capacity();
        let number = self.reserve_number(memory)?;
        let ordinal = self.opened + 1;
        let chunk = self
            .take_spare(memory, capacity, is_wide, ordinal)
            .or_else(|| Chunk::allocate(memory, capacity, is_wide, ordinal))?;
        self.opened = ordinal;
        let entry = self.directory.get_mut(number as usize)?;
        self.unused = entry.next_unused;
        entry.chunk = Some(chunk);
        match &mut self.tail {
            Some(tail) => tail.header_mut().next = number,
            None => (self.head, self.head_number, self.head_offset) = (Some(chunk), number, 0),
        }
        let old_tail = std::mem::replace(&mut self.tail_number, number);
        self.tail = Some(chunk);
        self.release_owners(memory, old_tail);
        // A tail that lost its only records again (they were buried while they were the newest) is passed here.
        let is_left = |head: &Chunk| self.head_offset == head.header().len && head.header().next != END;
        if let Some(head) = self.head.filter(is_left) {
            self.leave_head(memory, head);
        }
        Some(chunk)
    }

    fn next_capacity(&self) -> u32 {
        if self.len >= LARGE_LOG_RECORDS {
            return MAX_RECORDS;
        }
        let least = if self.len < 2 * MIN_RECORDS { MIN_RECORDS } else { 2 * MIN_RECORDS };
        1 << (self.len / CHUNKS_PER_LOG).max(least).ilog2()
    }

    /// The first unused chunk number, which stays unused until the caller takes it.
    fn reserve_number(&mut self, memory: &Memory) -> Option<u32> {
        if self.unused == END {
            let number = self.directory.len() as u32;
            if number >= MAX_CHUNKS {
                return None;
            }
            self.directory.push(memory, Directory { chunk: None, owners: Owners::NONE, next_unused: END })?;
            self.unused = number;
        }
        Some(self.unused)
    }

    fn take_spare(&mut self, memory: &Memory, capacity: u32, is_wide: bool, ordinal: u64) -> Option<Chunk> {
        let spare = self.spare.take()?;
        if is_wide || spare.header().capacity != capacity {
            spare.free(memory);
            return None;
        }
        spare.reset(capacity, false, ordinal);
        Some(spare)
    }

    /// Collection has passed the head chunk's last record.
    #[cold]
    fn leave_head(&mut self, memory: &Memory, head: Chunk) {
        let (next, capacity) = (head.header().next, head.header().capacity);
        self.drop_owners(memory, self.head_number);
        if let Some(entry) = self.directory.get_mut(self.head_number as usize) {
            *entry = Directory { chunk: None, owners: Owners::NONE, next_unused: self.unused };
            self.unused = self.head_number;
        }
        let is_kept =
            next != END && capacity == MAX_RECORDS && !head.header().is_wide && self.spare.is_none();
        if is_kept {
            self.spare = Some(head);
        } else {
            head.free(memory);
        }
        (self.head_number, self.head_offset) = (next, 0);
        self.head = self.directory.get(next as usize).and_then(|entry| entry.chunk);
        if self.head.is_none() {
            self.close_empty(memory);
        }
    }

    /// The log is empty: nothing is kept.
    fn close_empty(&mut self, memory: &Memory) {
        (self.tail, self.head_number, self.tail_number) = (None, END, END);
        if let Some(spare) = self.spare.take() {
            spare.free(memory);
        }
        self.spare_owners.release(memory);
        self.directory.release(memory);
        self.unused = END;
    }
}
