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

/// Gives 64 bits of hash for a key: the same for the same key each time, and hard to guess for whoever chooses keys.
///
/// Any call on the history may ask for the hash of its own key and of keys that were stored earlier: one that answers
/// another number later makes those keys impossible to find. `key` is good during the callback only.
///
/// The result is mixed with the seed once more. It is called by the thread that is inside the call on the object,
/// must not call back into that object, and must not throw, longjmp or end the thread.
pub type qc_hash_fn = Option<unsafe extern "C-unwind" fn(ctx: *mut c_void, key: *const qc_key) -> u64>;

/// A host's allocator.
pub(crate) struct HostAllocator {
    alloc: unsafe extern "C-unwind" fn(*mut c_void, usize, usize) -> *mut c_void,
    free: unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, usize, usize),
    ctx: *mut c_void,
    /// 1 if the last block that was not given was in truth a misaligned one, 0 if it was NULL.
    misaligned: AtomicU32,
    /// 1 while the host's `free` runs, and for good once it has panicked.
    inside_free: AtomicU32,
}

// SAFETY: the header tells the host that these functions are called by whichever thread is inside a call, so `ctx`
// may be used by any thread; the rest is plain data and an atomic.
unsafe impl Send for HostAllocator {}
// SAFETY: as above. Two threads never call at the same time for one object, as calls on it exclude each other.
unsafe impl Sync for HostAllocator {}

impl HostAllocator {
    /// The adapter for a pair of callbacks; `None` if both are missing. One alone is an error.
    pub(crate) fn new(
        alloc: qc_alloc_fn,
        free: qc_free_fn,
        ctx: *mut c_void,
    ) -> Result<Option<HostAllocator>, Failed> {
        match (alloc, free) {
            (None, None) => Ok(None),
            (Some(alloc), Some(free)) => Ok(Some(HostAllocator {
                alloc,
                free,
                ctx,
                misaligned: AtomicU32::new(0),
                inside_free: AtomicU32::new(0),
            })),
            (Some(_), None) => {
                Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.alloc is set but options.free is NULL"))
            }
            (None, Some(_)) => {
                Err(fail!(QC_ERR_INVALID_ARGUMENT, "options.free is set but options.alloc is NULL"))
            }
        }
    }

    /// Whether the last `allocate` that gave nothing did so because the host's block was misaligned.
    pub(crate) fn last_was_misaligned(&self) -> bool {
        // Relaxed: written and read by the one thread that is inside the call.
        self.misaligned.load(Ordering::Relaxed) != 0
    }

    /// Whether the host's `free` has panicked: then nobody knows which blocks are whose.
    pub(crate) fn has_free_panicked(&self) -> bool {
        // Relaxed: as above.
        self.inside_free.load(Ordering::Relaxed) != 0
    }

    /// Calls the host's `free`.
    ///
    /// # Safety
    /// `block` came from the host's `alloc` for this layout, and nobody uses it any more.
    unsafe fn give_back(&self, block: *mut c_void, layout: Layout) {
        // Relaxed, both: see `last_was_misaligned`.
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
        // Relaxed: see `last_was_misaligned`.
        self.misaligned.store(u32::from(!aligned), Ordering::Relaxed);
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
