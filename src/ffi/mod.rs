//! The C ABI: everything that `include/queuecore.h` declares, and nothing else.
//!
//! Nothing in the crate imports this module. The doc comment of an exported item *is* its description in the
//! header (`build.rs` writes it with cbindgen), so it speaks to a reader who writes C.
//!
//! | file | what lives there |
//! |---|---|
//! | `guard` | the boundary around every export: handles in, no panic out |
//! | `unwinding` | refuses builds in which a panic could not be caught |
//! | `handle` | the table of handles: alive, destroyed, foreign, busy |
//! | `pins`, `pin_record`, `pinned` | calls that overlap: who is inside, and the boundary for them |
//! | `status`, `last_error` | the answer of a failed call, as a number and in words |
//! | `args`, `versioned` | checks of pointers, counts and sizes; structs that grow from version to version |
//! | `callbacks` | a host's allocator and hash, as the core wants them |
//! | `version` | which version is loaded |
//! | `history*`, `usage*`, `cursor*` | the three parts, one file per concern |
#![allow(non_camel_case_types, reason = "items have the names that C knows them by")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the doc comments are the header's, where every function is unsafe"
)]

// Loom's locks and atomics cannot stand in a static, so a loom build has the table of handles and the pins without the
// rest.
#[cfg_attr(loom, allow(dead_code, reason = "the models use the table and the pins alone"))]
mod handle;
#[cfg_attr(loom, allow(dead_code, reason = "the models use the table and the pins alone"))]
mod pins;

#[cfg(not(loom))]
mod args;
#[cfg(not(loom))]
pub mod callbacks;
#[cfg(not(loom))]
pub mod cursor;
#[cfg(not(loom))]
pub mod cursor_group;
#[cfg(not(loom))]
pub mod cursor_options;
#[cfg(not(loom))]
pub mod cursor_pull;
#[cfg(not(loom))]
pub mod cursor_push;
#[cfg(not(loom))]
pub mod cursor_release;
#[cfg(not(loom))]
pub mod cursor_settings;
#[cfg(not(loom))]
pub mod cursor_stats;
#[cfg(not(loom))]
pub mod cursor_store;
#[cfg(not(loom))]
pub mod cursor_types;
#[cfg(not(loom))]
mod guard;
#[cfg(not(loom))]
pub mod history;
#[cfg(not(loom))]
pub mod history_batch;
#[cfg(not(loom))]
pub mod history_change;
#[cfg(not(loom))]
pub mod history_group;
#[cfg(not(loom))]
pub mod history_options;
#[cfg(not(loom))]
pub mod history_read;
#[cfg(not(loom))]
pub mod history_stats;
#[cfg(not(loom))]
pub mod history_transfer;
#[cfg(not(loom))]
pub mod history_types;
#[cfg(not(loom))]
pub mod history_upkeep;
#[cfg(not(loom))]
pub mod history_walk;
#[cfg(not(loom))]
pub mod last_error;
#[cfg(not(loom))]
mod pin_record;
#[cfg(not(loom))]
mod pinned;
#[cfg(not(loom))]
pub mod status;
mod unwinding;
#[cfg(not(loom))]
pub mod usage;
#[cfg(not(loom))]
pub mod usage_count;
#[cfg(not(loom))]
pub mod usage_events;
#[cfg(not(loom))]
pub mod usage_hold;
#[cfg(not(loom))]
pub mod usage_layout;
#[cfg(not(loom))]
pub mod usage_options;
#[cfg(not(loom))]
pub mod usage_read;
#[cfg(not(loom))]
pub mod usage_settings;
#[cfg(not(loom))]
pub mod usage_stats;
#[cfg(not(loom))]
pub mod usage_wait;
#[cfg(not(loom))]
pub mod version;
#[cfg(not(loom))]
mod versioned;
