//! Unused blocks that a group keeps, by size, so that histories which grow and drain by turns do not go to the allocator.

use crate::memory::Memory;
use std::alloc::Layout;
use std::ptr::NonNull;

/// Sizes that can be kept at a time. Histories of one value size ask for a few dozen.
const CLASSES: usize = 64;
/// Larger blocks are not kept: 256 KiB is the largest that a history asks for, but for directories.
const MAX_BYTES: usize = 256 * 1024;

/// The blocks of one size, chained through their first eight bytes, whatever their alignment.
#[derive(Clone, Copy)]
struct Class {
    layout: Layout,
    first: Option<NonNull<u8>>,
}

pub(super) struct Cache {
    classes: [Class; CLASSES],
    bytes: u64,
    max_bytes: u64,
}

// SAFETY: the blocks are the cache's alone.
unsafe impl Send for Cache {}

impl Cache {
    pub(super) fn new(max_bytes: u64) -> Cache {
        Cache { classes: [Class { layout: Layout::new::<()>(), first: None }; CLASSES], bytes: 0, max_bytes }
    }

    /// Bytes kept.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A block of this layout, if one is kept.
    pub(super) fn take(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let class = self.classes.iter_mut().find(|class| class.first.is_some() && class.layout == layout)?;
        let block = class.first?;
        // SAFETY: a kept block begins with the link that `put` wrote.
        class.first = unsafe { block.cast::<Option<NonNull<u8>>>().read_unaligned() };
        self.bytes -= layout.size() as u64;
        Some(block)
    }

    /// Keeps a block; `false` if it is not to be kept.
    ///
    /// # Safety
    /// The block is of this layout, and nobody uses it any more.
    pub(super) unsafe fn put(&mut self, block: NonNull<u8>, layout: Layout) -> bool {
        let bytes = self.bytes.saturating_add(layout.size() as u64);
        let holds_link = layout.size() >= size_of::<Option<NonNull<u8>>>();
        if !holds_link || layout.size() > MAX_BYTES || bytes > self.max_bytes {
            return false;
        }
        let same = self.classes.iter().position(|class| class.first.is_some() && class.layout == layout);
        let class = same.or_else(|| self.classes.iter().position(|class| class.first.is_none()));
        let Some(class) = class.and_then(|class| self.classes.get_mut(class)) else { return false };
        // SAFETY: the block is the cache's from here on, and large enough.
        unsafe { block.cast::<Option<NonNull<u8>>>().write_unaligned(class.first) };
        *class = Class { layout, first: Some(block) };
        self.bytes = bytes;
        true
    }

    /// Gives every block back to where it came from. O(blocks).
    pub(super) fn clear(&mut self, memory: &Memory) {
        for class in &mut self.classes {
            while let Some(block) = class.first {
                // SAFETY: as in `take`.
                class.first = unsafe { block.cast::<Option<NonNull<u8>>>().read_unaligned() };
                // SAFETY: the block came from this purse with the class's layout, and has left the cache.
                unsafe { memory.deallocate(block, class.layout) };
            }
        }
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_blocks_by_size_up_to_its_limit() {
        let memory = Memory::new(None, 0);
        let mut cache = Cache::new(1000);
        let [small, large] = [64, 700].map(|size| Layout::from_size_align(size, 16).unwrap());
        let block = |layout| memory.allocate(layout).unwrap();
        let (first, second, third) = (block(small), block(small), block(large));
        // SAFETY: the blocks are of these layouts, and nobody uses them.
        unsafe {
            assert!(cache.put(first, small) && cache.put(second, small) && cache.put(third, large));
            let too_much = block(large);
            assert!(!cache.put(too_much, large));
            memory.deallocate(too_much, large);
        }
        assert_eq!(cache.bytes(), 828);
        assert_eq!(cache.take(small), Some(second));
        assert_eq!(cache.take(Layout::from_size_align(64, 8).unwrap()), None, "of another alignment");
        // SAFETY: taken out above.
        unsafe { memory.deallocate(second, small) };
        cache.clear(&memory);
        assert_eq!((cache.bytes(), memory.usage().in_use), (0, 0));
        assert_eq!(cache.take(small), None);
    }
}
