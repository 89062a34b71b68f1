//! The naive queue: every message there is, in the order of the pushes, and rules that scan them all.
//!
//! It does not decide about memory; it is told what the cursor kept and what pages brought, checks that this was allowed,
//! and says then exactly which messages a pull has to give, in which order, and what everything counts.

use queuecore::cursor::{Fetch, Stored};
use std::collections::VecDeque;

/// What a message is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    Waiting,
    InFlight,
    Parked,
    Gone,
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub struct Msg {
    pub token: u64,
    pub sequence: u64,
    pub size: u32,
    pub priority: u8,
    /// The cursor knows the sequence.
    pub is_numbered: bool,
    pub is_answered: bool,
    pub is_aborted: bool,
    /// Its body is in memory.
    pub in_memory: bool,
    /// It was cached and was not dropped before it was shown.
    pub is_cached: bool,
    /// It has a place in the order of the window.
    pub in_window: bool,
    pub doing: Doing,
    pub redeliveries: u32,
    /// The store has lost it without a word.
    pub is_lost: bool,
}

#[derive(Clone, Default)]
pub struct Model {
    pub all: VecDeque<Msg>,
    /// How many of them from the front have been shown.
    pub shown: usize,
    pub deliver_uncommitted: bool,
    /// The last sequence when the cursor was opened, or of what is forgotten, if that was resolved later.
    pub resolved_before: u64,
}

impl Model {
    pub fn push(&mut self, message: Msg) {
        self.all.push_back(message);
        self.show();
    }

    /// How many from the front are answered without a gap: the commit barrier.
    pub fn resolved(&self) -> usize {
        self.all.iter().take_while(|message| message.is_answered).count()
    }

    /// The last sequence before the barrier.
    pub fn resolved_sequence(&self) -> u64 {
        self.all
            .iter()
            .take(self.resolved())
            .rev()
            .find(|m| !m.is_aborted)
            .map_or(0, |m| m.sequence)
            .max(self.resolved_before)
    }

    /// Gives places to what may be delivered.
    pub fn show(&mut self) {
        while let Some(message) = self.all.get_mut(self.shown) {
            let is_due = message.is_answered || (self.deliver_uncommitted && message.is_numbered);
            let is_gone = message.doing == Doing::Gone;
            if message.is_cached && is_due && !message.is_aborted {
                message.in_window = !is_gone;
            } else if !(message.is_aborted || (message.is_answered && is_gone)) {
                break;
            }
            self.shown += 1;
        }
        // What is stored and resolved is passed; the shown never lie behind the barrier.
        self.shown = self.shown.max(self.resolved());
        // Forget what is over.
        while self.all.front().is_some_and(|m| m.is_answered && m.doing == Doing::Gone) && self.all.len() > 1
        {
            let over = self.all.pop_front().expect("just seen");
            self.shown -= 1;
            if !over.is_aborted {
                self.resolved_before = self.resolved_before.max(over.sequence);
            }
        }
    }

    pub fn find(&mut self, sequence: u64) -> Option<&mut Msg> {
        self.all.iter_mut().find(|m| m.sequence == sequence && m.doing != Doing::Gone)
    }

    pub fn by_token(&mut self, token: u64) -> &mut Msg {
        self.all.iter_mut().find(|m| m.token == token).expect("open writes stay")
    }

    /// The message that is next in the window.
    fn next(&self) -> Option<Msg> {
        let waiting = self.all.iter().filter(|m| m.in_window && m.doing == Doing::Waiting);
        waiting.min_by_key(|m| (u8::MAX - m.priority, m.sequence)).copied()
    }

    /// Hands out what is next and in memory.
    pub fn take(&mut self, wanted: usize, taken: &mut Vec<Msg>) {
        while taken.len() < wanted {
            let Some(next) = self.next().filter(|m| m.in_memory) else { break };
            self.find(next.sequence).expect("just seen").doing = Doing::InFlight;
            taken.push(next);
        }
    }

    /// What a fetch has to ask for; `None` if there is no reason to fetch.
    pub fn check_fetch(&self, fetch: &Fetch) {
        assert_eq!(fetch.up_to, self.resolved_sequence(), "the commit barrier");
        match self.next() {
            Some(next) => {
                assert!(!next.in_memory);
                assert_eq!(fetch.after, next.sequence - 1);
            }
            None => {
                // Nothing that waits before the barrier may be passed.
                let resolved = self.resolved();
                for message in self.all.iter().take(resolved) {
                    let is_passed = message.sequence <= fetch.after;
                    let is_beyond = !message.in_window && message.doing == Doing::Waiting && !message.is_lost;
                    assert!(!(is_passed && is_beyond), "{message:?} is passed by {fetch:?}");
                }
            }
        }
    }

    /// A page came; `page` is what the cursor kept of it.
    pub fn page(&mut self, start: &Fetch, returned: &[Stored], kept: &[Stored]) {
        let resolved = self.resolved();
        let for_dropped = self.next().map(|next| next.sequence);
        for stored in kept {
            let at = self.all.iter().position(|m| m.sequence == stored.sequence && m.doing != Doing::Gone);
            let at = at.unwrap_or_else(|| panic!("{stored:?} is gone and was taken in"));
            assert!(at < resolved, "{stored:?} lies behind the barrier");
            let message = self.all.get_mut(at).expect("just found");
            assert!(!message.in_memory, "{message:?} came twice");
            (message.in_memory, message.in_window) = (true, true);
        }
        // What was asked for and did not come is lost to the cursor as well.
        if let Some(sequence) = for_dropped
            && returned.first().is_none_or(|first| first.sequence != start.after + 1)
        {
            let message = self.find(sequence).expect("it was next");
            assert!(message.is_lost, "{message:?} was given up");
            message.doing = Doing::Gone;
        }
    }

    pub fn unpark(&mut self) {
        for message in self.all.iter_mut().filter(|m| m.doing == Doing::Parked) {
            message.doing = Doing::Waiting;
        }
    }

    /// drop_cache. Answers the sequences whose memory goes (0 for unknown ones), sorted.
    pub fn drop_cache(&mut self) -> Vec<u64> {
        let resolved = self.resolved();
        let mut dropped = Vec::new();
        for (at, message) in self.all.iter_mut().enumerate() {
            if message.doing == Doing::Gone {
                if at >= self.shown {
                    message.is_cached = false;
                }
                continue;
            }
            let is_hidden = at >= self.shown && message.is_cached;
            let is_at_rest = message.in_window && message.doing != Doing::InFlight && at < resolved;
            if message.in_memory && (is_hidden || is_at_rest) {
                dropped.push(if message.is_numbered { message.sequence } else { 0 });
                message.in_memory = false;
            }
            if is_hidden {
                (message.is_cached, message.in_window) = (false, false);
            }
        }
        dropped.sort_unstable();
        dropped
    }

    fn pending(&self) -> impl Iterator<Item = &Msg> {
        self.all.iter().filter(|m| m.doing != Doing::Gone)
    }

    pub fn usage(&self) -> u64 {
        self.pending().filter(|m| m.in_memory).map(|m| u64::from(m.size)).sum()
    }

    pub fn bytes(&self) -> u64 {
        self.pending().map(|m| u64::from(m.size)).sum()
    }

    pub fn count(&self, test: impl Fn(&Msg) -> bool) -> u64 {
        self.pending().filter(|m| test(m)).count() as u64
    }

    /// Whether something waits before the barrier that could be delivered some day.
    pub fn has_waiting(&self) -> bool {
        let resolved = self.resolved();
        self.all.iter().take(resolved).any(|m| m.doing == Doing::Waiting && !m.is_lost)
    }
}
