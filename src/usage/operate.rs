//! `increase` and `decrease`: the one compare-and-exchange that nearly every operation is, and what happens when it
//! does not do.
//!
//! # The idea: escrow
//! A node has one committed total G, which all threads share. A thread's stripe holds *credit*, which is in G of this
//! node **and of every ancestor** already: `increase` takes from the credit, `decrease` puts back, by one exchange on a
//! line that no other processor uses. As long as G and the slack of a level keep their distance from everything that
//! anybody could notice (`gate.rs`), nobody has to be told. (After O'Neil, *The escrow transactional method*, 1986; the
//! striping is that of `LongAdder`, with the difference that a stripe's content is bounded, so the sum is sure.)
//!
//! ```text
//!                        root   G = 1000     slack 64       G - slack <= usage <= G
//!                       /    \
//!              child A        child B
//!              G = 700        G = 300
//!             /       \           \
//!     [credit 20]  [credit 0 ]  [credit 8]       one stripe for each processor
//!     [room   12]  [room  16 ]  [room   8]
//! ```
//! If the stripe has too little, `lend.rs` fills it up, under the lock, or the amount is added to each level's G
//! directly. Both are right at any time; which is chosen matters for speed alone.
//!
//! # Cost
//! Fast: one line of this thread's own written, two read-mostly lines read, nothing shared written. Direct: one shared
//! line written for each level, and one read. Lending: the lock, and a few shared lines for each level, once in cap/2
//! bytes one way.

use super::events::Drain;
use super::gate;
use super::node::{FAR, Node, is_inner};
use super::options::Error;
use super::percent::{MAX_AMOUNT, MAX_LEVEL};
use super::word;
use crate::sync::{AtomicU64, Ordering};

/// An operation's answer, and the events that its thread has to deliver once it holds nothing any more.
pub(crate) struct After<T> {
    pub(crate) answer: Result<T, Error>,
    pub(crate) drain: Option<Drain>,
}

impl<T> After<T> {
    #[inline(always)]
    pub(super) fn with(answer: T) -> After<T> {
        After { answer: Ok(answer), drain: None }
    }

    pub(super) fn refused(error: Error) -> After<T> {
        After { answer: Err(error), drain: None }
    }

    /// Delivers, and answers.
    #[inline(always)]
    pub(crate) fn finish(self) -> Result<T, Error> {
        if let Some(drain) = self.drain {
            drain.run();
        }
        self.answer
    }
}

/// Counts `amount` more on the node and on every ancestor.
#[inline(always)]
pub(crate) fn increase(node: &Node, amount: u64) -> After<()> {
    if take_credit(node, amount) { After::with(()) } else { slow(node, amount, true) }
}

/// Counts `amount` less on the node and on every ancestor.
#[inline(always)]
pub(crate) fn decrease(node: &Node, amount: u64) -> After<()> {
    if put_credit_back(node, amount) { After::with(()) } else { slow(node, amount, false) }
}

/// Puts `amount` back into the credit of this thread's stripe, if it has room for it and nobody interferes.
#[inline(always)]
fn put_credit_back(node: &Node, amount: u64) -> bool {
    exchange(node.stripe_in_turn(), |seen| word::put_back(seen, amount))
}

/// Takes `amount` from the credit of this thread's stripe, if it has that much and nobody interferes.
#[inline(always)]
pub(super) fn take_credit(node: &Node, amount: u64) -> bool {
    exchange(node.stripe_in_turn(), |seen| word::take(seen, amount))
}

/// As `put_credit_back`, if there is nothing else to do. It calls nothing, so it cannot panic.
#[inline(always)]
pub(crate) fn put_back_at_once(node: &Node, amount: u64) -> bool {
    node.stripe_if_calm().is_some_and(|stripe| exchange(stripe, |seen| word::put_back(seen, amount)))
}

/// As `take_credit`, if there is nothing else to do. It calls nothing, so it cannot panic.
#[inline(always)]
pub(crate) fn take_at_once(node: &Node, amount: u64) -> bool {
    node.stripe_if_calm().is_some_and(|stripe| exchange(stripe, |seen| word::take(seen, amount)))
}

#[inline(always)]
fn exchange(stripe: &AtomicU64, next: impl FnOnce(u64) -> Option<u64>) -> bool {
    // Acquire: pairs with the release that made the word active: the credit is charged before it is seen.
    let seen = stripe.load(Ordering::Acquire);
    // AcqRel: this thread's earlier acts are seen by whoever takes the word next. Relaxed on failure: not used.
    next(seen)
        .is_some_and(|next| stripe.compare_exchange(seen, next, Ordering::AcqRel, Ordering::Relaxed).is_ok())
}

/// How often a lost exchange is tried again before anything heavier.
const RETRIES: u32 = 4;

#[cold]
#[inline(never)]
fn slow(node: &Node, amount: u64, up: bool) -> After<()> {
    if amount == 0 {
        return After::with(());
    }
    if amount > MAX_AMOUNT as u64 {
        return After::refused(Error::Amount { value: amount });
    }
    let leaf = node.leaf();
    let mut lost = 0;
    let active = loop {
        let stripe = leaf.stripe();
        let seen = stripe.load(Ordering::Acquire);
        let next = if up { word::take(seen, amount) } else { word::put_back(seen, amount) };
        let Some(next) = next else { break seen != 0 };
        if stripe.compare_exchange(seen, next, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            leaf.note_contention(lost + 1);
            return After::with(());
        }
        lost += 1;
        if lost == RETRIES {
            break true;
        }
    };
    let change = if up { amount as i64 } else { -(amount as i64) };
    let mut drain = None;
    if leaf.may_lend(amount, active) && leaf.refill(change, &mut drain) {
        return After { answer: Ok(()), drain };
    }
    direct(leaf, change, drain)
}

/// Adds to the committed totals themselves, level after level.
fn direct(leaf: &Node, change: i64, mut drain: Option<Drain>) -> After<()> {
    // Acquire: pairs with the release in `Held::recompute`.
    let is_far = |node: &Node| node.front.state.load(Ordering::Acquire) & FAR != 0;
    if change.unsigned_abs() > LARGE as u64 || leaf.path().any(is_far) {
        return direct_if_in_range(leaf, change, drain);
    }
    let raw = gate::add(leaf, change, &mut drain);
    if is_inner(raw) {
        // It has got its first child meanwhile: the amount belongs to its share node as well.
        gate::add(leaf.leaf(), change, &mut drain);
    }
    for node in leaf.path().skip(1) {
        gate::add(node, change, &mut drain);
    }
    After { answer: Ok(()), drain }
}

/// Larger amounts look at the ends of the range first, wherever the levels are. It would take 2^20 smaller ones under
/// way at once to carry a level from where it is far to an end.
const LARGE: i64 = 1 << 40;

/// The same under the lock, for levels near an end of their range and for large amounts: changes all levels, or none if
/// one would leave the range.
#[cold]
fn direct_if_in_range(leaf: &Node, change: i64, mut drain: Option<Drain>) -> After<()> {
    let mut held = leaf.tree().lock();
    let leaf = leaf.leaf();
    held.shut_path(leaf);
    let in_range = |level: i64| level.saturating_add(change).unsigned_abs() <= MAX_LEVEL as u64;
    let beyond = leaf.path().map(Node::committed).find(|level| !in_range(*level));
    if beyond.is_none() {
        for node in leaf.path() {
            // AcqRel: see `gate::add`; the gates of the path are shut.
            node.total.committed.fetch_add(change, Ordering::AcqRel);
        }
    }
    held.settle();
    held.leave(&mut drain);
    let answer = beyond.map_or(Ok(()), |level| Err(Error::Level { level, change }));
    After { answer, drain }
}
