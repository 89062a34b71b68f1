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

    /// The handle of the group whose objects take one thread at a time together, or 0.
    #[inline(always)]
    fn group_of(_instance: &Self::Instance) -> usize {
        0
    }

    /// Whether the object can end now.
    fn check_end(_instance: &Self::Instance) -> Result<(), Failed> {
        Ok(())
    }
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
        $crate::ffi::pinned::call_on(
            stringify!($handle).trim_end_matches('_'),
            $handle,
            move |$node| $body,
            move |$answer| $finish,
        )
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
    let thread = ThreadId::current();
    let inside = match HANDLES.enter(handle.addr(), O::KIND, thread) {
        Ok(inside) => inside,
        Err(refusal) => return refused::<O>(handle.addr(), refusal).status(),
    };
    let instance = inside.object().cast::<O::Instance>();
    // SAFETY: `publish` of this kind put it there, so it is an `O::Instance`; it lives until `destroy`, which has to
    // enter too; and nobody else is inside while `inside` is held.
    let group = unsafe { O::group_of(&*instance) };
    let inside_group = match enter_group(group, thread) {
        Ok(inside_group) => inside_group,
        Err(failed) => {
            inside.leave();
            return failed.status();
        }
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as above; this is its only reference.
        body(unsafe { &mut *instance })
    }));
    if let Some(inside_group) = inside_group {
        inside_group.leave();
    }
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

/// Shuts the other objects of a group out too, if there is a group.
#[inline(always)]
fn enter_group(group: usize, thread: ThreadId) -> Result<Option<Inside<'static>>, Failed> {
    if group == 0 {
        return Ok(None);
    }
    match HANDLES.enter(group, Kind::HistoryGroup, thread) {
        Ok(inside) => Ok(Some(inside)),
        Err(refusal) => Err(words_for("group", "the group of self", group, refusal)),
    }
}

/// Goes into an object that an argument names, for the rest of a call without a handle.
pub(super) fn within<O: Opaque, T>(
    what: &str,
    handle: *mut O,
    body: impl FnOnce(&mut O::Instance) -> Result<T, Failed>,
) -> Result<T, Failed> {
    let inside = HANDLES
        .enter(handle.addr(), O::KIND, ThreadId::current())
        .map_err(|refusal| words_for(O::NAME, what, handle.addr(), refusal))?;
    let instance = inside.object().cast::<O::Instance>();
    // SAFETY: as in `call_on`.
    match catch_unwind(AssertUnwindSafe(|| body(unsafe { &mut *instance }))) {
        Ok(answer) => {
            inside.leave();
            answer
        }
        Err(payload) => {
            inside.poison();
            let name = O::NAME;
            Err(panic_words(payload, &format_args!("only destroy works on the {name} from now on")))
        }
    }
}

/// What came of a visit to the object of a handle.
pub(super) enum Visit {
    /// The visitor was there.
    Done,
    /// It was not let in.
    Refused(Refusal),
    /// It panicked, and only destroy works on that object from now on.
    Panicked(Failed),
}

/// Goes into an object of a group whose own handle the caller is inside.
pub(super) fn visit<O: Opaque>(handle: usize, visitor: impl FnOnce(&mut O::Instance)) -> Visit {
    let inside = match HANDLES.enter(handle, O::KIND, ThreadId::current()) {
        Ok(inside) => inside,
        Err(refusal) => return Visit::Refused(refusal),
    };
    let instance = inside.object().cast::<O::Instance>();
    // SAFETY: as in `call_on`.
    match catch_unwind(AssertUnwindSafe(|| visitor(unsafe { &mut *instance }))) {
        Ok(()) => {
            inside.leave();
            Visit::Done
        }
        Err(payload) => {
            inside.poison();
            let name = O::NAME;
            Visit::Panicked(panic_words(
                payload,
                &format_args!("only destroy works on the {name} {handle:#x} from now on"),
            ))
        }
    }
}

/// Destroys the object of a handle. NULL is fine.
pub(crate) fn destroy<O: Opaque>(handle: *mut O) -> qc_status {
    if handle.is_null() {
        return qc_status::QC_OK;
    }
    let inside = match ToDestroy::enter(handle.addr(), O::KIND) {
        Ok(inside) => inside,
        Err(refusal) => return refused::<O>(handle.addr(), refusal).status(),
    };
    let instance = inside.inside.object().cast::<O::Instance>();
    // SAFETY: `publish` of this kind put it there, and nobody else is inside.
    let (group, check) = unsafe { (O::group_of(&*instance), O::check_end(&*instance)) };
    if let Err(failed) = check {
        inside.give_up();
        return failed.status();
    }
    let inside_group = match group {
        0 => None,
        group => match ToDestroy::enter(group, Kind::HistoryGroup) {
            Ok(inside_group) => Some(inside_group),
            Err(refusal) => {
                inside.give_up();
                return words_for("group", "the group of self", group, refusal).status();
            }
        },
    };
    let status = dispose::<O>(inside.inside);
    if let Some(inside_group) = inside_group {
        inside_group.give_up();
    }
    status
}

/// Being inside an object to end it, which a poisoned one allows too.
struct ToDestroy {
    inside: Inside<'static>,
    was_poisoned: bool,
}

impl ToDestroy {
    fn enter(handle: usize, kind: Kind) -> Result<ToDestroy, Refusal> {
        let thread = ThreadId::current();
        match HANDLES.enter(handle, kind, thread) {
            Ok(inside) => Ok(ToDestroy { inside, was_poisoned: false }),
            Err(Refusal::Poisoned) => HANDLES
                .enter_to_destroy(handle, kind, thread)
                .map(|inside| ToDestroy { inside, was_poisoned: true }),
            Err(refusal) => Err(refusal),
        }
    }

    /// Leaves the object as it was.
    fn give_up(self) {
        if self.was_poisoned { self.inside.poison() } else { self.inside.leave() }
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
    panic_words(payload, &consequence).status()
}

#[cold]
fn panic_words(payload: Box<dyn Any + Send>, consequence: &dyn std::fmt::Display) -> Failed {
    let said = payload.downcast_ref::<&str>().copied();
    let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let failed = fail!(QC_ERR_PANIC, "the call panicked: {}; {consequence}", said.unwrap_or("(no message)"));
    // What was thrown may panic again when it is dropped; that one is left alone, since it may do so for ever.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    failed
}
