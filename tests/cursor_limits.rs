//! Every error of the cursor, every limit, and an allocator that refuses at each of its requests in turn: a failed call
//! has changed nothing, and no byte is left in the end.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used, clippy::disallowed_types)]

mod cursor_support;
#[path = "model/scarce.rs"]
mod scarce;

use cursor_support::{Queue, tracker};
use queuecore::cursor::{
    Cursor, Delivered, Error, Fetch, Group, GroupOptions, MAX_ENTRIES, MAX_OPEN_WRITES, MAX_PAGE_MESSAGES,
    MemoryStore, Message, Options, Policy, PullEnd, Pushed, Round, Store, StoreError, Stored, Write,
};
use scarce::Scarce;
use std::sync::Arc;

fn message(token: u64, write: Write) -> Message {
    Message { token, user: 0, size_bytes: 10, priority: 4, write }
}

#[test]
fn settings_outside_their_range_are_refused() {
    let base = Policy::default();
    let refused = [
        ("high_percent", Policy { high_percent: 0, ..base }),
        ("high_percent", Policy { high_percent: 101, ..base }),
        ("low_percent", Policy { low_percent: 0, ..base }),
        ("parent_cache_percent", Policy { parent_cache_percent: 0, ..base }),
        ("parent_page_percent", Policy { parent_page_percent: 1001, ..base }),
        ("page_messages", Policy { page_messages: 0, ..base }),
        ("page_messages", Policy { page_messages: MAX_PAGE_MESSAGES + 1, ..base }),
        ("page_bytes", Policy { page_bytes: 0, ..base }),
        ("min_page_messages", Policy { min_page_messages: 201, ..base }),
    ];
    let mut queue = Queue::new(0, Options::default());
    for (setting, policy) in refused {
        let error = queue.cursor.set_policy(policy).expect_err(setting);
        assert!(matches!(error, Error::OutOfRange { what, .. } if what == setting), "{error:?}");
        assert!(error.to_string().starts_with(setting), "{error}");
    }
    assert!(matches!(queue.cursor.set_marks(71, 70), Err(Error::Contradiction { .. })));
    assert_eq!(queue.cursor.policy(), &base);
    for options in [
        Options { max_entries: MAX_ENTRIES + 1, ..Options::default() },
        Options { max_open_writes: MAX_OPEN_WRITES + 1, ..Options::default() },
    ] {
        let made = Cursor::new(options, tracker(0), None, Box::new(MemoryStore::new()));
        assert!(matches!(made.err(), Some(Error::OutOfRange { .. })));
    }
    let lent = GroupOptions { max_lent_bytes: u64::MAX, ..GroupOptions::default() };
    assert!(matches!(Group::new(tracker(0), lent).err(), Some(Error::OutOfRange { .. })));
}

#[test]
fn open_comes_first_and_once() {
    let mut queue = Queue::new(0, Options::default());
    assert!(matches!(queue.cursor.open(3, 30, 2), Err(Error::OutOfRange { what: "last_sequence", .. })));
    assert!(matches!(queue.cursor.open(0, 0, u64::MAX), Err(Error::OutOfRange { .. })));
    queue.cursor.open(0, 0, 7).expect("new");
    assert!(matches!(queue.cursor.open(0, 0, 7), Err(Error::Contradiction { .. })));
    let refused = queue.cursor.push(&message(1, Write::Committed(7)));
    assert!(matches!(refused, Err(Error::Order { what: "sequence", above: 7, .. })), "{refused:?}");
    assert_eq!(queue.push(8, 10), Pushed::Cached);
    let mut used = Queue::new(0, Options::default());
    used.push(1, 10);
    assert!(matches!(used.cursor.open(0, 0, 7), Err(Error::Contradiction { .. })));
}

#[test]
fn tokens_and_sequences_rise() {
    let mut queue = Queue::new(0, Options::default());
    assert!(queue.cursor.push(&message(5, Write::Committed(0))).is_err());
    queue.cursor.push(&message(5, Write::Committed(5))).expect("in order");
    for (token, write) in [
        (5, Write::Committed(6)),
        (4, Write::Open),
        (6, Write::Committed(5)),
        (6, Write::OpenAt(4)),
        (6, Write::Committed(u64::MAX)),
    ] {
        let refused = queue.cursor.push(&message(token, write));
        assert!(matches!(refused, Err(Error::Order { .. })), "{token} {write:?}: {refused:?}");
    }
    for token in 10..=14 {
        queue.cursor.push(&message(token, Write::Open)).expect("in order");
    }
    queue.cursor.push(&message(15, Write::OpenAt(100))).expect("in order");
    queue.cursor.committed(12, 50).expect("open");
    for (token, sequence, above, below) in [
        (10, 5, 5, 50),
        (10, 50, 5, 50),
        (11, 51, 5, 50),
        (13, 50, 50, 100),
        (14, 100, 50, 100),
        (15, 99, 99, 101),
    ] {
        let expected = Error::Order { what: "sequence", value: sequence, above, below };
        assert_eq!(queue.cursor.committed(token, sequence), Err(expected));
    }
    assert_eq!(queue.cursor.committed(12, 50), Err(Error::UnknownToken { token: 12 }), "answered");
    assert_eq!(queue.cursor.aborted(12), Err(Error::UnknownToken { token: 12 }));
    assert_eq!(queue.cursor.committed(9, 50), Err(Error::UnknownToken { token: 9 }));
    for (token, sequence) in [(11, 40), (10, 39), (14, 99), (15, 100), (13, 98)] {
        queue.cursor.committed(token, sequence).expect("between its neighbours");
    }
    assert_eq!(queue.pull(10).0, [5, 39, 40, 50, 98, 99, 100]);
}

#[test]
fn open_writes_are_bounded() {
    let mut queue = Queue::new(0, Options { max_open_writes: 3, ..Options::default() });
    for token in 1..=3 {
        queue.cursor.push(&message(token, Write::Open)).expect("room");
    }
    let full = Err(Error::TooMany { what: "open writes", limit: 3 });
    assert_eq!(queue.cursor.push(&message(4, Write::Open)), full);
    assert_eq!(queue.cursor.push(&message(4, Write::Committed(9))), full);
    assert_eq!(queue.cursor.stats().pending_count, 3);
    queue.cursor.committed(2, 2).expect("open");
    assert_eq!(queue.cursor.push(&message(4, Write::Open)), full, "it waits behind the first");
    queue.cursor.committed(1, 1).expect("open");
    queue.cursor.push(&message(4, Write::Open)).expect("room again");
}

#[test]
fn the_window_is_bounded_and_everything_comes_out() {
    let mut queue = Queue::new(0, Options { max_entries: 10, ..Options::default() });
    for sequence in 1..=50 {
        let expected = if sequence <= 10 { Pushed::Cached } else { Pushed::Stored };
        assert_eq!(queue.push(sequence, 1), expected);
    }
    let (sequences, end) = queue.pull(50);
    assert_eq!((sequences.len(), end), (10, PullEnd::Blocked(queuecore::cursor::Blocked::Entries)));
    for sequence in &sequences {
        queue.ack(*sequence);
        assert!(queue.cursor.stats().in_memory_count <= 10);
    }
    assert_eq!(queue.ready_calls(), 1);
    assert_eq!(queue.drain(), (11..=50).collect::<Vec<u64>>());
}

#[test]
fn calls_on_messages_in_the_wrong_state_are_refused() {
    let mut queue = Queue::new(0, Options::default());
    queue.push(1, 10);
    queue.push_open(2, 10);
    for sequence in [0, 2, 3, u64::MAX] {
        let missing = Error::NotFound { sequence };
        assert_eq!(queue.cursor.ack(sequence), Err(missing));
        assert_eq!(queue.cursor.requeue(sequence), Err(missing));
        assert_eq!(queue.cursor.park(sequence), Err(missing));
        assert_eq!(queue.cursor.remove(sequence, 0), Err(missing));
    }
    let waiting = Err(Error::NotInFlight { sequence: 1 });
    assert_eq!(queue.cursor.ack(1).map(drop), waiting);
    assert_eq!(queue.cursor.requeue(1), waiting);
    assert_eq!(queue.cursor.park(1), waiting);
    assert_eq!(queue.pull(1).0, [1]);
    queue.cursor.park(1).expect("in flight");
    assert_eq!(queue.cursor.park(1), waiting);
    assert_eq!(queue.cursor.ack(1).map(drop), waiting);
}

// ---- stores that answer nonsense

type Answer = fn(&Fetch, &mut [Stored]) -> Result<usize, StoreError>;

struct Odd {
    answer: Answer,
    discarded: Arc<std::sync::Mutex<Vec<u64>>>,
}

impl Store for Odd {
    fn fetch(&mut self, fetch: &Fetch, out: &mut [Stored]) -> Result<usize, StoreError> {
        (self.answer)(fetch, out)
    }

    fn discard(&mut self, message: &Stored) {
        self.discarded.lock().expect("unpoisoned").push(message.sequence);
    }
}

fn stored(sequence: u64, size_bytes: u32) -> Stored {
    Stored { sequence, user: 0, size_bytes, priority: 4 }
}

#[test]
fn an_answer_that_breaks_the_contract_is_refused() {
    let answers: [(&str, Answer, &[u64]); 7] = [
        (
            "too many messages",
            |fetch, out| {
                out[0] = stored(fetch.after + 1, 1);
                Ok(out.len() + 1)
            },
            &[],
        ),
        (
            "a sequence out of order",
            |_, out| {
                (out[0], out[1]) = (stored(2, 1), stored(1, 1));
                Ok(2)
            },
            &[2, 1],
        ),
        (
            "a sequence out of order",
            |_, out| {
                (out[0], out[1]) = (stored(2, 1), stored(2, 1));
                Ok(2)
            },
            &[2, 2],
        ),
        (
            "a sequence out of order",
            |fetch, out| {
                out[0] = stored(fetch.after, 1);
                Ok(1)
            },
            &[0],
        ),
        (
            "a sequence beyond the range",
            |fetch, out| {
                out[0] = stored(fetch.up_to + 1, 1);
                Ok(1)
            },
            &[11],
        ),
        (
            "too many bytes",
            |_, out| {
                (out[0], out[1]) = (stored(1, 60), stored(2, 60));
                Ok(2)
            },
            &[1, 2],
        ),
        ("", |_, _| Err(StoreError { code: -3 }), &[]),
    ];
    for (reason, answer, discarded) in answers {
        let tracker = tracker(0);
        let told = Arc::default();
        let odd = Odd { answer, discarded: Arc::clone(&told) };
        let options =
            Options { policy: Policy { page_bytes: 100, ..Policy::default() }, ..Options::default() };
        let mut cursor = Cursor::new(options, Arc::clone(&tracker), None, Box::new(odd)).expect("valid");
        cursor.open(10, 100, 10).expect("new");
        let before = cursor.stats();
        let mut out = [Delivered::default(); 5];
        for _ in 0..20 {
            told.lock().expect("unpoisoned").clear();
            let error = cursor.pull(5, Round::Begin, &mut out).expect_err(reason);
            match error {
                Error::BadFetch { what, .. } => assert_eq!(what, reason),
                Error::Store(error) => assert_eq!((error.code, reason), (-3, "")),
                other => panic!("{other}"),
            }
            assert!(!error.to_string().is_empty());
            if cursor.stats().failed_fetches == 1 {
                let told = told.lock().expect("unpoisoned");
                assert!(discarded.is_empty() || *told == discarded, "{reason}: {told:?}");
            }
            if out.len() < 2 {
                break;
            }
            // Pages shrink to one message, which cannot be out of order with itself.
            if cursor.stats().failed_fetches >= 2 && !matches!(reason, "" | "a sequence beyond the range") {
                break;
            }
        }
        let after = cursor.stats();
        assert_eq!((after.pending_count, after.in_memory_bytes), (before.pending_count, 0));
        assert_eq!(tracker.usage_bytes(), 0);
    }
}

// ---- memory

/// A life with all of it: cached, stored, open, paged, dropped, many priorities. Every failure is taken as it comes, and
/// repeated. Answers the sequences that came out.
fn life(
    options: Options,
    group: Option<&Group>,
    tracker: &Arc<queuecore::usage::Tracker>,
) -> Option<Vec<u64>> {
    const COUNT: u64 = 120;
    let store = MemoryStore::new();
    let mut cursor = Cursor::new(options, Arc::clone(tracker), group, Box::new(store.clone())).ok()?;
    let mut out = [Delivered::default(); 16];
    let mut seen = Vec::new();
    for sequence in 1..=COUNT {
        let priority = (sequence / 40) as u8;
        let stored = Stored { sequence, user: 0, size_bytes: 10, priority };
        let is_open = sequence % 3 == 0;
        let write = if is_open { Write::Open } else { Write::Committed(sequence) };
        let message = Message { token: sequence, user: 0, size_bytes: 10, priority, write };
        store.insert(stored);
        again(|| cursor.push(&message));
        if sequence % 30 == 0 {
            for token in (sequence - 29..=sequence).filter(|token| token % 3 == 0) {
                again(|| cursor.committed(token, token));
            }
            cursor.drop_cache();
        }
    }
    let mut idle = 0;
    while seen.len() < COUNT as usize && idle < 100 {
        let pulled = again(|| cursor.pull(16, Round::Begin, &mut out));
        idle = if pulled.count == 0 { idle + 1 } else { 0 };
        for (at, message) in out.iter().take(pulled.count).enumerate() {
            if at % 5 == 4 && message.redeliveries == 0 {
                again(|| cursor.requeue(message.sequence));
            } else {
                again(|| cursor.ack(message.sequence));
                store.remove(message.sequence);
                seen.push(message.sequence);
            }
        }
    }
    let stats = cursor.stats();
    assert_eq!((stats.pending_count, stats.in_memory_bytes), (0, 0));
    seen.sort_unstable();
    Some(seen)
}

/// Makes a call until it does not fail for want of memory.
fn again<T: std::fmt::Debug>(mut call: impl FnMut() -> Result<T, Error>) -> T {
    for _ in 0..100 {
        match call() {
            Err(Error::NoMemory) => {}
            other => return other.expect("nothing else fails"),
        }
    }
    panic!("no memory for ever");
}

#[test]
fn an_allocator_that_refuses_costs_time_and_nothing_else() {
    let all: Vec<u64> = (1..=120).collect();
    let plenty = Scarce::plenty();
    let usage = tracker(0);
    let options = |allocator: &Arc<Scarce>| Options {
        allocator: Some(Arc::clone(allocator) as Arc<_>),
        max_open_writes: 64,
        ..Options::default()
    };
    assert_eq!(life(options(&plenty), None, &usage), Some(all.clone()));
    let requests = plenty.figures().requests;
    assert!(requests > 10, "{requests}");
    for refused in 1..=requests {
        for count in [1, 5] {
            let scarce = Scarce::failing(refused, count);
            assert_eq!(
                life(options(&scarce), None, &usage),
                Some(all.clone()),
                "request {refused}, {count} times"
            );
            let ledger = scarce.figures();
            assert_eq!((ledger.bytes, ledger.foul, ledger.refused >= 1), (0, 0, true));
            assert_eq!(usage.usage_bytes(), 0);
        }
    }
}

#[test]
fn a_group_without_memory_refuses_a_cursor() {
    let scarce = Scarce::plenty();
    let usage = tracker(1000);
    let options = GroupOptions { allocator: Some(Arc::clone(&scarce) as Arc<_>), ..GroupOptions::default() };
    let group = Group::new(Arc::clone(&usage), options).expect("it needs none yet");
    scarce.refuse_all();
    let made =
        Cursor::new(Options::default(), Arc::clone(&usage), Some(&group), Box::new(MemoryStore::new()));
    assert_eq!(made.err(), Some(Error::NoMemory));
    assert_eq!(group.stats().members, 0);
    scarce.relent();
    let made = Cursor::new(Options::default(), usage, Some(&group), Box::new(MemoryStore::new()));
    assert!(made.is_ok());
    drop((made, group));
    assert_eq!(scarce.figures().bytes, 0);
}

#[test]
fn a_drained_cursor_gives_its_memory_back() {
    let scarce = Scarce::plenty();
    let options = Options { allocator: Some(Arc::clone(&scarce) as Arc<_>), ..Options::default() };
    let mut queue = Queue::with(options, tracker(0), None, MemoryStore::new());
    for sequence in 1..=100_000 {
        assert_eq!(queue.push(sequence, 10), Pushed::Cached);
    }
    let peak = scarce.figures().bytes;
    assert!(peak >= 100_000 * 64, "{peak}");
    assert!(peak <= 100_000 * 96, "{peak} bytes for 100,000 messages");
    queue.drain();
    let left = scarce.figures().bytes;
    assert!(left <= peak / 50, "{left} of {peak} bytes left");
    let stats = queue.cursor.stats();
    assert!(stats.bytes_in_use < left + 2048 && stats.bytes_peak >= peak);
    drop(queue);
    assert_eq!((scarce.figures().bytes, scarce.figures().foul), (0, 0));
}
