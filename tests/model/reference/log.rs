//! The model's log: one record for each place in insertion order, oldest first. Used by the model only.

use super::super::call::Id;
use queuecore::history::Key;
use std::collections::VecDeque;

/// What a place in the log stands for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Live(Id),
    Historical,
    /// Its entry is gone from here; the place waits for collection to pass it.
    Tombstone,
}

/// One place in the log. `tick` is the insert time in grains.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub key: Key,
    pub tick: i128,
    pub state: State,
    /// It had expired when the window was raised.
    pub is_dead: bool,
}

/// Records by sequence number: the head is `first`, and numbers go up by one.
#[derive(Clone, Debug, Default)]
pub struct Log {
    records: VecDeque<Record>,
    first: u64,
    tombstones: u64,
}

impl Log {
    /// Adds a record at the tail; returns its sequence number.
    pub fn push(&mut self, record: Record) -> u64 {
        self.tombstones += u64::from(record.state == State::Tombstone);
        self.records.push_back(record);
        self.end() - 1
    }

    pub fn head(&self) -> Option<Record> {
        self.records.front().copied()
    }

    pub fn pop_head(&mut self) {
        if let Some(record) = self.records.pop_front() {
            self.first += 1;
            self.tombstones -= u64::from(record.state == State::Tombstone);
        }
    }

    pub fn get(&self, sequence: u64) -> Record {
        self.records[(sequence - self.first) as usize]
    }

    /// The record now stands for a historical entry.
    pub fn make_historical(&mut self, sequence: u64) {
        self.records[(sequence - self.first) as usize].state = State::Historical;
    }

    /// The record stands for nothing any more.
    pub fn bury(&mut self, sequence: u64) {
        self.records[(sequence - self.first) as usize].state = State::Tombstone;
        self.tombstones += 1;
    }

    /// Whether this is the newest record of all.
    pub fn is_newest(&self, sequence: u64) -> bool {
        sequence + 1 == self.end()
    }

    /// The newest record is dropped; the ones before it stay, tombstones or not.
    pub fn drop_newest(&mut self) -> Option<Record> {
        self.records.pop_back()
    }

    pub fn clear(&mut self) {
        self.first += self.records.len() as u64;
        self.records.clear();
        self.tombstones = 0;
    }

    pub fn tombstones(&self) -> u64 {
        self.tombstones
    }

    pub fn first(&self) -> u64 {
        self.first
    }

    /// The records, oldest first, with their sequence numbers.
    pub fn records(&self) -> impl Iterator<Item = (u64, Record)> {
        self.records.iter().enumerate().map(|(at, record)| (self.first + at as u64, *record))
    }

    /// All records for which `is_dead` holds are dead from here on.
    pub fn kill(&mut self, is_dead: impl Fn(&Record) -> bool) {
        for record in &mut self.records {
            record.is_dead |= is_dead(record);
        }
    }

    /// The sequence number that the next record will get.
    pub fn end(&self) -> u64 {
        self.first + self.records.len() as u64
    }

    /// The record number `n` from the head, if the log is not empty; counted around.
    pub fn nth_around(&self, n: usize) -> Option<Record> {
        self.records.get(n.checked_rem(self.records.len())?).copied()
    }
}
