//! What the shared library shows to a linker: the functions of the C ABI, its name, and nothing else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![cfg(all(target_os = "linux", not(loom)))]

#[path = "abi/support.rs"]
mod support;

use std::collections::BTreeSet;
use std::process::Command;

fn output(tool: &str, arguments: &[&str]) -> String {
    let library = support::library_dir().join("libqueuecore.so");
    let output = Command::new(tool).args(arguments).arg(&library).output();
    let output = output.unwrap_or_else(|error| panic!("{tool} (package binutils) is needed: {error}"));
    assert!(
        output.status.success(),
        "{tool} {}: {}",
        library.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn committed() -> BTreeSet<String> {
    let list = std::fs::read_to_string(support::repository("tests/abi/exported-symbols.txt")).unwrap();
    list.lines().map(str::to_owned).collect()
}

#[test]
fn the_library_exports_the_committed_list() {
    let exported: BTreeSet<String> = output("nm", &["-D", "--defined-only", "--format=posix"])
        .lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect();
    let committed = committed();
    let added: Vec<_> = exported.difference(&committed).collect();
    let gone: Vec<_> = committed.difference(&exported).collect();
    assert!(
        added.is_empty() && gone.is_empty(),
        "exported but not in tests/abi/exported-symbols.txt: {added:?}; in the list but not exported: {gone:?}"
    );
    assert!(exported.iter().all(|name| name.starts_with("qc_")), "every name begins with qc_");
}

#[test]
fn the_header_declares_what_is_exported() {
    let code = support::header_code();
    let mut declared = BTreeSet::new();
    for (at, _) in code.match_indices("qc_") {
        // A function's name stands before its parameters; a callback type's stands in parentheses of its own.
        let name: String =
            code[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if code[at + name.len()..].starts_with('(') && !code[..at].ends_with(['_', '(']) {
            declared.insert(name);
        }
    }
    assert_eq!(declared, committed());
}

#[test]
fn the_library_has_its_versioned_name() {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    let version = if major == "0" { format!("0.{minor}") } else { major.to_owned() };
    let dynamic = output("readelf", &["-d", "-W"]);
    let wanted = format!("Library soname: [libqueuecore.so.{version}]");
    assert!(dynamic.contains(&wanted), "{wanted} is not in\n{dynamic}");
}
