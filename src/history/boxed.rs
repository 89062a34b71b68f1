//! One object in accounted memory, made when it is first needed: for what most histories never use.

use crate::memory::Memory;
use std::alloc::Layout;
use std::ptr::NonNull;

/// A place for a `T`, empty at first. Whoever owns it releases it in the end; what it holds is forgotten, not dropped.
pub(super) struct Boxed<T>(Option<NonNull<T>>);

impl<T> Boxed<T> {
    pub(super) const EMPTY: Boxed<T> = Boxed(None);

    /// The object, if it was made.
    #[inline(always)]
    pub(super) fn get(&self) -> Option<&T> {
        // SAFETY: the block holds a `T` from `get_or_make` on, and the borrow of `self` guards it.
        self.0.map(|object| unsafe { object.as_ref() })
    }

    /// The object, if it was made.
    #[inline(always)]
    pub(super) fn get_mut(&mut self) -> Option<&mut T> {
        // SAFETY: as in `get`, and the borrow is exclusive.
        self.0.map(|mut object| unsafe { object.as_mut() })
    }

    /// The object, made now if it was not; `None` without memory.
    pub(super) fn get_or_make(&mut self, memory: &Memory, make: impl FnOnce() -> T) -> Option<&mut T> {
        if self.0.is_none() {
            let block = memory.allocate(Layout::new::<T>())?.cast::<T>();
            // SAFETY: the block is as large and aligned as a `T`, and nobody else has it.
            unsafe { block.write(make()) };
            self.0 = Some(block);
        }
        self.get_mut()
    }

    /// Gives the memory back and hands over what was in it.
    pub(super) fn take(&mut self, memory: &Memory) -> Option<T> {
        let block = self.0.take()?;
        // SAFETY: the block holds a `T`, which moves out; nobody has a reference to it.
        let object = unsafe { block.read() };
        // SAFETY: `get_or_make` got the block with this layout, and it is used no more.
        unsafe { memory.deallocate(block.cast(), Layout::new::<T>()) };
        Some(object)
    }
}
