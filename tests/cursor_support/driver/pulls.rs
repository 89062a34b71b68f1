//! Pulls: what they have to give, what they may fetch, and why they may end.

#![allow(clippy::disallowed_types, reason = "tests run on the real ones alone")]

use super::super::faulty_store::Mood;
use super::super::model::Doing;
use super::{Run, Totals};
use queuecore::cursor::{Blocked, Delivered, Error, PullEnd, Round, Stored};
use std::sync::atomic::Ordering;

impl Run {
    pub(super) fn pull(&mut self, totals: &mut Totals) {
        let demand = [0, 1, 1, 3, 20, 400][self.random.below(6) as usize];
        let round = if self.random.one_in(2) { Round::Begin } else { Round::Continue };
        let _ = self.pull_some(demand, round, totals);
    }

    pub(super) fn pull_some(
        &mut self,
        demand: u32,
        round: Round,
        totals: &mut Totals,
    ) -> Option<(usize, PullEnd)> {
        let mut out = vec![Delivered::default(); demand as usize];
        self.store.content().look_away();
        self.awaiting = None;
        let mut usage_before = self.tracker.usage_bytes() as u64;
        let parent_was_over = self.parent_over();
        let result = self.cursor().pull(demand, round, &mut out);
        if round == Round::Begin {
            self.model.unpark();
        }
        let mut expected = Vec::new();
        self.model.take(demand as usize, &mut expected);
        let from_window = expected.len();
        let mood = self.store.content().mood.unwrap_or(Mood::Well);
        if self.follow_drops(totals) {
            usage_before = self.model.usage();
        }
        let still_blocked = [Blocked::OwnMark, Blocked::Parent].map(PullEnd::Blocked);
        if result.as_ref().is_ok_and(|pulled| still_blocked.contains(&pulled.end)) {
            // A page that came and found no room even so was given back.
            let content = self.store.content();
            if let [(_, returned)] = content.fetches.as_slice() {
                assert_eq!(&content.discarded, returned);
            }
        } else {
            self.follow_fetches(usage_before, parent_was_over, totals);
        }
        self.model.take(demand as usize, &mut expected);
        match result {
            Ok(pulled) => {
                for (got, expected) in out.iter().zip(&expected) {
                    let at = (expected.sequence, expected.size, expected.priority, expected.redeliveries);
                    assert_eq!((got.sequence, got.size_bytes, got.priority, got.redeliveries), at);
                    assert_eq!(got.user, got.sequence);
                }
                assert_eq!(pulled.count, expected.len(), "{pulled:?} {from_window}");
                totals.delivered += pulled.count as u64;
                self.check_end(demand as usize, pulled.count, pulled.end, totals);
                self.ready_seen = self.ready.load(Ordering::Relaxed);
                Some((pulled.count, pulled.end))
            }
            Err(error) => {
                assert!(expected.is_empty(), "in-memory messages first");
                assert_ne!(mood, Mood::Well, "{error}");
                match error {
                    Error::Store(_) => totals.fetch_failures += 1,
                    Error::BadFetch { .. } => totals.nonsense += 1,
                    other => panic!("{other}"),
                }
                None
            }
        }
    }

    /// What the cursor gave back to make room for a page. Answers whether it did.
    pub(super) fn follow_drops(&mut self, totals: &mut Totals) -> bool {
        let mut content = self.store.content();
        assert!(content.dropped.is_empty(), "the page comes first");
        let mut after = self.model.clone();
        let droppable = after.drop_cache();
        let told = content.discarded.get(..droppable.len()).unwrap_or_default();
        let mut told: Vec<u64> = told.iter().map(|message| message.sequence).collect();
        told.sort_unstable();
        let in_flight = self.model.count(|m| m.doing == Doing::InFlight);
        // If all of them came by again instead, with the page, the outcome is the same.
        if content.fetches.is_empty() || in_flight > 0 || droppable.is_empty() || told != droppable {
            return false;
        }
        content.discarded.drain(..told.len());
        drop(content);
        self.model = after;
        self.is_known_empty = false;
        totals.made_room += 1;
        true
    }

    /// What the cursor asked the store, and what it kept.
    pub(super) fn follow_fetches(&mut self, usage_before: u64, parent_was_over: bool, totals: &mut Totals) {
        let (fetches, discarded) = {
            let mut content = self.store.content();
            (std::mem::take(&mut content.fetches), std::mem::take(&mut content.discarded))
        };
        assert!(fetches.len() <= 1, "more than a page in a pull");
        for (fetch, returned) in fetches {
            self.model.check_fetch(&fetch);
            assert!(fetch.max_messages <= self.policy.page_messages);
            let kept: Vec<Stored> = returned.iter().filter(|m| !discarded.contains(m)).copied().collect();
            totals.came_again += (returned.len() - kept.len()) as u64;
            if self.limit() > 0 {
                assert!(usage_before * 100 < self.limit() * u64::from(self.policy.high_percent));
            }
            if parent_was_over {
                assert_eq!(usage_before, 0, "a loan to one that holds something");
                totals.lent_pages += 1;
            }
            self.model.page(&fetch, &returned, &kept);
            totals.pages += 1;
        }
    }

    pub(super) fn limit(&self) -> u64 {
        self.tracker.limit_bytes()
    }

    pub(super) fn is_low(&self) -> bool {
        let usage = self.tracker.usage_bytes() as u64;
        self.limit() == 0 || usage * 100 < self.limit() * u64::from(self.policy.low_percent)
    }

    pub(super) fn parent_over(&self) -> bool {
        self.group.is_some() && self.parent.is_full_at(self.policy.parent_page_percent as i32 + 1)
    }

    /// A pull that gave fewer than it could has to have a reason.
    pub(super) fn check_end(&mut self, demand: usize, count: usize, end: PullEnd, totals: &mut Totals) {
        match end {
            PullEnd::More => {}
            PullEnd::Empty => {
                totals.empty += 1;
                assert!(count < demand);
                assert!(!self.model.has_waiting(), "EMPTY with {:?}", self.model.all);
                assert_eq!(self.model.count(|m| !m.is_answered), 0);
                // Parked messages may have been dropped from memory.
                self.is_known_empty = self.model.count(|m| !m.in_memory) == 0;
            }
            PullEnd::Blocked(reason) => {
                assert!(count < demand);
                totals.blocked[reason.index()] += 1;
                self.awaiting = Some(reason);
                if matches!(reason, Blocked::OwnMark | Blocked::Parent) {
                    // Otherwise nothing would ever move again.
                    let in_flight = self.model.count(|m| m.doing == Doing::InFlight);
                    let resolved = self.model.resolved();
                    let mut unresolved = self.model.all.iter().skip(resolved);
                    assert!(in_flight > 0 || unresolved.any(|m| m.in_memory));
                }
                match reason {
                    Blocked::OwnMark => assert!(!self.is_low(), "blocked below the low mark"),
                    Blocked::Parent => {
                        assert!(self.parent_over());
                        if self.model.usage() == 0 {
                            // Then the loans are out; nobody else has any.
                            panic!("no loan for one that holds nothing");
                        }
                    }
                    Blocked::Entries => {
                        let window = self.model.count(|m| m.in_window || m.in_memory);
                        assert!(window + u64::from(self.policy.page_messages) > self.max_entries.into());
                        assert!(window > 0);
                    }
                    Blocked::Commit => {
                        assert!(!self.model.has_waiting(), "blocked by a commit with {:?}", self.model.all);
                        assert!(self.model.all.iter().any(|m| !m.is_answered));
                    }
                }
            }
        }
    }

    /// The reason of the last blocked pull may be gone: then `on_ready` has come.
    pub(super) fn expect_ready(&mut self, reason: Blocked) {
        if self.awaiting != Some(reason) {
            return;
        }
        let is_free = match reason {
            Blocked::OwnMark => self.is_low(),
            Blocked::Commit => self.model.has_waiting(),
            _ => false,
        };
        if is_free {
            let calls = self.ready.load(Ordering::Relaxed);
            assert_eq!(calls, self.ready_seen + 1, "no on_ready although {reason:?} is gone");
        }
    }
}
