//! Every exported function that answers a status stands behind the guard, and the few others are known by name.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use std::collections::BTreeSet;

/// Functions that answer no status: they cannot fail, take no handle and call nothing that could panic.
const UNGUARDED: [&str; 5] =
    ["qc_abi_version", "qc_last_error", "qc_status_string", "qc_usage_layout", "qc_version_string"];

#[test]
fn every_export_that_can_fail_is_guarded() {
    let mut guarded = BTreeSet::new();
    for file in std::fs::read_dir(support::repository("src/ffi")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for part in source.split("#[unsafe(no_mangle)]").skip(1) {
            let (signature, body) = part.split_once('{').expect("a function has a body");
            let name = signature.split_once("fn ").unwrap().1.split_once('(').unwrap().0;
            if UNGUARDED.contains(&name) {
                assert!(!signature.contains("qc_status {"), "{name}");
                continue;
            }
            assert!(signature.trim_end().ends_with("-> qc_status"), "{name} answers a status");
            assert!(body.trim_start().starts_with("guard!("), "{name} begins with the guard");
            guarded.insert(name.to_owned());
        }
    }
    let exported = std::fs::read_to_string(support::repository("tests/abi/exported-symbols.txt")).unwrap();
    let expected: BTreeSet<String> =
        exported.lines().filter(|name| !UNGUARDED.contains(name)).map(str::to_owned).collect();
    assert_eq!(guarded, expected);
}
