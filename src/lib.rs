//! queuecore: the memory-critical middle of a message broker as one embeddable library.

pub mod ffi;
pub mod history;
pub mod memory;
mod sync;
