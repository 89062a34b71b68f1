//! The world around: policies, limits, the parent, the store's moods, misuse, restarts.

#![allow(clippy::disallowed_types, reason = "tests run on the real ones alone")]

use super::super::faulty_store::Mood;
use super::super::figures::at_rest;
use super::super::model::{Doing, Model, Msg};
use super::{Run, Totals, any_policy};
use queuecore::cursor::{Blocked, Error, Message, Stored, Write};
use std::sync::atomic::Ordering;

impl Run {
    pub(super) fn change_policy(&mut self) {
        let old = self.policy;
        self.policy = any_policy(&mut self.random);
        if self.policy.high_percent < old.high_percent {
            self.is_bounded = false;
        }
        let policy = self.policy;
        self.cursor().set_policy(policy).expect("valid");
        assert_eq!(self.cursor().policy(), &policy);
        self.model.deliver_uncommitted = policy.deliver_uncommitted;
        self.model.show();
        self.expect_ready(Blocked::OwnMark);
        self.note_page_bytes();
    }

    pub(super) fn change_limit(&mut self) {
        let limit = [0, 500, 1_000, 5_000, 20_000][self.random.below(5) as usize];
        self.is_bounded = false;
        self.tracker.set_limit_bytes(limit).expect("any limit");
        self.cursor().refresh();
        self.expect_ready(Blocked::OwnMark);
        self.note_page_bytes();
    }

    pub(super) fn fill_parent(&mut self) {
        let level = [0, 5_000, 17_000, 18_500, 20_000, 25_000][self.random.below(6) as usize];
        self.other.set_usage_bytes(level).expect("small");
        self.check_parent_ready();
    }

    /// The parent's level has changed: who waited for it is told.
    pub(super) fn check_parent_ready(&mut self) {
        if self.awaiting == Some(Blocked::Parent) && !self.parent_over() {
            let calls = self.ready.load(Ordering::Relaxed);
            assert_eq!(calls, self.ready_seen + 1, "the parent drained and nobody was told");
        }
    }

    pub(super) fn change_mood(&mut self) {
        let moods = [Mood::Fails, Mood::TooMany, Mood::OutOfOrder, Mood::BeyondTheRange, Mood::TooLarge];
        let at = self.random.below(20) as usize;
        self.store.content().mood = moods.get(at).copied();
    }

    /// Calls that have to fail and change nothing.
    pub(super) fn misuse(&mut self) {
        let before = self.cursor().stats();
        let (token, sequence) = (self.last_token, self.largest_known);
        let message = |token, sequence| Message {
            token,
            user: 0,
            size_bytes: 1,
            priority: 0,
            write: Write::Committed(sequence),
        };
        if self.has_pushed {
            let refused = self.cursor().push(&message(token, u64::MAX - 1));
            assert!(matches!(refused, Err(Error::Order { what: "token", .. })), "{refused:?}");
        }
        let refused = self.cursor().push(&message(token + 1_000, sequence));
        assert!(matches!(refused, Err(Error::Order { what: "sequence", .. })), "{refused:?}");
        if let Some(waiting) = self.any(|m| m.doing == Doing::Waiting && m.is_numbered && m.in_window) {
            let sequence = waiting.sequence;
            assert_eq!(self.cursor().ack(sequence), Err(Error::NotInFlight { sequence }));
            assert_eq!(self.cursor().requeue(sequence), Err(Error::NotInFlight { sequence }));
        }
        let unknown = self.next_token + 1_000;
        assert_eq!(self.cursor().committed(unknown, 1), Err(Error::UnknownToken { token: unknown }));
        assert_eq!(self.cursor().aborted(unknown), Err(Error::UnknownToken { token: unknown }));
        let sequence = self.next_sequence + 1_000;
        assert_eq!(self.cursor().ack(sequence), Err(Error::NotFound { sequence }));
        assert_eq!(self.cursor().remove(sequence, 1), Err(Error::NotFound { sequence }));
        assert_eq!(at_rest(self.cursor().stats()), at_rest(before));
    }

    pub(super) fn restart(&mut self, totals: &mut Totals) {
        totals.on_turns += self.cursor().stats().cache_on_turns;
        self.cursor = None;
        self.has_pushed = false;
        assert_eq!(self.tracker.usage_bytes(), 0, "a cursor that is dropped releases everything");
        self.awaiting = None;
        self.flush_acks();
        // What was on its way has arrived, or not.
        for message in &mut self.model.all {
            if !message.is_answered {
                let arrives = self.random.one_in(2) && message.doing != Doing::Gone;
                message.is_answered = true;
                message.is_numbered = true;
                if arrives {
                    let stored = Stored {
                        sequence: message.sequence,
                        user: message.sequence,
                        size_bytes: message.size,
                        priority: message.priority,
                    };
                    self.store.content().messages.insert(message.sequence, stored);
                } else {
                    (message.is_aborted, message.doing) = (true, Doing::Gone);
                }
            }
        }
        let mut model = Model { deliver_uncommitted: self.policy.deliver_uncommitted, ..Model::default() };
        for message in self.model.all.drain(..).filter(|m| m.doing != Doing::Gone && !m.is_lost) {
            model.push(Msg {
                in_memory: false,
                is_cached: false,
                in_window: false,
                doing: Doing::Waiting,
                redeliveries: 0,
                ..message
            });
        }
        self.model = model;
        self.any_lost = false;
        self.make_cursor();
        let (count, bytes) = {
            let content = self.store.content();
            let bytes = content.messages.values().map(|m| u64::from(m.size_bytes)).sum::<u64>();
            (content.messages.len() as u64, bytes)
        };
        assert_eq!(count, self.model.count(|_| true));
        let last = self.next_sequence;
        self.cursor().open(count, bytes, last).expect("new");
        self.model.resolved_before = last;
        self.largest_known = last;
        self.is_known_empty = count == 0;
        totals.restarts += 1;
    }
}
