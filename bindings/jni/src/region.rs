//! The region: one range of addresses that holds the memory of every tracker made from Java. Java sees it as one direct
//! buffer, so a tracker's words are reached without a call.
//!
//! ```text
//! offset 0          256
//!        +-----------+--------------------------------+--------------------------------------+
//!        | dead node | blocks (`blocks.rs`)           | reserved: addresses without memory   |
//!        +-----------+--------------------------------+--------------------------------------+
//!                                          committed -^                              length -^
//! ```
//! Addresses are reserved at once, so that the buffer never has to be made anew; memory comes as blocks are taken, and
//! pages come from the kernel as they are touched. The *dead node* is what a closed meter's offset leads to: no credit, no
//! room, percent unknown, full; so whoever comes late is sent to native code, which refuses.

use crate::blocks::Blocks;
use crate::sys::{self, UsageLayout};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The least and the greatest length: a direct buffer has no more.
pub(crate) const LEAST_BYTES: usize = 1 << 20;
pub(crate) const GREATEST_BYTES: usize = i32::MAX as usize & !(PAGE_BYTES - 1);
/// A multiple of the page size of every machine in use.
const PAGE_BYTES: usize = 64 * 1024;
/// Memory is committed in steps of this.
const STEP_BYTES: usize = 1 << 20;

/// The process's one region, once it is open.
static REGION: OnceLock<Region> = OnceLock::new();

pub(crate) struct Region {
    base: NonNull<u8>,
    len: usize,
    space: Mutex<Space>,
}

struct Space {
    blocks: Blocks,
    committed: usize,
}

// SAFETY: the range stays mapped for as long as the process runs; who uses which part of it is settled under the lock.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

/// The region, if it is open.
pub(crate) fn region() -> Option<&'static Region> {
    REGION.get()
}

/// Opens the region, or answers the one that is open, whatever its length.
pub(crate) fn open(len: usize) -> Result<&'static Region, String> {
    static OPENING: Mutex<()> = Mutex::new(());
    let _alone = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(region) = REGION.get() {
        return Ok(region);
    }
    let region = Region::reserve(len)?;
    region.place_dead_node()?;
    Ok(REGION.get_or_init(|| region))
}

/// The layout of a tracker's memory, of the library that is loaded.
pub(crate) fn layout() -> UsageLayout {
    // SAFETY: never null, and static.
    unsafe { *sys::qc_usage_layout() }
}

impl Region {
    fn reserve(len: usize) -> Result<Region, String> {
        if !(LEAST_BYTES..=GREATEST_BYTES).contains(&len) {
            return Err(format!(
                "a region of {len} bytes: it has to be from {LEAST_BYTES} to {GREATEST_BYTES}"
            ));
        }
        let len = len & !(PAGE_BYTES - 1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: an anonymous mapping at an address of the kernel's choice touches no memory in use.
        let base = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
        let base = if base == libc::MAP_FAILED { None } else { NonNull::new(base.cast()) };
        let Some(base) = base else {
            let error = std::io::Error::last_os_error();
            return Err(format!("the system gave no {len} bytes of addresses for the region: {error}"));
        };
        Ok(Region { base, len, space: Mutex::new(Space { blocks: Blocks::new(len), committed: 0 }) })
    }

    /// The node at offset 0.
    fn place_dead_node(&self) -> Result<(), String> {
        let layout = layout();
        let bytes = layout.node_bytes as usize;
        let node = self.take(bytes, crate::blocks::UNIT).ok_or("there is no memory for the region's head")?;
        let word = node.as_ptr().wrapping_add(layout.inline_word_offset as usize);
        // SAFETY: the block has room for a node, the offsets are those of its fields, and nobody else knows it yet.
        unsafe {
            node.write_bytes(0, bytes);
            node.byte_add(layout.stripes_offset as usize).cast::<u64>().write(word.addr() as u64);
            node.byte_add(layout.percent_offset as usize).cast::<i64>().write(layout.percent_unknown);
            node.byte_add(layout.state_offset as usize).cast::<u32>().write(layout.state_full_mask);
        }
        Ok(())
    }

    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Where an address of the region lies in it.
    pub(crate) fn offset_of(&self, address: *const c_void) -> Option<i32> {
        let offset =
            address.addr().checked_sub(self.base.addr().get()).filter(|offset| *offset < self.len)?;
        i32::try_from(offset).ok()
    }

    /// A block, its content undefined.
    pub(crate) fn take(&self, size: usize, align: usize) -> Option<NonNull<u8>> {
        let mut space = self.space.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a free block is at least a word long, committed, aligned, and `give_back` wrote its word.
        let next = |block| unsafe { self.base.byte_add(block).cast::<usize>().read() };
        let reached = space.blocks.reached();
        let block = space.blocks.take(size, align, next)?;
        if !self.commit(&mut space) {
            space.blocks.forget_fresh(reached);
            return None;
        }
        // SAFETY: the block lies within the region.
        Some(unsafe { self.base.byte_add(block) })
    }

    /// Commits the memory of all blocks that were ever given out.
    fn commit(&self, space: &mut Space) -> bool {
        let wanted = space.blocks.reached().next_multiple_of(STEP_BYTES).min(self.len);
        if wanted <= space.committed {
            return true;
        }
        // SAFETY: the part lies within the region's own mapping, and nothing stands in it yet.
        let answer = unsafe {
            let start = self.base.byte_add(space.committed).as_ptr();
            libc::mprotect(start.cast(), wanted - space.committed, libc::PROT_READ | libc::PROT_WRITE)
        };
        if answer == 0 {
            space.committed = wanted;
        }
        answer == 0
    }

    /// Takes back a block.
    ///
    /// # Safety
    /// `take` gave it for `size` bytes, and nobody uses it any more.
    pub(crate) unsafe fn give_back(&self, block: NonNull<u8>, size: usize) {
        let mut space = self.space.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = block.addr().get() - self.base.addr().get();
        if let Some(word) = space.blocks.give_back(offset, size) {
            // SAFETY: the block is at least a word long, and the caller's word is that nobody uses it.
            unsafe { block.cast::<usize>().write(word) };
        }
    }
}

/// The allocator that trees are made with.
pub(crate) unsafe extern "C" fn alloc(_ctx: *mut c_void, size: usize, align: usize) -> *mut c_void {
    region()
        .and_then(|region| region.take(size, align))
        .map_or(ptr::null_mut(), |block| block.as_ptr().cast())
}

/// Its other half.
///
/// # Safety
/// As the library promises: `block` came from `alloc` for this size, and nobody uses it any more.
pub(crate) unsafe extern "C" fn free(_ctx: *mut c_void, block: *mut c_void, size: usize, _align: usize) {
    if let (Some(region), Some(block)) = (region(), NonNull::new(block.cast())) {
        // SAFETY: the caller's promise.
        unsafe { region.give_back(block, size) }
    }
}
