//! What becomes of messages after they were pulled, or instead.

use super::super::faulty_store::Mood;
use super::super::figures::at_rest;
use super::super::model::{Doing, Msg};
use super::{Run, Totals};
use queuecore::cursor::{Blocked, Purge, Purged, Stored};

impl Run {
    pub(super) fn any(&mut self, test: impl Fn(&Msg) -> bool) -> Option<Msg> {
        let found: Vec<Msg> =
            self.model.all.iter().filter(|m| m.doing != Doing::Gone && test(m)).copied().collect();
        if found.is_empty() {
            return None;
        }
        // Mostly the first, as consumers do.
        let range = if self.random.one_in(2) { found.len() as u64 } else { 1 };
        let at = self.random.below(range) as usize;
        Some(found[at])
    }

    pub(super) fn ack(&mut self) {
        for _ in 0..1 + self.random.below(4) {
            let Some(message) = self.any(|m| m.doing == Doing::InFlight) else { return };
            self.ack_one(message);
        }
    }

    pub(super) fn ack_one(&mut self, message: Msg) {
        let released = self.cursor().ack(message.sequence).expect("in flight");
        assert_eq!((released.released_bytes, released.user), (message.size.into(), message.sequence));
        let found = self.model.find(message.sequence).expect("in flight");
        (found.doing, found.in_memory) = (Doing::Gone, false);
        self.late.push(message.sequence);
        if self.random.one_in(2) {
            self.flush_acks();
        }
        self.model.show();
        self.expect_ready(Blocked::OwnMark);
    }

    pub(super) fn flush_acks(&mut self) {
        let mut content = self.store.content();
        for sequence in self.late.drain(..) {
            content.messages.remove(&sequence);
        }
    }

    pub(super) fn requeue_or_park(&mut self) {
        for _ in 0..1 + self.random.below(4) {
            let Some(message) = self.any(|m| m.doing == Doing::InFlight) else { return };
            let is_requeue = self.random.one_in(2);
            let done = if is_requeue {
                self.cursor().requeue(message.sequence)
            } else {
                self.cursor().park(message.sequence)
            };
            done.expect("in flight");
            let found = self.model.find(message.sequence).expect("in flight");
            found.doing = if is_requeue { Doing::Waiting } else { Doing::Parked };
            found.redeliveries += u32::from(is_requeue);
        }
    }

    pub(super) fn remove(&mut self) {
        // A message that is on its way to the store only cannot be named yet.
        let can_be_named =
            |m: &Msg| m.is_numbered && (m.in_memory || m.in_window || m.is_answered) && !m.is_lost;
        let Some(message) = self.any(can_be_named) else { return };
        self.store.content().messages.remove(&message.sequence);
        let released = self.cursor().remove(message.sequence, message.size).expect("pending");
        assert_eq!(released.was_in_memory, message.in_memory);
        assert_eq!(released.released_bytes, if message.in_memory { message.size.into() } else { 0 });
        let found = self.model.find(message.sequence).expect("pending");
        (found.doing, found.in_memory) = (Doing::Gone, false);
        self.model.show();
        self.expect_ready(Blocked::OwnMark);
    }

    /// Everything before the barrier that nobody has in hand, in one call or in many.
    pub(super) fn purge(&mut self, totals: &mut Totals) {
        self.store.content().look_away();
        let max_messages = [u32::MAX, 1, 7][self.random.below(3) as usize];
        let resolved = self.model.resolved();
        let (up_to, before) = (self.model.resolved_sequence(), self.cursor().stats());
        let (mut part, mut all) = (Purge::Begin, Purged::default());
        loop {
            let purged = self.cursor().purge(part, max_messages).expect("a bound of its own");
            assert_eq!(purged.up_to, up_to);
            assert!(purged.messages <= max_messages.into());
            all.messages += purged.messages;
            all.stored_messages += purged.stored_messages;
            all.released_bytes += purged.released_bytes;
            part = Purge::Continue(purged.up_to);
            if !purged.more {
                break;
            }
        }
        let (mut in_window, mut bytes, mut told) = (0, 0, Vec::new());
        for message in self.model.all.iter_mut().take(resolved) {
            if matches!(message.doing, Doing::Gone | Doing::InFlight) {
                continue;
            }
            in_window += u64::from(message.in_window);
            if message.in_memory {
                bytes += u64::from(message.size);
                told.push(message.sequence);
            }
            (message.doing, message.in_memory) = (Doing::Gone, false);
            self.late.push(message.sequence);
        }
        assert_eq!((all.messages, all.released_bytes), (in_window, bytes));
        let after = self.cursor().stats();
        assert_eq!(before.pending_count - after.pending_count, all.messages + all.stored_messages);
        let mut discarded: Vec<u64> = self.store.content().dropped.iter().map(|m| m.sequence).collect();
        discarded.sort_unstable();
        told.sort_unstable();
        assert_eq!(discarded, told);
        totals.purged += all.messages + all.stored_messages;
        if self.random.one_in(2) {
            self.flush_acks();
        }
        self.model.show();
        self.expect_ready(Blocked::OwnMark);
    }

    /// The store loses a message that is nowhere else.
    pub(super) fn lose(&mut self, totals: &mut Totals) {
        let dropped = self.any(|m| m.is_answered && !m.in_memory && m.in_window);
        let Some(message) = dropped.or_else(|| self.any(|m| m.is_answered && !m.in_memory)) else { return };
        self.store.content().messages.remove(&message.sequence);
        self.model.find(message.sequence).expect("pending").is_lost = true;
        self.any_lost = true;
        totals.lost += 1;
    }

    pub(super) fn drop_cache(&mut self, totals: &mut Totals) {
        self.store.content().look_away();
        let dropped = self.cursor().drop_cache();
        let mut told: Vec<u64> = self.store.content().dropped.iter().map(|m| m.sequence).collect();
        told.sort_unstable();
        assert_eq!(told, self.model.drop_cache());
        assert_eq!(dropped.messages, told.len() as u64);
        totals.dropped += dropped.messages;
        // Even of messages that are gone: their open writes count as stored now.
        self.is_known_empty = false;
    }

    pub(super) fn browse(&mut self) {
        let mut after = if self.random.one_in(2) { 0 } else { self.random.below(self.next_sequence) };
        let mood = self.store.content().mood.replace(Mood::Well);
        let mut expected: Vec<u64> = Vec::new();
        let resolved = self.model.resolved();
        for message in self.model.all.iter().take(resolved) {
            if message.doing != Doing::Gone && !message.is_lost && message.sequence > after {
                expected.push(message.sequence);
            }
        }
        let before = self.cursor().stats();
        let mut seen = Vec::new();
        let mut out = vec![Stored::default(); 7];
        loop {
            let browsed = self.cursor().browse(after, &mut out).expect("the store is well");
            seen.extend(out.iter().take(browsed.count).map(|message| message.sequence));
            after = browsed.after;
            if !browsed.more {
                break;
            }
        }
        assert_eq!(seen, expected);
        assert_eq!(at_rest(self.cursor().stats()), at_rest(before), "browsing changes nothing");
        let mut content = self.store.content();
        content.mood = mood;
    }
}
