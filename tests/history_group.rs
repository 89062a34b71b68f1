//! Groups of histories through the Rust API: collected together as each would be alone, in turns, within one limit.

#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod model;

use model::scarce::Scarce;
use model::setup::{key, scramble};
use queuecore::history::{
    Erased, Error, GcPolicy, Group, GroupOptions, History, Inserted, Members, Options, Reach,
};
use std::collections::BTreeMap;

/// Histories by their tags; those in `out_of_reach` are not to be had now.
#[derive(Default)]
struct Queues {
    histories: BTreeMap<u64, History>,
    out_of_reach: Vec<u64>,
    asked: u64,
}

impl Queues {
    fn add(&mut self, group: &Group, tag: u64, window_ns: i64) {
        let options = Options {
            window_ns,
            resolution_ns: 1,
            gc: GcPolicy::Scheduled,
            group: Some(group.clone()),
            ..Options::default()
        };
        let mut history = History::new(options).expect("valid options");
        history.set_tags_in_group(tag, 77);
        assert_eq!(history.group_tag(), 77);
        self.histories.insert(tag, history);
    }

    fn remember(&mut self, tag: u64, number: u64, now_ns: i64) {
        let history = self.histories.get_mut(&tag).expect("a queue");
        assert!(matches!(history.insert(&key(number), &[], now_ns, now_ns), Ok(Inserted::Added(_))));
        assert_eq!(history.erase_key(&key(number), now_ns), Ok(Erased::Historical));
    }

    fn remembered(&self) -> u64 {
        self.histories.values().map(History::history_len).sum()
    }
}

impl Members for Queues {
    fn with(&mut self, tag: u64, turn: &mut dyn FnMut(&mut History)) -> Reach {
        self.asked += 1;
        if self.out_of_reach.contains(&tag) {
            return Reach::Later;
        }
        let Some(history) = self.histories.get_mut(&tag) else { return Reach::Never };
        turn(history);
        Reach::Reached
    }
}

fn group() -> Group {
    Group::new(GroupOptions { max_clock_step_ns: Some(0), ..GroupOptions::default() }).expect("valid options")
}

#[test]
fn only_histories_that_are_due_are_asked_for() {
    let group = group();
    let mut queues = Queues::default();
    for tag in 0..1000 {
        queues.add(&group, tag, 100 + tag as i64);
    }
    assert_eq!(group.gc_many(1_000_000, u64::MAX, &mut queues).map(|done| done.collected), Ok(0));
    assert_eq!(queues.asked, 0, "empty ones cost nothing");
    for tag in (0..1000).step_by(10) {
        queues.remember(tag, tag, 1_000_000);
    }
    for later in [99, 100, 500, 1_090, 1_091] {
        let due = (0..1000).step_by(10).filter(|tag| 100 + tag <= later).count() as u64;
        let done = group.gc_many(1_000_000 + later, u64::MAX, &mut queues).expect("the time is right");
        assert!(!done.more);
        assert_eq!((queues.remembered(), queues.asked), (100 - due, due), "{later} later");
    }
}

/// Random inserts, times and windows: collected together is collected alone.
#[test]
fn collected_together_is_collected_alone() {
    let rounds = if cfg!(miri) { 200 } else { 20_000 };
    let group = group();
    let (mut queues, mut alone) = (Queues::default(), BTreeMap::new());
    let mut random = 5;
    let mut now_ns = 1000;
    for round in 0..rounds {
        random = scramble(random + round);
        let tag = random % 8;
        if !queues.histories.contains_key(&tag) {
            queues.add(&group, tag, 200);
            let options =
                Options { window_ns: 200, resolution_ns: 1, gc: GcPolicy::Scheduled, ..Options::default() };
            alone.insert(tag, History::new(options).expect("valid options"));
        }
        let (grouped, single) = (queues.histories.get_mut(&tag).unwrap(), alone.get_mut(&tag).unwrap());
        let number = random >> 32 & 31;
        for history in [&mut *grouped, &mut *single] {
            match random >> 16 & 15 {
                0..6 => drop(history.insert(&key(number), &[], now_ns - (random >> 40 & 127) as i64, now_ns)),
                6..10 => drop(history.erase_key(&key(number), now_ns)),
                10 => drop(history.forget_key(&key(number))),
                11 => history.set_window(100 + (random >> 40 & 255) as i64).expect("in range"),
                12 => drop(history.readmit(&key(number), &[], now_ns, now_ns)),
                13 if random >> 48 & 63 == 0 => history.clear(),
                13 => drop(history.clear_step(random >> 40 & 3)),
                _ => {}
            }
        }
        now_ns += (random >> 50 & 7) as i64;
        if random >> 20 & 15 == 0 {
            while group.gc_many(now_ns, 3, &mut queues).expect("the time is right").more {}
            for (tag, single) in &mut alone {
                while single.gc(now_ns, 100).expect("the time is right").more {}
                let grouped = &queues.histories[tag];
                let figures = |history: &History| {
                    (history.live_len(), history.history_len(), history.stats().tombstones)
                };
                assert_eq!(figures(grouped), figures(single), "queue {tag} at {now_ns}");
            }
        }
        if random >> 24 & 1023 == 0 {
            queues.histories.remove(&tag);
            alone.remove(&tag);
        }
    }
    drop(queues);
    assert!(group.is_empty());
}

#[test]
fn one_that_is_out_of_reach_keeps_its_turn() {
    let group = group();
    let mut queues = Queues::default();
    for tag in 0..3 {
        queues.add(&group, tag, 100);
        queues.remember(tag, 1, 0);
    }
    queues.out_of_reach = vec![1];
    let done = group.gc_many(100, 1000, &mut queues).expect("the time is right");
    assert_eq!(done.collected, 2);
    queues.out_of_reach.clear();
    assert_eq!(group.gc_many(101, 1000, &mut queues).map(|done| done.collected), Ok(1));
    assert_eq!(queues.remembered(), 0);
}

#[test]
fn the_limit_counts_every_byte_of_all() {
    let allocator = Scarce::plenty();
    let limit_bytes = 100_000;
    let options = GroupOptions { limit_bytes, allocator: Some(allocator.clone()), ..GroupOptions::default() };
    let group = Group::new(options).expect("valid options");
    let mut queues = Queues::default();
    for tag in 0..4 {
        queues.add(&group, tag, 1000);
    }
    let mut full = 0;
    for number in 0..20_000 {
        let history = queues.histories.get_mut(&(number % 4)).expect("a queue");
        match history.insert(&key(number), &[], 0, 0) {
            // After a refusal too: what a key needs depends on its bucket and its queue's blocks.
            Ok(Inserted::Added(_)) => {}
            Err(Error::NoMemory) => {
                assert!(history.is_group_full());
                full += 1;
            }
            other => panic!("{other:?}"),
        }
        let stats = group.stats();
        assert!(stats.bytes_in_use <= limit_bytes, "{stats:?}");
        assert!(allocator.figures().bytes <= stats.bytes_in_use, "{stats:?}");
        if full > 1000 {
            break;
        }
    }
    assert!(full > 1000);
    drop(queues);
    drop(group);
    assert_eq!((allocator.figures().bytes, allocator.figures().foul), (0, 0));
}
