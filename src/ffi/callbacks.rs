//! Functions that a host hands in, and the adapters that let the safe core call them.
//!
//! The types are "C-unwind", so that what leaves a callback ends in a defined way. In a Rust program that links this
//! crate, a callback that panics is QC_ERR_PANIC: the guard catches it. The C library has a Rust runtime of its own, to
//! which a C++ exception is foreign, and a panic of a host written in Rust as well: the process ends.
//! The files of the parts build the adapters.

use super::last_error::{Failed, fail};
use crate::history::{Key, KeyHasher};
use crate::memory::Allocator;
use crate::sync::{AtomicU32, Ordering};
use std::alloc::Layout;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::NonNull;

/// The identifier of a message: 16 bytes, compared as a whole. It needs no alignment.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct qc_key {
    /// The bytes, in any meaning.
    pub bytes: [u8; 16],
}

/// Gives a block of memory: `size` bytes (never 0), aligned to `align` (a power of two), or NULL if there is none.
///
/// `align` may be smaller than `sizeof(void *)`, which posix_memalign refuses, and `size` need not be a multiple of it,
/// which aligned_alloc may ask for: round up, what is too large or too strict does no harm.
///
/// NULL makes the running call answer QC_ERR_NO_MEMORY; a block that is not aligned is given back and makes it
/// QC_ERR_CALLBACK. It is called by the thread that is inside the call on the object, must not call back into that
/// object, and must not throw, longjmp or end the thread.
#[allow(clippy::type_complexity, reason = "the shape of a C callback")]
pub type qc_alloc_fn =
    Option<unsafe extern "C-unwind" fn(ctx: *mut c_void, size: usize, align: usize) -> *mut c_void>;

/// Takes back a block that the `qc_alloc_fn` beside it gave for the same `size` and `align`. Never called with NULL.
///
/// It is called by the thread that is inside the call on the object, must not call back into that object, and must
/// not throw, longjmp or end the thread.
pub type qc_free_fn =
    Option<unsafe extern "C-unwind" fn(ctx: *mut c_void, ptr: *mut c_void, size: usize, align: usize)>;

/// Releases what a host handed over with a callback: called once, when the library will not call that callback again.
/// By any thread, holding no lock of the library's. It may call into the library, and must not throw, longjmp or end the
/// thread.
pub type qc_release_fn = Option<unsafe extern "C-unwind" fn(ctx: *mut c_void)>;

/// Gives 64 bits of hash for a key: the same for the same key each time, and hard to guess for whoever chooses keys.
///
/// Any call on the history may ask for the hash of its own key and of keys that were stored earlier: one that answers
/// another number later makes those keys impossible to find. `key` is good during the callback only.
///
/// The result is mixed with the seed once more. It is called by the thread that is inside the call on the object,
/// must not call back into that object, and must not throw, longjmp or end the thread.
pub type qc_hash_fn = Option<unsafe extern "C-unwind" fn(ctx: *mut c_void, key: *const qc_key) -> u64>;

thread_local! {
    /// Whether the last block that a host did not give this thread was in truth a misaligned one, and not NULL.
    static MISALIGNED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the last `allocate` of a [`HostAllocator`] that gave this thread nothing did so because the host's block was
/// misaligned; or, if there was none since, what [`forget_misaligned`] says: no.
pub(crate) fn last_was_misaligned() -> bool {
    MISALIGNED.get()
}

/// For a call that may come to an allocator, or not to one of a host.
pub(crate) fn forget_misaligned() {
    MISALIGNED.set(false);
}

/// The end of a host's context, once it is the library's to end.
pub(crate) struct Release {
    call: qc_release_fn,
    ctx: *mut c_void,
    /// 1 once it is.
    is_due: AtomicU32,
}

impl Release {
    /// For a context that stays the host's until `take_over`.
    pub(crate) fn new(call: qc_release_fn, ctx: *mut c_void) -> Release {
        Release { call, ctx, is_due: AtomicU32::new(0) }
    }

    /// From here on the context is the library's: it is released when this is dropped.
    pub(crate) fn take_over(&self) {
        // Relaxed: who calls this has a reference to give up, which orders it before the drop.
        self.is_due.store(1, Ordering::Relaxed);
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        // Relaxed: see `take_over`.
        if let (Some(release), 1) = (self.call, self.is_due.load(Ordering::Relaxed)) {
            // SAFETY: the host's function, called once, as the header says.
            unsafe { release(self.ctx) }
        }
    }
}

/// A host's allocator.
pub(crate) struct HostAllocator {
    alloc: unsafe extern "C-unwind" fn(*mut c_void, usize, usize) -> *mut c_void,
    free: unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, usize, usize),
    ctx: *mut c_void,
    release: Release,
    /// 1 while the host's `free` runs, and for good once it has panicked.
    inside_free: AtomicU32,
}

// SAFETY: the header tells the host that these functions are called by whichever thread is inside a call, so `ctx`
// may be used by any thread; the rest is plain data and an atomic.
unsafe impl Send for HostAllocator {}
// SAFETY: as above. Two threads never call at the same time for one object: calls on it exclude each other, or allocate
// under its lock.
unsafe impl Sync for HostAllocator {}

impl HostAllocator {
    /// The adapter for a pair of callbacks; `None` if both are missing. One alone is an error. `release` ends `ctx` after
    /// `take_over_ctx`.
    pub(crate) fn new(
        alloc: qc_alloc_fn,
        free: qc_free_fn,
        ctx: *mut c_void,
        release: qc_release_fn,
    ) -> Result<Option<HostAllocator>, Failed> {
        match (alloc, free) {
            (None, None) => Ok(None),
            (Some(alloc), Some(free)) => {
                let release = Release::new(release, ctx);
                Ok(Some(HostAllocator { alloc, free, ctx, release, inside_free: AtomicU32::new(0) }))
            }
            (Some(_), None) => {
                Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.alloc is set but options.free is NULL"))
            }
            (None, Some(_)) => {
                Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.free is set but options.alloc is NULL"))
            }
        }
    }

    /// Lets the end of this release the host's context.
    pub(crate) fn take_over_ctx(&self) {
        self.release.take_over();
    }

    /// Whether the host's `free` has panicked: then nobody knows which blocks are whose.
    pub(crate) fn has_free_panicked(&self) -> bool {
        // Relaxed: written and read by the one thread that is inside the call, or has the object's lock.
        self.inside_free.load(Ordering::Relaxed) != 0
    }

    /// Calls the host's `free`.
    ///
    /// # Safety
    /// `block` came from the host's `alloc` for this layout, and nobody uses it any more.
    unsafe fn give_back(&self, block: *mut c_void, layout: Layout) {
        // Relaxed, both: see `has_free_panicked`.
        self.inside_free.store(1, Ordering::Relaxed);
        // SAFETY: the host's function, called as the header says, with a block that the caller vouches for.
        unsafe { (self.free)(self.ctx, block, layout.size(), layout.align()) };
        self.inside_free.store(0, Ordering::Relaxed);
    }
}

// SAFETY: a block is handed on only if it is aligned, and the host's word (the header) is that it is `size` bytes
// long and nobody else's until it is given back.
unsafe impl Allocator for HostAllocator {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: the host's function, called as the header says.
        let block = unsafe { (self.alloc)(self.ctx, layout.size(), layout.align()) };
        let aligned = block.addr() & (layout.align() - 1) == 0;
        if aligned && !block.is_null() {
            return NonNull::new(block.cast());
        }
        MISALIGNED.set(!aligned);
        if !aligned {
            // SAFETY: the block has just come from the function beside for this layout, and nobody uses it.
            unsafe { self.give_back(block, layout) };
        }
        None
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller vouches that `allocate` gave the block for this layout and that nobody uses it.
        unsafe { self.give_back(block.as_ptr().cast(), layout) };
    }

    fn has_failed(&self) -> bool {
        self.has_free_panicked()
    }
}

/// A host's hash of keys.
pub(crate) struct HostHasher {
    hash: unsafe extern "C-unwind" fn(*mut c_void, *const qc_key) -> u64,
    ctx: *mut c_void,
}

// SAFETY: the header tells the host that the function is called by whichever thread is inside a call.
unsafe impl Send for HostHasher {}

impl HostHasher {
    /// The adapter for a callback; `None` if it is missing.
    pub(crate) fn new(hash: qc_hash_fn, ctx: *mut c_void) -> Option<HostHasher> {
        hash.map(|hash| HostHasher { hash, ctx })
    }
}

impl KeyHasher for HostHasher {
    fn hash(&self, key: &Key) -> u64 {
        // SAFETY: the host's function, called as the header says; a `Key` is 16 bytes, as a `qc_key` is.
        unsafe { (self.hash)(self.ctx, std::ptr::from_ref(key).cast()) }
    }
}
