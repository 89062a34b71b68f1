//! A second, naive meter to compare the real one with, and the driver that compares them.
//!
//! Used by `tests/usage_*.rs`, never by the library. It is written from the design page, in plain sums that are made
//! anew for each question, and knows nothing of credit, stripes, bounds or gates.
//!
//! - `meter`: the model itself.
//! - `operation`: abstract operations ("as much as brings the parent to its limit"), made into calls by looking at the
//!   model. Sequences of them stay meaningful when a shrinker takes some away.
//! - `pair`: the real tree beside the model: makes each call on both and compares answers.
//! - `compare`: compares all that can be seen.
//! - `threads`: what the tests with many threads share: a random number for each, gates to start at, counts.

#![allow(dead_code, unused_imports)] // Each test program uses a part of this.

pub mod compare;
pub mod meter;
pub mod operation;
pub mod pair;
pub mod threads;

pub use meter::{Id, Meter};
pub use operation::{Amount, Level, Limit, Op, Which};
pub use pair::{Pair, Watch};
