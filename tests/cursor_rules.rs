//! The rules of the cursor, one by one: the commit barrier, marks at run time, the parent and the guaranteed share,
//! rounds, drops, accounting by the host.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod cursor_support;

use cursor_support::{EMPTY, Queue, at_rest, blocked, child, no_cache, options, tracker};
use queuecore::cursor::{
    Accounting, Blocked, Cursor, Error, Fetch, Group, GroupOptions, MemoryStore, Message, Options, Policy,
    PullEnd, Pushed, Round, Store, StoreError, Stored, Write,
};
use std::sync::Arc;

// ---- the commit barrier

#[test]
fn no_message_is_skipped_when_caching_ends_while_writes_are_open() {
    // 1 to 4 are cached, their writes open; the mark is reached; 5 to 8 are stored, open too.
    let mut queue = Queue::new(100, Options::default());
    for token in 1..=8 {
        let expected = if token <= 4 { Pushed::Cached } else { Pushed::Stored };
        assert_eq!(queue.push_open(token, 20), expected);
    }
    // The store is done with the later ones first.
    let mut seen = Vec::new();
    for token in [8, 6, 4, 2, 7, 5, 3, 1] {
        queue.commit(token, 20);
        let (sequences, _) = queue.pull(10);
        for sequence in &sequences {
            queue.ack(*sequence);
        }
        seen.extend(sequences);
    }
    seen.extend(queue.drain());
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn what_is_cached_behind_a_removed_message_and_an_open_write_is_not_lost() {
    let mut queue = Queue::new(100, Options::default());
    assert_eq!(queue.push_open(1, 75), Pushed::Cached);
    assert_eq!(queue.push(2, 10), Pushed::Stored, "the mark is reached");
    assert!(queue.store.remove(2));
    queue.cursor.remove(2, 10).expect("committed behind the barrier");
    queue.tracker.set_limit_bytes(0).expect("any limit");
    assert_eq!(queue.push(3, 10), Pushed::Cached, "nothing is left in the store");
    queue.commit(1, 75);
    assert_eq!(queue.pull(10), (vec![1, 3], EMPTY));
    assert_eq!((queue.usage(), queue.store.counts().fetches), (85, 0));
}

#[test]
fn a_stalled_commit_blocks_nobody_inside_the_cursor() {
    let mut queue = Queue::new(0, options(no_cache()));
    queue.push_open(1, 10);
    for sequence in 2..=50 {
        queue.push(sequence, 10);
    }
    // Every call returns, and the store is not even asked: what it would give lies behind the barrier.
    for _ in 0..1000 {
        assert_eq!(queue.pull(10), (vec![], blocked(Blocked::Commit)));
    }
    assert_eq!(queue.store.counts().fetches, 0);
    queue.cursor.aborted(1).expect("open");
    assert_eq!(queue.drain(), (2..=50).collect::<Vec<u64>>());
}

#[test]
fn a_page_that_open_writes_cut_short_is_left_while_the_window_gives_something() {
    let policy = Policy { page_messages: 8, min_page_messages: 4, ..no_cache() };
    let mut queue = Queue::new(0, options(policy));
    for sequence in 1..=10 {
        queue.push(sequence, 10);
    }
    queue.push_open(11, 10);
    assert_eq!(queue.pull(5).0.len(), 5);
    assert_eq!(queue.pull(5), (vec![6, 7, 8], PullEnd::More), "two are not worth a page");
    assert_eq!(queue.store.counts().fetches, 1);
    assert_eq!(queue.pull(5), (vec![9, 10], blocked(Blocked::Commit)), "but better than nothing");
}

#[test]
fn uncommitted_messages_are_delivered_on_request_once_they_are_numbered() {
    let policy = Policy { deliver_uncommitted: true, ..Policy::default() };
    let mut queue = Queue::new(0, options(policy));
    let message = |token, write| Message { token, user: token, size_bytes: 10, priority: 4, write };
    queue.cursor.push(&message(1, Write::OpenAt(1))).expect("in order");
    queue.cursor.push(&message(2, Write::OpenAt(2))).expect("in order");
    queue.cursor.push(&message(3, Write::Open)).expect("in order");
    assert_eq!(queue.pull(10), (vec![1, 2], blocked(Blocked::Commit)));
    queue.cursor.ack(1).expect("before its commit");
    assert_eq!(queue.cursor.aborted(2).expect("in flight").released_bytes, 10);
    assert_eq!(queue.cursor.ack(2), Err(Error::NotFound { sequence: 2 }));
    queue.commit(1, 10);
    queue.commit(3, 10);
    assert_eq!(queue.pull(10), (vec![3], EMPTY));
    assert_eq!(queue.cursor.stats().pending_count, 1);
}

// ---- marks and policy at run time

#[test]
fn marks_that_change_at_run_time_take_effect_at_once() {
    let mut queue = Queue::new(1000, options(no_cache()));
    for sequence in 1..=100 {
        queue.push(sequence, 10);
    }
    while queue.pull(100).1 == PullEnd::More {}
    assert_eq!(queue.pull(100), (vec![], blocked(Blocked::OwnMark)));
    let held = queue.usage();
    assert!((700..=1000).contains(&held), "{held}");
    assert_eq!(
        queue.cursor.set_marks(90, 80),
        Err(Error::Contradiction { what: "low_percent is above high_percent" })
    );
    assert_eq!(queue.cursor.policy().high_percent, 70);
    assert_eq!(queue.ready_calls(), 0);
    queue.cursor.set_marks(100, 100).expect("a pair");
    assert_eq!(queue.ready_calls(), usize::from(held < 1000));
    queue.cursor.set_marks(10, 20).expect("a pair");
    assert_eq!(queue.pull(100), (vec![], blocked(Blocked::OwnMark)));
}

#[test]
fn without_hysteresis_a_page_is_taken_as_soon_as_the_mark_allows() {
    for (low, refills) in [(70, 3), (50, 1)] {
        let policy = Policy { low_percent: low, page_messages: 10, ..no_cache() };
        let mut queue = Queue::new(1000, options(policy));
        for sequence in 1..=1000 {
            queue.push(sequence, 10);
        }
        let mut in_flight = Vec::new();
        while queue.cursor.stats().in_memory_bytes < 700 {
            in_flight.extend(queue.pull(10).0);
        }
        // 300 bytes are acknowledged one by one, and each time consumers ask for more.
        let before = queue.cursor.stats().pages;
        for sequence in in_flight.iter().take(30) {
            queue.ack(*sequence);
            queue.pull(10);
        }
        let pages = queue.cursor.stats().pages - before;
        assert!(pages >= refills && (low == 70 || pages <= 3), "{pages} pages with a low mark of {low}");
    }
}

#[test]
fn lazy_dispatch_takes_what_consumers_ask_for() {
    let mut queue = Queue::new(0, options(Policy { lazy_dispatch: true, ..no_cache() }));
    for sequence in 1..=100 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(3).0, [1, 2, 3]);
    assert_eq!(queue.cursor.stats().in_memory_count, 3);
}

#[test]
fn getters_change_nothing() {
    let mut queue = Queue::new(100, Options::default());
    for sequence in 1..=20 {
        queue.push(sequence, 10);
    }
    queue.pull(3);
    queue.cursor.requeue(2).expect("in flight");
    queue.pull(20);
    queue.ack(1);
    let before = queue.cursor.stats();
    for _ in 0..100 {
        assert_eq!(at_rest(queue.cursor.stats()), at_rest(before));
        assert_eq!(queue.cursor.in_flight_count(), before.in_flight_count);
        assert_eq!(queue.cursor.policy(), &Policy::default());
    }
    assert_eq!((queue.store.counts().fetches, queue.ready_calls()), (0, 0));
    let fetched = queue.store.counts();
    let mut out = [Stored::default(); 5];
    assert_eq!(queue.cursor.browse(0, &mut out).expect("well").count, 3, "a page of 30 bytes");
    assert_eq!(at_rest(queue.cursor.stats()), at_rest(before), "browsing neither");
    assert_eq!(queue.store.counts().fetches, fetched.fetches + 1);
}

#[test]
fn blocked_time_runs_while_it_lasts() {
    let mut queue = Queue::new(100, Options::default());
    for sequence in 1..=20 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(20).1, blocked(Blocked::OwnMark));
    let own_mark = Blocked::OwnMark.index();
    let mut last = queue.cursor.stats().blocked_ns[own_mark];
    while queue.cursor.stats().blocked_ns[own_mark] == last {}
    for sequence in 1..=7 {
        queue.ack(sequence);
    }
    last = queue.cursor.stats().blocked_ns[own_mark];
    queue.pull(1);
    let ended = queue.cursor.stats().blocked_ns;
    assert!(ended[own_mark] >= last);
    assert_eq!(queue.cursor.stats().blocked_ns, ended, "it has ended");
}

// ---- drop, rounds

#[test]
fn what_was_dropped_comes_back_at_its_place_with_its_count() {
    let mut queue = Queue::new(0, Options::default());
    for sequence in 1..=6 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull(4).0, [1, 2, 3, 4]);
    queue.cursor.requeue(2).expect("in flight");
    queue.cursor.requeue(3).expect("in flight");
    // The store has not heard of this one yet.
    queue.cursor.ack(1).expect("in flight");
    let dropped = queue.cursor.drop_cache();
    assert_eq!((dropped.messages, dropped.released_bytes), (4, 40));
    assert_eq!(queue.store.counts().discarded, 4);
    assert_eq!(queue.usage(), 10, "4 is in flight");
    assert_eq!(queue.push(7, 10), Pushed::Stored);
    let (messages, _) = queue.try_pull(10, Round::Begin).expect("well");
    let seen: Vec<(u64, u32)> =
        messages.iter().map(|message| (message.sequence, message.redeliveries)).collect();
    assert_eq!(seen, [(2, 1), (3, 1), (5, 0), (6, 0), (7, 0)]);
    assert_eq!(queue.store.counts().discarded, 5, "4, which is in flight, came by again; 1 lies before");
}

#[test]
fn a_dropped_message_that_the_store_has_lost_holds_nobody_up() {
    let mut queue = Queue::new(0, Options::default());
    for sequence in 1..=4 {
        queue.push(sequence, 10);
    }
    queue.cursor.drop_cache();
    assert!(queue.store.remove(1) && queue.store.remove(4));
    assert_eq!(queue.pull(10).0, [2, 3]);
    assert_eq!(queue.pull(10), (vec![], EMPTY));
    assert_eq!(queue.cursor.stats().pending_count, 2);
    assert_eq!(queue.push(5, 10), Pushed::Cached);
    assert_eq!(queue.drain(), [5]);
}

#[test]
fn an_acknowledged_message_that_the_store_still_has_does_not_come_again() {
    let mut queue = Queue::new(0, Options::default());
    for sequence in 1..=5 {
        queue.push(sequence, 10);
    }
    queue.pull(4);
    queue.cursor.requeue(1).expect("in flight");
    for sequence in 2..=4 {
        queue.cursor.ack(sequence).expect("in flight");
    }
    queue.cursor.drop_cache();
    let dropped = queue.store.counts().discarded;
    assert_eq!(queue.pull(10), (vec![1, 5], EMPTY));
    assert_eq!(queue.store.counts().discarded - dropped, 3);
}

#[test]
fn skipped_messages_are_offered_in_the_next_round() {
    let mut queue = Queue::new(0, Options::default());
    for sequence in 1..=6 {
        queue.push(sequence, 10);
    }
    assert_eq!(queue.pull_round(2, Round::Begin).0, [1, 2]);
    queue.cursor.park(1).expect("in flight");
    queue.cursor.park(2).expect("in flight");
    assert_eq!(queue.pull_round(3, Round::Continue).0, [3, 4, 5]);
    queue.cursor.park(4).expect("in flight");
    assert_eq!(queue.pull_round(3, Round::Continue), (vec![6], EMPTY));
    let (messages, _) = queue.try_pull(10, Round::Begin).expect("well");
    let seen: Vec<(u64, u32)> =
        messages.iter().map(|message| (message.sequence, message.redeliveries)).collect();
    assert_eq!(seen, [(1, 0), (2, 0), (4, 0)], "skipping is no redelivery");
}

#[test]
fn parked_messages_do_not_fill_the_window_for_good() {
    // Only every tenth message finds a consumer; the window holds seven.
    let mut queue = Queue::new(100, options(no_cache()));
    for sequence in 1..=100 {
        queue.push(sequence, 10);
    }
    let (mut found, mut round, mut pulls) = (Vec::new(), Round::Begin, 0);
    while found.len() < 10 {
        let (sequences, _) = queue.pull_round(10, round);
        round = Round::Continue;
        for sequence in sequences {
            if sequence % 10 == 0 {
                queue.ack(sequence);
                found.push(sequence);
            } else {
                queue.cursor.park(sequence).expect("in flight");
            }
        }
        assert!(queue.usage() <= 100);
        pulls += 1;
        assert!(pulls < 200, "stuck after {found:?}");
    }
    assert_eq!(found, (1..=10).map(|n| n * 10).collect::<Vec<u64>>());
    let rest = (1..=100).filter(|sequence| sequence % 10 != 0).collect::<Vec<u64>>();
    assert_eq!(queue.drain(), rest);
}

#[test]
fn priorities_go_first_within_the_window() {
    let mut queue = Queue::new(0, Options::default());
    for (sequence, priority) in [(1, 4), (2, 9), (3, 0), (4, 9), (5, 4)] {
        queue.priority = priority;
        queue.push(sequence, 10);
    }
    assert_eq!(queue.drain(), [2, 4, 1, 5, 3]);
}

// ---- the parent

/// A second queue that fills the parent, and the group of both.
fn neighbours(limit_bytes: u64, lent: GroupOptions) -> (Queue, Queue, Group) {
    let parent = tracker(limit_bytes);
    let group = Group::new(Arc::clone(&parent), lent).expect("valid options");
    let queue = |policy| Queue::with(options(policy), child(&parent, 0), Some(&group), MemoryStore::new());
    (queue(Policy::default()), queue(no_cache()), group)
}

#[test]
fn a_full_parent_wakes_the_cursor_when_another_queue_drains() {
    let (mut full, mut waiting, group) = neighbours(1000, GroupOptions::default());
    for sequence in 1..=5 {
        waiting.push(sequence, 10);
    }
    // It holds something, so it does not get a loan.
    waiting.cursor.set_policy(Policy { page_messages: 1, ..no_cache() }).expect("valid");
    assert_eq!(waiting.pull(1).0, [1]);
    for sequence in 1..=95 {
        full.push(sequence, 10);
    }
    assert_eq!(waiting.pull(1), (vec![], blocked(Blocked::Parent)));
    assert_eq!(group.stats().waiting, 1);
    // From 960 down to 900: still at 91 % at 910.
    let mut calls = Vec::new();
    for sequence in full.pull(6).0 {
        full.ack(sequence);
        calls.push(waiting.ready_calls());
    }
    assert_eq!(calls, [0, 0, 0, 0, 0, 1]);
    assert_eq!(group.stats().waiting, 0);
    assert_eq!(waiting.pull(1).0, [2]);
}

#[test]
fn a_parent_mark_that_is_raised_wakes_the_cursor_at_the_new_one() {
    let (_idle, mut waiting, group) = neighbours(1000, GroupOptions::default());
    let policy = Policy { page_messages: 1, parent_page_percent: 70, ..no_cache() };
    waiting.cursor.set_policy(policy).expect("valid");
    for sequence in 1..=5 {
        waiting.push(sequence, 10);
    }
    assert_eq!(waiting.pull(1).0, [1]);
    group.tracker().increase(990).expect("counts");
    assert_eq!(waiting.pull(1), (vec![], blocked(Blocked::Parent)));
    waiting.cursor.set_policy(Policy { parent_page_percent: 95, ..policy }).expect("valid");
    assert_eq!(waiting.ready_calls(), 0);
    group.tracker().decrease(40).expect("counts");
    assert_eq!(waiting.ready_calls(), 0, "still at 96 %");
    group.tracker().decrease(1).expect("counts");
    assert_eq!(waiting.ready_calls(), 1);
    assert_eq!(waiting.pull(1).0, [2]);
}

#[test]
fn another_thread_may_wake_the_cursor() {
    let (mut full, mut waiting, _group) = neighbours(1000, GroupOptions::default());
    waiting.cursor.set_policy(Policy { page_messages: 1, ..no_cache() }).expect("valid");
    for sequence in 1..=500 {
        waiting.push(sequence, 1);
    }
    assert_eq!(waiting.pull(1).0, [1]);
    for sequence in 1..=100 {
        full.push(sequence, 10);
    }
    let drainer = std::thread::spawn(move || full.drain().len());
    let mut taken = 1;
    while taken < 500 {
        match waiting.pull(10) {
            (sequences, PullEnd::Blocked(_)) if sequences.is_empty() => {
                waiting.wait_ready();
            }
            (sequences, _) => taken += sequences.len(),
        }
    }
    assert_eq!(drainer.join().expect("it drains"), 100);
}

#[test]
fn loans_go_round() {
    let parent = tracker(1000);
    let lent = GroupOptions { max_lent_bytes: 10, ..GroupOptions::default() };
    let group = Group::new(Arc::clone(&parent), lent).expect("valid options");
    parent.increase(950).expect("counts");
    let policy = Policy { page_messages: 1, page_bytes: 10, ..no_cache() };
    let mut queues: Vec<Queue> = (0..3)
        .map(|_| Queue::with(options(policy), child(&parent, 0), Some(&group), MemoryStore::new()))
        .collect();
    for queue in &mut queues {
        for sequence in 1..=20 {
            queue.push(sequence, 10);
        }
    }
    assert_eq!(queues[0].pull(1).0, [1]);
    assert_eq!(queues[1].pull(1), (vec![], blocked(Blocked::Parent)));
    assert_eq!(queues[2].pull(1), (vec![], blocked(Blocked::Parent)));
    // The first wants more at once, but the others have been waiting.
    queues[0].ack(1);
    assert_eq!([queues[1].ready_calls(), queues[2].ready_calls()], [1, 0]);
    assert_eq!(queues[0].pull(1), (vec![], blocked(Blocked::Parent)));
    assert_eq!(queues[1].pull(1).0, [1]);
    queues[1].ack(1);
    assert_eq!([queues[0].ready_calls(), queues[2].ready_calls()], [0, 1]);
    // The third has no demand any more and passes its turn on.
    assert_eq!(queues[2].pull(0).0, []);
    assert_eq!(queues[0].ready_calls(), 1);
    // The first does not come; the second asks twice.
    assert_eq!(queues[1].pull(1), (vec![], blocked(Blocked::Parent)));
    assert_eq!(queues[1].pull(1).0, [2]);
    assert_eq!(group.stats().lent_pages, 3);
    assert_eq!(group.stats().lent_peak_bytes, 10);
    drop(queues);
    assert_eq!((group.stats().lent_bytes, group.stats().members), (0, 0));
    assert_eq!(parent.usage_bytes(), 950);
}

#[test]
fn a_limit_that_is_shared_is_divided_anew() {
    let parent = tracker(1200);
    let shares = GroupOptions { divides_limit: true, ..GroupOptions::default() };
    let group = Group::new(Arc::clone(&parent), shares).expect("valid options");
    let queue = || Queue::with(Options::default(), child(&parent, 0), Some(&group), MemoryStore::new());
    let one = queue();
    assert_eq!(one.tracker.limit_bytes(), 1200);
    let two = queue();
    let three = queue();
    for queue in [&one, &two, &three] {
        assert!((399..=400).contains(&queue.tracker.limit_bytes()));
    }
    drop(two);
    for queue in [&one, &three] {
        assert_eq!(queue.tracker.limit_bytes(), 600);
    }
}

// ---- accounting by the host

#[test]
fn with_accounting_by_the_host_the_tracker_is_only_read() {
    let host = Options { accounting: Accounting::Host, ..Options::default() };
    let mut queue = Queue::new(100, host);
    for sequence in 1..=3 {
        assert_eq!(queue.push(sequence, 30), Pushed::Cached);
    }
    assert_eq!(queue.usage(), 0);
    queue.tracker.increase(90).expect("counts");
    assert_eq!(queue.push(4, 30), Pushed::Stored);
    assert_eq!(queue.pull(10), (vec![1, 2, 3], blocked(Blocked::OwnMark)));
    queue.tracker.decrease(39).expect("counts");
    assert_eq!(queue.ready_calls(), 0, "51 % is not below the low mark");
    queue.tracker.decrease(2).expect("counts");
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.pull(10).0, [4]);
    assert_eq!(queue.usage(), 49);
}

// ---- what is charged is remembered

/// A store that tells another size each time.
struct Fickle(u32);

impl Store for Fickle {
    fn fetch(&mut self, fetch: &Fetch, out: &mut [Stored]) -> Result<usize, StoreError> {
        self.0 += 7;
        for (place, sequence) in out.iter_mut().zip(fetch.after + 1..=fetch.up_to) {
            *place = Stored { sequence, user: 0, size_bytes: self.0, priority: 0 };
        }
        Ok(out.len().min((fetch.up_to - fetch.after) as usize))
    }
}

#[test]
fn released_is_what_was_charged_whatever_the_size_reads_later() {
    let tracker = tracker(0);
    let mut cursor =
        Cursor::new(Options::default(), Arc::clone(&tracker), None, Box::new(Fickle(0))).expect("valid");
    cursor.open(9, 900, 9).expect("new");
    let mut out = [Default::default(); 9];
    for _ in 0..5 {
        cursor.pull(9, Round::Begin, &mut out).expect("well");
        for sequence in 1..=9 {
            cursor.requeue(sequence).expect("in flight");
        }
        cursor.drop_cache();
        assert_eq!(tracker.usage_bytes(), 0);
    }
    cursor.pull(9, Round::Begin, &mut out).expect("well");
    for sequence in 1..=9 {
        cursor.ack(sequence).expect("in flight");
    }
    assert_eq!(tracker.usage_bytes(), 0);
    assert_eq!(cursor.stats().pending_bytes, 0);
}
