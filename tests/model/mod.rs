//! A second, naive history to compare the real one with, and the driver that compares them.
//!
//! Used by `tests/history_*.rs` and by the fuzz target; never by the library. It is written from the design
//! page, in the plainest containers there are, and knows nothing of how the real one is built.
//!
//! - `setup`: the options of one run, as data that can be copied and printed.
//! - `call`: a call with all its arguments, and the answer that the model expects.
//! - `reference`: the model itself.
//! - `operation`: abstract operations ("insert some key, just at the expiry of some entry"), made into calls by
//!   looking at the model. Sequences of them stay meaningful when a shrinker takes some away.
//! - `scarce`: an allocator that counts, and fails when it is told to.
//! - `subject`: what is compared, as one set of calls: the Rust core, or the C ABI by `c_subject`.
//! - `real`: a subject, with its answers in the model's words.
//! - `transfer`: the buffers of an export, written and read by hand.
//! - `pair`: the real history beside the model: makes each call on both, compares answers and all visible state.

#![allow(dead_code, unused_imports)] // Each test program uses a part of this.

pub mod c_subject;
pub mod call;
pub mod operation;
pub mod pair;
pub mod real;
pub mod reference;
pub mod scarce;
pub mod setup;
pub mod subject;
pub mod transfer;

pub use call::{Answer, Call, EntryRef};
pub use operation::{At, Now, Op};
pub use pair::Pair;
pub use reference::Model;
pub use setup::Setup;
pub use subject::Subject;
