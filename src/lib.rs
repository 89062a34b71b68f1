//! queuecore: the memory-critical middle of a message broker as one embeddable library.
//!
//! Three production incidents have one shape: the bookkeeping around a queue, not the queue, brings the broker
//! down. Each part of this crate is one such piece of bookkeeping, made exact, bounded and calm, to be swapped in
//! for the broker's own.
//!
//! # The map of the house
//! | module | holds | may use |
//! |---|---|---|
//! | [`history`] | an insertion-ordered map of live messages with a de-duplication history | `memory` |
//! | [`usage`] | an exact memory meter with limits, steps, events and waiting, without a shared hot line | `memory` |
//! | [`cursor`] | the window of a store-backed queue that is held in memory | `memory`, `usage` |
//! | [`memory`] | the allocator of an instance and the account of it | |
//! | [`ffi`] | the C ABI over the parts: `libqueuecore.so` and `queuecore.h` | all of them |
//! | `sync` | the only door to atomics and locks: the standard ones, or loom's under `cfg(loom)` | |
//!
//! The arrows run one way. Nothing imports `ffi`, and no C type enters a part.
//!
//! # From Rust
//! ```
//! use queuecore::history::{Erased, History, Inserted, Key, Options};
//!
//! const SECOND_NS: i64 = 1_000_000_000;
//! let mut history = History::new(Options { window_ns: 60 * SECOND_NS, value_size: 8, ..Options::default() })?;
//!
//! let now_ns = 0;
//! let Inserted::Added(entry) = history.insert(&Key([1; 16]), &7_u64.to_le_bytes(), now_ns, now_ns)? else {
//!     unreachable!("the key is new")
//! };
//! assert_eq!(history.erase(entry, 1_000)?, Erased::Historical);
//! assert_eq!(history.insert(&Key([1; 16]), &[], 2_000, 2_000)?, Inserted::DuplicateHistory);
//! # Ok::<(), queuecore::history::Error>(())
//! ```

pub mod cursor;
pub mod ffi;
pub mod history;
pub mod memory;
mod sync;
pub mod usage;
