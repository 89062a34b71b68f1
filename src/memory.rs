//! Where every byte that grows with use comes from: one allocator per instance, and a count of what it gave.
//!
//! An instance owns a [`Memory`]. It asks an [`Allocator`] (the process's own, or a host's callbacks) and keeps
//! the figures that `stats` reports. Nothing else in the crate allocates memory that grows with entries, and
//! nothing here touches a block it hands out.

use std::alloc::Layout;
use std::cell::Cell;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// A source of memory, called by one instance at a time from the thread that is inside the instance.
///
/// # Safety
/// `allocate` returns either `None` or a block that is valid for `layout`, aligned to it, and owned by nobody
/// else until it is given to `deallocate` with the same layout. Neither unwinds; after one has all the same, the
/// instance is used no more, and dropped only if `deallocate` does nothing from then on.
pub unsafe trait Allocator: Send + Sync {
    /// A block for `layout` (its size is never 0), or `None` if there is none to be had.
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>>;

    /// Takes back a block.
    ///
    /// # Safety
    /// `block` came from `allocate` of this allocator with the same `layout`, and nobody uses it any more.
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout);

    /// Whether `deallocate` has failed, so that nobody knows which blocks are whose.
    fn has_failed(&self) -> bool {
        false
    }
}

/// What a [`Memory`] has given and taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Bytes out now.
    pub in_use: u64,
    /// The most bytes ever out.
    pub peak: u64,
    /// Blocks given.
    pub allocations: u64,
    /// Blocks taken back.
    pub deallocations: u64,
}

/// An instance's purse: an allocator and the account of it.
pub struct Memory {
    /// Boxed, since most instances have none.
    host: Option<Box<Arc<dyn Allocator>>>,
    usage: Cell<Usage>,
}

impl Memory {
    /// A purse over the host's allocator, or over the process's own. `own_bytes` is what the instance itself
    /// takes; it counts as in use from the start.
    pub fn new(host: Option<Arc<dyn Allocator>>, own_bytes: usize) -> Memory {
        let in_use = own_bytes as u64;
        let host = host.map(Box::new);
        Memory { host, usage: Cell::new(Usage { in_use, peak: in_use, ..Usage::default() }) }
    }

    /// The host's allocator, if there is one.
    pub fn host(&self) -> Option<&Arc<dyn Allocator>> {
        self.host.as_deref()
    }

    /// The account.
    pub fn usage(&self) -> Usage {
        self.usage.get()
    }

    /// A block for `layout`, its content undefined; `None` if the size is 0 or there is no memory.
    pub fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.size() == 0 {
            return None;
        }
        let block = match &self.host {
            Some(host) => host.allocate(layout)?,
            None => system::allocate(layout)?,
        };
        let mut usage = self.usage.get();
        usage.in_use += layout.size() as u64;
        usage.peak = usage.peak.max(usage.in_use);
        usage.allocations += 1;
        self.usage.set(usage);
        Some(block)
    }

    /// Takes back a block.
    ///
    /// # Safety
    /// `block` came from `allocate` of this purse with the same `layout`, and nobody uses it any more.
    pub unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        let mut usage = self.usage.get();
        usage.in_use -= layout.size() as u64;
        usage.deallocations += 1;
        self.usage.set(usage);
        match &self.host {
            // SAFETY: the caller's promise is the callee's condition; the host's allocator gave the block.
            Some(host) => unsafe { host.deallocate(block, layout) },
            // SAFETY: likewise; the system gave it, since a purse never changes its allocator.
            None => unsafe { system::deallocate(block, layout) },
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("host", &self.host.is_some())
            .field("usage", &self.usage.get())
            .finish()
    }
}

/// The process's own memory. Small blocks come from the global allocator. Large ones are mapped one by one:
/// a general allocator keeps freed large blocks for later (glibc raises its threshold with each one that is
/// freed), and a drained history has to shrink the resident set.
mod system {
    use super::{Layout, NonNull};

    /// Blocks of this size and more are mapped: 4 pages. Larger ones that are left to the general allocator pin its heap.
    const MAP_FROM_BYTES: usize = 16 * 1024;

    fn is_mapped(layout: Layout) -> bool {
        layout.size() >= MAP_FROM_BYTES && layout.align() <= 4096 && cfg!(all(target_os = "linux", not(miri)))
    }

    pub(super) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
        if is_mapped(layout) {
            return map(layout.size());
        }
        // SAFETY: the size is not 0, which the caller has checked.
        NonNull::new(unsafe { std::alloc::alloc(layout) })
    }

    /// # Safety
    /// `block` came from `allocate` with the same `layout` and nobody uses it any more.
    pub(super) unsafe fn deallocate(block: NonNull<u8>, layout: Layout) {
        if is_mapped(layout) {
            // SAFETY: the same layout took the same way in `allocate`, so the block is a mapping of this size,
            // and by the caller's promise nobody uses it.
            let outcome = unsafe { libc::munmap(block.as_ptr().cast(), layout.size()) };
            if outcome != 0 {
                // The kernel is out of mappings to split. The addresses are lost, but not the memory.
                // SAFETY: as above.
                unsafe { libc::madvise(block.as_ptr().cast(), layout.size(), libc::MADV_DONTNEED) };
            }
        } else {
            // SAFETY: the block came from the global allocator with this layout.
            unsafe { std::alloc::dealloc(block.as_ptr(), layout) };
        }
    }

    fn map(size: usize) -> Option<NonNull<u8>> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: an anonymous mapping at an address of the kernel's choice touches no memory in use.
        let block = unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0) };
        if block == libc::MAP_FAILED { None } else { NonNull::new(block.cast()) }
    }
}

/// A growable array of small records in accounted memory. For directories: one record per segment of memory,
/// so that doubling it copies a few hundred bytes per megabyte that it describes.
pub(crate) struct Table<T: Copy> {
    records: NonNull<T>,
    len: u32,
    capacity: u32,
}

impl<T: Copy> Table<T> {
    const FIRST_CAPACITY: u32 = 1;

    pub(crate) const fn new() -> Self {
        Table { records: NonNull::dangling(), len: 0, capacity: 0 }
    }

    /// A table of `len` equal records; `None` without memory.
    pub(crate) fn filled(memory: &Memory, len: u32, record: T) -> Option<Self> {
        let mut table = Table::new();
        table.resize(memory, len)?;
        for index in 0..len as usize {
            // SAFETY: the block has room for `len` records.
            unsafe { table.records.add(index).write(record) };
        }
        table.len = len;
        Some(table)
    }

    /// Adds a record at the end; `None` if there is no memory, and nothing is changed.
    pub(crate) fn push(&mut self, memory: &Memory, record: T) -> Option<()> {
        if self.len == self.capacity {
            let capacity = self.capacity.checked_mul(2)?.max(Self::FIRST_CAPACITY);
            self.resize(memory, capacity)?;
        }
        // SAFETY: len < capacity now, so the place is inside the block.
        unsafe { self.records.add(self.len as usize).write(record) };
        self.len += 1;
        Some(())
    }

    /// Forgets all records from `len` on, and makes the block fit what is left.
    pub(crate) fn truncate(&mut self, memory: &Memory, len: u32) {
        self.len = self.len.min(len);
        if self.len == 0 {
            self.release(memory);
        } else if self.len.max(Self::FIRST_CAPACITY) < self.capacity {
            // Without memory for a smaller block the larger one stays: nothing is lost but the saving.
            let _ = self.resize(memory, self.len.max(Self::FIRST_CAPACITY));
        }
    }

    /// Gives the block back; the table is empty afterwards.
    pub(crate) fn release(&mut self, memory: &Memory) {
        if let Some(layout) = Self::layout(self.capacity) {
            // SAFETY: `resize` got the block with this very layout, and the table forgets it below.
            unsafe { memory.deallocate(self.records.cast(), layout) };
        }
        *self = Table::new();
    }

    fn resize(&mut self, memory: &Memory, capacity: u32) -> Option<()> {
        let block: NonNull<T> = memory.allocate(Self::layout(capacity)?)?.cast();
        // SAFETY: both blocks are valid for `len` records (len <= capacity, old and new) and are distinct.
        unsafe { block.copy_from_nonoverlapping(self.records, self.len as usize) };
        if let Some(layout) = Self::layout(self.capacity) {
            // SAFETY: the old block was allocated with this layout and is replaced below.
            unsafe { memory.deallocate(self.records.cast(), layout) };
        }
        self.records = block;
        self.capacity = capacity;
        Some(())
    }

    /// The layout of a block of `capacity` records; `None` for no block at all.
    fn layout(capacity: u32) -> Option<Layout> {
        if capacity == 0 { None } else { Layout::array::<T>(capacity as usize).ok() }
    }
}

impl<T: Copy> std::ops::Deref for Table<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the first `len` records of the block are written; with no block, len is 0 and the pointer
        // dangles but is aligned, as an empty slice asks.
        unsafe { std::slice::from_raw_parts(self.records.as_ptr(), self.len as usize) }
    }
}

impl<T: Copy> std::ops::DerefMut for Table<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.records.as_ptr(), self.len as usize) }
    }
}
