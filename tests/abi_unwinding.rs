//! A C library that aborts on a panic does not compile; a Rust program that aborts may have this crate in it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use std::process::{Command, Output};

/// The file that refuses. What cargo sets for the package that it was asked to build is set here by hand.
fn compile(panic: &str, is_primary: bool) -> Output {
    let dir = support::scratch(&format!("unwinding_{panic}_{is_primary}"));
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata"]);
    rustc.arg(format!("-Cpanic={panic}")).arg("--out-dir").arg(&dir);
    rustc.arg(support::repository("src/ffi/unwinding.rs")).env_remove("CARGO_PRIMARY_PACKAGE");
    if is_primary {
        rustc.env("CARGO_PRIMARY_PACKAGE", "1");
    }
    rustc.output().unwrap_or_else(|error| panic!("{rustc:?}: {error}"))
}

#[test]
fn a_c_library_that_aborts_on_a_panic_does_not_compile() {
    let refused = compile("abort", true);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success());
    assert!(said.contains("build the C library of queuecore with panic = \"unwind\""), "{said}");
}

#[test]
fn any_other_build_compiles() {
    for (panic, is_primary) in [("unwind", true), ("unwind", false), ("abort", false)] {
        let done = compile(panic, is_primary);
        assert!(done.status.success(), "{panic} {is_primary}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn the_file_that_refuses_is_part_of_the_crate() {
    let parts = std::fs::read_to_string(support::repository("src/ffi/mod.rs")).unwrap();
    assert!(parts.lines().any(|line| line == "mod unwinding;"));
}
