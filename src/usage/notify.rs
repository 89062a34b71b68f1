//! Notices: a callback, once, when every level of a path is below a percent, or when a reservation has come to its turn. A
//! waiter without a thread.
//!
//! The block of a notice holds its waiter and the callback. It stands in the queue of waiters until it is served or its
//! tracker is stopped or destroyed, then in the list of what is due, and is freed after the callback was called: every
//! callback that was registered is called exactly once, unless it was withdrawn before. Who withdraws it, or asks after it,
//! names it by its ticket, a number that is used once in a tree: an old one finds nothing.

use super::node::Node;
use super::operate::After;
use super::options::{Error, in_range};
use super::percent::MAX_AMOUNT;
use super::tree::{Held, Tree};
use super::wait::{Before, Scope, Waited, Waiter, Want};
use std::alloc::Layout;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};

/// What happened to a request for a notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notified {
    /// Every level is below already; the callback is dropped uncalled.
    NotFull,
    /// The callback will be called once.
    Later,
}

/// What happened to a reservation that waits without a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reserving {
    /// The amount is counted; the callback is dropped uncalled.
    Done,
    /// Nobody may wait: stopped, or destroyed; the callback is dropped uncalled.
    Ended(Waited),
    /// It stands in line, and the callback will be called once, unless it is withdrawn by this ticket.
    Later(u64),
}

/// The head of a notice's block; a callback stands behind it.
pub(super) struct Notice {
    waiter: Waiter,
    reason: Waited,
    next_due: *const Notice,
    layout: Layout,
    ticket: u64,
    /// Ends the callback: calls it with a reason, or only drops it. Given the block's address.
    end: unsafe fn(*const Notice, Option<Waited>),
}

impl Notice {
    pub(super) fn ticket(&self) -> u64 {
        self.ticket
    }
}

/// A block as a whole.
#[repr(C)]
struct Block<F> {
    notice: Notice,
    callback: F,
}

/// Notices whose time has come, in order.
pub(super) struct Due {
    first: *const Notice,
    last: *const Notice,
}

impl Due {
    pub(super) fn new() -> Due {
        Due { first: ptr::null(), last: ptr::null() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_null()
    }
}

/// A notice that is out of every list and about to be called.
pub(super) struct DueNotice(NonNull<Notice>);

/// Has `callback` called once, when no level of the path is full.
pub(crate) fn notify_when_not_full<F>(node: &Node, callback: F) -> After<Notified>
where
    F: FnOnce(Waited) + Send + 'static,
{
    notify_below(node, 100, Scope::Path, false, callback)
}

/// Has `callback` called once, when every limited level of the path is below `percent`.
pub(crate) fn notify_when_below<F>(node: &Node, percent: i32, callback: F) -> After<Notified>
where
    F: FnOnce(Waited) + Send + 'static,
{
    notify_below(node, percent, Scope::Path, false, callback)
}

/// Has `callback` called once, when every limited level in the scope is below `percent`. A watch goes on while the tracker
/// is stopped, and after its handle is gone as long as it has users; who asks for one is a user.
pub(super) fn notify_below<F>(
    node: &Node,
    percent: i32,
    scope: Scope,
    is_watch: bool,
    callback: F,
) -> After<Notified>
where
    F: FnOnce(Waited) + Send + 'static,
{
    let After { answer, drain } = space_later(node, percent, scope, is_watch, callback);
    let told = |ticket: Option<u64>| if ticket.is_none() { Notified::NotFull } else { Notified::Later };
    After { answer: answer.map(told), drain }
}

/// As `notify_below`. Answers the notice's ticket, or `None` if every level is below.
pub(crate) fn space_later<F>(
    node: &Node,
    percent: i32,
    scope: Scope,
    is_watch: bool,
    callback: F,
) -> After<Option<u64>>
where
    F: FnOnce(Waited) + Send + 'static,
{
    if let Err(error) = in_range("percent", percent, 1, i32::MAX) {
        return After::refused(error);
    }
    let After { answer: reached, mut drain } = match scope {
        Scope::Path => super::read::is_full_at(node, percent),
        Scope::Own => super::read::is_own_at(node, percent),
    };
    if reached == Ok(false) {
        return After { answer: Ok(None), drain };
    }
    let want = Want::Space { percent, scope, is_watch };
    let mut held = node.tree().lock();
    let answer = match held.enrol_notice(node, want, callback) {
        None => Err(Error::NoMemory),
        Some(notice) => {
            // SAFETY: the block was made under this lock; it stays until `DueNotice::end`.
            let ticket = unsafe { notice.as_ref() }.ticket;
            if let Some(outcome) = held.refusal(node).filter(|_| !is_watch) {
                // SAFETY: as above.
                held.dismiss(unsafe { &(*notice.as_ptr()).waiter }, outcome);
            }
            held.settle();
            Ok(Some(ticket))
        }
    };
    held.leave(&mut drain);
    After { answer, drain }
}

/// Takes `amount` now if it fits on every level of the path with nobody in front; else in its turn, which `callback` is told,
/// or why it will not come to it.
pub(crate) fn reserve_later<F>(node: &Node, amount: u64, callback: F) -> After<Reserving>
where
    F: FnOnce(Waited) + Send + 'static,
{
    if amount > MAX_AMOUNT as u64 {
        return After::refused(Error::Amount { value: amount });
    }
    if super::read::is_stopped(node) {
        return After::with(Reserving::Ended(Waited::Stopped));
    }
    if amount == 0 || super::operate::take_credit(node, amount) {
        return After::with(Reserving::Done);
    }
    let amount = amount as i64;
    let mut drain = None;
    let mut held = node.tree().lock();
    let answer = match held.refusal(node) {
        Some(outcome) => Ok(Reserving::Ended(outcome)),
        None => held.can_wait_for(node, amount).and_then(|()| held.reserve_in_turn(node, amount, callback)),
    };
    held.settle();
    held.leave(&mut drain);
    After { answer, drain }
}

/// Whether the notice with a ticket stands in line: it was not served up to now.
pub(crate) fn is_in_line(node: &Node, ticket: u64) -> bool {
    node.tree().lock().waiter_of(node, ticket).is_some()
}

/// Withdraws the notice with a ticket, or the reservation: true if it stood in line, so that nothing is counted and its
/// callback is dropped uncalled.
pub(crate) fn withdraw_reservation(node: &Node, ticket: u64) -> After<bool> {
    let mut drain = None;
    let mut held = node.tree().lock();
    let waiter = held.waiter_of(node, ticket);
    // SAFETY: what stands in the queue is alive under the lock.
    let withdrawn = waiter.and_then(|waiter| unsafe { waiter.as_ref() }).map(|waiter| {
        held.withdraw(waiter);
        held.settle();
        DueNotice::of(waiter.notice())
    });
    held.leave(&mut drain);
    let answer = Ok(withdrawn.is_some());
    if let Some(Some(notice)) = withdrawn {
        notice.end(node.tree(), None);
    }
    After { answer, drain }
}

/// Ends the callback of the block at `notice`.
///
/// # Safety
/// `notice` is the head of a `Block<F>` whose callback was not ended before.
unsafe fn end<F: FnOnce(Waited)>(notice: *const Notice, reason: Option<Waited>) {
    // SAFETY: the caller's promise; the callback is moved out here and nowhere else.
    let callback = unsafe { (&raw const (*notice.cast::<Block<F>>()).callback).read() };
    if let Some(reason) = reason {
        callback(reason);
    }
}

impl DueNotice {
    /// What is out of every list by now.
    fn of(notice: *const Notice) -> Option<DueNotice> {
        NonNull::new(notice.cast_mut()).map(DueNotice)
    }

    /// Calls the callback, outside the lock, and frees the block. Answers whether the callback panicked.
    pub(super) fn call(self, tree: &Tree) -> bool {
        // SAFETY: the block is in no list, so this is its only user.
        let reason = unsafe { self.0.as_ref() }.reason;
        self.end(tree, Some(reason))
    }

    /// Ends the callback, outside the lock, and frees the block. Answers whether the callback panicked.
    fn end(self, tree: &Tree, reason: Option<Waited>) -> bool {
        // SAFETY: the block is in no list, so this is its only user.
        let (end, layout) = unsafe {
            let notice = self.0.as_ref();
            (notice.end, notice.layout)
        };
        // SAFETY: the block holds the callback that `end` was made for, and it was not ended before.
        let panicked = catch_unwind(AssertUnwindSafe(|| unsafe { end(self.0.as_ptr(), reason) })).is_err();
        let held = tree.lock();
        // SAFETY: the head is initialised and used no more; the callback was moved out of the block.
        unsafe {
            ptr::drop_in_place(self.0.as_ptr());
            held.state.memory.deallocate(self.0.cast(), layout);
        }
        panicked
    }
}

impl Held<'_> {
    /// Puts a notice that waits at a node at the end of the queue; `None` without memory. Settle afterwards.
    fn enrol_notice<F>(&mut self, node: &Node, want: Want, callback: F) -> Option<NonNull<Notice>>
    where
        F: FnOnce(Waited) + Send + 'static,
    {
        let layout = Layout::new::<Block<F>>();
        let block = self.state.memory.allocate(layout)?.cast::<Block<F>>();
        self.state.tickets += 1;
        let notice = Notice {
            waiter: Waiter::new(node, want, block.as_ptr().cast()),
            reason: Waited::Done,
            next_due: ptr::null(),
            layout,
            ticket: self.state.tickets,
            end: end::<F>,
        };
        // SAFETY: the block is fresh and fits.
        unsafe { block.write(Block { notice, callback }) };
        // SAFETY: just written; it stays until `DueNotice::end`.
        self.enrol(unsafe { &(*block.as_ptr()).notice.waiter });
        Some(block.cast())
    }

    /// A reservation in its turn: done at once if that is now, else with a notice.
    fn reserve_in_turn<F>(&mut self, node: &Node, amount: i64, callback: F) -> Result<Reserving, Error>
    where
        F: FnOnce(Waited) + Send + 'static,
    {
        if self.admit(node.leaf(), amount, Before::All) {
            return Ok(Reserving::Done);
        }
        let notice =
            self.enrol_notice(node, Want::Reservation { amount }, callback).ok_or(Error::NoMemory)?;
        // SAFETY: the block was made under this lock.
        Ok(Reserving::Later(unsafe { notice.as_ref() }.ticket))
    }

    /// Moves a notice that has left the queue of waiters into the list of what is due.
    pub(super) fn make_due(&mut self, notice: *const Notice, reason: Waited) {
        let block = notice.cast_mut();
        // SAFETY: the block is alive until it is called, it is in no other list, and the lock is held. Single fields are
        // written, since its waiter may be referred to by the caller.
        unsafe {
            (*block).reason = reason;
            (*block).next_due = ptr::null();
        }
        // SAFETY: as above, for the block at the end of the list.
        match unsafe { self.state.due.last.cast_mut().as_mut() } {
            Some(last) => last.next_due = notice,
            None => self.state.due.first = notice,
        }
        self.state.due.last = notice;
    }

    /// Takes the notice that has been due for longest.
    pub(super) fn pop_due(&mut self) -> Option<DueNotice> {
        let first = NonNull::new(self.state.due.first.cast_mut())?;
        // SAFETY: blocks in the list are alive, and the lock is held.
        self.state.due.first = unsafe { first.as_ref() }.next_due;
        if self.state.due.first.is_null() {
            self.state.due.last = ptr::null();
        }
        Some(DueNotice(first))
    }
}
