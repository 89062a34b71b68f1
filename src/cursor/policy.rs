//! The watermark policy: when new messages stay in memory, and when a page is taken. A pure state machine; it knows no
//! store, no tracker and no clock.
//!
//! ```text
//!   usage ---------+---------------------+------------------+----------> limit
//!        Zone::Low | Zone::Middle        | Zone::High       |
//!                 low                   high              100 %
//!   filling:  set  | stays as it is      | cleared
//!
//!                     usage reaches high, parent full, window full, drop_cache, no memory
//!              +---------+ ------------------------------------------------------> +-------+
//!              | caching |                                                         | store |
//!              +---------+ <------------------------------------------------------ +-------+
//!                     a push that finds nothing in the store beyond the window, and filling
//! ```
//! *Filling* is the hysteresis: it serves pages and the return to caching alike, so that a usage that hovers at the high
//! mark does not turn caching on and off with every message. With low = high it is the classic rule.
//!
//! # A pull that finds the window short
//! takes a whole page, if filling, and room and parent allow. There is always progress:
//! * A page that open writes or demand would cut short is left for later only if the window itself gave something to
//!   this pull. An idle consumer never waits for messages to gather: so it is put off by one call at most, and a queue of
//!   which nothing is cached and a write is always open is fetched as it is committed.
//! * A destination with nothing in memory may ask for a page by the guaranteed share, whatever the parent says.

use super::options::Policy;
use super::types::Blocked;

/// Where the usage is against the two marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Zone {
    /// Below the low mark.
    Low,
    /// At or above the low mark, below the high one.
    Middle,
    /// At or above the high mark.
    High,
}

/// What a push finds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) zone: Zone,
    /// The parent has reached its caching mark.
    pub(super) is_parent_full: bool,
    /// Something is pending in the store that the window does not hold.
    pub(super) is_more_beyond: bool,
    /// The window takes another message.
    pub(super) has_room: bool,
}

/// What a pull finds that the window could not satisfy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shortage {
    pub(super) zone: Zone,
    /// The parent is above its paging mark.
    pub(super) is_parent_over: bool,
    /// The cursor holds no memory at all.
    pub(super) holds_nothing: bool,
    /// How many more messages the window takes, and what it takes at most.
    pub(super) room: u32,
    pub(super) max_entries: u32,
    /// What the pull still wants.
    pub(super) missing: u32,
    /// Whether the window gave something to this pull.
    pub(super) gave_some: bool,
    /// Messages in the store beyond the window and before the oldest open write, as far as is known.
    pub(super) committed_beyond: u64,
    /// Whether there are open writes behind those.
    pub(super) has_open_writes: bool,
}

/// What to do about a shortage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Plan {
    /// Take a page of so many messages.
    Page {
        /// How many at most.
        messages: u32,
    },
    /// Take it if the parent lends.
    Borrow {
        /// How many at most.
        messages: u32,
    },
    /// The window gave what it has; a page would be too short for now.
    Enough,
    /// Wait.
    Wait(Blocked),
}

/// The two states and the counts of their turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Watermark {
    pub(super) is_caching: bool,
    pub(super) is_filling: bool,
    pub(super) on_turns: u64,
    pub(super) off_turns: u64,
}

impl Watermark {
    pub(super) fn new(use_cache: bool) -> Watermark {
        Watermark { is_caching: use_cache, is_filling: true, on_turns: 0, off_turns: 0 }
    }

    /// Takes note of the usage.
    #[inline(always)]
    pub(super) fn see(&mut self, zone: Zone) {
        match zone {
            Zone::Low => self.is_filling = true,
            Zone::Middle => {}
            Zone::High => self.is_filling = false,
        }
    }

    /// Whether a new message stays in memory.
    #[inline(always)]
    pub(super) fn admit(&mut self, policy: &Policy, arrival: Arrival) -> bool {
        self.see(arrival.zone);
        let is_possible =
            policy.use_cache && arrival.zone != Zone::High && !arrival.is_parent_full && arrival.has_room;
        if !is_possible {
            self.stop_caching();
        } else if !self.is_caching && self.is_filling && !arrival.is_more_beyond {
            self.is_caching = true;
            self.on_turns += 1;
        }
        self.is_caching
    }

    /// Takes note of the usage after a message or a page was charged: what crosses the mark is kept, and the last.
    #[inline(always)]
    pub(super) fn charged(&mut self, zone: Zone) {
        self.see(zone);
        if zone == Zone::High {
            self.stop_caching();
        }
    }

    /// From now on new messages are only in the store.
    pub(super) fn stop_caching(&mut self) {
        self.off_turns += u64::from(self.is_caching);
        self.is_caching = false;
    }

    /// What a pull does about a window that is short.
    pub(super) fn plan(&mut self, policy: &Policy, found: Shortage) -> Plan {
        self.see(found.zone);
        if !self.is_filling {
            return Plan::Wait(Blocked::OwnMark);
        }
        let min_page = policy.min_page();
        if found.room < room_for_page(policy, found.max_entries) {
            return Plan::Wait(Blocked::Entries);
        }
        let is_cut_by_demand = policy.lazy_dispatch && found.missing < min_page;
        let is_cut_by_writes = found.has_open_writes && found.committed_beyond < u64::from(min_page);
        if found.gave_some && (is_cut_by_demand || is_cut_by_writes) {
            return Plan::Enough;
        }
        let messages = policy.longest_page(found.missing).min(found.room);
        if !found.is_parent_over {
            Plan::Page { messages }
        } else if found.holds_nothing {
            Plan::Borrow { messages }
        } else {
            Plan::Wait(Blocked::Parent)
        }
    }
}

/// How much room a window has to have before it takes a page: the same hysteresis for its length as for its bytes.
pub(super) fn room_for_page(policy: &Policy, max_entries: u32) -> u32 {
    policy.min_page().min(max_entries.div_ceil(4)).max(1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const CALM: Arrival =
        Arrival { zone: Zone::Low, is_parent_full: false, is_more_beyond: false, has_room: true };
    const SHORT: Shortage = Shortage {
        zone: Zone::Low,
        is_parent_over: false,
        holds_nothing: false,
        room: 1000,
        max_entries: 1000,
        missing: 10,
        gave_some: false,
        committed_beyond: 1000,
        has_open_writes: false,
    };
    const PAGE: Plan = Plan::Page { messages: 200 };

    fn mark(is_caching: bool, is_filling: bool) -> Watermark {
        Watermark { is_caching, is_filling, on_turns: 0, off_turns: 0 }
    }

    #[test]
    fn filling_is_set_below_the_low_mark_and_cleared_at_the_high_one() {
        let rows = [
            (false, Zone::Low, true),
            (false, Zone::Middle, false),
            (false, Zone::High, false),
            (true, Zone::Low, true),
            (true, Zone::Middle, true),
            (true, Zone::High, false),
        ];
        for (before, zone, after) in rows {
            let mut mark = mark(false, before);
            mark.see(zone);
            assert_eq!(mark.is_filling, after, "{before} {zone:?}");
        }
    }

    #[test]
    fn every_turn_of_the_cache() {
        let policy = Policy::default();
        let no_cache = Policy { use_cache: false, ..policy };
        let high = Arrival { zone: Zone::High, ..CALM };
        let middle = Arrival { zone: Zone::Middle, ..CALM };
        let parent = Arrival { is_parent_full: true, ..CALM };
        let beyond = Arrival { is_more_beyond: true, ..CALM };
        let no_room = Arrival { has_room: false, ..CALM };
        // caching, filling; policy; what is found; caching afterwards, turns on, turns off
        let rows = [
            (true, true, policy, CALM, true, 0, 0),
            (true, false, policy, middle, true, 0, 0),
            (true, true, policy, beyond, true, 0, 0),
            (true, true, policy, high, false, 0, 1),
            (true, true, policy, parent, false, 0, 1),
            (true, true, policy, no_room, false, 0, 1),
            (true, true, no_cache, CALM, false, 0, 1),
            (false, false, policy, CALM, true, 1, 0),
            (false, true, policy, middle, true, 1, 0),
            (false, false, policy, middle, false, 0, 0),
            (false, true, policy, beyond, false, 0, 0),
            (false, true, policy, high, false, 0, 0),
            (false, true, policy, parent, false, 0, 0),
            (false, true, policy, no_room, false, 0, 0),
            (false, true, no_cache, CALM, false, 0, 0),
        ];
        for (caching, filling, policy, found, after, on, off) in rows {
            let mut mark = mark(caching, filling);
            let row = format!("{caching} {filling} {found:?}");
            assert_eq!(mark.admit(&policy, found), after, "{row}");
            assert_eq!((mark.is_caching, mark.on_turns, mark.off_turns), (after, on, off), "{row}");
        }
    }

    #[test]
    fn what_crosses_the_mark_is_the_last_to_stay() {
        for (zone, after, off) in [(Zone::Low, true, 0), (Zone::Middle, true, 0), (Zone::High, false, 1)] {
            let mut mark = mark(true, true);
            mark.charged(zone);
            assert_eq!((mark.is_caching, mark.off_turns), (after, off), "{zone:?}");
        }
    }

    #[test]
    fn every_plan() {
        let whole = Policy::default();
        let lazy = Policy { lazy_dispatch: true, ..whole };
        let own = Plan::Wait(Blocked::OwnMark);
        let few_committed = Shortage { committed_beyond: 49, has_open_writes: true, ..SHORT };
        let rows = [
            // the marks
            (false, whole, SHORT, PAGE),
            (true, whole, Shortage { zone: Zone::Middle, ..SHORT }, PAGE),
            (false, whole, Shortage { zone: Zone::Middle, ..SHORT }, own),
            (true, whole, Shortage { zone: Zone::High, ..SHORT }, own),
            (true, whole, Shortage { zone: Zone::High, holds_nothing: true, ..SHORT }, own),
            // the room
            (true, whole, Shortage { room: 0, ..SHORT }, Plan::Wait(Blocked::Entries)),
            (true, whole, Shortage { room: 49, ..SHORT }, Plan::Wait(Blocked::Entries)),
            (true, whole, Shortage { room: 50, ..SHORT }, Plan::Page { messages: 50 }),
            (true, whole, Shortage { room: 1, max_entries: 1, ..SHORT }, Plan::Page { messages: 1 }),
            // cut by open writes
            (true, whole, few_committed, PAGE),
            (true, whole, Shortage { gave_some: true, ..few_committed }, Plan::Enough),
            (true, whole, Shortage { gave_some: true, committed_beyond: 50, ..few_committed }, PAGE),
            (true, whole, Shortage { gave_some: true, has_open_writes: false, ..few_committed }, PAGE),
            // cut by demand
            (true, lazy, SHORT, Plan::Page { messages: 10 }),
            (true, lazy, Shortage { gave_some: true, ..SHORT }, Plan::Enough),
            (true, lazy, Shortage { gave_some: true, missing: 50, ..SHORT }, Plan::Page { messages: 50 }),
            (true, lazy, Shortage { missing: 5000, ..SHORT }, PAGE),
            // the parent
            (true, whole, Shortage { is_parent_over: true, ..SHORT }, Plan::Wait(Blocked::Parent)),
            (
                true,
                whole,
                Shortage { is_parent_over: true, holds_nothing: true, ..SHORT },
                Plan::Borrow { messages: 200 },
            ),
            (true, whole, Shortage { is_parent_over: true, zone: Zone::High, ..SHORT }, own),
        ];
        for (filling, policy, found, plan) in rows {
            assert_eq!(mark(false, filling).plan(&policy, found), plan, "{filling} {found:?}");
        }
    }

    #[test]
    fn with_equal_marks_the_rule_is_the_classic_one() {
        // There is no middle: a usage just below the mark fills.
        let policy = Policy { low_percent: 70, ..Policy::default() };
        let mut mark = mark(false, false);
        assert_eq!(mark.plan(&policy, Shortage { zone: Zone::High, ..SHORT }), Plan::Wait(Blocked::OwnMark));
        assert_eq!(mark.plan(&policy, SHORT), PAGE);
    }
}
