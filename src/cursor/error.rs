//! Why a call on a cursor failed. A failed call has changed nothing and can be made again.

use super::store::StoreError;
use crate::usage;
use std::fmt;

/// The reason, with the numbers that a sentence about it needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The allocator had no memory.
    NoMemory,
    /// A token or a sequence is out of order.
    Order {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: u64,
        /// It must be greater than this.
        above: u64,
        /// And less than this.
        below: u64,
    },
    /// No open write has this token: it was never pushed as one, or it was answered.
    UnknownToken {
        /// The token.
        token: u64,
    },
    /// No pending message has this sequence: it was never there, or it was acknowledged or removed.
    NotFound {
        /// The sequence.
        sequence: u64,
    },
    /// The message is pending but in nobody's hands.
    NotInFlight {
        /// Its sequence.
        sequence: u64,
    },
    /// A limit is reached.
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A setting or an argument is outside its range.
    OutOfRange {
        /// The setting or argument.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The smallest value allowed.
        min: u64,
        /// The largest value allowed.
        max: u64,
    },
    /// Settings or calls that exclude each other.
    Contradiction {
        /// What they are.
        what: &'static str,
    },
    /// The store failed.
    Store(StoreError),
    /// The store answered what it must not.
    BadFetch {
        /// What is wrong with it.
        what: &'static str,
        /// The value in question.
        value: u64,
        /// What it was to keep to.
        bound: u64,
    },
    /// The usage tracker refused.
    Usage(usage::Error),
}

impl From<usage::Error> for Error {
    fn from(error: usage::Error) -> Error {
        Error::Usage(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::NoMemory => write!(f, "the allocator had no memory"),
            Error::Order { what, value, above, below } => {
                write!(f, "{what} = {value} is out of order; it must be above {above} and below {below}")
            }
            Error::UnknownToken { token } => write!(f, "no open write has the token {token}"),
            Error::NotFound { sequence } => write!(f, "no pending message has the sequence {sequence}"),
            Error::NotInFlight { sequence } => {
                write!(f, "the message {sequence} is not in flight: pull it first")
            }
            Error::TooMany { what, limit } => write!(f, "all {limit} {what} are in use"),
            Error::OutOfRange { what, value, min, max } => {
                write!(f, "{what} = {value} is out of range; it must be {min} to {max}")
            }
            Error::Contradiction { what } => write!(f, "{what}"),
            Error::Store(StoreError { code }) => write!(f, "the store failed with code {code}"),
            Error::BadFetch { what, value, bound } => {
                write!(f, "the store returned {what}: {value}, against {bound}")
            }
            Error::Usage(error) => write!(f, "the usage tracker refused: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Usage(error) => Some(error),
            _ => None,
        }
    }
}
