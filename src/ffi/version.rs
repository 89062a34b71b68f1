//! Which version of the library is loaded, as a number and as a text. Nothing else in the crate needs this file.
//!
//! The macros `QC_VERSION_*` of the header say what a program was compiled against; `build.rs` takes them from the
//! same place, Cargo.toml.

use std::ffi::c_char;

/// The three numbers as one, laid out like the macro `QC_VERSION_NUMBER`.
const NUMBER: u32 = {
    let major = decimal(env!("CARGO_PKG_VERSION_MAJOR"));
    let minor = decimal(env!("CARGO_PKG_VERSION_MINOR"));
    let patch = decimal(env!("CARGO_PKG_VERSION_PATCH"));
    assert!(major < 256 && minor < 256 && patch < 256, "each part of the version has eight bits");
    (major << 16) | (minor << 8) | patch
};

/// Reads a decimal number while compiling.
const fn decimal(text: &str) -> u32 {
    match u32::from_str_radix(text, 10) {
        Ok(number) => number,
        Err(_) => u32::MAX,
    }
}

/// The version of the loaded library: `major << 16 | minor << 8 | patch`.
///
/// Compare it with `QC_VERSION_NUMBER`, the version that a program was compiled against. While the major number is 0,
/// two versions fit together if their minor numbers are equal; after that, if their major numbers are equal and the
/// loaded library is no older. Any thread, at any time. Constant time.
#[unsafe(no_mangle)]
pub extern "C" fn qc_abi_version() -> u32 {
    NUMBER
}

/// The version of the loaded library as a text, such as "1.2.3".
///
/// Never NULL. The text is static: it stays valid for as long as the library is loaded. Any thread, at any time.
/// Constant time.
#[unsafe(no_mangle)]
pub extern "C" fn qc_version_string() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
