//! The history behind its handle: making one, ending one, and the words for what its core refuses.
//!
//! Exports here are `create` and `destroy`; the other calls stand in the files beside, one concern each:
//! `history_change` and `history_batch` put entries in and take them out, `history_read` looks and walks,
//! `history_upkeep` collects and changes settings, `history_walk` and `history_transfer` go through all entries,
//! `history_group` has many histories at once, `history_stats` measures.

use super::args::Out;
use super::callbacks::last_was_misaligned;
use super::guard::{Opaque, guard, publish, within};
use super::handle::Kind;
use super::history_group::{GroupInstance, no_memory, qc_history_group};
use super::history_options::{self, qc_history_options};
use super::last_error::{Failed, fail};
use super::status::qc_status;
use crate::history::{BadBuffer, Entry, Error, History};
use crate::memory::Allocator;
use std::alloc::Layout;
use std::ptr::NonNull;

/// An insertion-ordered map of live messages and the history of those that left it lately. One handle, one thread at
/// a time: calls of two threads that overlap are found out and refused.
pub struct qc_history {
    _opaque: [u8; 0],
}

/// What stands behind a handle. It lives in a block of the host's allocator, like everything it holds.
pub(crate) struct Instance {
    pub(super) history: History,
}

impl Opaque for qc_history {
    type Instance = Instance;
    const KIND: Kind = Kind::History;
    const NAME: &'static str = "history";

    unsafe fn dispose(instance: NonNull<Instance>) {
        // SAFETY: `place` wrote it there, and by the caller's promise nobody uses it any more.
        let Instance { history } = unsafe { instance.read() };
        let source = history.allocator().cloned();
        if source.as_ref().is_some_and(|source| source.has_failed()) {
            // Some block may have been given back already: losing the rest is better than giving one back twice.
            std::mem::forget(history);
            return;
        }
        drop(history);
        // SAFETY: `place` got the block from the same source, and what it held was moved out above.
        unsafe { give_back(source.as_deref(), instance) };
    }

    #[inline(always)]
    fn group_of(instance: &Instance) -> usize {
        instance.history.group_tag() as usize
    }
}

impl Instance {
    /// The core's answer, or the words for its refusal.
    #[inline(always)]
    pub(super) fn accept<T>(&self, answer: Result<T, Error>) -> Result<T, Failed> {
        answer.map_err(|error| self.refused(&error, &""))
    }

    #[cold]
    fn refused(&self, error: &Error, place: &dyn std::fmt::Display) -> Failed {
        match (error, self.history.group()) {
            (Error::NoMemory, Some(group)) => no_memory(group, place),
            _ => refused(self.history.allocator().is_some(), error, place),
        }
    }

    /// The words for the refusal of one element of a batch.
    #[cold]
    pub(super) fn refused_element(&self, error: &Error, array: &str, index: usize) -> Failed {
        self.refused(error, &format_args!("{array}[{index}]: "))
    }

    /// Puts an instance into memory of its own.
    fn place(self) -> Result<NonNull<Instance>, Failed> {
        let layout = Layout::new::<Instance>();
        let block = match self.history.allocator() {
            Some(source) => source.allocate(layout),
            // SAFETY: an instance has a size.
            None => NonNull::new(unsafe { std::alloc::alloc(layout) }),
        };
        let Some(block) = block.map(NonNull::cast::<Instance>) else {
            return Err(self.refused(&Error::NoMemory, &""));
        };
        // SAFETY: the block is fresh, and large and aligned enough for an instance.
        unsafe { block.write(self) };
        Ok(block)
    }
}

/// Gives back the block of an instance.
///
/// # Safety
/// `place` got the block from this very `source`, or from the process if there is none, and nobody uses it any more.
unsafe fn give_back(source: Option<&dyn Allocator>, block: NonNull<Instance>) {
    let layout = Layout::new::<Instance>();
    match source {
        // SAFETY: the caller's promise is the callee's condition.
        Some(source) => unsafe { source.deallocate(block.cast(), layout) },
        // SAFETY: the process's allocator gave the block for this layout.
        None => unsafe { std::alloc::dealloc(block.as_ptr().cast(), layout) },
    }
}

/// The status and the words for what the core, or an allocation for it, refused. `place` says where, for a batch.
#[cold]
#[inline(never)]
pub(super) fn refused(has_host: bool, error: &Error, place: &dyn std::fmt::Display) -> Failed {
    match error {
        Error::NoMemory if has_host && last_was_misaligned() => fail!(
            QC_ERR_CALLBACK,
            "{place}options.alloc gave a block that is not aligned as asked; it was given back"
        ),
        Error::NoMemory => fail!(QC_ERR_NO_MEMORY, "{place}{error}"),
        Error::EntriesFull { .. } | Error::HistoryFull { .. } | Error::WindowRaises { .. } => {
            fail!(QC_ERR_CAPACITY, "{place}{error}")
        }
        Error::ClockStep { .. } | Error::TimeRange { .. } => fail!(QC_ERR_CLOCK, "{place}{error}"),
        Error::InsertedInFuture { .. } | Error::OutOfRange { .. } => {
            fail!(QC_ERR_OUT_OF_RANGE, "{place}{error}")
        }
        Error::StaleEntry { .. } => fail!(QC_ERR_STALE_HANDLE, "{place}{error}"),
        Error::NotFound => fail!(QC_ERR_NOT_FOUND, "{place}{error}"),
        Error::NoExport => fail!(QC_ERR_NOT_BEGUN, "{place}{error}"),
        Error::BadBuffer(BadBuffer::Version { .. }) => fail!(QC_ERR_UNSUPPORTED, "{place}{error}"),
        Error::BadBuffer(_) | Error::BufferOrder { .. } => fail!(QC_ERR_BAD_BUFFER, "{place}{error}"),
        Error::OfGroup { .. } => fail!(QC_ERR_INVALID_ARGUMENT, "{place}{error}"),
    }
}

/// The entry that a number of the caller's stands for.
#[inline(always)]
pub(super) fn entry(bits: u64) -> Result<Entry, Failed> {
    Entry::from_bits(bits).ok_or_else(no_entry)
}

#[cold]
#[inline(never)]
fn no_entry() -> Failed {
    fail!(QC_ERR_STALE_HANDLE, "entry = 0 stands for no entry")
}

/// Makes a history.
///
/// Parameters: `options` are the settings, from `qc_history_options_init`; they are copied, except that the callback
/// contexts must stay good until the history is destroyed. `out_history` gets the handle, which is the caller's to
/// give to `qc_history_destroy` at the end. A handle is a number, not an address: nothing can be read through it.
///
/// An option struct of an older version (smaller `struct_size`) takes the defaults for the fields that do not lie
/// wholly inside it; one of a newer version (larger) is accepted if the bytes that this version does not know are zero.
///
/// QC_ERR_NULL_ARGUMENT: `options` or `out_history` is NULL.
/// QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, `struct_size` is not 4 to 4096, an enum value is unknown, only
/// one of `alloc` and `free` is set, or `seed` or `alloc` is set in a group.
/// QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT, QC_ERR_POISONED: `group` is
/// no group, or a call on it or on one of its histories is running.
/// QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there.
/// QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned. With callbacks in the
/// options, a few dozen bytes that keep them come from the process; if it has none left, it ends.
/// QC_ERR_CAPACITY: all 16,777,152 handles of the process are in use, or the group is at its limit.
///
/// Any thread; in a group, one thread at a time with it. Constant time; an empty history takes less than 1 KiB.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_create(
    options: *const qc_history_options,
    out_history: *mut *mut qc_history,
) -> qc_status {
    guard!(|| {
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let given = unsafe { history_options::read(options) }?;
        // SAFETY: the caller gives a place for a handle.
        let out = unsafe { Out::required("out_history", out_history) }?;
        let handle = if given.group.is_null() {
            create(&given, 0, None)?
        } else {
            within::<qc_history_group, _>("options.group", given.group, |group| {
                create(&given, given.group.addr(), Some(group))
            })?
        };
        out.write(handle);
        Ok(())
    })
}

/// Makes a history, in a group that the caller is inside or in none.
fn create(
    given: &qc_history_options,
    group_handle: usize,
    group: Option<&mut GroupInstance>,
) -> Result<*mut qc_history, Failed> {
    let mut settings = history_options::to_core(given)?;
    let has_host = settings.allocator.is_some();
    if let Some(group) = &group {
        if has_host {
            return Err(refused(false, &Error::OfGroup { what: "alloc" }, &"options."));
        }
        settings.group = Some(group.group.clone());
    }
    let history = History::new(settings).map_err(|error| match (&error, &group) {
        (Error::NoMemory, Some(group)) => no_memory(&group.group, &""),
        _ => refused(has_host, &error, &"options."),
    })?;
    let instance = Instance { history }.place()?;
    match publish::<qc_history>(instance) {
        Ok(handle) => {
            // SAFETY: `place` has just made it, and nobody has seen the handle yet.
            let history = unsafe { &mut (*instance.as_ptr()).history };
            history.set_tags_in_group(handle.addr() as u64, group_handle as u64);
            Ok(handle)
        }
        Err((instance, failed)) => {
            // SAFETY: `place` has just made it, and no handle of it is out.
            unsafe { qc_history::dispose(instance) };
            Err(failed)
        }
    }
}

/// Ends a history: frees all that it holds, and makes its handle say QC_ERR_DESTROYED from now on.
///
/// Parameters: `self` is the history, or NULL, which does nothing and answers QC_OK. All its entries, values and
/// value addresses are gone afterwards. Its allocator's `free` is called for every block, before the call returns.
///
/// QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no history; nothing was done.
/// QC_ERR_BUSY, QC_ERR_REENTRANT: another call is inside; nothing was done. It works on a poisoned history too.
/// QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same. Once `free` has panicked, in this
/// or an earlier call, the memory that is left is not given back.
///
/// One thread at a time: keeping other threads out of the history while it is destroyed is the caller's duty. Takes
/// time in proportion to the memory held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_destroy(self_: *mut qc_history) -> qc_status {
    guard!(destroy self_)
}
