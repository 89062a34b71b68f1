//! The committed header is the one that the sources make.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

#[test]
fn the_committed_header_is_the_generated_one() {
    let generated = std::fs::read_to_string(concat!(env!("OUT_DIR"), "/queuecore.h")).unwrap();
    let committed = support::header();
    let pairs = generated.lines().zip(committed.lines()).enumerate();
    let differing = pairs.into_iter().find(|(_, (generated, committed))| generated != committed);
    let first = differing.map_or("one is longer".to_owned(), |(number, (generated, committed))| {
        format!("line {}: generated\n{generated}\ncommitted\n{committed}", number + 1)
    });
    assert!(
        generated == committed,
        "include/queuecore.h is not what src/ffi makes; `make header` writes it anew. {first}"
    );
}
