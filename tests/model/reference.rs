//! The reference model: what a history has to answer, in plain containers.
//!
//! The state is a log of records in insertion order, the live entries by number (numbers go up, so this is the
//! live order), and two maps from keys. Times are compared in whole grains, as the design says: insert times
//! and the present round down, the window rounds up, and an entry is expired when `now >= inserted_at + window`.
//! All sums are made in 128 bits, so nothing overflows at the edges of the range.
//!
//! `validate` holds the rules about arguments, `apply` the rules about calls, `window` those of another window,
//! `transfer` those of export and import.

mod apply;
mod log;
mod transfer;
mod validate;
mod window;

use super::call::Id;
use super::setup::Setup;
pub use log::{Log, Record, State};
use queuecore::history::{GcPolicy, Key, Overflow, Presence, Visibility};
use std::collections::BTreeMap;

/// How many heads of the log one call may take off to make room in a full history.
pub const MAX_HEADS_PASSED: u32 = 64;

/// A live entry. `log` is the number of its record, or none if it left the log (or never entered it).
#[derive(Clone, Debug)]
pub struct Live {
    pub key: Key,
    pub tick: i128,
    pub value: Vec<u8>,
    pub log: Option<u64>,
}

/// The counters of `Stats` that the model can foretell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub collected_total: u64,
    pub evicted_early: u64,
    pub duplicates: u64,
    pub readmitted: u64,
    pub clock_regressions: u64,
}

/// The model.
#[derive(Clone, Debug)]
pub struct Model {
    pub setup: Setup,
    pub counters: Counters,
    /// The largest time seen.
    seen_ns: Option<i64>,
    log: Log,
    live: BTreeMap<Id, Live>,
    live_ids: BTreeMap<Key, Id>,
    /// Historical keys still held, expired or not, with the number of their record.
    historical: BTreeMap<Key, u64>,
    next_id: Id,
    /// Under `OnDemand`: the last `gc` left work.
    gc_wanted: bool,
    /// Where the window was raised over what had expired: the end of the log then, and the tick it had expired below.
    raises: Vec<(u64, i128)>,
    /// What the real history did where it may choose; see [`Model::apply_choosing`].
    keeps: u32,
    choices: u32,
    dropped: Option<Record>,
}

impl Model {
    pub fn new(setup: Setup) -> Model {
        Model {
            setup,
            counters: Counters::default(),
            seen_ns: None,
            log: Log::default(),
            live: BTreeMap::new(),
            live_ids: BTreeMap::new(),
            historical: BTreeMap::new(),
            next_id: 0,
            gc_wanted: false,
            raises: Vec::new(),
            keeps: 0,
            choices: 0,
            dropped: None,
        }
    }

    pub fn seen_ns(&self) -> Option<i64> {
        self.seen_ns
    }

    pub fn live_len(&self) -> u64 {
        self.live.len() as u64
    }

    pub fn history_len(&self) -> u64 {
        self.historical.len() as u64
    }

    pub fn tombstones(&self) -> u64 {
        self.log.tombstones()
    }

    pub fn log(&self) -> &Log {
        &self.log
    }

    /// How many entries were ever added.
    pub fn ids_given(&self) -> Id {
        self.next_id
    }

    /// The live entries, oldest first.
    pub fn live(&self) -> impl DoubleEndedIterator<Item = (Id, &Live)> {
        self.live.iter().map(|(&id, live)| (id, live))
    }

    pub fn live_entry(&self, id: Id) -> Option<&Live> {
        self.live.get(&id)
    }

    /// The live entry of a key.
    pub fn find(&self, key: &Key) -> Option<Id> {
        self.live_ids.get(key).copied()
    }

    /// What `contains` says of a key at the largest time seen.
    pub fn presence(&self, key: &Key) -> Presence {
        if self.live_ids.contains_key(key) {
            Presence::Live
        } else if self.visible_record(key).is_some() {
            Presence::Historical
        } else {
            Presence::Absent
        }
    }

    /// The present in grains. Before any time was seen there is nothing that could expire.
    fn now_tick(&self) -> i128 {
        i128::from(self.seen_ns.unwrap_or(i64::MIN)).div_euclid(i128::from(self.setup.grain_ns()))
    }

    fn tick(&self, time_ns: i64) -> i128 {
        i128::from(time_ns).div_euclid(i128::from(self.setup.grain_ns()))
    }

    pub fn window_ticks(&self) -> i128 {
        let grain = i128::from(self.setup.grain_ns());
        (i128::from(self.setup.window_ns) + grain - 1).div_euclid(grain)
    }

    fn expired(&self, tick: i128) -> bool {
        self.setup.window_ns == 0 || self.now_tick() >= tick + self.window_ticks()
    }

    /// The record of a historical key that can be seen: not expired, or not collected if that is what counts.
    fn visible_record(&self, key: &Key) -> Option<u64> {
        let &record = self.historical.get(key)?;
        let visible = self.setup.visibility == Visibility::UntilCollected
            || !self.record_expired(&self.log.get(record));
        visible.then_some(record)
    }

    /// Whether collection would find work at the head of the log right now.
    fn head_is_due(&self) -> bool {
        self.log.head().is_some_and(|head| head.state == State::Tombstone || self.record_expired(&head))
    }

    fn record_expired(&self, record: &Record) -> bool {
        record.is_dead || self.expired(record.tick)
    }

    /// Collects for up to `steps` steps: each record that leaves the log costs one, whatever it stood for.
    /// Returns how many historical entries were removed.
    fn collect(&mut self, steps: u64) -> u64 {
        let mut collected = 0;
        for _ in 0..steps {
            if !self.head_is_due() {
                break;
            }
            collected += u64::from(self.take_head());
        }
        collected
    }

    /// Takes the head off the log: a live entry stays live without a record, a historical one is gone.
    /// Returns whether it was historical.
    fn take_head(&mut self) -> bool {
        let Some(head) = self.log.head() else { return false };
        let expired = self.record_expired(&head);
        self.log.pop_head();
        match head.state {
            State::Tombstone => false,
            State::Live(id) => {
                self.live.entry(id).and_modify(|live| live.log = None);
                false
            }
            State::Historical => {
                self.historical.remove(&head.key);
                if expired {
                    self.counters.collected_total += 1;
                } else {
                    self.counters.evicted_early += 1;
                }
                true
            }
        }
    }

    /// Makes room in a full history: takes heads off the log until one was historical. Heads that are due go in
    /// any case; others only if `may_evict`, and live ones among them leave the log as if aged.
    /// Returns false if none was found within the bound.
    fn pass_heads_for_room(&mut self, may_evict: bool) -> bool {
        for _ in 0..MAX_HEADS_PASSED {
            if self.log.head().is_none() || !(may_evict || self.head_is_due()) {
                return false;
            }
            if self.take_head() {
                return true;
            }
        }
        false
    }

    /// What an insert collects before it looks.
    fn collect_for_insert(&mut self) {
        match self.setup.gc {
            GcPolicy::Scheduled => {}
            GcPolicy::Steady { step } => {
                self.collect(u64::from(step));
            }
            GcPolicy::OnDemand { batch } => {
                if self.gc_wanted {
                    self.collect(u64::from(batch));
                    self.gc_wanted = self.head_is_due();
                }
            }
        }
    }

    /// The one step that an erase, or a readmit of a historical key, collects.
    fn collect_one_if_steady(&mut self) {
        if matches!(self.setup.gc, GcPolicy::Steady { .. }) {
            self.collect(1);
        }
    }

    fn evicts(&self) -> bool {
        self.setup.overflow == Overflow::EvictOldest
    }
}
