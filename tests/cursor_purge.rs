//! Purges: with one call, in steps, message by message; while pages come in, and beside open writes.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod cursor_support;

use cursor_support::{EMPTY, Queue, blocked, no_cache, options};
use queuecore::cursor::{Blocked, Error, Message, Options, Policy, PullEnd, Purge, Pushed, Write};

/// A message that is committed under its token, with that as `user`.
fn message(token: u64, size_bytes: u32) -> Message {
    Message { token, user: token, size_bytes, priority: 4, write: Write::Committed(token) }
}

#[test]
fn a_purge_of_a_million_asks_for_nothing_and_takes_short_steps() {
    let policy = Policy { page_messages: 10, ..Policy::default() };
    let mut queue = Queue::new(100_000, options(policy));
    let pending = 1_000_000;
    for sequence in 1..=1_000 {
        queue.push(sequence, 100);
    }
    // The store has the rest.
    for sequence in 1_001..=pending {
        queue.cursor.push(&message(sequence, 100)).expect("in order");
    }
    assert_eq!(queue.pull(2).0, [1, 2]);
    queue.cursor.park(2).expect("in flight");
    queue.store.remove_up_to(pending);
    let discarded = queue.store.counts().discarded;
    let first = queue.cursor.purge(Purge::Begin, 100).expect("any time");
    assert_eq!((first.up_to, first.messages, first.more), (pending, 100, true));
    assert_eq!(first.stored_messages, pending - 700, "the mark is at 70 %");
    // What comes meanwhile stays.
    queue.store.insert(queue.stored(pending + 1, 100));
    assert_eq!(
        queue.cursor.push(&message(pending + 1, 100)),
        Ok(Pushed::Stored),
        "60 % are not below the low mark"
    );
    let (mut messages, mut calls, mut more) = (first.messages, 1, true);
    while more {
        let next = queue.cursor.purge(Purge::Continue(first.up_to), 100).expect("its own bound");
        (messages, calls, more) = (messages + next.messages, calls + 1, next.more);
        assert_eq!((next.stored_messages, next.up_to), (0, pending));
    }
    assert_eq!((messages, calls), (699, 7), "all but the one in flight");
    assert_eq!(queue.store.counts().discarded - discarded, 699);
    assert_eq!((queue.usage(), queue.store.counts().fetches), (100, 0));
    assert_eq!(queue.cursor.stats().pending_count, 2);
    queue.cursor.requeue(1).expect("in flight");
    assert_eq!(queue.pull(10), (vec![1, pending + 1], EMPTY));
    let wrong = queue.cursor.purge(Purge::Continue(pending + 2), 1);
    assert!(matches!(wrong, Err(Error::OutOfRange { what: "up_to", .. })), "{wrong:?}");
}

#[test]
fn a_purge_leaves_what_is_behind_an_open_write() {
    let mut queue = Queue::new(1_000, Options::default());
    queue.push(1, 10);
    queue.push_open(2, 10);
    queue.push(3, 10);
    let purged = queue.cursor.purge(Purge::Begin, 10).expect("any time");
    assert_eq!((purged.up_to, purged.messages, purged.released_bytes), (1, 1, 10));
    assert_eq!(queue.pull(10), (vec![], blocked(Blocked::Commit)));
    queue.commit(2, 10);
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.pull(10), (vec![2, 3], EMPTY));
}

#[test]
fn a_purge_wakes_a_pull_that_the_own_mark_blocks() {
    let mut queue = Queue::new(100, options(Policy { page_messages: 1, ..Policy::default() }));
    for sequence in 1..=9 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(9), ((1..=7).collect(), blocked(Blocked::OwnMark)));
    for sequence in [1, 2] {
        queue.cursor.requeue(sequence).expect("in flight");
    }
    for sequence in 3..=7 {
        queue.cursor.requeue(sequence).expect("in flight");
        queue.cursor.remove(sequence, 0).expect("pending");
    }
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.pull(1), (vec![1], PullEnd::More));
    let purged = queue.cursor.purge(Purge::Begin, 10).expect("any time");
    assert_eq!((purged.messages, purged.stored_messages), (1, 2));
    assert_eq!(queue.pull(9), (vec![], EMPTY));
    queue.ack(1);
    assert_eq!(queue.usage(), 0);
}

#[test]
fn a_purge_while_paging_leaves_nothing_behind() {
    let mut queue = Queue::new(1000, options(Policy { page_messages: 10, ..no_cache() }));
    for sequence in 1..=100 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(5).0, [1, 2, 3, 4, 5]);
    // In flight, in the window and in the store only, some of them twice.
    for sequence in 1..=100 {
        assert!(queue.store.remove(sequence));
        let removed = queue.cursor.remove(sequence, 10).expect("pending");
        assert_eq!(removed.was_in_memory, sequence <= 10);
    }
    assert_eq!(queue.cursor.ack(1), Err(Error::NotFound { sequence: 1 }));
    assert_eq!(queue.cursor.remove(7, 10), Err(Error::NotFound { sequence: 7 }));
    assert_eq!(queue.pull(10), (vec![], EMPTY));
    let stats = queue.cursor.stats();
    assert_eq!((stats.pending_count, stats.pending_bytes, queue.usage()), (0, 0, 0));
    assert_eq!(queue.push(101, 10), Pushed::Stored, "it does not use its cache");
    assert_eq!(queue.drain(), [101]);
}
