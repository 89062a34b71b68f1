//! Collection: expired entries leave from the log's oldest end, one record per step.
//!
//! A step looks at the oldest record. If it is buried, it is passed. If it has expired, a historical entry is
//! removed from the index; a live one stays live but leaves the log (its key and time move to an aged record),
//! so that it is in nobody's way. Otherwise there is nothing to do: the log is in order of insertion, and an
//! older record behind a younger one waits until that has expired, unseen.
//!
//! What a step will touch is known beforehand, and fetched: see `victims`.

use super::bucket::{Decoded, Position};
use super::clock::{Now, Tick};
use super::entries::Found;
use super::index::{Home, Place};
use super::live::{Origin, Slot};
use super::log::Head;
use super::types::Collected;
use super::{Error, GcPolicy, History};

/// A longer collection counts as a call per this many steps, as far as the moves of a shrinking index are limited.
const STEPS_PER_CALL: u64 = 64;
/// The most records that are passed to make room for one more in a full history.
const MAX_PASSED_FOR_ROOM: u32 = 64;

/// Whose record the oldest is.
pub(super) enum Owner {
    Historical(Place),
    Live(Slot, Place),
    Nobody,
}

/// What a run of steps came to.
pub(super) struct Progress {
    pub(super) collected: u64,
    /// Records passed.
    pub(super) steps: u64,
    /// The oldest record is due, but there is no memory for what has to be kept of it.
    pub(super) is_stuck: bool,
}

impl History {
    /// Collects up to `max` records that are due, oldest first.
    ///
    /// An expired live entry costs one step once in its life, as does the place of a forgotten entry; neither is
    /// counted in `collected`. `more` is false where only a lack of memory is in the way: to go on would be no use.
    /// O(max), independent of the history's size; the index shrinks in pace.
    ///
    /// # Errors
    /// [`Error::ClockStep`], [`Error::TimeRange`].
    pub fn gc(&mut self, now_ns: i64, max: u64) -> Result<Collected, Error> {
        let now = self.check_now(now_ns)?;
        Ok(self.collect_at(now, max).0)
    }

    /// What `gc` does at a time that was checked; also how many records were passed.
    pub(super) fn collect_at(&mut self, now: Now, max: u64) -> (Collected, u64) {
        self.clock.accept(now);
        self.index.begin_call();
        let Progress { collected, steps, is_stuck } = self.collect(now.tick, max);
        let more = !is_stuck && self.is_head_due(now.tick);
        self.requires_gc = more;
        self.forget_passed_lines();
        (Collected { collected, more }, steps)
    }

    /// What an insert collects, by policy.
    #[inline(always)]
    pub(super) fn collect_for_insert(&mut self, now: Tick) {
        match self.gc {
            GcPolicy::Steady { step } => {
                if !self.is_head_at_rest(now) {
                    self.collect(now, step.into());
                }
            }
            GcPolicy::OnDemand { batch } if self.requires_gc => {
                self.collect(now, batch.into());
                self.requires_gc = self.is_head_due(now);
            }
            GcPolicy::OnDemand { .. } | GcPolicy::Scheduled => {}
        }
    }

    /// The one step of an erase, and the extra one of a readmit.
    #[inline(always)]
    pub(super) fn collect_one(&mut self, now: Tick) {
        if matches!(self.gc, GcPolicy::Steady { .. }) && !self.is_head_at_rest(now) {
            self.collect(now, 1);
        }
    }

    /// Takes up to `max` steps and counts the historical entries collected.
    #[inline(always)]
    pub(super) fn collect(&mut self, now: Tick, max: u64) -> Progress {
        let mut progress = Progress { collected: 0, steps: 0, is_stuck: false };
        let mut due_from = 0;
        while progress.steps < max {
            let Some(head) = self.log.head() else { break };
            if !self.is_due(&head, now) {
                due_from = self.due_from(&head);
                break;
            }
            let Some(was_historical) = self.pass(&head) else {
                progress.is_stuck = true;
                break;
            };
            progress.collected += u64::from(was_historical);
            progress.steps += 1;
            if progress.steps.is_multiple_of(STEPS_PER_CALL) {
                self.index.begin_call();
            }
        }
        self.note_due(due_from);
        self.collected_total += progress.collected;
        progress
    }

    fn is_head_due(&self, now: Tick) -> bool {
        self.log.head().is_some_and(|head| self.is_due(&head, now))
    }

    #[inline(always)]
    fn is_due(&self, head: &Head, now: Tick) -> bool {
        head.tick.is_none_or(|tick| self.has_expired(head.record, tick, now))
    }

    /// When the oldest record, which is not due, comes to be; 0 if that is not known.
    #[inline(always)]
    fn due_from(&self, head: &Head) -> Tick {
        if self.is_raised { 0 } else { head.tick.map_or(0, |tick| self.clock.expiry(tick)) }
    }

    /// Takes the oldest record off the log, and its entry out of the history if it is historical, which is the
    /// answer. `None` without memory, and nothing is changed.
    #[inline(always)]
    fn pass(&mut self, head: &Head) -> Option<bool> {
        let mut was_historical = false;
        if let Some(tick) = head.tick {
            match self.owner(head.record, self.home_of_head(head.record)) {
                Owner::Historical(place) => {
                    self.index.remove(&self.memory, place);
                    was_historical = true;
                }
                Owner::Live(slot, place) => self.age(slot, place, tick)?,
                Owner::Nobody => debug_assert!(false, "a record that is not buried has an entry"),
            }
        }
        self.pass_head(head);
        Some(was_historical)
    }

    /// Takes the oldest record off the log; its entry is gone or elsewhere.
    #[inline(always)]
    pub(super) fn pass_head(&mut self, head: &Head) {
        self.log.advance(&self.memory, head);
        self.pass_victim();
    }

    /// Whose a record is, the home of whose key is known.
    #[inline(always)]
    pub(super) fn owner(&self, record: u32, home: Home) -> Owner {
        let records = self.records();
        let found = self.index.locate(home, Position::of_record(record));
        let Some(place) = found else { return Owner::Nobody };
        match records.found(Decoded::Record(record)) {
            Found::Historical(_) => Owner::Historical(place),
            Found::Live(slot) => Owner::Live(slot, place),
        }
    }

    /// A live entry leaves the log: key and time move to an aged record. Without memory for that they move to the
    /// log's tail, out of the way of what is behind them, unless live entries are all there is.
    #[cold]
    fn age(&mut self, slot: Slot, place: Place, tick: Tick) -> Option<()> {
        let key = *self.records().key_of_slot(slot);
        let old = self.live.origin(slot);
        let origin = match self.live.add_aged(&self.memory, &key, tick) {
            Some(aged) => Origin::Aged(aged),
            None if self.remembered() > 0 => Origin::Record(self.append_live(&key, tick, slot).ok()?),
            None => return None,
        };
        if let Origin::Record(record) = old {
            self.detach(record);
        }
        self.live.set_origin(slot, origin);
        self.index.set_position(place, self.records().position_of(slot));
        Some(())
    }

    /// Makes the history smaller by one entry, so that there is room for another. A due entry goes first, else
    /// the oldest if `may_evict`. Live entries on the way leave the log. At most MAX_PASSED_FOR_ROOM records are
    /// passed; `false` if that made no room.
    #[cold]
    pub(super) fn make_room(&mut self, now: Tick, may_evict: bool) -> bool {
        let has_room = self.pass_until_room(now, may_evict);
        self.watch_head();
        has_room
    }

    fn pass_until_room(&mut self, now: Tick, may_evict: bool) -> bool {
        for _ in 0..MAX_PASSED_FOR_ROOM {
            let Some(head) = self.log.head() else { return false };
            let is_due = self.is_due(&head, now);
            if !is_due && !may_evict {
                return false;
            }
            match self.pass(&head) {
                Some(true) if is_due => self.collected_total += 1,
                Some(true) => self.evicted_early += 1,
                Some(false) => continue,
                None => return false,
            }
            return true;
        }
        false
    }
}
