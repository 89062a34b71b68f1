//! Histories that drain and fill again: no call moves more than the constant, every key is found all the while, and
//! memory comes back to where it was. Work is counted, not timed.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod model;

use model::scarce::Scarce;
use model::setup::{key, scramble};
use queuecore::history::{Erased, GcPolicy, History, Inserted, Options, Presence};

const W: i64 = 1 << 40;
const FULL: u64 = if cfg!(miri) { 500 } else { 1_000_000 };
/// The most index entries that one call may move, at any size.
const MAX_MOVED: u64 = 256;

/// A history that is filled at one end and drained at the other: it remembers the keys `first..next`, inserted one tick
/// apart.
struct Queue {
    history: History,
    first: u64,
    next: u64,
    now_ns: i64,
    looked_at: u64,
}

impl Queue {
    fn new(history: History) -> Queue {
        Queue { history, first: 0, next: 0, now_ns: 0, looked_at: 0 }
    }

    fn len(&self) -> u64 {
        self.next - self.first
    }

    /// One more is remembered.
    fn fill(&mut self) {
        let new = key(self.next);
        let inserted_at_ns = self.next as i64;
        self.now_ns = self.now_ns.max(inserted_at_ns);
        let put = self.history.insert(&new, &[], inserted_at_ns, self.now_ns);
        assert!(matches!(put, Ok(Inserted::Added(_))), "{put:?}");
        assert_eq!(self.history.erase_key(&new, self.now_ns), Ok(Erased::Historical));
        self.next += 1;
        if self.next.is_multiple_of(4) {
            self.look();
        }
    }

    /// The oldest `count` are forgotten, one after the other, wherever they stand.
    fn drain(&mut self, count: u64) {
        for _ in 0..count.min(self.len().saturating_sub(1)) {
            self.history.forget_key(&key(self.first)).expect("it is remembered");
            self.first += 1;
        }
        self.look();
    }

    /// Looks up one that is there and one that is not.
    fn look(&mut self) {
        assert!(self.history.stats().max_entries_moved_per_call <= MAX_MOVED, "{:?}", self.history.stats());
        self.looked_at = scramble(self.looked_at);
        let there = self.first + self.looked_at % self.len();
        assert_eq!(self.presence(there), Presence::Historical, "key number {there}");
        if self.first > 0 {
            let gone = self.looked_at % self.first;
            assert_eq!(self.presence(gone), Presence::Absent, "key number {gone}");
        }
    }

    fn look_at_all(&mut self) {
        for number in self.first..self.next {
            assert_eq!(self.presence(number), Presence::Historical, "key number {number}");
        }
        assert_eq!((self.history.history_len(), self.history.live_len()), (self.len(), 0));
    }

    fn presence(&mut self, number: u64) -> Presence {
        self.history.contains(&key(number), self.now_ns).expect("the time is right")
    }
}

fn options() -> Options {
    Options {
        window_ns: W,
        resolution_ns: 1,
        gc: GcPolicy::Scheduled,
        max_clock_step_ns: Some(0),
        ..Options::default()
    }
}

/// From a million to one and back, three times; each time it is filled again while it still shrinks.
#[test]
fn a_million_to_one_and_back_moves_little_and_loses_nothing() {
    let mut queue = Queue::new(History::new(options()).expect("valid options"));
    while queue.len() < FULL {
        queue.fill();
    }
    for round in 0..3 {
        let mut buckets = queue.history.stats().index_buckets;
        let mut shrank = 0;
        // Down to a tenth, and then up and down at once, with ever less of the former, until one is left.
        while queue.len() > FULL / 10 {
            queue.drain(100);
        }
        while queue.len() > 1 {
            queue.drain(3);
            if queue.len() > FULL / 1000 || queue.len().is_multiple_of(7) {
                queue.fill();
            }
            let now = queue.history.stats().index_buckets;
            shrank += u64::from(now < buckets);
            buckets = now;
        }
        assert!(shrank > FULL / 1000, "round {round}: it shrank {shrank} times while it was filled");
        queue.look_at_all();
        while queue.history.gc(queue.now_ns, 1000).expect("the time is right").more {}
        assert!(queue.history.stats().index_buckets <= 8, "{:?}", queue.history.stats());
        // Back up, beginning at once; a drain now and then meets it while it grows.
        while queue.len() < FULL {
            queue.fill();
            if queue.next.is_multiple_of(1000) {
                queue.drain(100);
            }
            if queue.next.is_multiple_of(FULL / 2) {
                queue.look_at_all();
            }
        }
        queue.look_at_all();
    }
}

/// A hundred bursts, each collected to the end: every one leaves what the first has left.
#[test]
fn a_hundred_bursts_leave_memory_flat() {
    let burst = if cfg!(miri) { 100 } else { 20_000 };
    let allocator = Scarce::plenty();
    let options = Options { window_ns: 1000, allocator: Some(allocator.clone()), ..options() };
    let mut history = History::new(options).expect("there is memory");
    let (mut after_first, mut first_peak) = (None, None);
    for round in 0..if cfg!(miri) { 3 } else { 100 } {
        let now_ns = round * 10_000;
        for number in 0..burst {
            let new = key(round as u64 * burst + number);
            let put = history.insert(&new, &[], now_ns, now_ns);
            assert!(matches!(put, Ok(Inserted::Added(_))), "{put:?}");
        }
        assert_eq!(history.erase_all_live(now_ns), Ok(burst));
        while history.gc(now_ns + 1000, 700).expect("the time is right").more {}
        let stats = history.stats();
        assert_eq!((stats.live_len, stats.history_len, stats.tombstones), (0, 0, 0));
        let left = (stats.bytes_in_use, allocator.figures().bytes);
        assert_eq!(*after_first.get_or_insert(left), left, "round {round}");
        // Other keys fill other buckets, which makes the peak differ by a few overflow buckets.
        let peak = *first_peak.get_or_insert(stats.bytes_peak);
        assert!(stats.bytes_peak <= peak + peak / 50, "round {round}: {peak} bytes at first, {stats:?}");
        assert!(stats.bytes_in_use < 1024, "{stats:?}");
        assert!(stats.max_entries_moved_per_call <= MAX_MOVED, "{stats:?}");
    }
    drop(history);
    assert_eq!((allocator.figures().bytes, allocator.figures().foul), (0, 0));
}
