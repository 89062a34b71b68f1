//! No wake-up is lost and no member is forgotten, under every interleaving that loom can make, up to a number of
//! preemptions: `make loom`, or `RUSTFLAGS="--cfg loom" cargo test --lib cursor::loom_tests`.
//!
//! A model is a cursor on one thread, and what happens elsewhere on another: a release, a loan that comes back, a cursor
//! that joins or leaves, a handle that goes. Whoever was told BLOCKED has to be told that it is over, once, and then has to
//! get its message. [`reached`] notes what at least one interleaving has to meet.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]

use super::*;
use crate::sync::AtomicU32;
use crate::sync::Ordering;
use crate::usage::{self, raw};
use loom::thread;
use std::cell::RefCell;
use std::collections::BTreeMap;

std::thread_local! {
    // Loom runs all threads of a model on the thread of its test.
    static REACHED: RefCell<BTreeMap<&'static str, bool>> = const { RefCell::new(BTreeMap::new()) };
}

/// Notes whether an interleaving met a case that some interleaving has to meet.
fn reached(what: &'static str, here: bool) {
    REACHED.with_borrow_mut(|reached| *reached.entry(what).or_insert(false) |= here);
}

/// Runs `body` under every interleaving with up to `preemptions`; as many more as `LOOM_MAX_PREEMPTIONS` is above 2.
fn model(preemptions: usize, body: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some((builder.preemption_bound.unwrap_or(2) + preemptions).saturating_sub(2));
    builder.max_branches = 20_000;
    builder.check(body);
    REACHED.with_borrow(|reached| {
        for (what, met) in reached {
            assert!(met, "no interleaving met this: {what}");
        }
    });
}

fn root(limit_bytes: u64) -> Arc<Tracker> {
    let options = usage::Options { limit_bytes, ..usage::Options::default() };
    Arc::new(Tracker::new(options).expect("in range"))
}

fn child(parent: &Tracker, limit_bytes: u64) -> Arc<Tracker> {
    let options = usage::Options { limit_bytes, ..usage::Options::default() };
    Arc::new(parent.child(options).expect("in range"))
}

/// A queue whose messages are all in the store, 10 bytes each, and which takes them one by one.
struct Queue {
    cursor: Cursor,
    calls: Arc<AtomicU32>,
}

impl Queue {
    fn new(tracker: Arc<Tracker>, group: Option<&Group>, messages: u64) -> Queue {
        Queue::with(Options::default(), tracker, group, messages)
    }

    fn with(options: Options, tracker: Arc<Tracker>, group: Option<&Group>, messages: u64) -> Queue {
        let store = MemoryStore::new();
        for sequence in 1..=messages {
            store.insert(Stored { sequence, user: 0, size_bytes: 10, priority: 4 });
        }
        let policy = Policy { page_messages: 1, ..options.policy };
        let mut cursor =
            Cursor::new(Options { policy, ..options }, tracker, group, Box::new(store)).expect("in range");
        cursor.open(messages, 10 * messages, messages).expect("at once");
        let calls = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&calls);
        cursor.on_ready(Some(Arc::new(move || {
            // Relaxed: read after the threads are joined.
            count.fetch_add(1, Ordering::Relaxed);
        })));
        Queue { cursor, calls }
    }

    fn pull(&mut self) -> (u64, PullEnd) {
        let mut out = [Delivered::default()];
        let pulled = self.cursor.pull(1, Round::Begin, &mut out).expect("the store is well");
        (if pulled.count == 1 { out[0].sequence } else { 0 }, pulled.end)
    }

    fn calls(&self) -> u32 {
        // Relaxed: all threads are joined.
        self.calls.load(Ordering::Relaxed)
    }

    /// What came of a pull that ran beside something that makes room: the message, or a call and then the message.
    fn expect_progress(&mut self, pulled: (u64, PullEnd), reason: Blocked, sequence: u64) {
        reached("the pull was blocked", pulled.0 == 0);
        reached("the pull was not blocked", pulled.0 != 0);
        if pulled.0 == 0 {
            assert_eq!((pulled.1, self.calls()), (PullEnd::Blocked(reason), 1));
            assert_eq!(self.pull().0, sequence);
        } else {
            assert_eq!((pulled.0, self.calls()), (sequence, 0));
        }
    }
}

#[test]
fn a_release_elsewhere_wakes_a_pull_that_the_parent_blocks() {
    model(2, || {
        let root = root(100);
        let hog = child(&root, 0);
        let group = Group::new(Arc::clone(&root), GroupOptions::default()).expect("in range");
        let mut queue = Queue::new(child(&root, 100), Some(&group), 2);
        assert_eq!(queue.pull().0, 1, "it holds memory, so nothing is lent");
        hog.increase(85).expect("in range");
        let other = thread::spawn(move || hog.decrease(50).expect("in range"));
        let pulled = queue.pull();
        other.join().unwrap();
        queue.expect_progress(pulled, Blocked::Parent, 2);
    });
}

#[test]
fn one_release_wakes_all_that_wait() {
    model(1, || {
        let root = root(1000);
        let hog = child(&root, 0);
        let group = Group::new(Arc::clone(&root), GroupOptions::default()).expect("in range");
        let mut queues: Vec<Queue> = (0..2).map(|_| Queue::new(child(&root, 100), Some(&group), 2)).collect();
        for queue in &mut queues {
            assert_eq!(queue.pull().0, 1);
        }
        hog.increase(950).expect("in range");
        let mut first = queues.remove(0);
        let mut second = queues.remove(0);
        let other = thread::spawn(move || {
            let pulled = first.pull();
            (first, pulled)
        });
        let pulled = second.pull();
        hog.decrease(900).expect("in range");
        let (mut first, earlier) = other.join().unwrap();
        assert_eq!((pulled.1, second.calls()), (PullEnd::Blocked(Blocked::Parent), 1));
        assert_eq!(second.pull().0, 2);
        first.expect_progress(earlier, Blocked::Parent, 2);
    });
}

#[test]
fn a_cursor_that_leaves_takes_nobody_along() {
    model(2, || {
        let root = root(1000);
        let hog = child(&root, 0);
        let group = Group::new(Arc::clone(&root), GroupOptions::default()).expect("in range");
        let mut leaving = Queue::new(child(&root, 100), Some(&group), 2);
        let mut staying = Queue::new(child(&root, 100), Some(&group), 2);
        assert_eq!((leaving.pull().0, staying.pull().0), (1, 1));
        hog.increase(950).expect("in range");
        assert_eq!((leaving.pull().0, staying.pull().0), (0, 0));
        assert_eq!(group.stats().waiting, 2);
        let other = thread::spawn(move || hog.decrease(900).expect("in range"));
        let calls = Arc::clone(&leaving.calls);
        drop(leaving);
        other.join().unwrap();
        let called = calls.load(Ordering::Relaxed);
        reached("it was woken before it left", called == 1);
        reached("it had left", called == 0);
        assert_eq!(staying.calls(), 1);
        assert_eq!(staying.pull().0, 2);
        assert_eq!((group.stats().members, group.stats().waiting), (1, 0));
    });
}

#[test]
fn a_loan_that_comes_back_goes_to_who_was_refused() {
    model(2, || {
        let root = root(1000);
        let hog = child(&root, 0);
        let options = GroupOptions { max_lent_bytes: 10, ..GroupOptions::default() };
        let group = Group::new(Arc::clone(&root), options).expect("in range");
        let mut lender = Queue::new(child(&root, 100), Some(&group), 1);
        let mut waiting = Queue::new(child(&root, 100), Some(&group), 1);
        hog.increase(950).expect("in range");
        assert_eq!(lender.pull().0, 1, "by the guaranteed share");
        let other = thread::spawn(move || {
            lender.cursor.ack(1).expect("in flight");
            lender
        });
        let pulled = waiting.pull();
        drop(other.join().unwrap());
        waiting.expect_progress(pulled, Blocked::Parent, 1);
        assert_eq!(group.stats().lent_bytes, 10);
    });
}

#[test]
fn a_limit_that_grows_wakes_a_pull_that_the_own_mark_blocks() {
    model(2, || {
        let root = root(40);
        let options = GroupOptions { divides_limit: true, ..GroupOptions::default() };
        let group = Group::new(Arc::clone(&root), options).expect("in range");
        let policy =
            Policy { parent_page_percent: 1000, low_percent: 50, high_percent: 50, ..Policy::default() };
        let options = Options { policy, ..Options::default() };
        let mut queue = Queue::with(options, child(&root, 0), Some(&group), 2);
        let leaving = Queue::new(child(&root, 0), Some(&group), 0);
        assert_eq!(queue.pull().0, 1, "10 of 20 bytes: not below half");
        let other = thread::spawn(move || drop(leaving));
        let pulled = queue.pull();
        other.join().unwrap();
        queue.expect_progress(pulled, Blocked::OwnMark, 2);
    });
}

#[test]
fn the_hosts_own_release_wakes_a_cursor_that_only_reads() {
    model(2, || {
        let tracker = root(100);
        let options = Options { accounting: Accounting::Host, ..Options::default() };
        let mut queue = Queue::with(options, Arc::clone(&tracker), None, 2);
        assert_eq!(queue.pull().0, 1);
        tracker.increase(80).expect("in range");
        let other = thread::spawn(move || tracker.decrease(50).expect("in range"));
        let pulled = queue.pull();
        other.join().unwrap();
        queue.expect_progress(pulled, Blocked::OwnMark, 2);
    });
}

#[test]
fn who_joins_divides_the_limit_with_who_is_there() {
    model(2, || {
        let root = root(1000);
        let options = GroupOptions { divides_limit: true, ..GroupOptions::default() };
        let group = Group::new(Arc::clone(&root), options).expect("in range");
        let (one, two) = (child(&root, 0), child(&root, 0));
        let first = Queue::new(Arc::clone(&one), Some(&group), 0);
        let (other_group, other_tracker) = (group.clone(), Arc::clone(&two));
        let other = thread::spawn(move || Queue::new(other_tracker, Some(&other_group), 0));
        drop(first);
        let second = other.join().unwrap();
        assert_eq!(two.limit_bytes(), 1000, "it is alone now");
        assert_eq!(group.stats().members, 1);
        drop(second);
        assert_eq!(group.stats().members, 0);
    });
}

#[test]
fn handle_and_cursor_go_in_any_order_and_leave_nothing_behind() {
    model(2, || {
        let root = root(1000);
        let node = root.child(usage::Options::default()).expect("in range").into_node();
        // SAFETY: alive by the handle's reference, which `close` ends below.
        let user = Tracker::user_of(unsafe { node.as_ref() }).expect("open");
        let mut queue = Queue::new(Arc::new(user), None, 2);
        assert_eq!(queue.pull().0, 1);
        let other = thread::spawn(move || drop(queue));
        let residual = raw::close(node).finish().expect("it has no error");
        other.join().unwrap();
        assert_eq!(residual, 0, "the cursor's charge is the cursor's to take off");
        assert_eq!((root.usage_bytes(), root.stats().children), (0, 0));
    });
}
