//! One random run: a cursor and the naive queue, step by step.

#![allow(clippy::disallowed_types, reason = "tests run on the real ones alone")]

mod fates;
mod pulls;
mod world;

use super::faulty_store::FaultyStore;
use super::model::{Doing, Model, Msg};
use queuecore::cursor::{
    Blocked, Cursor, Group, GroupOptions, Message, Options, Policy, PullEnd, Pushed, Round, Stored, Write,
};
use queuecore::usage::{self, Tracker};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What happened in all runs, to see that everything did.
#[derive(Debug, Default)]
pub struct Totals {
    pub operations: u64,
    pub delivered: u64,
    pub cached: u64,
    pub stored: u64,
    pub pages: u64,
    pub lent_pages: u64,
    pub fetch_failures: u64,
    pub nonsense: u64,
    pub dropped: u64,
    pub made_room: u64,
    pub restarts: u64,
    pub aborted: u64,
    pub on_turns: u64,
    pub ready_calls: u64,
    pub blocked: [u64; 4],
    pub empty: u64,
    pub lost: u64,
    pub came_again: u64,
    pub purged: u64,
}

impl Totals {
    pub fn check_coverage(&self) {
        let Totals { delivered, cached, stored, pages, lent_pages, fetch_failures, nonsense, .. } = *self;
        let Totals {
            dropped, made_room, restarts, aborted, on_turns, ready_calls, blocked, empty, lost, ..
        } = *self;
        let all = [
            delivered,
            cached,
            stored,
            pages,
            lent_pages,
            fetch_failures,
            nonsense,
            dropped,
            made_room,
            restarts,
            aborted,
            on_turns,
            ready_calls,
            empty,
            lost,
            self.came_again,
            self.purged,
        ];
        assert!(all.iter().chain(&blocked).all(|count| *count > 10), "something hardly happened: {self:?}");
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

pub struct Run {
    random: Random,
    model: Model,
    store: FaultyStore,
    cursor: Option<Cursor>,
    policy: Policy,
    max_entries: u32,
    tracker: Arc<Tracker>,
    parent: Arc<Tracker>,
    other: Tracker,
    group: Option<Group>,
    ready: Arc<AtomicU64>,
    ready_seen: u64,
    /// The last pull was blocked, by this, and `on_ready` has not come.
    awaiting: Option<Blocked>,
    next_token: u64,
    next_sequence: u64,
    largest_known: u64,
    /// This cursor has seen a push, the last one of this token.
    has_pushed: bool,
    last_token: u64,
    priorities: u64,
    max_size: u64,
    /// Acks that the store has not heard of.
    late: Vec<u64>,
    /// The peak is bounded: no limit or mark was lowered below the usage.
    is_bounded: bool,
    largest_page: u64,
    largest_message: u64,
    any_lost: bool,
    /// More is consumed than produced at present.
    is_quiet: bool,
    /// The last pull found nothing anywhere, and nothing was only stored since.
    is_known_empty: bool,
}

impl Run {
    pub fn new(seed: u64) -> Run {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        let parent_options = usage::Options { limit_bytes: 20_000, ..usage::Options::default() };
        let parent = Arc::new(Tracker::new(parent_options).expect("valid"));
        let child = |limit_bytes| {
            let options = usage::Options { limit_bytes, ..usage::Options::default() };
            parent.child(options).expect("valid")
        };
        let limit = [0, 1_000, 5_000, 20_000][random.below(4) as usize];
        let (tracker, other) = (Arc::new(child(limit)), child(0));
        let group = (!random.one_in(3)).then(|| {
            let options = GroupOptions { max_lent_bytes: random.below(3) * 1_000, ..GroupOptions::default() };
            Group::new(Arc::clone(&parent), options).expect("valid")
        });
        let priorities = [1, 1, 3, 10][random.below(4) as usize];
        let max_size = [1, 100, 1_000, 10_000][random.below(4) as usize];
        let max_entries = [0, 0, 8, 40][random.below(4) as usize];
        let policy = any_policy(&mut random);
        let mut run = Run {
            model: Model { deliver_uncommitted: policy.deliver_uncommitted, ..Model::default() },
            random,
            store: FaultyStore::default(),
            cursor: None,
            policy,
            max_entries,
            tracker,
            parent,
            other,
            group,
            ready: Arc::default(),
            ready_seen: 0,
            awaiting: None,
            next_token: 1,
            next_sequence: 1,
            largest_known: 0,
            has_pushed: false,
            last_token: 0,
            priorities,
            max_size,
            late: Vec::new(),
            is_bounded: true,
            largest_page: 0,
            largest_message: 0,
            any_lost: false,
            is_quiet: false,
            is_known_empty: true,
        };
        run.make_cursor();
        run
    }

    fn make_cursor(&mut self) {
        let options = Options { policy: self.policy, max_entries: self.max_entries, ..Options::default() };
        let store = Box::new(self.store.clone());
        let mut cursor =
            Cursor::new(options, Arc::clone(&self.tracker), self.group.as_ref(), store).expect("valid");
        let ready = Arc::clone(&self.ready);
        cursor.on_ready(Some(Arc::new(move || {
            ready.fetch_add(1, Ordering::Relaxed);
        })));
        self.cursor = Some(cursor);
        self.note_page_bytes();
    }

    fn cursor(&mut self) -> &mut Cursor {
        self.cursor.as_mut().expect("there is one")
    }

    pub fn run(mut self, operations: u64, totals: &mut Totals) {
        for _ in 0..operations {
            self.step(totals);
            self.check();
            totals.operations += 1;
        }
        self.drain(totals);
    }

    fn step(&mut self, totals: &mut Totals) {
        if self.random.one_in(100) {
            self.is_quiet = self.random.one_in(2);
        }
        let is_long = self.model.all.len() > if self.is_quiet { 5 } else { 300 };
        match self.random.below(1_000) {
            0..300 if !is_long => self.push(totals),
            0..100 if self.is_quiet => self.pull(totals),
            100..300 if self.is_quiet => self.ack(),
            0..450 => self.answer(totals),
            450..700 => self.pull(totals),
            700..860 => self.ack(),
            860..890 => self.requeue_or_park(),
            890..920 => self.remove(),
            920..940 => self.browse(),
            940..947 => self.drop_cache(totals),
            947..950 => self.change_policy(),
            950..954 => self.change_limit(),
            954..970 => self.fill_parent(),
            970..980 => self.flush_acks(),
            980..990 => self.misuse(),
            990..992 => self.lose(totals),
            992..997 => self.change_mood(),
            997..998 => self.purge(totals),
            _ if self.random.one_in(4) => self.restart(totals),
            _ => {}
        }
    }

    fn push(&mut self, totals: &mut Totals) {
        self.next_sequence += 1 + self.random.below(3) * self.random.below(20);
        let (token, sequence) = (self.next_token, self.next_sequence);
        self.next_token += 1 + self.random.below(2);
        let size = 1 + self.random.below(self.max_size) as u32;
        let priority = self.random.below(self.priorities) as u8;
        let write = match self.random.below(5) {
            0 => Write::Open,
            1 => Write::OpenAt(sequence),
            _ => Write::Committed(sequence),
        };
        let is_answered = matches!(write, Write::Committed(_));
        if is_answered {
            self.store_message(sequence, size, priority);
        }
        self.largest_message = self.largest_message.max(size.into());
        let is_beyond = self.model.count(|m| !m.in_memory && !m.is_lost) > 0;
        let has_space = self.policy.use_cache
            && self.is_low()
            && (self.group.is_none() || !self.parent.is_full_at(self.policy.parent_cache_percent as i32))
            && (self.max_entries == 0 || self.cursor().stats().pending_count < self.max_entries.into());
        let message = Message { token, user: sequence, size_bytes: size, priority, write };
        let pushed = self.cursor().push(&message).expect("in order");
        (self.has_pushed, self.last_token) = (true, token);
        let is_cached = pushed == Pushed::Cached;
        if is_cached {
            assert!(!is_beyond, "cached although messages are in the store");
            totals.cached += 1;
        } else {
            assert!(!(has_space && self.is_known_empty), "stored although nothing is in the way");
            self.is_known_empty = false;
            totals.stored += 1;
        }
        self.model.push(Msg {
            token,
            sequence,
            size,
            priority,
            is_numbered: !matches!(write, Write::Open),
            is_answered,
            is_aborted: false,
            in_memory: is_cached,
            is_cached,
            in_window: false,
            doing: Doing::Waiting,
            redeliveries: 0,
            is_lost: false,
        });
        if !matches!(write, Write::Open) {
            self.largest_known = sequence;
        }
    }

    fn store_message(&mut self, sequence: u64, size_bytes: u32, priority: u8) {
        let message = Stored { sequence, user: sequence, size_bytes, priority };
        self.store.content().messages.insert(sequence, message);
    }

    /// Commits or aborts an open write, whichever.
    fn answer(&mut self, totals: &mut Totals) {
        let open: Vec<u64> = self.model.all.iter().filter(|m| !m.is_answered).map(|m| m.token).collect();
        if open.is_empty() {
            return;
        }
        // Mostly one of the first, but now and then the oldest stays open for long.
        let range = if self.random.one_in(3) { open.len() } else { open.len().min(3) };
        let token = open[self.random.below(range as u64) as usize];
        let message = *self.model.by_token(token);
        if self.random.one_in(6) {
            let released = self.cursor().aborted(token).expect("open");
            let expected = if message.in_memory && message.doing != Doing::Gone { message.size } else { 0 };
            assert_eq!(released.released_bytes, expected.into());
            let message = self.model.by_token(token);
            (message.is_answered, message.is_aborted, message.doing) = (true, true, Doing::Gone);
            message.in_memory = false;
            totals.aborted += 1;
        } else {
            if message.doing != Doing::Gone {
                self.store_message(message.sequence, message.size, message.priority);
            }
            self.cursor().committed(token, message.sequence).expect("open");
            let message = self.model.by_token(token);
            (message.is_answered, message.is_numbered) = (true, true);
            self.largest_known = self.largest_known.max(message.sequence);
        }
        self.model.show();
        self.expect_ready(Blocked::Commit);
        self.expect_ready(Blocked::OwnMark);
    }

    fn note_page_bytes(&mut self) {
        let limit = self.limit();
        let above = limit * u64::from((100 - self.policy.high_percent).max(1)) / 100;
        let page = if limit == 0 { self.policy.page_bytes } else { self.policy.page_bytes.min(above).max(1) };
        self.largest_page = self.largest_page.max(page);
    }

    fn check(&mut self) {
        let usage = self.model.usage();
        assert_eq!(self.tracker.usage_bytes(), usage as i64);
        let stats = self.cursor().stats();
        assert_eq!(stats.in_memory_bytes, usage);
        assert_eq!(stats.in_memory_count, self.model.count(|m| m.in_memory));
        assert_eq!(stats.in_flight_count, self.model.count(|m| m.doing == Doing::InFlight));
        assert_eq!(stats.parked_count, self.model.count(|m| m.doing == Doing::Parked));
        assert_eq!(stats.dropped_count, self.model.count(|m| m.in_window && !m.in_memory));
        if !self.any_lost {
            assert_eq!(stats.pending_count, self.model.count(|_| true));
            assert_eq!(stats.pending_bytes, self.model.bytes());
        }
        if let Some(group) = &self.group {
            assert_eq!(group.stats().lent_bytes, stats.lent_bytes);
            assert!(stats.lent_bytes <= usage);
        }
        if self.awaiting.is_some() {
            assert!(self.ready.load(Ordering::Relaxed) <= self.ready_seen + 1, "on_ready came twice");
        }
        self.check_peak(usage);
    }

    fn check_peak(&mut self, usage: u64) {
        let high = (self.limit() * u64::from(self.policy.high_percent)).div_ceil(100);
        if !self.is_bounded && usage < high {
            self.is_bounded = true;
            self.largest_page = 0;
            self.note_page_bytes();
        }
        if self.limit() > 0 && self.is_bounded {
            let bound = high + self.largest_page.max(self.largest_message);
            assert!(usage <= bound, "{usage} bytes are more than {bound}");
        }
    }

    /// In the end everything comes out.
    fn drain(mut self, totals: &mut Totals) {
        self.store.content().mood = None;
        self.other.set_usage_bytes(0).expect("small");
        while self.model.all.iter().any(|m| !m.is_answered) {
            self.answer(totals);
            self.check();
        }
        let mut idle = 0;
        loop {
            while let Some(message) = self.any(|m| m.doing == Doing::InFlight) {
                self.ack_one(message);
            }
            self.check();
            let pulled = self.pull_some(50, Round::Begin, totals).expect("the store is well");
            idle = if pulled.0 == 0 { idle + 1 } else { 0 };
            assert!(idle < 400, "no progress: {pulled:?}");
            if pulled == (0, PullEnd::Empty) {
                break;
            }
        }
        let stats = self.cursor().stats();
        assert_eq!((stats.pending_count, stats.pending_bytes, stats.in_memory_bytes), (0, 0, 0));
        assert_eq!(self.model.count(|m| !m.is_lost), 0);
        assert_eq!(self.tracker.usage_bytes(), 0);
        assert_eq!(self.parent.usage_bytes(), 0);
        totals.on_turns += stats.cache_on_turns;
        totals.ready_calls += self.ready.load(Ordering::Relaxed);
    }
}

fn any_policy(random: &mut Random) -> Policy {
    let high_percent = 1 + random.below(100) as u32;
    let page_messages = [1, 3, 10, 50, 200][random.below(5) as usize];
    Policy {
        high_percent,
        low_percent: 1 + random.below(high_percent.into()) as u32,
        parent_cache_percent: [100, 95][random.below(2) as usize],
        parent_page_percent: [90, 99, 70][random.below(3) as usize],
        page_messages,
        page_bytes: [1, 300, 2_000, 1 << 20][random.below(4) as usize],
        min_page_messages: random.below(u64::from(page_messages) + 1) as u32,
        lazy_dispatch: random.one_in(4),
        use_cache: !random.one_in(5),
        deliver_uncommitted: random.one_in(5),
    }
}
