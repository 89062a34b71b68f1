//! How a cursor is set up, and its policy, which can be changed at any time.

use super::error::Error;
use crate::memory::Allocator;
use std::sync::Arc;

/// The most messages that a window may hold.
pub const MAX_ENTRIES: u32 = 1 << 26;
/// The most writes that may be open at a time.
pub const MAX_OPEN_WRITES: u32 = 1 << 20;
/// The most messages of a page.
pub const MAX_PAGE_MESSAGES: u32 = 1 << 16;
/// The most bytes of a page.
pub const MAX_PAGE_BYTES: u64 = 1 << 40;
/// The largest percent of a parent's limit that may be set as a mark.
pub const MAX_PARENT_PERCENT: u32 = 1_000;

/// Who charges the tracker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Accounting {
    /// The cursor, and nobody else: its usage is what it has charged.
    #[default]
    Own,
    /// The host, as its own reference counts say; the cursor reads the tracker's percent and charges nothing.
    Host,
}

/// What decides when messages stay in memory and when they are paged in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Caching and filling stop when the usage reaches this percent of the limit: 1 to 100.
    pub high_percent: u32,
    /// Filling begins when the usage is below this percent of the limit: 1 to `high_percent`. The classic rule is both
    /// the same.
    pub low_percent: u32,
    /// Caching stops when the parent, or a level above it, reaches this percent of its limit: 1 to
    /// [`MAX_PARENT_PERCENT`].
    pub parent_cache_percent: u32,
    /// Pages are taken while the parent, and every level above it, is at or below this percent of its limit: 1 to
    /// [`MAX_PARENT_PERCENT`]. The parent's percent moves in steps of its `min_delta_percent`: with coarse steps this mark
    /// moves to the next one.
    pub parent_page_percent: u32,
    /// The messages of a whole page: 1 to [`MAX_PAGE_MESSAGES`].
    pub page_messages: u32,
    /// The bytes of a whole page: 1 to [`MAX_PAGE_BYTES`]; at most (100 - `high_percent`) % of the limit counts, and 1 %
    /// where that leaves nothing.
    pub page_bytes: u64,
    /// A page that open writes or demand cut shorter than this is not taken while the window has something to give;
    /// 0 means a quarter of `page_messages`.
    pub min_page_messages: u32,
    /// Pages are not longer than the demand.
    pub lazy_dispatch: bool,
    /// New messages stay in memory while there is room.
    pub use_cache: bool,
    /// Messages whose write is open are delivered all the same, once their sequence is known. Turned off, it
    /// holds for what is pushed from then on: what could be delivered already still is.
    pub deliver_uncommitted: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            high_percent: 70,
            low_percent: 50,
            parent_cache_percent: 100,
            parent_page_percent: 90,
            page_messages: 200,
            page_bytes: 1 << 20,
            min_page_messages: 0,
            lazy_dispatch: false,
            use_cache: true,
            deliver_uncommitted: false,
        }
    }
}

impl Policy {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]; [`Error::Contradiction`] if the low mark is above the high one.
    pub fn check(&self) -> Result<(), Error> {
        in_range("high_percent", self.high_percent.into(), 1, 100)?;
        in_range("low_percent", self.low_percent.into(), 1, 100)?;
        if self.low_percent > self.high_percent {
            return Err(Error::Contradiction { what: "low_percent is above high_percent" });
        }
        let percent = u64::from(MAX_PARENT_PERCENT);
        in_range("parent_cache_percent", self.parent_cache_percent.into(), 1, percent)?;
        in_range("parent_page_percent", self.parent_page_percent.into(), 1, percent)?;
        in_range("page_messages", self.page_messages.into(), 1, MAX_PAGE_MESSAGES.into())?;
        in_range("page_bytes", self.page_bytes, 1, MAX_PAGE_BYTES)?;
        in_range("min_page_messages", self.min_page_messages.into(), 0, self.page_messages.into())
    }

    /// The fewest messages that are worth a page.
    /// The messages of a page for a demand, if there is room.
    pub(super) fn longest_page(&self, missing: u32) -> u32 {
        let wanted = if self.lazy_dispatch { missing.max(1) } else { u32::MAX };
        wanted.min(self.page_messages)
    }

    pub(super) fn min_page(&self) -> u32 {
        match self.min_page_messages {
            0 => self.page_messages.div_ceil(4),
            messages => messages,
        }
    }
}

/// The settings of a [`Cursor`](super::Cursor). Start from `Options::default()` and change fields.
#[derive(Clone, Default)]
pub struct Options {
    /// What decides about memory.
    pub policy: Policy,
    /// Who charges the tracker.
    pub accounting: Accounting,
    /// The most messages in the window, in flight ones included; 0 means [`MAX_ENTRIES`].
    pub max_entries: u32,
    /// The most writes open at a time, answered ones behind an open one included; 0 means 65,536.
    pub max_open_writes: u32,
    /// The host's allocator; `None` means the process's own.
    pub allocator: Option<Arc<dyn Allocator>>,
}

impl Options {
    pub(super) fn max_entries(&self) -> u32 {
        if self.max_entries == 0 { MAX_ENTRIES } else { self.max_entries }
    }

    pub(super) fn max_open_writes(&self) -> u32 {
        if self.max_open_writes == 0 { 1 << 16 } else { self.max_open_writes }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.policy.check()?;
        in_range("max_entries", self.max_entries.into(), 0, MAX_ENTRIES.into())?;
        in_range("max_open_writes", self.max_open_writes.into(), 0, MAX_OPEN_WRITES.into())
    }
}

/// A number between two others, or the error that says so.
pub(super) fn in_range(what: &'static str, value: u64, min: u64, max: u64) -> Result<(), Error> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(Error::OutOfRange { what, value, min, max }) }
}
