//! The report tool: one self-contained HTML page from what the replay and the benches wrote.
//!
//! ```text
//! main -> cli, page, goals        page -> chart, goals, format, input (the model)
//! input -> goals, error           chart -> format; knows nothing of replays
//! ```
//! A library so that the tests reach it; the binary is all that is meant to be used.

pub mod chart;
pub mod cli;
pub mod error;
pub mod format;
pub mod goals;
pub mod input;
pub mod page;
