//! A chunk of the log: a block of keys and times, of one length, written from its beginning. Used by `log` only, which
//! draws the layout and decides who owns a chunk.

use super::clock::Tick;
use super::types::Key;
use crate::memory::Memory;
use std::alloc::Layout;
use std::ptr::NonNull;

/// The number of no chunk.
pub(super) const END: u32 = u32::MAX;
const BURIED: u32 = u32::MAX;
const BURIED_WIDE: u64 = u64::MAX;

#[repr(C, align(16))]
pub(super) struct Header {
    pub(super) base: Tick,
    pub(super) next: u32,
    pub(super) len: u32,
    pub(super) capacity: u32,
    pub(super) is_wide: bool,
    /// Records that a mark lies behind: they are not removed, so that no later one takes their place.
    pub(super) sealed: u16,
    /// Counts the chunks that were opened, from 1: younger chunks have higher ones, and none comes twice.
    pub(super) ordinal: u64,
}

const HEADER_BYTES: usize = size_of::<Header>();
const _: () = assert!(HEADER_BYTES == 32 && size_of::<Key>() == 16);

/// A chunk in memory. Copies of the pointer are free; the log decides who owns it.
#[derive(Clone, Copy)]
pub(super) struct Chunk(NonNull<Header>);

impl Chunk {
    fn layout(capacity: u32, is_wide: bool) -> Option<Layout> {
        let time_bytes = if is_wide { size_of::<u64>() } else { size_of::<u32>() };
        let bytes = HEADER_BYTES + capacity as usize * (size_of::<Key>() + time_bytes);
        Layout::from_size_align(bytes, align_of::<Header>()).ok()
    }

    pub(super) fn allocate(memory: &Memory, capacity: u32, is_wide: bool, ordinal: u64) -> Option<Chunk> {
        let chunk = Chunk(memory.allocate(Self::layout(capacity, is_wide)?)?.cast());
        chunk.reset(capacity, is_wide, ordinal);
        Some(chunk)
    }

    pub(super) fn reset(self, capacity: u32, is_wide: bool, ordinal: u64) {
        // SAFETY: the block holds a header, and the log is the only one to use it.
        unsafe { self.0.write(Header { base: 0, next: END, len: 0, capacity, is_wide, sealed: 0, ordinal }) };
    }

    pub(super) fn free(self, memory: &Memory) {
        let (capacity, is_wide) = (self.header().capacity, self.header().is_wide);
        if let Some(layout) = Self::layout(capacity, is_wide) {
            // SAFETY: `allocate` used this layout (a chunk never changes its kind), and the log drops the chunk.
            unsafe { memory.deallocate(self.0.cast(), layout) };
        }
    }

    #[inline(always)]
    pub(super) fn header(&self) -> &Header {
        // SAFETY: the header is written in `allocate`; the log hands out no reference to it that outlives a call.
        unsafe { self.0.as_ref() }
    }

    #[inline(always)]
    pub(super) fn header_mut(&mut self) -> &mut Header {
        // SAFETY: as above, and the log that holds this copy is borrowed mutably by whoever calls.
        unsafe { self.0.as_mut() }
    }

    #[inline(always)]
    pub(super) fn key(self, offset: u32) -> NonNull<Key> {
        debug_assert!(offset < self.header().capacity);
        // SAFETY: the keys follow the header, and the offset is below the capacity.
        unsafe { self.0.cast::<u8>().add(HEADER_BYTES).cast::<Key>().add(offset as usize) }
    }

    #[inline(always)]
    pub(super) fn times(self) -> NonNull<u8> {
        let keys_bytes = self.header().capacity as usize * size_of::<Key>();
        // SAFETY: the times follow the keys.
        unsafe { self.0.cast::<u8>().add(HEADER_BYTES + keys_bytes) }
    }

    #[inline(always)]
    fn time_narrow(self, offset: u32) -> NonNull<u32> {
        debug_assert!(!self.header().is_wide && offset < self.header().capacity);
        // SAFETY: a narrow chunk has `capacity` 4-byte times there, and they are aligned (32 + 16 n).
        unsafe { self.times().cast().add(offset as usize) }
    }

    #[inline(always)]
    fn time_wide(self, offset: u32) -> NonNull<u64> {
        debug_assert!(self.header().is_wide && offset < self.header().capacity);
        // SAFETY: a wide chunk has `capacity` 8-byte times there, and they are aligned (32 + 16 n).
        unsafe { self.times().cast().add(offset as usize) }
    }

    /// The tick of a record; `None` if it is buried.
    #[inline(always)]
    pub(super) fn tick(self, offset: u32) -> Option<Tick> {
        debug_assert!(offset < self.header().len);
        if self.header().is_wide {
            // SAFETY: records below `len` are written.
            let tick = unsafe { self.time_wide(offset).read() };
            return if tick == BURIED_WIDE { None } else { Some(tick) };
        }
        // SAFETY: records below `len` are written.
        let time = unsafe { self.time_narrow(offset).read() };
        if time == BURIED { None } else { Some(self.header().base.wrapping_add(u64::from(time))) }
    }

    pub(super) fn bury(self, offset: u32) {
        if self.header().is_wide {
            // SAFETY: the record's time lies in the chunk.
            unsafe { self.time_wide(offset).write(BURIED_WIDE) };
        } else {
            // SAFETY: the record's time lies in the chunk.
            unsafe { self.time_narrow(offset).write(BURIED) };
        }
    }

    /// Writes a record at the end if there is room and the time fits.
    #[inline(always)]
    pub(super) fn append(mut self, key: &Key, tick: Tick) -> Option<u32> {
        let header = self.header_mut();
        let offset = header.len;
        if offset == header.capacity {
            return None;
        }
        if header.is_wide {
            // SAFETY: the offset is below the capacity.
            unsafe { self.time_wide(offset).write(tick) };
        } else {
            if offset == 0 {
                // Wrapping: near the beginning of time the base lies "before" it, and the sums come out right.
                header.base = tick.wrapping_sub(1 << 31);
            }
            let time = u32::try_from(tick.wrapping_sub(header.base)).ok().filter(|time| *time != BURIED)?;
            // SAFETY: the offset is below the capacity.
            unsafe { self.time_narrow(offset).write(time) };
        }
        // SAFETY: the offset is below the capacity.
        unsafe { self.key(offset).write(*key) };
        self.header_mut().len = offset + 1;
        Some(offset)
    }
}
