//! Why a call on a history failed. A failed call has changed nothing, except that one without room or memory has told
//! the time and may have collected expired entries.

use super::format::BadBuffer;
use std::fmt;

/// The reason, with the numbers that a sentence about it needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The allocator had no memory, or the group no room under its limit (see
    /// [`History::is_group_full`](super::History::is_group_full)).
    NoMemory,
    /// The limit on entries is reached.
    EntriesFull {
        /// The limit.
        limit: u64,
    },
    /// The limit on historical entries is reached and the overflow policy is to reject.
    HistoryFull {
        /// The limit.
        limit: u64,
    },
    /// `now` is further ahead than allowed.
    ClockStep {
        /// The time given.
        now_ns: i64,
        /// The largest time seen before.
        seen_ns: i64,
        /// The farthest it may be ahead.
        max_step_ns: i64,
    },
    /// A time is outside plus and minus [`MAX_TIME_NS`](super::MAX_TIME_NS).
    TimeRange {
        /// The argument.
        what: &'static str,
        /// Its value.
        time_ns: i64,
    },
    /// An insert time lies after the present.
    InsertedInFuture {
        /// The insert time.
        inserted_at_ns: i64,
        /// The time of the call.
        now_ns: i64,
    },
    /// The handle's entry is no longer live.
    StaleEntry {
        /// The handle.
        entry: u64,
    },
    /// No such key.
    NotFound,
    /// No export was begun, or its last buffer was written.
    NoExport,
    /// The buffer is not one that an export wrote, or not any more.
    BadBuffer(BadBuffer),
    /// The buffer is not the next of its export.
    BufferOrder {
        /// Its number.
        number: u32,
        /// The number that could come instead.
        expected: u32,
    },
    /// The window was raised too often while what had expired before is not collected.
    WindowRaises {
        /// How often it can be.
        limit: u32,
    },
    /// The setting is the group's to make.
    OfGroup {
        /// The setting.
        what: &'static str,
    },
    /// A setting or an argument is outside its range.
    OutOfRange {
        /// The setting or argument.
        what: &'static str,
        /// Its value.
        value: i128,
        /// The smallest value allowed.
        min: i128,
        /// The largest value allowed.
        max: i128,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::NoMemory => write!(f, "the allocator returned no memory"),
            Error::EntriesFull { limit } => {
                write!(f, "the limit of {limit} entries is reached; collect, erase or raise max_entries")
            }
            Error::HistoryFull { limit } => write!(
                f,
                "the history holds max_history = {limit} entries; collect, raise the limit or use evict_oldest"
            ),
            Error::ClockStep { now_ns, seen_ns, max_step_ns } => write!(
                f,
                "now_ns = {now_ns} is more than max_clock_step_ns = {max_step_ns} ahead of the largest time seen, \
                 {seen_ns}; if the clock is right, call clock_reset"
            ),
            Error::TimeRange { what, time_ns } => {
                write!(f, "{what} = {time_ns} is outside the range of -2^62 to 2^62 ns")
            }
            Error::InsertedInFuture { inserted_at_ns, now_ns } => {
                write!(f, "inserted_at_ns = {inserted_at_ns} is later than now_ns = {now_ns}")
            }
            Error::StaleEntry { entry } => {
                write!(
                    f,
                    "entry {entry:#x} is not live (any more): it was erased, forgotten, cleared or never given out"
                )
            }
            Error::NotFound => write!(f, "the key is not there"),
            Error::NoExport => write!(f, "no export is under way; begin one first"),
            Error::BadBuffer(bad) => write!(f, "{bad}"),
            Error::BufferOrder { number, expected } => write!(
                f,
                "the buffer is number {number} of its export, and number {expected} has to come before it"
            ),
            Error::WindowRaises { limit } => write!(
                f,
                "the window was raised {limit} times while what had expired before is not collected; call gc first"
            ),
            Error::OfGroup { what } => {
                write!(f, "{what} is set, but in a group it is the group's that counts; leave it out")
            }
            Error::OutOfRange { what, value, min, max } => {
                write!(f, "{what} = {value} is out of range; it must be {min} to {max}")
            }
        }
    }
}

impl std::error::Error for Error {}
