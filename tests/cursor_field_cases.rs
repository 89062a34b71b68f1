//! What people who run brokers ran into, each reduced to calls on a cursor: the cases 25 to 36 of the list of field
//! cases, by number.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod cursor_support;

use cursor_support::{EMPTY, Queue, blocked, child, no_cache, options, tracker};
use queuecore::cursor::{
    Blocked, Error, Group, GroupOptions, MemoryStore, Options, Policy, PullEnd, Pushed, Round, StoreError,
    Stored,
};
use std::sync::Arc;

const MORE: PullEnd = PullEnd::More;

fn one_to(last: u64) -> Vec<u64> {
    (1..=last).collect()
}

#[test]
fn case_25_a_message_larger_than_everything_is_delivered_alone() {
    let mut queue = Queue::new(100, options(Policy { page_bytes: 50, ..no_cache() }));
    assert_eq!(queue.push(1, 500), Pushed::Stored);
    assert_eq!(queue.push(2, 500), Pushed::Stored);
    assert_eq!(queue.pull(10), (vec![1], MORE));
    assert_eq!(queue.usage(), 500);
    assert_eq!(queue.pull(10), (vec![], blocked(Blocked::OwnMark)));
    queue.ack(1);
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.pull(10), (vec![2], EMPTY));
}

#[test]
fn case_26_a_start_loads_nothing_and_a_pull_one_page() {
    let store = MemoryStore::new();
    for sequence in 1..=10_000 {
        store.insert(Stored { sequence, user: sequence, size_bytes: 10, priority: 4 });
    }
    let mut queue = Queue::with(options(no_cache()), tracker(0), None, store);
    let (count, bytes, last) = queue.store.summary();
    queue.cursor.open(count, bytes, last).expect("new");
    assert_eq!(queue.store.counts().fetches, 0);
    assert_eq!(queue.cursor.stats().pending_count, 10_000);
    assert_eq!(queue.pull(1), (vec![1], MORE));
    assert_eq!(queue.store.counts().fetches, 1);
    assert_eq!(queue.cursor.stats().in_memory_count, 200);
    queue.ack(1);
    assert_eq!(queue.drain(), (2..=10_000).collect::<Vec<u64>>());
}

#[test]
fn case_27_a_requeued_message_goes_before_those_of_the_store() {
    // Five of 14 bytes reach the mark at 70.
    let mut queue = Queue::new(100, options(Policy::default()));
    for sequence in 1..=10 {
        let expected = if sequence <= 5 { Pushed::Cached } else { Pushed::Stored };
        assert_eq!(queue.push(sequence, 14), expected, "{sequence}");
    }
    assert_eq!(queue.pull(3).0, [1, 2, 3]);
    queue.ack(1);
    queue.ack(3);
    queue.cursor.requeue(2).expect("in flight");
    assert_eq!(queue.drain(), [2, 4, 5, 6, 7, 8, 9, 10]);
    assert_eq!(queue.usage(), 0);
}

#[test]
fn case_28_what_is_requeued_again_and_again_stays_first_and_is_counted() {
    let mut queue = Queue::new(0, Options::default());
    for sequence in 1..=8 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(5).0, one_to(5));
    for sequence in [3, 5, 1, 2, 4] {
        queue.cursor.requeue(sequence).expect("in flight");
    }
    for times in 1..=3 {
        let (messages, _) = queue.try_pull(1, Round::Begin).expect("in memory");
        assert_eq!((messages[0].sequence, messages[0].redeliveries), (1, times));
        queue.cursor.requeue(1).expect("in flight");
    }
    assert_eq!(queue.drain(), one_to(8));
}

#[test]
fn case_29_a_requeued_message_cannot_be_acknowledged() {
    let mut queue = Queue::new(0, Options::default());
    queue.push(1, 10);
    assert_eq!(queue.pull(1).0, [1]);
    queue.cursor.requeue(1).expect("in flight");
    assert_eq!(queue.cursor.ack(1), Err(Error::NotInFlight { sequence: 1 }));
    assert_eq!(queue.cursor.in_flight_count(), 0);
    assert_eq!(queue.drain(), [1]);
}

#[test]
fn case_30_the_usage_is_the_sum_and_comes_back_to_zero() {
    for policy in [Policy::default(), no_cache()] {
        let mut queue = Queue::new(0, options(policy));
        for (sequence, size) in [(1, 10), (2, 20), (3, 30)] {
            queue.push(sequence, size);
        }
        assert_eq!(queue.pull(3).0, [1, 2, 3]);
        assert_eq!(queue.usage(), 60);
        let mut left = 60;
        for (sequence, size) in [(2, 20), (1, 10), (3, 30)] {
            queue.ack(sequence);
            left -= size;
            assert_eq!(queue.usage(), left);
        }
        assert_eq!(queue.cursor.ack(3), Err(Error::NotFound { sequence: 3 }));
        assert_eq!(queue.usage(), 0);
    }
}

#[test]
fn case_31_unacknowledged_messages_block_by_the_own_mark() {
    let mut queue = Queue::new(100, options(no_cache()));
    for sequence in 1..=20 {
        queue.push(sequence, 10);
    }
    let mut taken = Vec::new();
    let end = loop {
        let (sequences, end) = queue.pull(20);
        taken.extend(sequences);
        if end != MORE {
            break end;
        }
    };
    // Pages of 30 bytes until 70 are reached.
    assert_eq!((taken, end), (one_to(9), blocked(Blocked::OwnMark)));
    let mut calls = Vec::new();
    for sequence in 1..=9 {
        queue.ack(sequence);
        calls.push(queue.ready_calls());
    }
    // 90 bytes were charged; below 50 the window fills again.
    assert_eq!(calls, [0, 0, 0, 0, 1, 0, 0, 0, 0]);
    assert_eq!(queue.drain(), (10..=20).collect::<Vec<u64>>());
}

#[test]
fn case_32_a_limit_that_goes_away_lets_the_next_pull_page() {
    let mut queue = Queue::new(100, Options::default());
    for sequence in 1..=50 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(50).0, one_to(7));
    assert_eq!(queue.pull(50), (vec![], blocked(Blocked::OwnMark)));
    queue.tracker.set_limit_bytes(0).expect("any limit");
    queue.cursor.refresh();
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.pull(50), ((8..=50).collect(), EMPTY));
}

/// An idle queue that holds 95 % of the parent, and a second one with messages in the store.
fn shared_limit(group_options: GroupOptions) -> (Queue, Queue, Group) {
    let parent = tracker(1000);
    let group = Group::new(Arc::clone(&parent), group_options).expect("valid options");
    let mut idle = Queue::with(Options::default(), child(&parent, 0), Some(&group), MemoryStore::new());
    for sequence in 1..=95 {
        assert_eq!(idle.push(sequence, 10), Pushed::Cached);
    }
    let mut starved = Queue::with(options(no_cache()), child(&parent, 0), Some(&group), MemoryStore::new());
    for sequence in 1..=100 {
        starved.push(sequence, 10);
    }
    (idle, starved, group)
}

#[test]
fn case_33_an_idle_queue_does_not_starve_another() {
    let (_idle, mut starved, group) =
        shared_limit(GroupOptions { max_lent_bytes: 100, ..GroupOptions::default() });
    starved.cursor.set_policy(Policy { page_bytes: 100, ..no_cache() }).expect("valid");
    assert_eq!(starved.pull(100), (one_to(10), MORE));
    assert_eq!(starved.cursor.stats().lent_bytes, 100);
    assert_eq!(group.stats().lent_bytes, 100);
    assert_eq!(starved.pull(100), (vec![], blocked(Blocked::Parent)));
    let mut delivered = 0;
    for sequence in one_to(10) {
        starved.ack(sequence);
        delivered += 1;
    }
    assert_eq!(starved.ready_calls(), 1, "it holds nothing any more, so it may borrow again");
    delivered += starved.drain().len();
    assert_eq!(delivered, 100);
    assert_eq!(group.stats().lent_bytes, 0);
    assert_eq!(group.stats().lent_peak_bytes, 100);
}

#[test]
fn case_34_a_committed_message_waits_for_the_open_one_before_it() {
    let mut queue = Queue::new(100, Options::default());
    assert_eq!(queue.push(1, 24), Pushed::Cached);
    assert_eq!(queue.push_open(2, 24), Pushed::Cached);
    assert_eq!(queue.push(3, 24), Pushed::Cached);
    assert_eq!(queue.push(4, 24), Pushed::Stored, "the third reached the mark");
    assert_eq!(queue.pull(10), (vec![1], blocked(Blocked::Commit)));
    assert_eq!(queue.pull(10), (vec![], blocked(Blocked::Commit)));
    assert_eq!(queue.ready_calls(), 0);
    queue.commit(2, 24);
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.pull(10).0, [2, 3]);
    for sequence in [1, 2, 3] {
        queue.ack(sequence);
    }
    assert_eq!(queue.drain(), [4]);
}

#[test]
fn case_34_an_aborted_message_is_gone_with_its_charge() {
    let mut queue = Queue::new(100, Options::default());
    queue.push(1, 24);
    queue.push_open(2, 24);
    queue.push(3, 24);
    assert_eq!(queue.pull(10), (vec![1], blocked(Blocked::Commit)));
    assert_eq!(queue.cursor.aborted(2).expect("open").released_bytes, 24);
    assert_eq!(queue.usage(), 48);
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.pull(10), (vec![3], EMPTY));
    assert_eq!(queue.cursor.stats().pending_count, 2);
}

#[test]
fn case_35_a_message_that_cannot_be_read_can_be_removed() {
    let mut queue = Queue::new(0, options(no_cache()));
    for sequence in 1..=8 {
        queue.push(sequence, 10);
    }
    let broken = StoreError { code: 7 };
    queue.store.fail_at(Some((5, broken)));
    let mut taken = Vec::new();
    let mut failures = 0;
    while failures < 10 {
        match queue.try_pull(100, Round::Begin) {
            Ok((messages, _)) => taken.extend(messages.iter().map(|message| message.sequence)),
            Err(error) => {
                assert_eq!(error, Error::Store(broken));
                failures += 1;
            }
        }
    }
    assert_eq!(taken, [1, 2, 3, 4], "what lies before it gets out");
    let before = queue.cursor.stats();
    assert!(queue.try_pull(100, Round::Begin).is_err());
    let after = queue.cursor.stats();
    assert_eq!((after.pending_count, after.in_memory_bytes), (before.pending_count, before.in_memory_bytes));
    assert!(queue.store.remove(5));
    queue.cursor.remove(5, 10).expect("pending");
    assert_eq!(queue.pull(100).0[0], 6);
}

#[test]
fn case_36_five_consumers_with_a_prefetch_of_a_page_get_all() {
    let mut queue = Queue::new(0, options(Policy { page_messages: 8, ..no_cache() }));
    for sequence in 1..=40 {
        queue.push(sequence, 10);
    }
    let mut dispatched = Vec::new();
    for _ in 0..5 {
        dispatched.extend(queue.pull(8).0);
    }
    assert_eq!(dispatched, one_to(40));
    assert_eq!(queue.pull(8), (vec![], EMPTY));
}
