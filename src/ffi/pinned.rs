//! The boundary for calls that may overlap: those on usage trackers. See [`guard`](super::guard) for what a boundary is.
//!
//! A call is *pinned* while it uses the node behind its handle: `pins.rs` tells how destroy waits for it. Two things never
//! happen while a thread is pinned, as destroy would wait for them: the host's listeners and notices run after it
//! ([`After`]), and whoever waits for space keeps the node by a reference of its own instead.
//!
//! Only `guard!` calls this file.

use super::args::Out;
use super::guard::{HANDLES, panicked, words_for};
use super::handle::{Inside, Kind, Refusal};
use super::last_error::{Failed, fail};
use super::pin_record::{PINS, mine, mine_at_once};
use super::pins::{Pin, Record};
use super::status::qc_status;
use super::usage::{self, qc_usage};
use crate::sync::ThreadId;
use crate::usage::raw::{self, After, Drain, Node};
use crate::usage::{Tracker, Waited};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

/// Ends a pinned call, and frees what was left to its end.
#[inline(always)]
pub(super) fn leave(pin: Pin<'_>) {
    if let Some(deferred) = pin.leave() {
        finish_deferred(deferred);
    }
}

/// Finds the node of a handle. The caller is pinned.
#[inline(always)]
fn look(handle: *const qc_usage) -> Result<NonNull<Node>, Refusal> {
    let object = HANDLES.look(handle.addr(), Kind::Usage)?;
    NonNull::new(object.cast()).ok_or(Refusal::Foreign)
}

/// A call on a tracker, when it is not, or may not be, the fast one.
#[inline]
pub(crate) fn call_on<T>(
    what: &str,
    handle: *const qc_usage,
    body: impl FnOnce(&Node) -> Result<After<T>, Failed>,
    finish: impl FnOnce(T) -> Result<(), Failed>,
) -> qc_status {
    let Some(record) = mine() else { return no_record().status() };
    let pin = record.enter();
    match look(handle) {
        Ok(node) => run_pinned(handle, pin, node, body, finish),
        Err(refusal) => {
            leave(pin);
            refused(what, handle, refusal)
        }
    }
}

/// The end of a call whose answer is written already. What it may still have to drop is dropped here: outside.
pub(crate) fn done<T>(_: T) -> Result<(), Failed> {
    Ok(())
}

/// A call on a tracker that is done if `fast` says so, and starts over with `body` otherwise. `fast` must call nothing
/// that could panic.
#[inline(always)]
pub(crate) fn quick_call_on<T>(
    handle: *const qc_usage,
    fast: impl FnOnce(&Node) -> bool,
    body: impl FnOnce(&Node) -> Result<After<T>, Failed>,
) -> qc_status {
    if done_at_once(handle, fast) { qc_status::QC_OK } else { start_over(handle, body) }
}

/// Looks, pinned, whether the call is done by `fast`. There is no call in here, so nothing has to be kept over one, and
/// whatever is out of the ordinary is left to the caller's second try.
#[inline(always)]
fn done_at_once(handle: *const qc_usage, fast: impl FnOnce(&Node) -> bool) -> bool {
    let Some(record) = mine_at_once() else { return false };
    let pin = record.enter();
    let object = HANDLES.glance(handle.addr(), Kind::Usage);
    // SAFETY: what stands behind a tracker's handle is a node, and it stays while this call is pinned.
    let node = object.and_then(|object| unsafe { object.cast::<Node>().as_ref() });
    let is_done = node.is_some_and(fast);
    pin.leave_at_once();
    is_done
}

#[cold]
#[inline(never)]
fn start_over<T>(handle: *const qc_usage, body: impl FnOnce(&Node) -> Result<After<T>, Failed>) -> qc_status {
    call_on("self", handle, body, done)
}

/// Runs the body; then, unpinned, `finish` with its answer, and delivers what the body left to deliver.
#[cold]
#[inline(never)]
fn run_pinned<T>(
    handle: *const qc_usage,
    pin: Pin<'_>,
    node: NonNull<Node>,
    body: impl FnOnce(&Node) -> Result<After<T>, Failed>,
    finish: impl FnOnce(T) -> Result<(), Failed>,
) -> qc_status {
    // SAFETY: a tracker's node stays while this call is pinned.
    let outcome = catch_unwind(AssertUnwindSafe(|| body(unsafe { node.as_ref() })));
    if outcome.is_err() {
        HANDLES.poison(handle.addr(), Kind::Usage);
    }
    leave(pin);
    match outcome {
        Ok(result) => answer(result, finish),
        Err(payload) => panicked(payload, "only destroy works on this handle from now on"),
    }
}

/// Delivers events, outside everything, and turns the answer into a status.
fn answer<T>(result: Result<After<T>, Failed>, finish: impl FnOnce(T) -> Result<(), Failed>) -> qc_status {
    let After { answer, drain } = match result {
        Ok(after) => after,
        Err(failed) => return failed.status(),
    };
    let status = match answer {
        // The value may be the host's old listener: dropping it is the host's code.
        Ok(value) => catch_unwind(AssertUnwindSafe(|| finish(value))),
        Err(error) => Ok(Err(usage::refused(&error))),
    };
    let delivered = deliver(drain);
    match (status, delivered) {
        (Ok(Err(failed)), _) => failed.status(),
        (Err(payload), _) | (Ok(Ok(())), Err(payload)) => panicked(payload, "the call itself is done"),
        (Ok(Ok(())), Ok(())) => qc_status::QC_OK,
    }
}

fn deliver(drain: Option<Drain>) -> std::thread::Result<()> {
    catch_unwind(AssertUnwindSafe(|| {
        if let Some(drain) = drain {
            drain.run();
        }
    }))
}

/// A tracker of the caller's own, beside the handle: for a cursor, which keeps it.
pub(super) fn user_of(what: &str, handle: *const qc_usage) -> Result<Tracker, Failed> {
    let Some(record) = mine() else { return Err(no_record()) };
    let pin = record.enter();
    let found = look(handle).and_then(|node| {
        // SAFETY: a tracker's node stays while this call is pinned.
        Tracker::user_of(unsafe { node.as_ref() }).ok_or(Refusal::Destroyed)
    });
    leave(pin);
    found.map_err(|refusal| not_found(what, handle, refusal))
}

/// A call that may wait: `fast` says whether it is done at once, as for `quick_call_on`; otherwise `body` runs with the
/// node kept, but not pinned.
#[inline(always)]
pub(crate) fn wait_on(
    handle: *const qc_usage,
    fast: impl FnOnce(&Node) -> bool,
    body: impl FnOnce(&Node) -> Result<After<Waited>, Failed>,
) -> qc_status {
    if done_at_once(handle, fast) { qc_status::QC_OK } else { run_kept(handle, body) }
}

#[cold]
#[inline(never)]
fn run_kept(handle: *const qc_usage, body: impl FnOnce(&Node) -> Result<After<Waited>, Failed>) -> qc_status {
    let Some(record) = mine() else { return no_record().status() };
    let pin = record.enter();
    let node = match look(handle) {
        Ok(node) => node,
        Err(refusal) => {
            leave(pin);
            return refused("self", handle, refusal);
        }
    };
    // SAFETY: a tracker's node stays while this call is pinned.
    let kept = catch_unwind(AssertUnwindSafe(|| Tracker::keep(unsafe { node.as_ref() })));
    leave(pin);
    let outcome = kept.and_then(|()| {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: a reference of this call's own keeps the node.
            body(unsafe { node.as_ref() })
        }));
        catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: that reference, and this call does not use the node any more.
            unsafe { raw::let_go(node) }
        }))
        .and(outcome)
    });
    match outcome {
        Ok(result) => answer(result, waited),
        Err(payload) => {
            HANDLES.poison(handle.addr(), Kind::Usage);
            panicked(payload, "only destroy works on this handle from now on")
        }
    }
}

/// The end of a wait as a status.
pub(super) fn waited(outcome: Waited) -> Result<(), Failed> {
    match outcome {
        Waited::Done => Ok(()),
        Waited::TimedOut => Err(fail!(QC_ERR_TIMED_OUT, "the time of the wait was up")),
        Waited::Stopped => Err(fail!(QC_ERR_STOPPED, "the tracker, or one above it, is stopped")),
        Waited::Destroyed => Err(fail!(QC_ERR_DESTROYED, "the tracker was destroyed during the wait")),
    }
}

/// Ends a tracker. NULL is fine.
pub(crate) fn destroy(handle: *mut qc_usage, out_residual: *mut i64) -> qc_status {
    // SAFETY: the caller gives a place for a number, or NULL.
    let out = match unsafe { Out::optional("out_residual_bytes", out_residual) } {
        Ok(out) => out,
        Err(failed) => return failed.status(),
    };
    if handle.is_null() {
        return qc_status::QC_OK;
    }
    let Some(record) = mine() else { return no_record().status() };
    let inside = match HANDLES.enter_to_destroy(handle.addr(), Kind::Usage, ThreadId::current()) {
        Ok(inside) => inside,
        Err(refusal) => return refused("self", handle, refusal),
    };
    if record.is_inside() {
        return destroy_later(record, inside, &out);
    }
    end(inside, |residual| {
        out.write(residual);
        Ok(())
    })
}

/// Waits for all calls that found the node, and ends the handle's reference to it. The handle is stale.
fn end(inside: Inside<'_>, finish: impl FnOnce(i64) -> Result<(), Failed>) -> qc_status {
    let alone = PINS.wait_for_all();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let node = NonNull::new(inside.object().cast::<Node>())?;
        if !alone {
            // The kernel has taken back its word, so calls may use the node still: it is never freed.
            // SAFETY: alive by the handle's reference.
            Tracker::keep(unsafe { node.as_ref() });
        }
        Some(raw::close(node))
    }));
    HANDLES.retire(inside);
    match outcome {
        Ok(Some(after)) => answer(Ok(after), finish),
        Ok(None) => qc_status::QC_OK,
        Err(payload) => panicked(payload, "the handle is destroyed, some of its memory may be lost"),
    }
}

/// Destroys from within a call of the same thread: from an allocator's callback, as all others run after their call. The
/// handle is stale at once; the rest has to wait for the end of that call, or two threads could wait for each other.
#[cold]
fn destroy_later(record: &Record, inside: Inside<'_>, out: &Out<i64>) -> qc_status {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let node = NonNull::new(inside.object().cast::<Node>())?;
        // SAFETY: alive by the handle's reference, which ends with `finish_deferred`.
        Some(raw::stats(unsafe { node.as_ref() }))
    }));
    let behind = record.defer(0);
    record.defer(HANDLES.defer(inside, behind));
    match outcome {
        Ok(Some(after)) => answer(Ok(after), |stats| {
            out.write(stats.own_bytes);
            Ok(())
        }),
        Ok(None) => qc_status::QC_OK,
        Err(payload) => panicked(payload, "the handle is destroyed"),
    }
}

/// Ends what was destroyed from within the call that is over now.
#[cold]
#[inline(never)]
fn finish_deferred(mut number: u32) {
    while let Some((inside, behind)) = HANDLES.resume(number) {
        // Nobody is there to be told of a failure.
        end(inside, |_| Ok(()));
        number = behind;
    }
}

/// The words for a tracker that was not found.
#[cold]
#[inline(never)]
fn refused(what: &str, handle: *const qc_usage, refusal: Refusal) -> qc_status {
    not_found(what, handle, refusal).status()
}

fn not_found(what: &str, handle: *const qc_usage, refusal: Refusal) -> Failed {
    // Whoever is inside exclusively is about to destroy.
    let refusal = match refusal {
        Refusal::Busy | Refusal::Reentrant => Refusal::Destroyed,
        other => other,
    };
    words_for("usage tracker", what, handle.addr(), refusal)
}

#[cold]
#[inline(never)]
pub(super) fn no_record() -> Failed {
    fail!(QC_ERR_NO_MEMORY, "the process has no memory for this thread's first call on a tracker")
}
