//! What a tracker is made with, and why a call on one fails.

use crate::memory::Allocator;
use std::fmt;
use std::sync::Arc;

/// The most trackers in one tree, the hidden ones of parents included.
pub const MAX_TRACKERS: u32 = 1 << 20;
/// The most levels in one tree.
pub const MAX_DEPTH: u32 = 16;
/// The most events that wait to be delivered for one tracker.
pub const MAX_EVENT_CAPACITY: u32 = 1 << 16;
/// A whole, in parts per million: a share of all of the parent's limit.
pub const WHOLE_PPM: u32 = 1_000_000;

/// How a tracker is to be.
#[derive(Clone)]
pub struct Options {
    /// The limit in bytes, up to [`MAX_LIMIT`](super::MAX_LIMIT); 0 means unlimited.
    pub limit_bytes: u64,
    /// A share of the parent's limit instead of a limit: 1 to [`WHOLE_PPM`] parts per million, or 0 for none. It may
    /// not stand beside a limit, and a root has nothing to share.
    pub share_ppm: u32,
    /// Percents count in whole multiples of this; 1 or more.
    pub min_delta_percent: u32,
    /// The caller's name for the tracker: events and enumerations carry it.
    pub tag: u64,
    /// Room for events that wait to be delivered, 1 to [`MAX_EVENT_CAPACITY`]; when it is used up, events merge.
    pub event_capacity: u32,
    /// The most stripes of a busy tracker; 0 means one for each processor. Of a root, for its whole tree.
    pub max_stripes: u32,
    /// Where the tree's memory comes from; `None` for the process's own. Of a root, for its whole tree.
    pub allocator: Option<Arc<dyn Allocator>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limit_bytes: 0,
            share_ppm: 0,
            min_delta_percent: 1,
            tag: 0,
            event_capacity: 64,
            max_stripes: 0,
            allocator: None,
        }
    }
}

impl Options {
    /// Checks the settings of a root or of a child.
    pub(super) fn check(&self, is_root: bool) -> Result<(), Error> {
        in_range("limit_bytes", self.limit_bytes, 0, super::MAX_LIMIT as u64)?;
        in_range("share_ppm", u64::from(self.share_ppm), 0, u64::from(WHOLE_PPM))?;
        in_range("min_delta_percent", u64::from(self.min_delta_percent), 1, u64::from(u32::MAX))?;
        in_range("event_capacity", u64::from(self.event_capacity), 1, u64::from(MAX_EVENT_CAPACITY))?;
        if self.share_ppm > 0 && self.limit_bytes > 0 {
            return Err(Error::Contradiction {
                what: "share_ppm and limit_bytes are both set; a tracker has one",
            });
        }
        if self.share_ppm > 0 && is_root {
            return Err(Error::Contradiction {
                what: "share_ppm is set on a root, which has no parent to share with",
            });
        }
        Ok(())
    }
}

/// A number between two others, or the error that says so.
pub(super) fn in_range<N: Into<i128>>(what: &'static str, value: N, min: N, max: N) -> Result<(), Error> {
    let (value, min, max) = (value.into(), min.into(), max.into());
    if (min..=max).contains(&value) { Ok(()) } else { Err(Error::OutOfRange { what, value, min, max }) }
}

/// Why a call failed. A failed call has changed nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The allocator had no memory.
    NoMemory,
    /// An amount is larger than [`MAX_AMOUNT`](super::MAX_AMOUNT).
    Amount {
        /// The amount.
        value: u64,
    },
    /// A level would leave plus and minus [`MAX_LEVEL`](super::MAX_LEVEL).
    Level {
        /// The level before.
        level: i64,
        /// What would be added to it.
        change: i64,
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
    /// Settings that exclude each other.
    Contradiction {
        /// What they are.
        what: &'static str,
    },
    /// One of the library's own limits is reached.
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A reservation larger than some limit above it: it could wait for ever.
    NeverFits {
        /// The amount.
        amount: u64,
        /// The limit.
        limit: u64,
    },
    /// The system gave no event descriptor.
    NoDescriptor {
        /// Its error number.
        errno: i32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoMemory => write!(f, "the allocator had no memory"),
            Error::Amount { value } => {
                write!(f, "an amount of {value} bytes is more than the {} allowed", super::MAX_AMOUNT)
            }
            Error::Level { level, change } => write!(
                f,
                "a level of {level} bytes changed by {change} would leave plus and minus {}",
                super::MAX_LEVEL
            ),
            Error::OutOfRange { what, value, min, max } => {
                write!(f, "{what} is {value}, outside {min} to {max}")
            }
            Error::Contradiction { what } => write!(f, "{what}"),
            Error::TooMany { what, limit } => write!(f, "all {limit} {what} are in use"),
            Error::NeverFits { amount, limit } => {
                write!(f, "{amount} bytes never fit under a limit of {limit}: raise it or reserve less")
            }
            Error::NoDescriptor { errno } => {
                write!(
                    f,
                    "the system gave no event descriptor (errno {errno}): close some, or raise the limit"
                )
            }
        }
    }
}

impl std::error::Error for Error {}
