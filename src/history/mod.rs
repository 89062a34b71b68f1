//! An insertion-ordered map of live messages with a de-duplication history, collected inline in bounded steps.
//!
//! A broker's dispatcher inserts each message's key as it arrives and erases it when the message is acknowledged.
//! For a window from its insert on, a key that comes again is a duplicate. A [`History`] keeps both, the live
//! messages in order with their values, and the keys of the erased ones, and gets rid of the latter a few per
//! call, so that no call ever pays for many.
//!
//! # Where things are
//! ```text
//!   key --hash--> index: buckets of one cache line          (index, bucket, chain, level, growth)
//!                   |
//!                   | for its whole life
//!                   v
//!                 log: key and insert time of every entry,           owners: the slot of each record
//!                 in order of insertion              (log) <-------> that has a live entry   (owners)
//!                   ^ collected from this end         (gc)  origin     |
//!                                                                      v
//!                                                           slot: value, order, generation (live, slab)
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `insert`, `erase`, `query`, `batch` | the calls |
//! | `gc`, `victims` | collection and its policies; what it knows beforehand |
//! | `clear`, `window` | forgetting everything; another window while entries are stored |
//! | `walk`, `export`, `format`, `import` | all entries in order, and out and in by buffers |
//! | `group` | what the histories of one thread share |
//! | `index` | **the algorithm of the index**, its cost and memory |
//! | `log`, `chunk`, `owners`, `live`, `slab` | the entries themselves, each with its layout |
//! | `clock`, `hash` | time and hashing |
//! | `options`, `types`, `error` | what goes in and comes out |
//! | `rare`, `boxed` | what few histories have, out of the way |
//!
//! A history is used by one thread at a time (`&mut self`); it may move between threads.

mod batch;
mod boxed;
mod bucket;
mod chain;
mod chunk;
mod clear;
mod clock;
mod entries;
mod erase;
mod error;
mod export;
mod format;
mod gc;
mod group;
mod growth;
mod hash;
mod import;
mod index;
mod insert;
mod level;
mod live;
mod log;
mod options;
mod owners;
mod prefetch;
mod query;
mod rare;
mod slab;
mod types;
mod victims;
mod walk;
mod window;

pub use error::Error;
pub use export::Exported;
pub use format::{BadBuffer, BufferInfo};
pub use group::{Group, GroupOptions, GroupStats, MAX_MEMBERS, Members, Reach};
pub use import::Imported;
pub use options::{
    GcPolicy, KeyHasher, MAX_ENTRIES, MAX_GC_STEP, MAX_TIME_NS, MAX_VALUE_SIZE, Options, Overflow, Visibility,
};
pub use types::{Collected, Entry, EntryInfo, Erased, Inserted, Item, Key, Presence, Stats};
pub use window::MAX_WINDOW_RAISES;

use crate::memory::Memory;
use boxed::Boxed;
use bucket::Decoded;
use clock::Clock;
use entries::Records;
use hash::Hash;
use index::{Home, Index};
use live::Live;
use log::Log;
use rare::Rare;
use victims::Victims;

/// An ordered map of live messages with a de-duplication history. See the [module](self).
pub struct History {
    index: Index,
    log: Log,
    live: Live,
    clock: Clock,
    hash: Hash,
    memory: Memory,
    gc: GcPolicy,
    overflow: Overflow,
    visibility: Visibility,
    /// Under the on-demand policy: a gc stopped at its maximum with more to do.
    requires_gc: bool,
    /// What `rare` holds: whether the window was raised while entries were stored; whether a walk is under way; whether
    /// there is a group.
    is_raised: bool,
    is_walked: bool,
    is_grouped: bool,
    rare: Boxed<Rare>,
    victims: Boxed<Victims>,
    max_entries: u32,
    max_history: u32,
    live_len: u32,
    collected_total: u64,
    evicted_early: u64,
    duplicates: u64,
    readmitted: u64,
}

// SAFETY: the raw pointers inside lead to blocks that this history alone owns, and allocator (Send + Sync) and
// hasher (Send) may move with it. It is not Sync: look-ups count their work in a cell.
unsafe impl Send for History {}

impl History {
    /// A history with these settings, empty.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a setting outside its range, [`Error::NoMemory`].
    pub fn new(options: Options) -> Result<History, Error> {
        let clock = Clock::new(&options)?;
        check("value_size", options.value_size as u64, 0, MAX_VALUE_SIZE as u64)?;
        check("max_entries", options.max_entries, 0, MAX_ENTRIES)?;
        match options.gc {
            GcPolicy::Scheduled => {}
            GcPolicy::Steady { step } => check("step", step.into(), 1, MAX_GC_STEP.into())?,
            GcPolicy::OnDemand { batch } => check("batch", batch.into(), 1, MAX_GC_STEP.into())?,
        }
        let mut allocator = options.allocator;
        let (mut seed, mut is_seed_fixed) =
            (options.seed.unwrap_or_else(hash::random), options.seed.is_some());
        let mut rare = Boxed::EMPTY;
        let mut number = 0;
        let member = options.group.as_ref().map(Group::join).transpose()?;
        if let Some(group) = &options.group {
            check_unset("seed", options.seed.is_some())?;
            check_unset("allocator", allocator.is_some())?;
            (seed, is_seed_fixed) = group.hash_seed();
            allocator = Some(group.allocator());
        }
        let hash = Hash::new(seed, is_seed_fixed, options.hasher);
        let memory = Memory::new(allocator, size_of::<History>());
        let index = Index::new(&memory).ok_or(Error::NoMemory)?;
        let is_grouped = member.is_some();
        if let Some(member) = member {
            number = member.number;
            let Some(made) = rare.get_or_make(&memory, Rare::new) else {
                drop_index(index, &memory);
                return Err(Error::NoMemory);
            };
            made.member = Some(member);
        }
        Ok(History {
            index,
            log: Log::new(),
            live: Live::new(options.value_size, hash.first_generation(number)),
            clock,
            hash,
            memory,
            gc: options.gc,
            overflow: options.overflow,
            visibility: options.visibility,
            requires_gc: false,
            is_raised: false,
            is_walked: false,
            is_grouped,
            rare,
            victims: Boxed::EMPTY,
            max_entries: limit(options.max_entries, MAX_ENTRIES),
            max_history: limit(options.max_history, u32::MAX.into()),
            live_len: 0,
            collected_total: 0,
            evicted_early: 0,
            duplicates: 0,
            readmitted: 0,
        })
    }

    /// Sets the present, backwards too and by any distance: for a host that knows its clock has jumped.
    ///
    /// # Errors
    /// [`Error::TimeRange`].
    pub fn clock_reset(&mut self, now_ns: i64) -> Result<(), Error> {
        self.clock.reset(now_ns)
    }

    /// Where a key belongs in the index.
    #[inline(always)]
    fn home_of_key(&self, key: &Key) -> Home {
        self.index.home_of(self.hash.of(key))
    }

    /// Where the key of a record belongs in the index. The record is one that collection has not passed.
    #[inline(always)]
    fn home_of_record(&self, record: u32) -> Home {
        self.home_of_key(self.records().key(Decoded::Record(record)))
    }

    /// Grows the index if the next insert makes that due.
    #[inline(always)]
    fn grow_if_due(&mut self) {
        if self.index.is_growth_due() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let Self { index, memory, log, live, hash, .. } = self;
        index.grow(memory, &Records { log, live, hash });
    }

    #[inline(always)]
    fn records(&self) -> Records<'_> {
        Records { log: &self.log, live: &self.live, hash: &self.hash }
    }
}

impl Drop for History {
    fn drop(&mut self) {
        self.index.release(&self.memory);
        self.log.release(&self.memory);
        self.live.release(&self.memory);
        self.victims.take(&self.memory);
        if let Some(mut rare) = self.rare.take(&self.memory) {
            rare.raised.release(&self.memory);
        }
    }
}

fn drop_index(mut index: Index, memory: &Memory) {
    index.release(memory);
}

fn check_unset(what: &'static str, is_set: bool) -> Result<(), Error> {
    if is_set { Err(Error::OfGroup { what }) } else { Ok(()) }
}

/// A limit on entries, of which there are less than 2^31; 0 stands for `default`.
fn limit(given: u64, default: u64) -> u32 {
    u32::try_from(if given == 0 { default } else { given }).unwrap_or(u32::MAX)
}

// An empty history is to take no more than 512 bytes: this, and a bucket with its directory.
const _: () = assert!(size_of::<History>() <= 440);

fn check(what: &'static str, value: u64, min: u64, max: u64) -> Result<(), Error> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Error::OutOfRange { what, value: value.into(), min: min.into(), max: max.into() })
}
