//! Groups of histories: made, ended, collected and measured. A history joins one by its options.
//!
//! A group and its histories take one thread at a time together: a call on a history goes into its group as well
//! (`guard`), so whoever overlaps is refused. `qc_history_group_gc_many` is inside the group and visits histories.

use super::args::Out;
use super::callbacks::{HostAllocator, qc_alloc_fn, qc_free_fn};
use super::guard::{Opaque, Visit, guard, publish, visit};
use super::handle::{Kind, Refusal};
use super::history::{qc_history, refused};
use super::history_types::qc_gc_result;
use super::last_error::{Failed, fail};
use super::status::qc_status;
use super::versioned::{self, FIGURE_BYTES, Settings};
use crate::history::{Group, GroupOptions, GroupStats, History, Members, Reach};
use std::alloc::Layout;
use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr::NonNull;
use std::sync::Arc;

/// Histories of one thread that share a hash seed, a limit on bytes, a cache of blocks and their collection.
pub struct qc_history_group {
    _opaque: [u8; 0],
}

/// What stands behind a handle.
pub(crate) struct GroupInstance {
    pub(super) group: Group,
}

impl Opaque for qc_history_group {
    type Instance = GroupInstance;
    const KIND: Kind = Kind::HistoryGroup;
    const NAME: &'static str = "history group";

    unsafe fn dispose(instance: NonNull<GroupInstance>) {
        // SAFETY: `place` wrote it there, and by the caller's promise nobody uses it any more.
        let GroupInstance { group } = unsafe { instance.read() };
        if group.allocator().has_failed() {
            // As for a history: losing the rest is better than giving a block back twice.
            std::mem::forget(group);
            return;
        }
        // SAFETY: `place` got the block from the group, and what it held was moved out above.
        unsafe { group.allocator().deallocate(instance.cast(), Layout::new::<GroupInstance>()) };
        drop(group);
    }

    fn check_end(instance: &GroupInstance) -> Result<(), Failed> {
        match instance.group.len() {
            0 => Ok(()),
            left => Err(fail!(QC_ERR_IN_USE, "the group still has {left} histories; destroy them first")),
        }
    }
}

/// The settings of a group. Fill it with `qc_history_group_options_init`, then change what you want changed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct qc_history_group_options {
    /// `sizeof(qc_history_group_options)`; the init function sets it.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// The most bytes that the group and its histories hold together, any number. A call that would need more answers
    /// QC_ERR_CAPACITY. 0, the default: no limit.
    pub limit_bytes: u64,
    /// The most bytes of unused blocks that the group keeps for its histories to use again, any number; blocks above 256 KiB are
    /// never kept. Default 256 KiB.
    pub cache_bytes: u64,
    /// How far `now_ns` may lie ahead of the largest one that the group was given, in ns, before
    /// `qc_history_group_gc_many` answers QC_ERR_CLOCK: 1 to 2^62, or 0 for any distance. Default one hour.
    pub max_clock_step_ns: i64,
    /// The seed of the key hash of all histories. 0, the default: a random one. Set it only to repeat a run exactly.
    pub seed: u64,
    /// The host's allocator for the group and all its histories, with `free`; both or neither. Default NULL: the
    /// process's own.
    pub alloc: qc_alloc_fn,
    /// See `alloc`.
    pub free: qc_free_fn,
    /// Handed to `alloc` and `free` as it is. It must stay good until the group is destroyed.
    pub alloc_ctx: *mut c_void,
}

const OPTIONS_SIZE: usize = size_of::<qc_history_group_options>();

// SAFETY: `struct_size` is the first field; all others are numbers, pointers and callbacks.
unsafe impl Settings for qc_history_group_options {
    const DEFAULTS: qc_history_group_options = qc_history_group_options {
        struct_size: OPTIONS_SIZE as u32,
        reserved: 0,
        limit_bytes: 0,
        cache_bytes: 256 * 1024,
        max_clock_step_ns: 3_600_000_000_000,
        seed: 0,
        alloc: None,
        free: None,
        alloc_ctx: std::ptr::null_mut(),
    };
    const ENDS: &'static [usize] = &[
        offset_of!(qc_history_group_options, reserved),
        offset_of!(qc_history_group_options, limit_bytes),
        offset_of!(qc_history_group_options, cache_bytes),
        offset_of!(qc_history_group_options, max_clock_step_ns),
        offset_of!(qc_history_group_options, seed),
        offset_of!(qc_history_group_options, alloc),
        offset_of!(qc_history_group_options, free),
        offset_of!(qc_history_group_options, alloc_ctx),
        OPTIONS_SIZE,
    ];
}

/// The figures of a group. Set `struct_size` before the call. Counters run from creation.
///
/// Write `struct qc_history_group_stats`, in C++ too: the bare name is the function.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct qc_history_group_stats {
    /// In: the room, `sizeof(struct qc_history_group_stats)`. Out: the bytes that were filled.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// Histories in the group.
    pub histories: u64,
    /// Histories that have something that will expire.
    pub scheduled: u64,
    /// Bytes held now by the group and its histories, the cache included.
    pub bytes_in_use: u64,
    /// The most bytes ever held.
    pub bytes_peak: u64,
    /// Bytes of unused blocks that are kept.
    pub bytes_cached: u64,
    /// Requests for memory that were served from those.
    pub reused_blocks: u64,
    /// Requests for memory that were refused because of `limit_bytes`.
    pub refused_by_limit: u64,
}

const _: () = assert!(
    size_of::<qc_history_group_stats>().is_multiple_of(FIGURE_BYTES)
        && offset_of!(qc_history_group_stats, histories) == FIGURE_BYTES
);

/// Fills the settings of a group with their defaults.
///
/// Parameters: `out_options` is what to fill; `struct_size` is `sizeof(qc_history_group_options)` as the caller knows it, 4
/// to 4096. No byte beyond it is written. Bytes that this version of the library does not know are set to zero.
///
/// QC_ERR_NULL_ARGUMENT: `out_options` is NULL. QC_ERR_INVALID_ARGUMENT: `out_options` is not aligned, or
/// `struct_size` is out of its range.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_group_options_init(
    out_options: *mut qc_history_group_options,
    struct_size: usize,
) -> qc_status {
    guard!(|| {
        // SAFETY: the caller says that `struct_size` bytes are theirs to write.
        unsafe { versioned::init(out_options, struct_size) }
    })
}

/// Makes a group of histories, empty. A history joins it by `group` of its options, and leaves it when it is destroyed.
///
/// A broker has thousands of queues on one thread, most of them idle. In a group they share the seed of the key hash,
/// the allocator, a limit on all their bytes, a cache of the blocks that one of them gives back and the next needs, and
/// `qc_history_group_gc_many`, which costs nothing for those that have nothing to collect.
///
/// The group and its histories take **one thread at a time together**: while a call on one of them runs, a call on another
/// of them is refused, QC_ERR_BUSY from another thread, QC_ERR_REENTRANT from a callback.
///
/// Parameters: `options` are the settings, from `qc_history_group_options_init`; they are copied, except that the callback
/// contexts must stay good until the group is destroyed. `out_group` gets the handle, which is the caller's to give to
/// `qc_history_group_destroy` at the end, after the histories.
///
/// QC_ERR_NULL_ARGUMENT: `options` or `out_group` is NULL.
/// QC_ERR_INVALID_ARGUMENT: a pointer is not aligned, `struct_size` is not 4 to 4096, `reserved` is not 0, or only one
/// of `alloc` and `free` is set.
/// QC_ERR_UNSUPPORTED: the struct is larger than this version knows and not zero there.
/// QC_ERR_OUT_OF_RANGE: a setting is outside the range that stands at its field.
/// QC_ERR_NO_MEMORY, QC_ERR_CALLBACK: the allocator gave nothing, or a block that is not aligned.
/// QC_ERR_CAPACITY: `limit_bytes` is too small for the group itself, or all 16,777,152 handles of the process are in use.
///
/// Any thread. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_group_create(
    options: *const qc_history_group_options,
    out_group: *mut *mut qc_history_group,
) -> qc_status {
    guard!(|| {
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let given: qc_history_group_options = unsafe { versioned::read(options) }?;
        // SAFETY: the caller gives a place for a handle.
        let out = unsafe { Out::required("out_group", out_group) }?;
        if given.reserved != 0 {
            return Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.reserved = {} must be 0", given.reserved));
        }
        let host = HostAllocator::new(given.alloc, given.free, given.alloc_ctx, None)?.map(Arc::new);
        let settings = GroupOptions {
            limit_bytes: given.limit_bytes,
            cache_bytes: Some(given.cache_bytes),
            max_clock_step_ns: Some(given.max_clock_step_ns),
            seed: (given.seed != 0).then_some(given.seed),
            allocator: host.map(|host| host as _),
        };
        let group = Group::new(settings).map_err(|error| refused(false, &error, &"options."))?;
        let instance = GroupInstance { group }.place()?;
        match publish::<qc_history_group>(instance) {
            Ok(handle) => {
                out.write(handle);
                Ok(())
            }
            Err((instance, failed)) => {
                // SAFETY: `place` has just made it, and no handle of it is out.
                unsafe { qc_history_group::dispose(instance) };
                Err(failed)
            }
        }
    })
}

impl GroupInstance {
    /// Puts an instance into memory of its own group.
    fn place(self) -> Result<NonNull<GroupInstance>, Failed> {
        let block = self.group.allocator().allocate(Layout::new::<GroupInstance>());
        let Some(block) = block.map(NonNull::cast::<GroupInstance>) else {
            return Err(no_memory(&self.group, &""));
        };
        // SAFETY: the block is fresh, and large and aligned enough for an instance.
        unsafe { block.write(self) };
        Ok(block)
    }
}

/// The words for memory that a group did not give.
pub(super) fn no_memory(group: &Group, place: &dyn std::fmt::Display) -> Failed {
    if group.was_full() {
        let limit = group.limit_bytes();
        return fail!(
            QC_ERR_CAPACITY,
            "{place}the group and its histories hold limit_bytes = {limit}; collect, or raise the limit"
        );
    }
    refused(group.has_host_allocator(), &crate::history::Error::NoMemory, place)
}

/// Ends a group, and makes its handle say QC_ERR_DESTROYED from now on. Its histories have to be destroyed before.
///
/// Parameters: `self` is the group, or NULL, which does nothing and answers QC_OK. Its allocator's `free` is called for
/// every block, before the call returns.
///
/// QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED: `self` is no group; nothing was done.
/// QC_ERR_BUSY, QC_ERR_REENTRANT: a call on it or on one of its histories is running; nothing was done.
/// QC_ERR_IN_USE: it still has histories; nothing was done.
/// QC_ERR_PANIC: the `free` callback panicked; the handle is destroyed all the same.
///
/// One thread at a time. Takes time in proportion to the blocks that it keeps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_group_destroy(self_: *mut qc_history_group) -> qc_status {
    guard!(destroy self_)
}

/// Finds histories by their handles, which are their tags.
struct Handles {
    panicked: Option<Failed>,
}

impl Members for Handles {
    fn with(&mut self, tag: u64, turn: &mut dyn FnMut(&mut History)) -> Reach {
        match visit::<qc_history>(tag as usize, |instance| turn(&mut instance.history)) {
            Visit::Done => Reach::Reached,
            Visit::Refused(Refusal::Busy | Refusal::Reentrant) => Reach::Later,
            Visit::Refused(_) => Reach::Never,
            Visit::Panicked(failed) => {
                self.panicked = Some(failed);
                Reach::Never
            }
        }
    }
}

/// Collects what has expired in all histories of a group, round robin: each that is due takes up to 64 steps, then it is
/// the turn of the one that has waited longest.
///
/// Histories that have nothing to collect are not looked at and cost nothing, however many they are. Those that are
/// are told the time. `now_ns` counts as told to all others as well, as far as `max_clock_step_ns` is concerned: a history whose
/// group is collected from a timer may be idle for days.
///
/// Parameters: `self` is the group; `now_ns` is the present, in ns of the caller's monotonic clock, -2^62 to 2^62, the
/// same clock for all its histories; `max` is the most steps to take in all, 0 to any number, where a history that is
/// looked at takes one at least; `out_result` gets how many entries were removed, and whether another call would find
/// work at once.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED: see the head of this file.
/// QC_ERR_PANIC: a callback of one of the histories panicked; that one is poisoned, others had their turn.
/// QC_ERR_NULL_ARGUMENT: `out_result` is NULL. QC_ERR_INVALID_ARGUMENT: it is not aligned.
/// QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62, or more than the group's `max_clock_step_ns` ahead.
///
/// One thread at a time, with the histories of the group. Time in proportion to the steps taken, times the logarithm of
/// the number of histories that hold something.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_group_gc_many(
    self_: *mut qc_history_group,
    now_ns: i64,
    max: u64,
    out_result: *mut qc_gc_result,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller gives a place for the result.
        let out = unsafe { Out::required("out_result", out_result) }?;
        let mut handles = Handles { panicked: None };
        let answer = instance.group.gc_many(now_ns, max, &mut handles);
        if let Some(failed) = handles.panicked {
            return Err(failed);
        }
        let done = answer.map_err(|error| refused(false, &error, &""))?;
        out.write(done.into());
        Ok(())
    })
}

/// Sets the largest time that the group was told to `now_ns`, forward or back: the way on after a true jump of the clock.
///
/// Its histories accept a time that the group was told, so after a jump forward they need nothing. After one back each of them
/// has to be told as well (`qc_history_clock_reset`).
///
/// Parameters: `self` is the group; `now_ns` is the present, in ns of the caller's clock, -2^62 to 2^62.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_CLOCK: `now_ns` is outside -2^62 to 2^62.
///
/// One thread at a time, with the histories of the group. Constant time forward, back in proportion to the histories.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_group_clock_reset(
    self_: *mut qc_history_group,
    now_ns: i64,
) -> qc_status {
    guard!(self_, |instance| {
        instance.group.clock_reset(now_ns).map_err(|error| refused(false, &error, &""))
    })
}

/// The figures of a group.
///
/// Parameters: `self` is the group; `inout_stats` has its `struct_size` set to the room there is, 8 to 4096, and gets as
/// many whole fields as fit into it. Its `struct_size` afterwards is how many bytes were filled; bytes beyond them stay
/// as they are.
///
/// With allocator callbacks, `bytes_in_use` is the sum of the blocks that they have given and not got back, and the few
/// hundred bytes of the group itself.
///
/// QC_ERR_NULL_HANDLE, QC_ERR_FOREIGN_HANDLE, QC_ERR_WRONG_PART, QC_ERR_DESTROYED, QC_ERR_BUSY, QC_ERR_REENTRANT,
/// QC_ERR_POISONED, QC_ERR_PANIC: see the head of this file.
/// QC_ERR_NULL_ARGUMENT: `inout_stats` is NULL.
/// QC_ERR_INVALID_ARGUMENT: it is not aligned, or its `struct_size` is out of its range.
///
/// One thread at a time, with the histories of the group. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qc_history_group_stats(
    self_: *mut qc_history_group,
    inout_stats: *mut qc_history_group_stats,
) -> qc_status {
    guard!(self_, |instance| {
        // SAFETY: the caller's struct is as long as its `struct_size` says.
        let (to, filled) = unsafe { versioned::figures_that_fit("inout_stats", inout_stats) }?;
        let GroupStats {
            histories,
            scheduled,
            bytes_in_use,
            bytes_peak,
            bytes_cached,
            reused_blocks,
            refused_by_limit,
        } = instance.group.stats();
        let stats = qc_history_group_stats {
            struct_size: filled as u32,
            reserved: 0,
            histories,
            scheduled,
            bytes_in_use,
            bytes_peak,
            bytes_cached,
            reused_blocks,
            refused_by_limit,
        };
        // SAFETY: the two come from the line before the last but one.
        unsafe { versioned::write_figures(to, filled, &stats) };
        Ok(())
    })
}
