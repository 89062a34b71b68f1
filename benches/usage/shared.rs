//! Writes to shared lines per operation, from the engine's own counters; and the memory of a quiet tracker.
//!
//! # How lines are counted
//! What `Tracker::stats` counts is turned into lines as if each of them were another processor's before, which is more
//! than is true of most:
//!
//! | what | lines | which |
//! |---|---|---|
//! | taking the tree's lock | 3 | the lock's own, two of what it guards |
//! | refill | lock + 4 a level + 1 | of each level: total and slack; checks; links of the cold part; one of a neighbour in its parent's list; the stripe |
//! | recall | lock + 5 a level + 1 a stripe | the same and the line that is read by everybody; every stripe there is |
//! | crossing | 6 | the lock, checks, total, what is read by everybody; with a listener the duty to deliver and the node's block |
//!
//! Operations that went to the totals directly are not among the counters. Their share is found by a second look at the
//! tree that the time was taken on: its operations one by one, and after each the question whether the committed
//! total moved although nothing was filled, recalled or crossed. A direct operation counts as one line a level. For
//! the split case two threads take turns at that, each on a processor of its own.

use crate::cases::{LIMIT_BYTES, Work};
use crate::cell::Bench;
use crate::engines::Own;
use crate::meter::{Figures, KIB, Meter};
use crate::processors;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const LEVELS: u64 = 2;
const LOCK_LINES: u64 = 3;
const REFILL_LINES: u64 = LOCK_LINES + 4 * LEVELS + 1;
const CROSSING_LINES: u64 = 6;

/// Lines that `done` wrote, in a tree with that many active stripes.
pub fn lines(done: &Figures) -> u64 {
    let recall_lines = LOCK_LINES + 5 * LEVELS + done.active_stripes;
    done.refills * REFILL_LINES + done.recalls * recall_lines + done.crossings * CROSSING_LINES
}

/// Messages of the second look.
const LOOKED_AT: u64 = 20_000;
/// The longest that a second look takes: where two threads have to share a processor, turns are slow, and the question
/// takes time in proportion to the active stripes.
const LONGEST_LOOK: Duration = Duration::from_millis(300);

/// The share of increases and decreases that changed the committed totals directly.
pub fn direct_share<M: Meter>(bench: &Bench<M>) -> Option<f64> {
    bench.parent.figures()?;
    Some(match bench.work {
        Work::Message | Work::ParentPercent | Work::Random => alone(bench),
        Work::Split => in_turns(bench),
    })
}

/// Lines written by operations that are direct in that share of cases: one a level, for both halves of a message.
pub fn direct_lines(share: f64) -> f64 {
    share * 2.0 * LEVELS as f64
}

/// Whether `change` went to the totals directly.
fn is_direct<M: Meter>(bench: &Bench<M>, change: impl FnOnce()) -> u64 {
    let before = bench.parent.figures().unwrap_or_default();
    change();
    let after = bench.parent.figures().unwrap_or_default();
    let done = after.since(&before);
    let moved = after.committed_bytes != before.committed_bytes;
    u64::from(moved && done.refills + done.recalls + done.crossings == 0)
}

fn alone<M: Meter>(bench: &Bench<M>) -> f64 {
    let child = &bench.children[0];
    let begin = Instant::now();
    let (mut direct, mut halves) = (0, 0);
    while halves < 2 * LOOKED_AT && begin.elapsed() < LONGEST_LOOK {
        direct += is_direct(bench, || child.increase(KIB)) + is_direct(bench, || child.decrease(KIB));
        halves += 2;
    }
    direct as f64 / halves.max(1) as f64
}

fn in_turns<M: Meter>(bench: &Bench<M>) -> f64 {
    let child = &bench.children[0];
    let turn = AtomicU64::new(0);
    let begin = Instant::now();
    // Turns of 0 go up, those of 1 down. The end is up's to say, so that each message is taken off again.
    let up = || {
        processors::stay(0);
        let (mut direct, mut number) = (0, 0);
        while number < LOOKED_AT && begin.elapsed() < LONGEST_LOOK {
            direct += is_direct(bench, || child.increase(KIB));
            number += 1;
            turn.store(2 * number - 1, Ordering::Release);
            while turn.load(Ordering::Acquire) != 2 * number {
                std::thread::yield_now();
            }
        }
        turn.store(OVER, Ordering::Release);
        (direct, 2 * number)
    };
    let down = || {
        processors::stay(1);
        let mut direct = 0;
        loop {
            match turn.load(Ordering::Acquire) {
                OVER => return direct,
                now if now % 2 == 1 => {
                    direct += is_direct(bench, || child.decrease(KIB));
                    turn.store(now + 1, Ordering::Release);
                }
                _ => std::thread::yield_now(),
            }
        }
    };
    let ((direct_up, halves), direct_down) = std::thread::scope(|scope| {
        let (up, down) = (scope.spawn(up), scope.spawn(down));
        (up.join().expect("no engine panics"), down.join().expect("no engine panics"))
    });
    (direct_up + direct_down) as f64 / halves.max(1) as f64
}

/// The turn after the last.
const OVER: u64 = u64::MAX - 1;

/// Bytes of a tracker that nobody uses: those of 1,000 children more. The first child, with which the parent gets a
/// hidden one for its own share, is not among them.
pub fn quiet_tracker_bytes() -> f64 {
    const CHILDREN: usize = 1000;
    let parent = Own::root(LIMIT_BYTES);
    let in_use = || parent.figures().unwrap_or_default().bytes_in_use as f64;
    let first = parent.child();
    let before = in_use();
    let more: Vec<Own> = (0..CHILDREN).map(|_| parent.child()).collect();
    let bytes = (in_use() - before) / CHILDREN as f64;
    drop((first, more));
    bytes
}
