//! Lending: how a stripe gets credit, and more credit.
//!
//! Under the lock, the thread's word is exchanged for 0, so that what was in it is in hand and nobody else can use it.
//! Its cap may grow; then its credit is brought to half of the cap, the thread's own amount included, by one addition
//! to each level. Slack is raised *before* the totals, so at every moment a level's checks allow for all that could be
//! spent; the word becomes active last, so credit is never seen before it is charged.
//!
//! # How much
//! A cap grows by demand: it starts small, doubles each time a stripe runs dry, and shrinks to nothing when a recall
//! takes it. A level lends at most 1/32 of the smaller of its limit and the distance between its bounds, and a single
//! growth at most a quarter of what is left of that; and it keeps a distance from both bounds, so that a level that
//! swings near one is not lent from and recalled in turn. Where lending fails, operations go directly for a while,
//! twice as long each time.

use super::events::Drain;
use super::node::{Node, level_of};
use super::tree::Held;
use super::tuning::Tuning;
use super::word;
use crate::sync::Ordering;

/// What an unlimited level counts as its limit when it lends.
const UNLIMITED: i64 = 1 << 41;
/// The part of a level that may be lent.
const BUDGET_SHARE: i64 = 32;

impl Tuning {
    fn greatest_cap(&self) -> i64 {
        (1_i64 << self.greatest_cap_log2).min(word::MAX_CAP)
    }

    fn least_cap(&self) -> i64 {
        1 << self.least_cap_log2
    }
}

impl Node {
    /// Whether an attempt to serve `amount` from this thread's stripe is due. Spends patience.
    pub(super) fn may_lend(&self, amount: u64, active: bool) -> bool {
        if amount > (self.tree().tuning.greatest_cap() / 2) as u64 {
            return false;
        }
        // Relaxed, both: a hint; a lost update makes the patience a little longer.
        let left = self.total.patience_left.load(Ordering::Relaxed);
        if active || left == 0 {
            return true;
        }
        self.total.patience_left.store(left - 1, Ordering::Relaxed);
        false
    }

    /// Fills this thread's stripe and applies `change` with it. If not, the stripe is inactive and nothing is applied.
    pub(super) fn refill(&self, change: i64, drain: &mut Option<Drain>) -> bool {
        let mut held = self.tree().lock();
        let done = self.is_leaf() && held.refill(self, change);
        held.leave(drain);
        done
    }
}

/// What the holder of the lock has taken out of a word.
#[derive(Clone, Copy)]
struct InHand {
    credit: i64,
    cap: i64,
}

impl Held<'_> {
    fn refill(&mut self, node: &Node, change: i64) -> bool {
        let fresh = node.stripe().load(Ordering::Relaxed) == 0;
        if fresh && self.state.active_stripes >= self.tree.tuning.most_active_stripes {
            self.recall_oldest(node);
            self.settle();
        }
        let stripe = node.stripe();
        // AcqRel: acquires what the threads that used the word did before, and releases to whoever finds it inactive.
        let (credit, room) = word::unpack(stripe.swap(0, Ordering::AcqRel));
        let hand = InHand { credit, cap: credit + room };
        let cap = self.choose_cap(node, hand.cap, change.abs());
        if cap < 2 * change.abs() {
            self.give_up(node, hand);
            return false;
        }
        let target = cap / 2;
        if !self.charge(node, hand, cap, target + change - hand.credit, target + change) {
            return false;
        }
        // Release: pairs with the acquires of `operate`: whoever sees the credit sees it charged on every level.
        stripe.store(word::pack(target, cap - target), Ordering::Release);
        self.count_stripe(node, hand.cap == 0, true);
        let cold = self.cold(node);
        cold.backoff_log2 = 0;
        cold.lend_log2 = cap.ilog2().saturating_sub(1) as u8;
        self.state.counters.refills += 1;
        true
    }

    /// The largest cap that every level of the path can bear, at least `cap`, which it bears already; 0 if none.
    fn choose_cap(&mut self, node: &Node, cap: i64, amount: i64) -> i64 {
        let (greatest, least) = (self.tree.tuning.greatest_cap(), self.tree.tuning.least_cap());
        let wanted = if cap > 0 { cap.saturating_mul(2) } else { 1 << self.cold(node).lend_log2 };
        let mut next = wanted.max(amount.saturating_mul(16)).clamp(least, greatest);
        next = 1 << next.ilog2();
        for level in node.path() {
            while !self.can_lend(level, next - cap) {
                next /= 2;
                if next <= cap || next < least {
                    return cap;
                }
            }
        }
        next
    }

    /// Whether a level can bear `more` slack.
    fn can_lend(&mut self, level: &Node, more: i64) -> bool {
        // Relaxed, both: slack is written under the lock; the total is a guess here, and verified when it is charged.
        let slack = level.total.slack.load(Ordering::Relaxed);
        let committed = level_of(level.total.committed.load(Ordering::Relaxed));
        let limit = level.limit();
        let (lo, hi) = self.bounds(level);
        if limit > 0 && hi > limit.saturating_sub(level.held_bytes()) {
            return false;
        }
        let size = if limit == 0 { UNLIMITED } else { limit };
        let left = hi.saturating_sub(lo).min(size) / BUDGET_SHARE - slack;
        let least = self.tree.tuning.least_cap();
        more <= left
            && (more <= least || more <= left / 4)
            && committed + 2 * more < hi
            && committed - slack - 2 * more >= lo
    }

    /// Raises slack by the growth of the cap and totals by `charge` on every level. If a total would leave its bounds,
    /// takes everything out again (`in_hand` is what a charged level has then) and answers no.
    fn charge(&mut self, node: &Node, hand: InHand, cap: i64, charge: i64, in_hand: i64) -> bool {
        for level in node.path() {
            self.raise_slack(level, cap - hand.cap);
        }
        let mut charged = 0;
        let mut fits = true;
        for level in node.path() {
            charged += 1;
            // AcqRel: see `gate::add`; the checks are this thread's own to write.
            let total = level.total.committed.fetch_add(charge, Ordering::AcqRel) + charge;
            let lo = level.gate.check_lo.load(Ordering::Relaxed);
            let hi = level.gate.check_hi.load(Ordering::Relaxed);
            fits = total >= lo && total < hi;
            if !fits {
                break;
            }
        }
        for level in node.path() {
            end_change(level);
        }
        if fits {
            return true;
        }
        self.shut_path(node);
        for (index, level) in node.path().enumerate() {
            self.take_out(level, if index < charged { in_hand } else { hand.credit }, cap);
        }
        self.count_stripe(node, hand.cap > 0, false);
        self.lose_patience(node);
        self.settle();
        false
    }

    /// Gives what was in a word back to every level; the word stays inactive.
    fn give_up(&mut self, node: &Node, hand: InHand) {
        if hand.cap > 0 {
            self.shut_path(node);
            for level in node.path() {
                self.take_out(level, hand.credit, hand.cap);
            }
            self.count_stripe(node, true, false);
        }
        self.lose_patience(node);
        self.settle();
    }

    /// The next attempts to lend come later, each failure twice as late.
    fn lose_patience(&mut self, node: &Node) {
        let tuning = &self.tree.tuning;
        let (patience, longest) = (tuning.patience, tuning.longest_patience_log2);
        let cold = self.cold(node);
        let wait = (patience << cold.backoff_log2).min(1 << longest);
        cold.backoff_log2 = (cold.backoff_log2 + 1).min(longest);
        // Relaxed: a hint.
        node.total.patience_left.store(wait, Ordering::Relaxed);
    }

    /// More slack, and checks that allow for it, before the total follows.
    fn raise_slack(&mut self, level: &Node, more: i64) {
        begin_change(level);
        // Relaxed, both: written under the lock.
        let old = level.total.slack.load(Ordering::Relaxed);
        let check_lo = level.gate.check_lo.load(Ordering::Relaxed);
        // Release, both: a reader that sees the new slack sees the odd version; pairs with `read::estimate`, and the
        // check with the acquire in `gate::add`.
        level.total.slack.store(old + more, Ordering::Release);
        level.gate.check_lo.store(check_lo + more, Ordering::Release);
        self.place(level, old > 0, old + more > 0);
    }

    /// Takes credit and cap that were in words out of a level's total and slack. The gate is shut.
    pub(super) fn take_out(&mut self, level: &Node, credit: i64, cap: i64) {
        let begins = begin_change(level);
        // Relaxed: written under the lock.
        let old = level.total.slack.load(Ordering::Relaxed);
        if credit != 0 {
            // AcqRel: see `gate::add`.
            level.total.committed.fetch_sub(credit, Ordering::AcqRel);
        }
        // Release: pairs with `read::estimate`. The check follows when the gate opens, behind the answers.
        level.total.slack.store(old - cap, Ordering::Release);
        if begins {
            end_change(level);
        }
        self.state.unsettled = true;
        self.place(level, old > 0, old - cap > 0);
    }

    /// Moves a child between its parent's lists of children with slack and without.
    fn place(&mut self, node: &Node, was_active: bool, is_active: bool) {
        if let Some(parent) = node.parent()
            && was_active != is_active
        {
            self.unlink(parent, node, was_active);
            self.link(parent, node, is_active);
        }
    }

    /// Counts a stripe that became active or inactive; `changed` if it did.
    pub(super) fn count_stripe(&mut self, node: &Node, changed: bool, active: bool) {
        if changed {
            let step = if active { 1 } else { u16::MAX };
            let cold = self.cold(node);
            cold.active_stripes = cold.active_stripes.wrapping_add(step);
            let all = &mut self.state.active_stripes;
            *all = if active { *all + 1 } else { *all - 1 };
        }
    }
}

/// Slack, total and settings of a level are about to change together. Answers whether no change was under way already.
pub(super) fn begin_change(level: &Node) -> bool {
    // Relaxed: ordered before the release of what is stored next.
    let version = level.total.version.load(Ordering::Relaxed);
    let begins = version.is_multiple_of(2);
    if begins {
        level.total.version.store(version + 1, Ordering::Relaxed);
    }
    begins
}

/// They have.
pub(super) fn end_change(level: &Node) {
    // Relaxed: written under the lock.
    let version = level.total.version.load(Ordering::Relaxed);
    // Release: pairs with the acquire in `read::estimate`.
    level.total.version.store(version + (version % 2), Ordering::Release);
}
