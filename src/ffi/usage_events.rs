//! Percent steps: told to a listener, or kept for a loop that polls.

use super::args::{Out, OutArray};
use super::callbacks::{Release, forget_misaligned, qc_release_fn};
use super::guard::guard;
use super::last_error::fail;
use super::status::qc_status;
use super::usage::{qc_usage, written};
use crate::usage::raw::{self, After, Receiver};
use crate::usage::{Event, Listener};
use std::ffi::c_void;
use std::sync::Arc;

/// One step of a tracker's percent.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_usage_event {
    /// The tracker's tag.
    pub tag: u64,
    /// The percent before: the `new_percent` of the step before, or that of the moment when listening began.
    pub old_percent: i32,
    /// The percent at the crossing.
    pub new_percent: i32,
}

/// Told of a tracker's percent steps, one after the other, in an unbroken chain. `event` is good during the callback only.
///
/// Called by any thread, whose call on a tracker of the same tree crossed the step or found it left to deliver, after that
/// call let go of everything: it may call into any tracker, and destroy this one. Never by two threads at once in one
/// tree, and while it runs no other event or notice of the tree is delivered: what it does itself is told to it after it
/// returns. It must not throw, longjmp or end the thread.
pub type qc_usage_listener_fn =
    Option<unsafe extern "C-unwind" fn(ctx: *mut c_void, event: *const qc_usage_event)>;

impl From<Event> for qc_usage_event {
    fn from(event: Event) -> qc_usage_event {
        qc_usage_event { tag: event.tag, old_percent: event.old, new_percent: event.new }
    }
}

/// A host's listener, and its context until the last one who may call it is done.
struct HostListener {
    call: unsafe extern "C-unwind" fn(*mut c_void, *const qc_usage_event),
    ctx: *mut c_void,
    release: Release,
}

// SAFETY: the header tells the host that any thread may call it.
unsafe impl Send for HostListener {}
// SAFETY: as above; the core calls it from one thread at a time.
unsafe impl Sync for HostListener {}

impl Listener for HostListener {
    fn percent_changed(&self, event: Event) {
        let event = event.into();
        // SAFETY: the host's function, called as the header says.
        unsafe { (self.call)(self.ctx, &event) }
    }
}

/// Has a function called with every percent step from now on; nothing is told now. It takes the place of the listener or
/// the polling that was there; steps that wait to be delivered go to it, but for up to four that are on their way to the
/// old listener already.
///
/// Parameters: `self` is the tracker; `listener` is the function, `ctx` is handed to it as it is; `release`, or NULL, is
/// called once with `ctx` when `listener` is not called any more: after another listener took its place or events were
/// cleared, or after the tracker, and its last child, was destroyed. If this call fails, `ctx` stays the caller's and
/// `release` is not called.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `listener` is NULL.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. A few dozen bytes that
/// keep the callback come from the process; if it has none left, it ends.
///
/// Any thread. The tree's lock, and one shared line for each active stripe below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_set_listener(
    self_: *mut qc_usage,
    listener: qc_usage_listener_fn,
    ctx: *mut c_void,
    release: qc_release_fn,
) -> qc_status {
    guard!(pinned self_, |node| {
        forget_misaligned();
        let Some(call) = listener else { return Err(fail!(QC_ERR_NULL_ARGUMENT, "listener is NULL")) };
        let listener = Arc::new(HostListener { call, ctx, release: Release::new(release, ctx) });
        let After { answer, drain } = raw::set_receiver(node, Receiver::Listener(listener.clone()));
        if answer.is_ok() {
            listener.release.take_over();
        }
        // The new listener goes along: if another call has taken its place already, this is the last of it.
        Ok(After { answer: answer.map(|old| (old, listener)), drain })
    })
}

/// Keeps percent steps for `qc_usage_poll_events` from now on, those that wait to be delivered included. It takes the
/// place of a listener.
///
/// Parameters: `self` is the tracker.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
///
/// Any thread. The tree's lock, and one shared line for each active stripe below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_keep_events(self_: *mut qc_usage) -> qc_status {
    guard!(pinned self_, |node| {
        forget_misaligned();
        Ok(raw::set_receiver(node, Receiver::Poll))
    })
}

/// Ends the events of this tracker. Those that wait to be delivered are gone; a listener may be running still, in another
/// thread, and up to four that are on their way to it already are still told. The end is when `release` is called.
///
/// Parameters: `self` is the tracker.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
///
/// Any thread. The tree's lock, and one shared line for each active stripe below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_clear_events(self_: *mut qc_usage) -> qc_status {
    guard!(pinned self_, |node| {
        Ok(raw::set_receiver(node, Receiver::Nobody))
    })
}

/// Events that go through the stack at a time.
const BLOCK: usize = 64;

/// Takes the events of all trackers of this tree that keep them, each one's in order, as many as fit. Whoever polls alone
/// and gets fewer than `capacity` has them all.
///
/// Parameters: `self` is any tracker of the tree; `out_events` gets up to `capacity` events, NULL is fine if that is 0;
/// `out_count` gets how many.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_events` or `out_count` is NULL. QC_ERR_INVALID_ARGUMENT: one is not aligned.
/// QC_ERR_OVERFLOW: `capacity` events are larger than an address space.
///
/// Any thread. The tree's lock for each 64 events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_poll_events(
    self_: *mut qc_usage,
    out_events: *mut qc_usage_event,
    capacity: usize,
    out_count: *mut usize,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives room for `capacity` events.
        let events = unsafe { OutArray::required("out_events", out_events, capacity) }?;
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_count", out_count) }?;
        let mut block = [Event::default(); BLOCK];
        let mut count = 0;
        while count < capacity {
            let (room, _) = block.split_at_mut(BLOCK.min(capacity - count));
            let taken = raw::poll_events(node, room);
            for event in room.iter().take(taken) {
                events.write(count, (*event).into());
                count += 1;
            }
            if taken < room.len() {
                break;
            }
        }
        written(After { answer: Ok(count), drain: None }, |count| out.write(count))
    })
}

/// A descriptor that is readable while there are events to poll in the tree: for poll, select and epoll.
///
/// Parameters: `self` is any tracker of the tree; `out_descriptor` gets the descriptor. It is the tree's, the same each
/// time, and good until the last tracker of the tree is destroyed: neither read nor close it.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_POISONED, QC_ERR_PANIC: see the
/// head of this file.
/// QC_ERR_NULL_ARGUMENT: `out_descriptor` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
/// QC_ERR_NO_DESCRIPTOR: the system gave none; qc_last_error() has its error number. Systems other than Linux give none.
///
/// Any thread. The tree's lock, and a call of the system the first time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_usage_event_descriptor(
    self_: *mut qc_usage,
    out_descriptor: *mut i32,
) -> qc_status {
    guard!(pinned self_, |node| {
        // SAFETY: the caller gives a place for the number.
        let out = unsafe { Out::required("out_descriptor", out_descriptor) }?;
        written(After { answer: raw::descriptor(node), drain: None }, |descriptor| out.write(descriptor))
    })
}
