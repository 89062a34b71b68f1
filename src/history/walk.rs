//! Walks over all entries, live and historical, in the order of their inserts, a few at a time: for `iterate` and `export`.
//!
//! The log has the order, and the live order has those that left the log. A walk goes along both:
//!
//! ```text
//!   log          h   L   h   .   h   L   h         h historical, L live, . forgotten
//!   live order       L   a   a       L             a live, and out of the log: its window has ended
//!
//!   the walk     h   L   a   a   h   h   L   h     a live entry comes when the log comes to its record; those that are
//!                                                  out of the log, as soon as the one before them has come
//! ```
//!
//! Other calls may come between the steps of a walk. The place in the log is a mark that stays (`log`), and the place
//! in the live order is moved on when its entry leaves, so: an entry that is there from the start of a walk to its end
//! comes once. (If it is erased meanwhile it comes as what it is when the walk gets there; if it is re-admitted after it came, it
//! comes again, as live.) One that is there for a part of the time comes once or not at all.

use super::bucket::Decoded;
use super::clock::Tick;
use super::gc::Owner;
use super::live::{Origin, Slot};
use super::log::LogPosition;
use super::options::MAX_TIME_NS;
use super::rare::{Rare, WALKS};
use super::types::{Entry, Item};
use super::{Error, History};

/// Which of the walks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Iterate = 0,
    Export = 1,
}

/// How far a walk has come.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    /// Whether it has begun, and has not come to the end.
    pub(super) is_under_way: bool,
    log: LogPosition,
    /// The next live entry to come, unless there is none: the number of its slot.
    live: Option<u32>,
    /// What names an export, and how many buffers and entries it has written.
    pub(super) id: u64,
    pub(super) buffers: u32,
}

impl Walk {
    pub(super) const OVER: Walk =
        Walk { is_under_way: false, log: LogPosition::START, live: None, id: 0, buffers: 0 };
}

/// What one step of a walk came to.
pub(super) enum Step {
    /// An entry, and its slot if it is live.
    At(Item, Option<Slot>),
    /// A record that stands for nothing, or for an entry that comes elsewhere.
    Nothing,
    /// The end.
    End,
}

/// Steps that a call may take for each entry that it gives, where many records stand for nothing.
pub(super) const STEPS_PER_ITEM: usize = 4;

impl History {
    /// Begins an iteration over all entries, live and historical, in the order of their inserts; one that is under way
    /// ends. O(1).
    ///
    /// # Errors
    /// [`Error::NoMemory`]: nothing is changed.
    pub fn iterate(&mut self) -> Result<(), Error> {
        self.begin_walk(Purpose::Iterate, 0)
    }

    /// The next entries of the iteration, as many as there are places. Returns how many were written, and whether the
    /// iteration goes on: it may give fewer than there are places, or none, and go on all the same, because it looks at no
    /// more than four records a place.
    ///
    /// Historical entries whose window has ended are left out. Other calls may come in between: an entry that is there all
    /// the while comes exactly once, and again each time it is re-admitted after it came; one that comes or goes meanwhile may come.
    /// O(places). Without an iteration under way it is over at once.
    pub fn next_items(&mut self, items: &mut [Item]) -> (usize, bool) {
        let mut written = 0;
        let mut steps = items.len().saturating_mul(STEPS_PER_ITEM);
        while let Some(place) = items.get_mut(written)
            && steps > 0
        {
            steps -= 1;
            match self.step(Purpose::Iterate) {
                Step::At(item, _) => {
                    *place = item;
                    written += 1;
                }
                Step::Nothing => {}
                Step::End => return (written, false),
            }
        }
        (written, self.is_under_way(Purpose::Iterate))
    }

    pub(super) fn is_under_way(&self, purpose: Purpose) -> bool {
        self.rare.get().is_some_and(|rare| rare.walks[purpose as usize].is_under_way)
    }

    pub(super) fn begin_walk(&mut self, purpose: Purpose, id: u64) -> Result<(), Error> {
        let first = self.live.first().map(|slot| slot.number);
        let rare = self.rare.get_or_make(&self.memory, Rare::new).ok_or(Error::NoMemory)?;
        rare.walks[purpose as usize] =
            Walk { is_under_way: true, log: LogPosition::START, live: first, id, buffers: 0 };
        self.is_walked = true;
        Ok(())
    }

    /// One step of a walk. The entry that it answers counts as come.
    pub(super) fn step(&mut self, purpose: Purpose) -> Step {
        let Some(mut walk) = self.rare.get().map(|rare| rare.walks[purpose as usize]) else {
            return Step::End;
        };
        if !walk.is_under_way {
            return Step::End;
        }
        let step = self.step_of(&mut walk);
        walk.is_under_way = !matches!(step, Step::End);
        self.set_walk(purpose, walk);
        step
    }

    /// Puts a walk (back) where it was before some of its steps.
    pub(super) fn set_walk(&mut self, purpose: Purpose, walk: Walk) {
        if let Some(rare) = self.rare.get_mut() {
            rare.walks[purpose as usize] = walk;
            self.is_walked = rare.walks.iter().any(|walk| walk.is_under_way);
        }
    }

    pub(super) fn walk(&self, purpose: Purpose) -> Option<Walk> {
        self.rare.get().map(|rare| rare.walks[purpose as usize])
    }

    fn step_of(&self, walk: &mut Walk) -> Step {
        let now = self.clock.seen_tick();
        let next_live = walk.live.map(|number| self.records().slot(number));
        if let Some(slot) = next_live {
            let is_out = matches!(self.live.origin(slot), Origin::Aged(_));
            if is_out || self.clock.is_expired(self.records().tick_of_slot(slot), now) {
                return self.come(walk, slot);
            }
        }
        let Some(at) = self.log.step(&mut walk.log) else {
            return next_live.map_or(Step::End, |slot| self.come(walk, slot));
        };
        let Some(tick) = at.tick else { return Step::Nothing };
        match self.owner(at.record, self.home_of_record(at.record)) {
            Owner::Live(slot, _) if walk.live == Some(slot.number) => self.come(walk, slot),
            Owner::Historical(_) if !self.has_expired(at.record, tick, now) => {
                let key = *self.records().key(Decoded::Record(at.record));
                Step::At(Item { key, inserted_at_ns: self.time_of(tick), entry: None }, None)
            }
            Owner::Live(..) | Owner::Historical(_) | Owner::Nobody => Step::Nothing,
        }
    }

    /// The live entry that is next has come.
    fn come(&self, walk: &mut Walk, slot: Slot) -> Step {
        walk.live = self.live.next(slot).map(|slot| slot.number);
        let records = self.records();
        let entry: Entry = self.live.entry(slot);
        let inserted_at_ns = self.time_of(records.tick_of_slot(slot));
        Step::At(Item { key: *records.key_of_slot(slot), inserted_at_ns, entry: Some(entry) }, Some(slot))
    }

    /// The time at which a tick begins, but no time that could not be inserted at: the earliest tick begins before all.
    fn time_of(&self, tick: Tick) -> i64 {
        self.clock.ns_of(tick).max(-MAX_TIME_NS)
    }

    /// A live entry leaves: walks that have it next go on with the one behind it.
    #[cold]
    pub(super) fn step_aside(&mut self, slot: Slot) {
        let behind = self.live.next(slot).map(|slot| slot.number);
        if let Some(rare) = self.rare.get_mut() {
            for walk in &mut rare.walks {
                if walk.live == Some(slot.number) {
                    walk.live = behind;
                }
            }
        }
    }

    /// An entry becomes live, last in the order: walks that have come to its end go on with it.
    #[cold]
    pub(super) fn step_in(&mut self, slot: Slot) {
        if let Some(rare) = self.rare.get_mut() {
            for walk in rare.walks.iter_mut().filter(|walk| walk.is_under_way && walk.live.is_none()) {
                walk.live = Some(slot.number);
            }
        }
    }

    /// Everything is forgotten, so nothing is left to come.
    pub(super) fn end_walks(&mut self) {
        if let Some(rare) = self.rare.get_mut() {
            rare.walks = rare.walks.map(|walk| Walk { is_under_way: false, live: None, ..walk });
        }
        self.is_walked = false;
    }
}

const _: () = assert!(Purpose::Export as usize + 1 == WALKS);
