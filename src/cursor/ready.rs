//! `on_ready`: the one part of a cursor that other threads touch.
//!
//! A pull that is blocked notes why. Whoever removes that reason takes the note away and calls the callback: an edge,
//! once for each blocked pull. The cursor's own thread does so at the end of an acknowledgement or a commit; another
//! thread when the parent's level falls. Neither looks at the cursor's state from here.

use super::types::Blocked;
use crate::sync::{AtomicU32, AtomicU64, Mutex, Ordering, lock};
use std::sync::Arc;

/// What `on_ready` calls.
pub type OnReady = Arc<dyn Fn() + Send + Sync>;

/// The note of a blocked pull, and who is told.
pub(super) struct Signal {
    /// 0, or 1 + the index of the reason.
    blocked: AtomicU32,
    calls: AtomicU64,
    /// A bit for each percent for which a notice of the own tracker is registered: see `account.rs`.
    notices: [AtomicU64; 2],
    callback: Mutex<Option<OnReady>>,
}

impl Signal {
    pub(super) fn new() -> Signal {
        Signal {
            blocked: AtomicU32::new(0),
            calls: AtomicU64::new(0),
            notices: [AtomicU64::new(0), AtomicU64::new(0)],
            callback: Mutex::new(None),
        }
    }

    /// Sets who is told. Answers who was before.
    pub(super) fn set_callback(&self, callback: Option<OnReady>) -> Option<OnReady> {
        std::mem::replace(&mut *lock(&self.callback), callback)
    }

    /// Marks that a notice for a percent up to 100 is registered. Answers whether one was already.
    pub(super) fn add_notice(&self, percent: u32) -> bool {
        let bit = 1_u64 << (percent % 64);
        // AcqRel: pairs with the release in `end_notice`, so that a notice that was just served is seen to be.
        let word = self.notices.get(percent as usize / 64);
        word.is_some_and(|word| word.fetch_or(bit, Ordering::AcqRel) & bit != 0)
    }

    /// The notice for a percent is registered no more.
    pub(super) fn end_notice(&self, percent: u32) {
        if let Some(word) = self.notices.get(percent as usize / 64) {
            // Release: pairs with the access in `add_notice`.
            word.fetch_and(!(1_u64 << (percent % 64)), Ordering::Release);
        }
    }

    pub(super) fn calls(&self) -> u64 {
        // Relaxed: a figure.
        self.calls.load(Ordering::Relaxed)
    }

    /// Notes a blocked pull. Before the last look at what blocks it: whoever removes it after that look finds the note,
    /// and whoever removed it without finding the note did so before that look.
    pub(super) fn block(&self, reason: Blocked) {
        // AcqRel, an exchange and no store: it comes either before the one in `fire`, which then finds the note; or after
        // it, and acquires what went before it.
        self.blocked.swap(1 + reason.index() as u32, Ordering::AcqRel);
    }

    /// Takes the note away: a new pull has begun.
    pub(super) fn clear(&self) {
        // Relaxed: only the note itself counts.
        self.blocked.store(0, Ordering::Relaxed);
    }

    /// The reason is gone: takes its note away and calls the callback, if this is the one to do it.
    pub(super) fn fire(&self, reason: Blocked) {
        let noted = 1 + reason.index() as u32;
        // AcqRel, an exchange that changes nothing: see `block`.
        if self.blocked.fetch_or(0, Ordering::AcqRel) != noted {
            return;
        }
        // Relaxed, both: only who takes the note away counts.
        if self.blocked.compare_exchange(noted, 0, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        // Relaxed: a figure.
        self.calls.fetch_add(1, Ordering::Relaxed);
        let callback = lock(&self.callback).clone();
        if let Some(callback) = callback {
            callback();
        }
    }
}
