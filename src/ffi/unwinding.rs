//! The C library is built so that a panic can be caught. This file stands alone: a test compiles it by itself, for
//! builds that are right and builds that are wrong.

// A library for C that aborts on a panic could not keep its promise. Rust programs that link the rlib and abort on
// their own account are free to: then this crate is not the primary package.
#[cfg(panic = "abort")]
const _: () = assert!(
    option_env!("CARGO_PRIMARY_PACKAGE").is_none(),
    "build the C library of queuecore with panic = \"unwind\": a panic must become QC_ERR_PANIC, not an abort"
);
