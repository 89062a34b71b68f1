//! Writes the C header into the build folder, and gives the shared library its name.
//!
//! It writes into the source tree only when `QUEUECORE_UPDATE_HEADER=1` asks for it; `tests/header_drift.rs` fails
//! when the committed header is not the one that is generated.

use std::env;
use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The files with exported items, in the order in which the header tells of them.
const SOURCES: [&str; 35] = [
    "status",
    "last_error",
    "version",
    "callbacks",
    "history_types",
    "history_options",
    "history",
    "history_change",
    "history_batch",
    "history_read",
    "history_upkeep",
    "history_walk",
    "history_transfer",
    "history_group",
    "history_stats",
    "usage_options",
    "usage",
    "usage_count",
    "usage_wait",
    "usage_read",
    "usage_settings",
    "usage_events",
    "usage_stats",
    "usage_layout",
    "usage_hold",
    "cursor_types",
    "cursor_options",
    "cursor_store",
    "cursor_group",
    "cursor",
    "cursor_push",
    "cursor_pull",
    "cursor_release",
    "cursor_settings",
    "cursor_stats",
];

/// Structs whose names are functions too: in C a typedef and a function cannot share a name.
const BARE_STRUCTS: [&str; 6] = [
    "qc_history_stats",
    "qc_history_group_stats",
    "qc_usage_stats",
    "qc_usage_layout",
    "qc_cursor_stats",
    "qc_cursor_group_stats",
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for input in ["build.rs", "cbindgen.toml", "Cargo.toml", "src/ffi"] {
        println!("cargo::rerun-if-changed={input}");
    }
    println!("cargo::rerun-if-env-changed=QUEUECORE_UPDATE_HEADER");
    let header = out.join("queuecore.h");
    write_header(&root, &header)?;
    if env::var("QUEUECORE_UPDATE_HEADER").is_ok_and(|value| value == "1") {
        fs::copy(&header, root.join("include/queuecore.h"))?;
    }
    name_library(&out)
}

fn write_header(root: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let mut config = cbindgen::Config::from_file(root.join("cbindgen.toml"))?;
    config.after_includes = Some(version_macros()?);
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(root.join("src/ffi").join(source).with_extension("rs"));
    }
    let mut text = Vec::new();
    builder.generate()?.write(&mut text);
    let mut header = String::from_utf8(text)?;
    for name in BARE_STRUCTS {
        header = without_typedef(&header, name)?;
    }
    fs::write(to, header)?;
    Ok(())
}

/// Takes the typedef off one struct, which remains as `struct name`: the bare name is the function.
fn without_typedef(header: &str, name: &str) -> Result<String, Box<dyn Error>> {
    let mut header = header.to_owned();
    for (from, to) in [
        (format!("typedef struct {name} {{"), format!("struct {name} {{")),
        (format!("\n}} {name};"), "\n};".to_owned()),
    ] {
        if header.matches(&from).count() != 1 {
            return Err(format!("the header should have {from:?} once").into());
        }
        header = header.replace(&from, &to);
    }
    Ok(header)
}

fn version_macros() -> Result<String, Box<dyn Error>> {
    let major = env::var("CARGO_PKG_VERSION_MAJOR")?;
    let minor = env::var("CARGO_PKG_VERSION_MINOR")?;
    let patch = env::var("CARGO_PKG_VERSION_PATCH")?;
    Ok(format!(
        "\n/** The version that a program is compiled against; qc_abi_version() is the one that it runs with. */\n\
         #define QC_VERSION_MAJOR {major}\n\
         #define QC_VERSION_MINOR {minor}\n\
         #define QC_VERSION_PATCH {patch}\n\
         #define QC_VERSION_NUMBER ((QC_VERSION_MAJOR << 16) | (QC_VERSION_MINOR << 8) | QC_VERSION_PATCH)"
    ))
}

/// The name that programs record when they link, and a link of that name beside the library, so that they also run
/// in the build tree.
fn name_library(out: &Path) -> Result<(), Box<dyn Error>> {
    if env::var("CARGO_CFG_TARGET_OS")? != "linux" {
        return Ok(());
    }
    let major = env::var("CARGO_PKG_VERSION_MAJOR")?;
    let minor = env::var("CARGO_PKG_VERSION_MINOR")?;
    // While the major number is 0, each minor number is an ABI of its own.
    let version = if major == "0" { format!("0.{minor}") } else { major };
    let soname = format!("libqueuecore.so.{version}");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{soname}");
    // OUT_DIR is <profile folder>/build/<package>/out.
    let Some(profile) = out.ancestors().nth(3) else { return Ok(()) };
    match std::os::unix::fs::symlink("libqueuecore.so", profile.join(soname)) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.into()),
        _ => Ok(()),
    }
}
