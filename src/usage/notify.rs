//! Notices: a callback, once, when every level of a path is below a percent. A waiter without a thread.
//!
//! The block of a notice holds its waiter and the callback. It stands in the queue of waiters until it is served or its
//! tracker is stopped or destroyed, then in the list of what is due, and is freed after the callback was called: every
//! callback that was registered is called exactly once.

use super::node::Node;
use super::operate::After;
use super::options::{Error, in_range};
use super::tree::{Held, Tree};
use super::wait::{Scope, Waited, Waiter, Want};
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

/// The head of a notice's block; a callback stands behind it.
pub(super) struct Notice {
    waiter: Waiter,
    reason: Waited,
    next_due: *const Notice,
    layout: Layout,
    /// Calls the callback and ends it. Given the block's address.
    call: unsafe fn(*const Notice, Waited),
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
    if let Err(error) = in_range("percent", percent, 1, i32::MAX) {
        return After::refused(error);
    }
    let After { answer: reached, mut drain } = match scope {
        Scope::Path => super::read::is_full_at(node, percent),
        Scope::Own => super::read::is_own_at(node, percent),
    };
    if reached == Ok(false) {
        return After { answer: Ok(Notified::NotFull), drain };
    }
    let mut held = node.tree().lock();
    let layout = Layout::new::<Block<F>>();
    let answer = match held.state.memory.allocate(layout).map(NonNull::cast::<Block<F>>) {
        None => Err(Error::NoMemory),
        Some(block) => {
            let notice = Notice {
                waiter: Waiter::new(
                    node,
                    Want::Notice { notice: block.as_ptr().cast(), percent, scope, is_watch },
                ),
                reason: Waited::Done,
                next_due: ptr::null(),
                layout: Layout::new::<Block<F>>(),
                call: call::<F>,
            };
            // SAFETY: the block is fresh and fits.
            unsafe { block.write(Block { notice, callback }) };
            // SAFETY: just written; it stays until `DueNotice::call`.
            let waiter = unsafe { &(*block.as_ptr()).notice.waiter };
            held.enrol(waiter);
            if let Some(outcome) = held.refusal(node).filter(|_| !is_watch) {
                held.dismiss(waiter, outcome);
            }
            held.settle();
            Ok(Notified::Later)
        }
    };
    held.leave(&mut drain);
    After { answer, drain }
}

/// Calls the callback of the block at `notice`.
///
/// # Safety
/// `notice` is the head of a `Block<F>` whose callback was not called before.
unsafe fn call<F: FnOnce(Waited)>(notice: *const Notice, reason: Waited) {
    // SAFETY: the caller's promise; the callback is moved out here and nowhere else.
    let callback = unsafe { (&raw const (*notice.cast::<Block<F>>()).callback).read() };
    callback(reason);
}

impl DueNotice {
    /// Calls the callback, outside the lock, and frees the block. Answers whether the callback panicked.
    pub(super) fn call(self, tree: &Tree) -> bool {
        // SAFETY: the block is in no list, so this is its only user.
        let (run, reason, layout) = unsafe {
            let notice = self.0.as_ref();
            (notice.call, notice.reason, notice.layout)
        };
        // SAFETY: the block holds the callback that `run` was made for, and it was not called before.
        let panicked = catch_unwind(AssertUnwindSafe(|| unsafe { run(self.0.as_ptr(), reason) })).is_err();
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
