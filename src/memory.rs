//! Where every byte that grows with use comes from: one allocator per instance, and a count of what it gave.
//!
//! An instance owns a [`Memory`]. It asks an [`Allocator`] (the process's own, or a host's callbacks) and keeps
//! the figures that `stats` reports. Nothing else in the crate allocates memory that grows with entries.

use std::alloc::Layout;
use std::ptr::NonNull;

/// A source of memory, called by one instance at a time from the thread that is inside the instance.
///
/// # Safety
/// `allocate` returns either `None` or a block that is valid for `layout`, aligned to it, and owned by nobody
/// else until it is given to `deallocate` with the same layout.
pub unsafe trait Allocator: Send + Sync {
    /// A block for `layout` (its size is never 0), or `None` if there is none to be had.
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>>;

    /// Takes back a block.
    ///
    /// # Safety
    /// `block` came from `allocate` of this allocator with the same `layout`, and nobody uses it any more.
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout);
}
