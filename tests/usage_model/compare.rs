//! What is compared after each step: deliveries always, states as far as they are watched.

use super::meter::{Id, Taker};
use super::operation::Op;
use super::pair::{PERCENTS, Pair, put, take};
use queuecore::usage::{Child, Event, Tracker};
use std::sync::PoisonError;

impl Pair {
    // Events

    pub(super) fn root(&self) -> Option<&Tracker> {
        self.model.first().map(|id| self.tracker(id))
    }

    /// Takes some events through a tracker; where they merge, follows the chains.
    pub(super) fn poll(&mut self, id: Id, most: usize) -> usize {
        let mut events = vec![Event::default(); most];
        let count = self.tracker(id).poll_events(&mut events);
        assert!(count <= most);
        self.tally.events += count as u64;
        for &event in &events[..count] {
            put(&self.heard, event);
        }
        count
    }

    pub(super) fn poll_all(&mut self) {
        if self.merges() {
            self.compare_merged();
        } else if let Some(id) = self.model.first() {
            // They are compared at the end of the step.
            while self.poll(id, 3) > 0 {}
        }
    }

    /// Events came: each begins where its tracker's chain stands and ends at one of the next percents of it.
    pub(super) fn follow_chains(&mut self) {
        for event in take(&self.heard) {
            let id = event.tag as usize;
            let chain = &mut self.chains[id];
            let old = chain.front().map(|first| first.old);
            assert_eq!(Some(event.old), old, "the chain of {id} is broken by {event:?}: {chain:?}");
            // Merged or not: there is a place in the chain up to which it goes. If there are several, what can follow
            // the last one can follow the first one as well.
            let place = chain.iter().position(|link| link.new == event.new);
            let place =
                place.unwrap_or_else(|| panic!("{event:?} ends nowhere in the chain of {id}: {chain:?}"));
            chain.drain(..=place);
        }
    }

    pub(super) fn compare_deliveries(&mut self, op: &Op) {
        let mut expected = std::mem::take(&mut self.model.events);
        if self.merges() {
            for event in expected {
                let id = event.tag as usize;
                if self.model.nodes[id].taker == Taker::Listener {
                    // Nobody else drains: they come at once.
                    let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
                    let place = heard.iter().position(|heard| heard.tag == event.tag);
                    let place = place.unwrap_or_else(|| panic!("{event:?} was not heard after {op:?}"));
                    assert_eq!(heard.remove(place), event, "after {op:?}");
                } else {
                    self.chains[id].push_back(event);
                }
            }
            self.follow_chains();
            if self.steps.is_multiple_of(8) {
                self.compare_merged();
            }
        } else {
            while let Some(id) = self.model.first()
                && self.poll(id, 1 + self.steps as usize % 4) > 0
            {}
            let mut heard = take(&self.heard);
            heard.sort_by_key(|event| event.tag);
            expected.sort_by_key(|event| event.tag);
            assert_eq!(heard, expected, "events: left: real, right: model, after {op:?}");
        }
        let mut given = take(&self.given);
        given.sort_by_key(|&(number, _)| number);
        let mut expected = std::mem::take(&mut self.model.given);
        expected.sort_by_key(|&(number, _)| number);
        assert_eq!(given, expected, "notices: left: real, right: model, after {op:?}");
    }

    /// Takes everything: the number of events is within the capacity, and the last one tells the truth.
    pub(super) fn compare_merged(&mut self) {
        let mut counts = vec![0; self.chains.len()];
        let mut last = vec![None; self.chains.len()];
        while let Some(id) = self.model.first()
            && self.poll(id, 2) > 0
        {
            for event in self.heard.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                last[event.tag as usize] = Some(event.new);
            }
            for event in take(&self.heard) {
                counts[event.tag as usize] += 1;
                put(&self.heard, event);
                self.follow_chains();
            }
        }
        for id in 0..self.chains.len() {
            assert!(counts[id] <= self.setup.event_capacity, "{} events of {id}", counts[id]);
            if let Some(last) = last[id] {
                assert_eq!(last, self.model.percent(id), "the last event of {id}");
            }
            let chain = &self.chains[id];
            // What merged to nothing at all need not be told.
            let ends = chain.front().map(|link| link.old) == chain.back().map(|link| link.new);
            assert!(ends, "events of {id} that never came: {chain:?}");
            self.chains[id].clear();
        }
    }

    // State

    pub(super) fn note_stats(&mut self) {
        let Some(stats) = self.root().map(Tracker::stats) else { return };
        self.before.refills += stats.tree_refills;
        self.before.recalls += stats.tree_recalls;
        self.before.crossings += stats.tree_crossings;
        self.before.merged += stats.tree_merged_events;
        self.tally.refills = self.before.refills;
        self.tally.recalls = self.before.recalls;
        self.tally.crossings = self.before.crossings;
        self.tally.merged = self.before.merged;
    }

    pub(super) fn compare_state(&mut self, all: bool, op: &Op) {
        let watch = self.setup.watch;
        for id in self.model.with_handles().collect::<Vec<_>>() {
            let (tracker, model) = (self.tracker(id), &self.model);
            if all || watch.full {
                assert_eq!(tracker.is_full(), model.is_full(id), "is_full at {id} after {op:?}");
            }
            if all || watch.percent {
                assert_eq!(tracker.percent(), model.percent(id), "percent at {id} after {op:?}");
            }
            if all || watch.full_at {
                let own = model.percent(id);
                for percent in PERCENTS.into_iter().chain([own, own.saturating_add(1)]) {
                    let (real, expected) = (tracker.is_full_at(percent), model.is_full_at(id, percent));
                    assert_eq!(real, expected, "is_full_at({percent}) at {id} after {op:?}");
                }
            }
            if all || watch.marks {
                assert_eq!(tracker.is_over_mark(), model.nodes[id].is_over, "mark at {id} after {op:?}");
            }
            if all || watch.usage {
                assert_eq!(tracker.usage_bytes(), model.usage(id), "usage at {id} after {op:?}");
                let limit = model.nodes[id].limit as u64;
                assert_eq!(tracker.limit_bytes(), limit, "limit at {id} after {op:?}");
            }
            if all || watch.stats {
                self.compare_stats(id, op);
            }
        }
    }

    pub(super) fn compare_stats(&mut self, id: Id, op: &Op) {
        let (stats, model) = (self.tracker(id).stats(), &self.model);
        let node = &model.nodes[id];
        assert_eq!(stats.usage_bytes, model.usage(id), "usage at {id} after {op:?}: {stats:?}");
        assert_eq!(stats.own_bytes, node.own, "own share at {id} after {op:?}: {stats:?}");
        assert_eq!(stats.limit_bytes, node.limit, "limit at {id} after {op:?}: {stats:?}");
        assert_eq!(stats.percent, model.percent(id), "percent at {id} after {op:?}: {stats:?}");
        let is_full = node.limit > 0 && model.percent(id) >= 100;
        assert_eq!(stats.is_full, is_full, "is_full at {id} itself after {op:?}: {stats:?}");
        assert_eq!(stats.is_stopped, node.is_stopped, "is_stopped at {id} after {op:?}: {stats:?}");
        assert_eq!(stats.waiters as usize, model.waiters(id), "waiters at {id} after {op:?}: {stats:?}");
        assert_eq!(stats.waiting_bytes, 0, "after {op:?}: {stats:?}");
        assert_eq!(stats.tree_listener_panics, 0, "after {op:?}: {stats:?}");
        let (usage, committed) = (i128::from(stats.usage_bytes), i128::from(stats.committed_bytes));
        assert!(
            (committed - i128::from(stats.slack_bytes)..=committed).contains(&usage),
            "at {id} after {op:?}: {stats:?}"
        );
        assert!(stats.active_stripes <= stats.stripes, "{stats:?}");
        assert!(stats.active_stripes <= stats.tree_active_stripes, "{stats:?}");
        assert!(stats.bytes_in_use <= stats.bytes_peak, "{stats:?}");
        self.tally.lent += u64::from(stats.tree_active_stripes > 0);
        self.compare_children(id, stats.children, op);
    }

    /// Every child with a handle is listed. One that is a level only, for the children it has, may be.
    pub(super) fn compare_children(&self, id: Id, count: u32, op: &Op) {
        let mut listed = [Child::default(); 32];
        let count_listed = self.tracker(id).children(&mut listed);
        assert_eq!(count_listed, count as usize, "children of {id} after {op:?}");
        let listed = &listed[..count_listed];
        let expected: Vec<Id> = self.model.children(id).collect();
        for &child in &expected {
            let figures = Child {
                tag: child as u64,
                usage_bytes: self.model.usage(child),
                limit_bytes: self.model.nodes[child].limit,
                percent: self.model.percent(child),
                reserved: 0,
            };
            let found = listed.contains(&figures);
            assert!(found || !self.model.nodes[child].has_handle, "{figures:?} after {op:?}: {listed:?}");
        }
        let is_child = |listed: &Child| expected.contains(&(listed.tag as usize));
        assert!(listed.iter().all(is_child), "children of {id} after {op:?}: {listed:?}, {expected:?}");
    }
}
