//! An allocator that knows every block it gave out, and has none to give when it is told so.
//! Used by the memory tests, in the place of a host's callbacks.

#![allow(clippy::disallowed_types)] // A lock of the standard library will do in a test.

use queuecore::memory::Allocator;
use std::alloc::{Layout, alloc, dealloc};
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What happened so far.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// The blocks out there, by address.
    blocks: HashMap<usize, Layout>,
    pub bytes: u64,
    pub peak_bytes: u64,
    /// Requests, refused ones included.
    pub requests: u64,
    pub given: u64,
    pub taken_back: u64,
    pub refused: u64,
    /// From this request on (counted from 1)...
    fail_from: u64,
    /// ...so many requests are refused.
    fail_count: u64,
    /// Blocks that came back with another layout, or that were never given. None, that is.
    pub foul: u64,
}

/// The allocator.
#[derive(Debug, Default)]
pub struct Scarce {
    ledger: Mutex<Ledger>,
}

impl Scarce {
    /// One that always gives.
    pub fn plenty() -> Arc<Scarce> {
        Scarce::failing(u64::MAX, 0)
    }

    /// One that refuses the requests number `from` (counted from 1) to `from + count - 1`.
    pub fn failing(from: u64, count: u64) -> Arc<Scarce> {
        let ledger = Ledger { fail_from: from, fail_count: count, ..Ledger::default() };
        Arc::new(Scarce { ledger: Mutex::new(ledger) })
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The figures now.
    pub fn figures(&self) -> Ledger {
        Ledger { blocks: HashMap::new(), ..*self.ledger() }
    }

    /// From now on every request is refused.
    pub fn refuse_all(&self) {
        let mut ledger = self.ledger();
        (ledger.fail_from, ledger.fail_count) = (0, u64::MAX);
    }

    /// From now on every request is granted.
    pub fn relent(&self) {
        self.ledger().fail_count = 0;
    }
}

// SAFETY: blocks come from the system's allocator with the layout that was asked for, and are given out once.
unsafe impl Allocator for Scarce {
    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        let mut ledger = self.ledger();
        ledger.requests += 1;
        let since = ledger.requests.checked_sub(ledger.fail_from);
        if layout.size() == 0 || since.is_some_and(|since| since < ledger.fail_count) {
            ledger.refused += 1;
            return None;
        }
        // SAFETY: the size is not 0.
        let block = NonNull::new(unsafe { alloc(layout) })?;
        // Memory is not promised to be zero: whoever relies on it is found out.
        // SAFETY: the block has this many bytes, and nobody else has it yet.
        unsafe { block.write_bytes(0xa5, layout.size()) };
        ledger.blocks.insert(block.as_ptr().addr(), layout);
        ledger.given += 1;
        ledger.bytes += layout.size() as u64;
        ledger.peak_bytes = ledger.peak_bytes.max(ledger.bytes);
        Some(block)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        let mut ledger = self.ledger();
        if ledger.blocks.remove(&block.as_ptr().addr()) != Some(layout) {
            // Freeing it would be undefined: it is left alone and told on.
            ledger.foul += 1;
            return;
        }
        ledger.taken_back += 1;
        ledger.bytes -= layout.size() as u64;
        // SAFETY: the block is ours, of this layout (just checked), and its user is done with it. Its bytes are
        // spoiled first, so that a late reader is found out.
        unsafe { block.write_bytes(0x5a, layout.size()) };
        // SAFETY: as above; it left the ledger, so this happens once.
        unsafe { dealloc(block.as_ptr(), layout) };
    }
}
