//! queuecore: the memory-critical middle of a message broker as one embeddable library.

pub mod history;
pub mod memory;
