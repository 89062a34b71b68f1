//! Whoever is blocked is told when it can go on: hosts that pull only when `on_ready` has come, one cursor and several of
//! a group, whatever else becomes of the others in the line.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod cursor_support;

use cursor_support::{EMPTY, Queue, child, options, tracker};
use queuecore::cursor::{
    Blocked, Cursor, Delivered, Fetch, Group, GroupOptions, MemoryStore, Options, Policy, PullEnd, Purge,
    Pushed, Round, Store, StoreError, Stored,
};
use queuecore::usage::Tracker;
use std::sync::Arc;

const PARENT: PullEnd = PullEnd::Blocked(Blocked::Parent);
const OWN_MARK: PullEnd = PullEnd::Blocked(Blocked::OwnMark);

/// Pages of so many messages of ten bytes, and nothing cached.
fn pages_of(page_messages: u32) -> Policy {
    let page_bytes = u64::from(page_messages) * 10;
    Policy { page_messages, page_bytes, use_cache: false, ..Policy::default() }
}

fn group(parent: &Arc<Tracker>, max_lent_bytes: u64) -> Group {
    let lent = GroupOptions { max_lent_bytes, ..GroupOptions::default() };
    Group::new(Arc::clone(parent), lent).expect("valid options")
}

/// Queues of 20 messages of ten bytes each in the store, below a parent that is at 95 %.
fn line(policies: &[Policy], max_lent_bytes: u64) -> (Vec<Queue>, Group) {
    let parent = tracker(1000);
    let group = group(&parent, max_lent_bytes);
    parent.increase(950).expect("counts");
    let make = |policy: &Policy| {
        let mut queue = Queue::with(options(*policy), child(&parent, 0), Some(&group), MemoryStore::new());
        for sequence in 1..=20 {
            assert_eq!(queue.push(sequence, 10), Pushed::Stored);
        }
        queue
    };
    (policies.iter().map(make).collect(), group)
}

/// The first has the only loan, the others wait for it.
fn line_behind_a_loan() -> (Vec<Queue>, Group) {
    let (mut queues, group) = line(&[pages_of(1); 3], 10);
    assert_eq!(queues[0].pull(1).0, [1]);
    for queue in &mut queues[1..] {
        assert_eq!(queue.pull(1), (vec![], PARENT));
    }
    (queues, group)
}

#[test]
fn a_cursor_that_was_purged_is_told_and_leaves_the_line() {
    let (mut queues, group) = line_behind_a_loan();
    queues[1].store.remove_up_to(20);
    queues[1].cursor.purge(Purge::Begin, u32::MAX).expect("any time");
    assert_eq!(queues[1].ready_calls(), 1, "a pull is not blocked any more: it is empty");
    assert_eq!(group.stats().waiting, 1);
    queues[0].ack(1);
    assert_eq!(queues[2].ready_calls(), 1);
    assert_eq!(queues[2].pull(1).0, [1]);
    assert_eq!(queues[1].pull(1), (vec![], EMPTY));
}

#[test]
fn a_turn_whose_messages_are_gone_is_passed_on() {
    let (mut queues, _group) = line_behind_a_loan();
    queues[0].ack(1);
    assert_eq!([queues[1].ready_calls(), queues[2].ready_calls()], [1, 0]);
    for sequence in 1..=20 {
        queues[1].store.remove(sequence);
        queues[1].cursor.remove(sequence, 10).expect("pending");
    }
    assert_eq!(queues[1].pull(1), (vec![], EMPTY));
    assert_eq!(queues[2].ready_calls(), 1);
}

#[test]
fn a_turn_that_the_cache_made_needless_is_passed_on() {
    let (mut queues, _group) = line_behind_a_loan();
    queues[0].ack(1);
    assert_eq!([queues[1].ready_calls(), queues[2].ready_calls()], [1, 0]);
    queues[1].store.remove_up_to(20);
    queues[1].cursor.set_policy(Policy { use_cache: true, ..pages_of(1) }).expect("valid");
    queues[1].cursor.purge(Purge::Begin, u32::MAX).expect("any time");
    assert_eq!(queues[1].push(21, 10), Pushed::Cached);
    assert_eq!(queues[1].pull(1).0, [21]);
    assert_eq!(queues[2].ready_calls(), 1);
}

#[test]
fn what_a_loan_leaves_is_offered_on() {
    let (mut queues, group) = line(&[pages_of(3), pages_of(1), pages_of(1), pages_of(1)], 30);
    assert_eq!(queues[0].pull(3).0, [1, 2, 3]);
    for queue in &mut queues[1..] {
        assert_eq!(queue.pull(1), (vec![], PARENT));
    }
    for sequence in 1..=3 {
        queues[0].ack(sequence);
    }
    for queue in &mut queues[1..] {
        assert_eq!(queue.ready_calls(), 1);
        assert_eq!(queue.pull(1).0, [1]);
    }
    assert_eq!(group.stats().lent_bytes, 30);
}

#[test]
fn one_that_fits_is_told_though_a_larger_one_before_it_does_not() {
    let (mut queues, _group) = line(&[pages_of(1), pages_of(1), pages_of(3), pages_of(1)], 30);
    queues[0].cursor.set_policy(pages_of(2)).expect("valid");
    assert_eq!(queues[0].pull(2).0, [1, 2]);
    assert_eq!(queues[1].pull(1).0, [1]);
    assert_eq!(queues[2].pull(3), (vec![], PARENT));
    assert_eq!(queues[3].pull(1), (vec![], PARENT));
    queues[0].ack(1);
    assert_eq!([queues[2].ready_calls(), queues[3].ready_calls()], [0, 1]);
    assert_eq!(queues[3].pull(1).0, [1]);
    queues[0].ack(2);
    queues[1].ack(1);
    assert_eq!(queues[2].ready_calls(), 0);
    queues[3].ack(1);
    assert_eq!(queues[2].ready_calls(), 1);
    assert_eq!(queues[2].pull(3).0, [1, 2, 3]);
}

#[test]
fn a_turn_that_the_parent_made_needless_is_passed_on() {
    // The second waits for 97 % or a loan, the third for 91 %.
    let tolerant = Policy { parent_page_percent: 96, ..pages_of(1) };
    let (mut queues, group) = line(&[pages_of(1), tolerant, pages_of(1)], 10);
    group.tracker().increase(40).expect("counts");
    assert_eq!(queues[0].pull(1).0, [1]);
    assert_eq!(queues[1].pull(1), (vec![], PARENT));
    assert_eq!(queues[2].pull(1), (vec![], PARENT));
    queues[0].ack(1);
    assert_eq!([queues[1].ready_calls(), queues[2].ready_calls()], [1, 0], "the second has the turn");
    group.tracker().decrease(40).expect("counts");
    assert_eq!(queues[2].ready_calls(), 1, "the second needs no loan at 95 %");
    assert_eq!(queues[2].pull(1).0, [1]);
    assert_eq!(queues[1].pull(1).0, [1]);
}

#[test]
fn a_wish_that_grew_too_large_passes_the_turn_on() {
    let (mut queues, _group) = line(&[pages_of(2), pages_of(1), pages_of(1)], 20);
    assert_eq!(queues[0].pull(2).0, [1, 2]);
    assert_eq!(queues[1].pull(1), (vec![], PARENT));
    assert_eq!(queues[2].pull(1), (vec![], PARENT));
    queues[0].ack(1);
    assert_eq!([queues[1].ready_calls(), queues[2].ready_calls()], [1, 0]);
    queues[1].cursor.set_policy(pages_of(2)).expect("valid");
    assert_eq!(queues[1].pull(2), (vec![], PARENT));
    assert_eq!(queues[2].ready_calls(), 1);
    assert_eq!(queues[2].pull(1).0, [1]);
}

/// A queue of which seven messages are in hand and the others in the store, behind its own mark.
fn behind_its_mark() -> Queue {
    let mut queue = Queue::new(100, Options::default());
    for sequence in 1..=20 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(20), ((1..=7).collect(), OWN_MARK));
    queue
}

#[test]
fn parking_the_last_in_hand_tells() {
    let mut queue = behind_its_mark();
    for sequence in 1..=7 {
        assert_eq!(queue.ready_calls(), 0);
        queue.cursor.park(sequence).expect("in flight");
    }
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.pull_round(20, Round::Continue).0, [8, 9, 10]);
}

#[test]
fn parking_the_last_in_hand_of_a_full_window_tells() {
    let mut queue = Queue::new(0, Options { max_entries: 4, ..Options::default() });
    for sequence in 1..=8 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(8), (vec![1, 2, 3, 4], PullEnd::Blocked(Blocked::Entries)));
    for sequence in 1..=4 {
        assert_eq!(queue.ready_calls(), 0);
        queue.cursor.park(sequence).expect("in flight");
    }
    assert_eq!(queue.ready_calls(), 1, "a new round has something to give");
    assert_eq!(queue.pull(8).0, [1, 2, 3, 4]);
}

#[test]
fn a_pull_without_demand_leaves_the_promise_to_tell() {
    let mut queue = behind_its_mark();
    assert_eq!(queue.pull_round(0, Round::Continue), (vec![], PullEnd::More));
    for sequence in 1..=7 {
        queue.ack(sequence);
    }
    assert_eq!(queue.ready_calls(), 1);

    let (mut queues, group) = line_behind_a_loan();
    assert_eq!(queues[1].pull(0).0, []);
    group.tracker().decrease(100).expect("counts");
    assert_eq!(queues[1].ready_calls(), 1, "it wants no loan, but the parent has drained");
}

#[test]
fn a_new_round_without_demand_tells_of_what_was_put_aside() {
    let mut queue = behind_its_mark();
    queue.cursor.park(3).expect("in flight");
    assert_eq!(queue.ready_calls(), 0);
    assert_eq!(queue.pull_round(0, Round::Begin), (vec![], PullEnd::More));
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.pull(1).0, [3]);
}

#[test]
fn a_page_that_fails_costs_nothing_that_is_in_memory() {
    let mut queue = behind_its_mark();
    for sequence in 1..=7 {
        queue.cursor.park(sequence).expect("in flight");
    }
    queue.store.fail_at(Some((8, StoreError { code: 5 })));
    assert!(queue.try_pull(20, Round::Continue).is_err());
    assert_eq!((queue.usage(), queue.cursor.stats().dropped_count), (70, 0));
    assert_eq!(queue.pull(20).0, (1..=7).collect::<Vec<u64>>());
}

#[test]
fn a_lost_message_does_not_block_a_full_window() {
    let mut queue = Queue::new(0, Options { max_entries: 1, ..Options::default() });
    assert_eq!(queue.push(1, 10), Pushed::Cached);
    queue.cursor.drop_cache();
    assert_eq!(queue.push(2, 10), Pushed::Stored);
    queue.store.remove(1);
    assert_eq!(queue.pull(1), (vec![], PullEnd::More));
    assert_eq!(queue.pull(1).0, [2]);
}

#[test]
fn a_purge_in_steps_takes_what_is_put_back_meanwhile() {
    let mut queue = Queue::new(0, Options::default());
    for sequence in 1..=6 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(2).0, [1, 2]);
    let first = queue.cursor.purge(Purge::Begin, 2).expect("any time");
    assert_eq!((first.messages, first.more), (2, true));
    queue.cursor.requeue(1).expect("in flight");
    queue.cursor.park(2).expect("in flight");
    let rest = queue.cursor.purge(Purge::Continue(first.up_to), 10).expect("its own bound");
    assert_eq!((rest.messages, rest.more), (4, false));
    assert_eq!(queue.pull(10), (vec![], EMPTY));
    assert_eq!(queue.usage(), 0);
}

#[test]
fn a_limit_that_shrinks_tells_nobody() {
    let parent = tracker(200);
    let shares = GroupOptions { divides_limit: true, ..GroupOptions::default() };
    let group = Group::new(Arc::clone(&parent), shares).expect("valid options");
    let queue = || Queue::with(Options::default(), child(&parent, 0), Some(&group), MemoryStore::new());
    let mut one = queue();
    for sequence in 1..=20 {
        one.push(sequence, 10);
    }
    while one.pull(20).1 != OWN_MARK {}
    let two = queue();
    assert_eq!(one.ready_calls(), 0);
    drop(two);
    assert_eq!(one.ready_calls(), 1);
}

struct Panicking;

impl Store for Panicking {
    fn fetch(&mut self, _: &Fetch, _: &mut [Stored]) -> Result<usize, StoreError> {
        panic!("the host's own")
    }
}

#[test]
fn a_panic_in_fetch_costs_the_others_no_loan() {
    let (mut queues, group) = line(&[pages_of(1)], 10);
    let usage = child(group.tracker(), 0);
    let made = Cursor::new(options(pages_of(1)), usage, Some(&group), Box::new(Panicking));
    let mut cursor = made.expect("valid options");
    cursor.open(5, 50, 5).expect("new");
    let mut out = [Delivered::default(); 1];
    let pull = std::panic::AssertUnwindSafe(|| cursor.pull(1, Round::Begin, &mut out).map(drop));
    assert!(std::panic::catch_unwind(pull).is_err());
    drop(cursor);
    assert_eq!(group.stats().lent_bytes, 0);
    assert_eq!(queues[0].pull(1).0, [1]);
}

// ---- several cursors, at random

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end
    }
}

/// A queue whose host pulls only if it was told, or was not told to wait.
struct Host {
    queue: Queue,
    sleeps: bool,
    has_come: bool,
    in_flight: Vec<u64>,
    next: u64,
}

impl Host {
    /// Answers how many messages came.
    fn pull(&mut self, demand: u32, round: Round) -> usize {
        self.has_come |= self.queue.ready_calls() > 0;
        if self.sleeps && !self.has_come {
            return 0;
        }
        (self.sleeps, self.has_come) = (false, false);
        let (sequences, end) = self.queue.pull_round(demand, round);
        self.has_come = self.queue.ready_calls() > 0;
        self.sleeps = matches!(end, PullEnd::Blocked(_));
        self.in_flight.extend(&sequences);
        sequences.len()
    }

    fn ack_all(&mut self) {
        for sequence in std::mem::take(&mut self.in_flight) {
            self.queue.ack(sequence);
        }
    }

    fn step(&mut self, random: &mut Random) {
        let round = [Round::Begin, Round::Continue][random.below(2)];
        match random.below(20) {
            0..=5 => {
                self.queue.push(self.next, 10);
                self.next += 1;
            }
            6..=12 => drop(self.pull(1 + random.below(4) as u32, round)),
            13..=16 if !self.in_flight.is_empty() => {
                let at = random.below(self.in_flight.len());
                let sequence = self.in_flight.remove(at);
                match random.below(5) {
                    0 => self.queue.cursor.requeue(sequence).expect("in flight"),
                    1 => self.queue.cursor.park(sequence).expect("in flight"),
                    _ => self.queue.ack(sequence),
                }
            }
            17 => {
                // No demand for now: whoever has some again pulls.
                self.queue.pull(0);
                self.sleeps = false;
            }
            18 if random.below(8) == 0 => {
                let up_to = self.queue.cursor.purge(Purge::Begin, u32::MAX).expect("any time").up_to;
                for sequence in (1..=up_to).filter(|sequence| !self.in_flight.contains(sequence)) {
                    self.queue.store.remove(sequence);
                }
            }
            19 if random.below(8) == 0 => drop(self.queue.cursor.drop_cache()),
            _ => {}
        }
    }
}

fn random_group(seed: u64) -> u64 {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let parent = tracker(1000);
    let group = group(&parent, [10, 30, 60][random.below(3)]);
    let mut others = 0;
    let mut hosts: Vec<Host> = (0..2 + random.below(4))
        .map(|_| {
            let policy = Policy {
                use_cache: random.below(2) == 0,
                parent_page_percent: [70, 90, 96][random.below(3)],
                ..pages_of(1 + random.below(3) as u32)
            };
            let limit = [0, 100, 300][random.below(3)];
            let usage = child(&parent, limit);
            let queue = Queue::with(options(policy), usage, Some(&group), MemoryStore::new());
            Host { queue, sleeps: false, has_come: false, in_flight: Vec::new(), next: 1 }
        })
        .collect();
    let mut delivered = 0;
    for _ in 0..40 {
        for _ in 0..100 {
            let at = random.below(hosts.len());
            hosts[at].step(&mut random);
            if random.below(30) == 0 {
                let level = [0, 500, 800, 920, 950, 980, 1100][random.below(7)];
                if level > others {
                    parent.increase((level - others) as u64).expect("counts");
                } else {
                    parent.decrease((others - level) as u64).expect("counts");
                }
                others = level;
            }
        }
        // Consumers take all there is, at whatever level the parent is: nobody sleeps for good.
        let mut idle = 0;
        while idle < 50 {
            let mut came = 0;
            for host in &mut hosts {
                host.ack_all();
                came += host.pull(4, Round::Begin);
            }
            delivered += came as u64;
            idle = if came == 0 { idle + 1 } else { 0 };
        }
        for (at, host) in hosts.iter_mut().enumerate() {
            let pending = host.queue.cursor.stats().pending_count;
            assert_eq!(pending, 0, "seed {seed}: the {at}th sleeps: {:?}", group.stats());
            assert!(
                !host.sleeps || host.queue.ready_calls() > 0,
                "seed {seed}: the {at}th waits for nothing"
            );
        }
        assert_eq!(group.stats().lent_bytes, 0);
    }
    delivered
}

#[test]
fn nobody_of_a_group_sleeps_for_good() {
    let delivered: u64 = (1..=150).map(random_group).sum();
    assert!(delivered > 10_000, "{delivered}");
}
