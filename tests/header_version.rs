//! The version, in the macros, in the library and in Cargo.toml, each of its parts by itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![cfg(not(loom))]

#[path = "abi/support.rs"]
mod support;

use queuecore::ffi::version::{qc_abi_version, qc_version_string};
use std::ffi::CStr;

fn macro_value(name: &str) -> String {
    let code = support::header_code();
    let start = format!("#define {name} ");
    let line = code.lines().find(|line| line.starts_with(&start));
    line.unwrap_or_else(|| panic!("no {name}"))[start.len()..].trim().to_owned()
}

#[test]
fn each_macro_is_the_packages_own() {
    assert_eq!(macro_value("QC_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MAJOR"));
    assert_eq!(macro_value("QC_VERSION_MINOR"), env!("CARGO_PKG_VERSION_MINOR"));
    assert_eq!(macro_value("QC_VERSION_PATCH"), env!("CARGO_PKG_VERSION_PATCH"));
}

#[test]
fn each_part_of_the_librarys_number_is_the_packages_own() {
    let number = qc_abi_version();
    assert_eq!((number >> 16).to_string(), env!("CARGO_PKG_VERSION_MAJOR"));
    assert_eq!((number >> 8 & 0xff).to_string(), env!("CARGO_PKG_VERSION_MINOR"));
    assert_eq!((number & 0xff).to_string(), env!("CARGO_PKG_VERSION_PATCH"));
}

#[test]
fn the_text_is_the_packages_own() {
    // SAFETY: the text is static and zero-terminated.
    let text = unsafe { CStr::from_ptr(qc_version_string()) };
    assert_eq!(text.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

/// With three different numbers, so that none can stand in for another.
#[test]
fn the_number_macro_puts_each_part_in_its_place() {
    let code = "#include \"queuecore.h\"\n\
                #undef QC_VERSION_MAJOR\n#undef QC_VERSION_MINOR\n#undef QC_VERSION_PATCH\n\
                #define QC_VERSION_MAJOR 1\n#define QC_VERSION_MINOR 2\n#define QC_VERSION_PATCH 3\n\
                _Static_assert(QC_VERSION_NUMBER == 0x010203, \"1.2.3\");\n";
    support::compile_c11(&support::scratch("header_version"), code);
}
