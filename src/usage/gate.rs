//! The gate: how a level that leaves its bounds becomes a new percent, an event and a wake-up, each exactly once.
//!
//! Around the committed total G of a node stand bounds: while `lo <= usage < hi` every answer stays as it is. The usage
//! lies between `G - slack` and `G`, since each unit of slack is either credit, which is in G and not used, or room,
//! which can only be put back. So the answers hold while `lo + slack <= G < hi`, and these two numbers are what every
//! writer of G compares with *after* its read-modify-write (`check_lo`, `check_hi`). One who is outside comes here.
//!
//! ```text
//!            lo          lo + slack                    hi
//!   ---------|---------------|--------------------------|---------> G
//!    crossing|   crossing    |   nothing can change     | crossing
//! ```
//! To publish new bounds, the holder of the lock
//! 1. *shuts* the gate: `check_hi = min`, so that whoever writes G from now on comes to the lock;
//! 2. *verifies* G by a read-modify-write that follows its own last write to G;
//! 3. computes and publishes bounds and answers that contain the verified G;
//! 4. *opens* the gate.
//!
//! # Why nobody is missed
//! All writes to G are read-modify-writes and so have one order, and each synchronises with those after it. A writer
//! before step 2 is in the verified G. A writer after step 2 has step 1 before it, so it meets the shut gate and comes
//! to the lock, or it meets the open gate of step 4, or a later one. Then its own G is compared with bounds that were
//! published with it, and its later reads of the answers see what was published before the gate it met was opened.
//! It looks at `check_hi` first and then at `check_lo`, which may be of a later publication. Then its first look came
//! before that publication was shut, so its write is in the G that one verified, and nothing is missed; and as a check
//! becomes looser only behind the answers, it sees those. (In the other order something is missed: `check_lo` from
//! before the shutting, which does not touch it, and `check_hi` from the opening.)
//!
//! A writer that meets a shut gate may wait and look again, so it may compare an older total of its own with bounds of a
//! later publication. Its write is then before that one's step 2, and in what was verified; or after it, and rightly
//! compared. And `cross_alone` opens a gate again as it was if it has nothing to publish, the verified G outside of it
//! included: the answers are the same as before, so whoever is inside the old check is right, and whoever left the bounds
//! is the caller or on its way to the lock.
//!
//! # Invariants
//! 1. G = usage + the credit of all stripes below + what the holder of the lock has in hand.
//! 2. slack = the sum of the caps of all stripes below, and of what is in hand.
//! 3. While the gate is open and no writer is on its way to the lock, `lo + slack <= G < hi`.
//! 4. Bounds are published only after step 2 of the same shutting.
//! 5. Credit exists only where `hi <= limit` on every limited level above it: taking it never exceeds a limit.
//! 6. Only the holder of the lock makes an inactive word active.
//! 7. Percent, state, events and wake-ups change only under the lock and a shut gate.
//! 8. G is read for a decision only by a read-modify-write; where it is just loaded, the value is a guess (`can_lend`,
//!    `is_outside`) or an answer of that moment (`read`). All order between threads goes through G or through a
//!    word; nothing needs a total order beyond that, and no fence.

use super::events::Drain;
use super::node::{FAR, FULL, Node, OVER_MARK, STOPPED, UNKNOWN, level_of};
use super::percent::{BEYOND, END, FAR_END, FAR_FIRST, FIRST, bucket, percent_of, threshold};
use super::tree::Held;
use crate::sync::{self, Ordering};
use std::ptr;

/// Adds to a node's committed total, and goes to the lock if that left the bounds. Answers the raw total after it.
#[inline]
pub(super) fn add(node: &Node, amount: i64, drain: &mut Option<Drain>) -> i64 {
    // AcqRel: pairs with every other read-modify-write of `committed`; the head of this file says what for.
    let raw = node.total.committed.fetch_add(amount, Ordering::AcqRel).wrapping_add(amount);
    if !is_inside(node, raw) && !is_inside_soon(node, raw) {
        cross(node, drain);
    }
    raw
}

/// Whether a raw total is between the checks as they are now.
#[inline(always)]
fn is_inside(node: &Node, raw: i64) -> bool {
    // The upper check first: shutting goes by it alone. Acquire, both: pair with the releases in `shut` and `open`.
    raw < node.gate.check_hi.load(Ordering::Acquire) && raw >= node.gate.check_lo.load(Ordering::Acquire)
}

/// Turns of a loop before a shut gate is looked at again: 1.6 microseconds on a Zen 4, a crossing with all its lines fetched
/// from the far end of a machine. Sooner looks take lines from who is about to write them: with half of this, two
/// threads at an edge got 40 % less done.
const PAUSES_AT_GATE: u32 = 64;

/// Waits a moment if the gate is shut, since who shut it is about to open it, for this writer's sake too if it came by
/// `cross`: that looks at the total once more before it leaves the lock. A writer that looks at the checks later than it
/// might have is a slow writer, and as right.
#[cold]
fn is_inside_soon(node: &Node, raw: i64) -> bool {
    // Relaxed: only says whether somebody is at it.
    if node.gate.check_hi.load(Ordering::Relaxed) != i64::MIN || !node.tree().tuning.waits_at_gate {
        return false;
    }
    sync::pause(PAUSES_AT_GATE);
    is_inside(node, raw)
}

#[cold]
fn cross(node: &Node, drain: &mut Option<Drain>) {
    let mut held = node.tree().lock();
    held.is_crossing = true;
    let mut rounds = held.tree.tuning.crossings_in_a_row;
    if !held.cross_alone(node) {
        held.shut(node);
        held.settle();
    }
    while rounds > 0 && held.is_outside(node) && held.cross_alone(node) {
        rounds -= 1;
    }
    held.leave(drain);
}

impl Held<'_> {
    /// The crossing of a single node that lends nothing and for which nobody waits: the four steps by themselves. It
    /// writes the lines of the lock, of the gate, of the total and of the answers, and no other. `false` if more is to
    /// be done; then nothing is changed.
    fn cross_alone(&mut self, node: &Node) -> bool {
        let (gate, total) = (&node.gate, &node.total);
        if !self.state.gated.is_null() {
            // A panic of the host's under the lock has left gates shut.
            return false;
        }
        // Relaxed, both: written under the lock.
        let check_lo = gate.check_lo.load(Ordering::Relaxed);
        let check_hi = gate.check_hi.load(Ordering::Relaxed);
        // Release: pairs with the acquires in `add`, through the read-modify-write that follows.
        gate.check_hi.store(i64::MIN, Ordering::Release);
        // AcqRel: as in `Node::committed`. What else is needed of this line is read now that it is this processor's.
        let raw = total.committed.fetch_add(0, Ordering::AcqRel);
        let ahead = raw - level_of(raw);
        // Relaxed: written under the lock.
        let lends = total.slack.load(Ordering::Relaxed) != 0;
        let is_outside = raw < check_lo || raw >= check_hi;
        if lends || !self.state.waiters.is_empty() || !is_outside {
            // More is to be done, or another writer has been back before this one came. Release: as in `open`.
            gate.check_hi.store(check_hi, Ordering::Release);
            return !is_outside;
        }
        let (lo, hi) = self.recompute(node, raw - ahead);
        // Release, both: as in `open`.
        gate.check_lo.store(lo + ahead, Ordering::Release);
        gate.check_hi.store(hi + ahead, Ordering::Release);
        true
    }

    /// Whether somebody else has left the bounds meanwhile.
    fn is_outside(&self, node: &Node) -> bool {
        let gate = &node.gate;
        // Relaxed, all: if so, the gate is shut and the total looked at again.
        let raw = node.total.committed.load(Ordering::Relaxed);
        raw >= gate.check_hi.load(Ordering::Relaxed) || raw < gate.check_lo.load(Ordering::Relaxed)
    }

    /// The bounds of a node: kept apart from the checks only while the gate is shut.
    pub(super) fn bounds(&mut self, node: &Node) -> (i64, i64) {
        // Relaxed, all: written under the lock.
        let lo = node.gate.check_lo.load(Ordering::Relaxed) - node.total.slack.load(Ordering::Relaxed);
        let hi = node.gate.check_hi.load(Ordering::Relaxed);
        let cold = self.cold(node);
        if cold.flags.gated { (cold.lo, cold.hi) } else { (node.unraw(lo), node.unraw(hi)) }
    }

    /// Sets the bounds of a node whose gate is shut. It opens with them.
    pub(super) fn set_bounds(&mut self, node: &Node, lo: i64, hi: i64) {
        let cold = self.cold(node);
        (cold.lo, cold.hi) = (lo, hi);
    }

    /// Shuts a node's gate, until the next `settle`.
    pub(super) fn shut(&mut self, node: &Node) {
        let next = self.state.gated;
        let (lo, hi) = self.bounds(node);
        let cold = self.cold(node);
        if cold.flags.gated {
            return;
        }
        (cold.lo, cold.hi) = (lo, hi);
        cold.flags.gated = true;
        cold.next_gated = next;
        self.state.gated = ptr::from_ref(node);
        self.state.unsettled = true;
        // Release: pairs with the acquires in `add`, through the read-modify-write that verifies.
        node.gate.check_hi.store(i64::MIN, Ordering::Release);
    }

    /// Shuts the gates of a node and of all its ancestors.
    pub(super) fn shut_path(&mut self, node: &Node) {
        for level in node.path() {
            self.shut(level);
        }
    }

    /// Has a node's bounds and answers computed anew by the next `settle`. Its gate is shut.
    pub(super) fn mark_stale(&mut self, node: &Node) {
        self.cold(node).flags.stale = true;
        self.state.unsettled = true;
    }

    /// Brings every node whose gate is shut to true answers, and only then opens the gates.
    pub(super) fn settle(&mut self) {
        while self.state.unsettled {
            self.state.unsettled = false;
            let mut next = self.state.gated;
            // SAFETY: nodes are freed only when nobody refers to them, and never with a shut gate.
            while let Some(node) = unsafe { next.as_ref() } {
                self.verify(node);
                next = self.cold(node).next_gated;
            }
            if self.state.serve {
                self.state.serve = false;
                self.serve_waiters();
            }
        }
        let mut next = self.state.gated;
        self.state.gated = ptr::null();
        // SAFETY: as above.
        while let Some(node) = unsafe { next.as_ref() } {
            next = self.open(node);
        }
    }

    /// Makes bounds and answers true for the total as it is; the gate is shut.
    fn verify(&mut self, node: &Node) {
        loop {
            let level = node.committed();
            // Relaxed: written under the lock.
            let slack = node.total.slack.load(Ordering::Relaxed);
            let (lo, hi) = self.bounds(node);
            if !self.cold(node).flags.stale && level >= lo + slack && level < hi {
                return;
            }
            if slack == 0 {
                // Without credit the committed total is the usage: the bounds that this gives contain it.
                let (lo, hi) = self.recompute(node, level);
                self.cold(node).flags.stale = false;
                self.set_bounds(node, lo, hi);
                return;
            }
            self.recall(node);
        }
    }

    fn open(&mut self, node: &Node) -> *const Node {
        let cold = self.cold(node);
        cold.flags.gated = false;
        // Relaxed: written under the lock.
        let slack = node.total.slack.load(Ordering::Relaxed);
        // Release, both: pair with the acquires in `add`. The lower check as well only now: whoever meets it meets the
        // answers that were published before it.
        node.gate.check_lo.store(node.raw(cold.lo).saturating_add(slack), Ordering::Release);
        node.gate.check_hi.store(node.raw(cold.hi), Ordering::Release);
        cold.next_gated
    }

    /// Publishes the answers for the level of a node that has no slack and whose gate is shut. Answers the bounds.
    fn recompute(&mut self, node: &Node, level: i64) -> (i64, i64) {
        let (limit, step) = (node.limit(), node.min_delta());
        // Relaxed: written under the lock.
        let was = node.front.state.load(Ordering::Relaxed);
        let mut bounds = Bounds::around(level);
        let mut state = was & STOPPED;
        if !(FAR_FIRST..FAR_END).contains(&level) {
            state |= FAR;
        }
        let mut percent = 0;
        let mut keep = true;
        if limit > 0 {
            // Lending ends at the limit; the percent may reach 100 only above it.
            let full_from = threshold(100, limit, step);
            bounds.narrow(limit);
            bounds.narrow(full_from);
            if level >= full_from {
                state |= FULL;
            }
            keep = self.keeps_steps(node, (was ^ state) & FULL == 0);
            if keep {
                percent = percent_of(level, limit, step);
                let (lo, hi) = bucket(percent, limit, step);
                bounds.narrow(lo);
                bounds.narrow(hi);
            }
            if !self.state.waiters.is_empty() {
                self.narrow_to_waiters(node, &mut bounds);
            }
            if let Some(marks) = self.marks(node) {
                let (low, high) = (threshold(marks.low, limit, step), threshold(marks.high, limit, step));
                bounds.narrow(low);
                bounds.narrow(high);
                if level >= high || (was & OVER_MARK != 0 && level >= low) {
                    state |= OVER_MARK;
                }
            }
        }
        self.crossed += 1;
        if !self.state.waiters.is_empty() {
            self.state.serve = true;
            self.state.unsettled = true;
        }
        if keep {
            self.record(node, percent);
        }
        let percent = if keep { i64::from(percent) } else { UNKNOWN };
        // Release, both: pair with the acquires of whoever asks. Only what is new is written: they read the same line.
        // Relaxed, both: written under the lock.
        if node.front.percent.load(Ordering::Relaxed) != percent {
            node.front.percent.store(percent, Ordering::Release);
        }
        if state != was {
            node.front.state.store(state, Ordering::Release);
        }
        (bounds.lo, bounds.hi)
    }

    /// Whether percent steps stay among the bounds of a limited node that is crossing.
    ///
    /// They do while somebody listens. Without a listener they are kept for readers, who give no sign while they are;
    /// so after a number of crossings they are given up, and taken up again when the percent is read. The number
    /// doubles each time: a level that swings and is read ends with its steps kept, one that is not read ends without.
    fn keeps_steps(&mut self, node: &Node, same_state: bool) -> bool {
        if self.listens(node) {
            return true;
        }
        let reads = self.tree.tuning.reads_to_keep;
        let cold = self.cold(node);
        if !cold.flags.steps {
            return false;
        }
        if cold.flags.stale || !same_state {
            return true;
        }
        cold.crossings_left = cold.crossings_left.saturating_sub(1);
        if cold.crossings_left > 0 {
            return true;
        }
        cold.flags.steps = false;
        cold.crossings_log2 = (cold.crossings_log2 + 1).min(11);
        // Relaxed: a hint.
        node.front.reads_left.store(reads, Ordering::Relaxed);
        false
    }
}

/// The levels `lo <= level < hi` around one level, or a stretch of them, between which nothing changes.
pub(super) struct Bounds {
    lowest: i64,
    highest: i64,
    pub(super) lo: i64,
    pub(super) hi: i64,
    /// Something changes between the lowest and the highest level that there may be.
    pub(super) are_cut: bool,
}

impl Bounds {
    /// All levels that a tracker may have; beyond them, where one may be for as long as an amount that is refused
    /// takes to be taken back, all levels on that side.
    fn around(level: i64) -> Bounds {
        let (lo, hi) = match level {
            FIRST..FAR_FIRST => (FIRST, FAR_FIRST),
            FAR_FIRST..FAR_END => (FAR_FIRST, FAR_END),
            FAR_END..END => (FAR_END, END),
            END.. => (END, BEYOND),
            _ => (-BEYOND, FIRST),
        };
        Bounds::of(level, level, lo, hi)
    }

    /// Bounds that hold for all levels from `lowest` to `highest`.
    pub(super) fn of(lowest: i64, highest: i64, lo: i64, hi: i64) -> Bounds {
        Bounds { lowest, highest, lo, hi, are_cut: false }
    }

    /// Something changes between `bound - 1` and `bound`.
    pub(super) fn narrow(&mut self, bound: i64) {
        if bound <= self.lowest {
            self.lo = self.lo.max(bound);
        } else if bound > self.highest {
            self.hi = self.hi.min(bound);
        } else {
            self.are_cut = true;
        }
    }
}
