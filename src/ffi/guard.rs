//! The boundary that every exported function that can fail stands behind: handles go in, panics do not come out.
//!
//! `guard!` is the one macro for it, in these forms:
//!
//! ```text
//! guard!(|| { body })                                  a call without a handle
//! guard!(self_, |instance| { body })                   finds the object, shuts others out, poisons on a panic
//! guard!(destroy self_)                                takes the object out of the table and drops it
//! ```
//! and for a `qc_usage`, whose calls overlap, in `pinned.rs`:
//! ```text
//! guard!(pinned self_, |node| { body })                finds the node and keeps it, poisons on a panic
//! guard!(pinned parent, |node| { body }, |answer| { finish })   likewise; `finish` runs when the node is let go
//! guard!(quick self_, |node| { fast }, |node| { body })   likewise, if `fast`, which cannot panic, answers no
//! guard!(waiting self_, |node| { fast }, |node| { body })  likewise, but lets destroy go on while `body` runs
//! guard!(destroy_pinned self_, out)                    waits for all calls that found the node, then ends it
//! ```
//! and for a `qc_cursor_group`, whose calls overlap too, in `cursor_group.rs`:
//! ```text
//! guard!(shared self_, |group| { body })               finds the group and keeps it, poisons on a panic
//! guard!(destroy_shared self_)                         waits for all calls that found the group, then ends the handle
//! ```
//! A body answers `Result<_, Failed>`. Nothing here allocates unless something panics.

use super::handle::{Inside, Kind, NoHandle, Refusal, Table};
use super::last_error::{Failed, fail};
use super::status::qc_status;
use crate::sync::ThreadId;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

/// All handles of this process.
pub(super) static HANDLES: Table = Table::new();

/// A type that C sees as an incomplete struct, and what stands behind its handles.
pub(crate) trait Opaque {
    /// The object.
    type Instance;
    /// Its part.
    const KIND: Kind;
    /// How words name it.
    const NAME: &'static str;

    /// Ends an object that [`publish`] was given.
    ///
    /// # Safety
    /// `instance` was given to `publish` with this type, and nobody uses it any more.
    unsafe fn dispose(instance: NonNull<Self::Instance>);
}

/// The one macro around every export that can fail; the head of this file tells its forms.
macro_rules! guard {
    (|| $body:block) => {
        $crate::ffi::guard::call(|| $body)
    };
    (destroy $handle:ident) => {
        $crate::ffi::guard::destroy($handle)
    };
    (pinned $handle:ident, |$node:ident| $body:block) => {
        $crate::ffi::pinned::call_on("self", $handle, move |$node| $body, $crate::ffi::pinned::done)
    };
    (pinned $handle:ident, |$node:ident| $body:block, |$answer:ident| $finish:block) => {
        $crate::ffi::pinned::call_on(stringify!($handle), $handle, move |$node| $body, move |$answer| $finish)
    };
    (quick $handle:ident, |$quick:ident| $fast:block, |$node:ident| $body:block) => {
        $crate::ffi::pinned::quick_call_on($handle, move |$quick| $fast, move |$node| $body)
    };
    (waiting $handle:ident, |$quick:ident| $fast:block, |$node:ident| $body:block) => {
        $crate::ffi::pinned::wait_on($handle, move |$quick| $fast, move |$node| $body)
    };
    (destroy_pinned $handle:ident, $out:ident) => {
        $crate::ffi::pinned::destroy($handle, $out)
    };
    (shared $handle:ident, |$group:ident| $body:block) => {
        $crate::ffi::cursor_group::call_on($handle, move |$group| $body)
    };
    (destroy_shared $handle:ident) => {
        $crate::ffi::cursor_group::destroy($handle)
    };
    ($handle:ident, |$instance:ident| $body:block) => {
        $crate::ffi::guard::call_on($handle, |$instance| $body)
    };
}
pub(crate) use guard;

/// A call without a handle.
#[inline(always)]
pub(crate) fn call(body: impl FnOnce() -> Result<(), Failed>) -> qc_status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => qc_status::QC_OK,
        Ok(Err(failed)) => failed.status(),
        Err(payload) => panicked(payload, "nothing was made"),
    }
}

/// A call on a handle.
#[inline(always)]
pub(crate) fn call_on<O: Opaque>(
    handle: *const O,
    body: impl FnOnce(&mut O::Instance) -> Result<(), Failed>,
) -> qc_status {
    let inside = match HANDLES.enter(handle.addr(), O::KIND, ThreadId::current()) {
        Ok(inside) => inside,
        Err(refusal) => return refused::<O>(handle.addr(), refusal).status(),
    };
    let instance = inside.object().cast::<O::Instance>();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `publish` of this kind put it there, so it is an `O::Instance`; it lives until `destroy`, which has
        // to enter too; and as nobody else is inside while `inside` is held, this is its only reference.
        body(unsafe { &mut *instance })
    }));
    match outcome {
        Ok(result) => {
            inside.leave();
            result.map_or_else(Failed::status, |()| qc_status::QC_OK)
        }
        Err(payload) => {
            inside.poison();
            panicked(payload, "only destroy works on this handle from now on")
        }
    }
}

/// Destroys the object of a handle. NULL is fine.
pub(crate) fn destroy<O: Opaque>(handle: *mut O) -> qc_status {
    if handle.is_null() {
        return qc_status::QC_OK;
    }
    match HANDLES.enter_to_destroy(handle.addr(), O::KIND, ThreadId::current()) {
        Ok(inside) => dispose::<O>(inside),
        Err(refusal) => refused::<O>(handle.addr(), refusal).status(),
    }
}

fn dispose<O: Opaque>(inside: Inside<'_>) -> qc_status {
    let instance = inside.object().cast::<O::Instance>();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if let Some(instance) = NonNull::new(instance) {
            // SAFETY: `publish` of this kind got it; this call is inside alone, and nobody enters after it.
            unsafe { O::dispose(instance) }
        }
    }));
    HANDLES.retire(inside);
    match outcome {
        Ok(()) => qc_status::QC_OK,
        Err(payload) => panicked(payload, "the handle is destroyed, some of its memory may be lost"),
    }
}

/// Gives out a handle for an object, which belongs to the handle from now on; hands it back if there is no handle.
pub(crate) fn publish<O: Opaque>(
    instance: NonNull<O::Instance>,
) -> Result<*mut O, (NonNull<O::Instance>, Failed)> {
    publish_as(O::KIND, instance.cast()).map_err(|failed| (instance, failed))
}

/// The same for any object, which stays the caller's if there is no handle.
pub(super) fn publish_as<H>(kind: Kind, object: NonNull<()>) -> Result<*mut H, Failed> {
    match HANDLES.publish(kind, object) {
        Ok(handle) => Ok(std::ptr::without_provenance_mut(handle)),
        Err(NoHandle::NoMemory) => {
            Err(fail!(QC_ERR_NO_MEMORY, "the process has no memory for another handle"))
        }
        Err(NoHandle::Full { limit }) => {
            Err(fail!(QC_ERR_CAPACITY, "all {limit} handles of the process are in use"))
        }
    }
}

fn refused<O: Opaque>(handle: usize, refusal: Refusal) -> Failed {
    words_for(O::NAME, "self", handle, refusal)
}

/// The words for a handle that was not let in: the object is a `name`, the argument is `what`.
#[cold]
#[inline(never)]
pub(super) fn words_for(name: &str, what: &str, handle: usize, refusal: Refusal) -> Failed {
    match refusal {
        Refusal::Null => fail!(QC_ERR_NULL_HANDLE, "{what} is NULL where a {name} is wanted"),
        Refusal::Foreign => fail!(
            QC_ERR_FOREIGN_HANDLE,
            "{what} = {handle:#x} was never given out by this library as a {name} or anything else"
        ),
        Refusal::WrongPart => {
            fail!(QC_ERR_WRONG_PART, "{what} = {handle:#x} is a handle of another part, not a {name}")
        }
        Refusal::Destroyed => fail!(QC_ERR_DESTROYED, "{what} = {handle:#x} was a {name} and is destroyed"),
        Refusal::Busy => fail!(
            QC_ERR_BUSY,
            "{what} = {handle:#x}: another thread is inside a call on this {name}; it takes one thread at a time"
        ),
        Refusal::Reentrant => fail!(
            QC_ERR_REENTRANT,
            "{what} = {handle:#x}: this thread is inside a call on this {name} already; a callback may not call back"
        ),
        Refusal::Poisoned => fail!(
            QC_ERR_POISONED,
            "{what} = {handle:#x}: an earlier call on this {name} panicked; destroy it, nothing else works"
        ),
    }
}

/// The words for a panic.
#[cold]
#[inline(never)]
pub(super) fn panicked(payload: Box<dyn Any + Send>, consequence: &str) -> qc_status {
    let said = payload.downcast_ref::<&str>().copied();
    let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let failed = fail!(QC_ERR_PANIC, "the call panicked: {}; {consequence}", said.unwrap_or("(no message)"));
    // What was thrown may panic again when it is dropped; that one is left alone, since it may do so for ever.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    failed.status()
}
