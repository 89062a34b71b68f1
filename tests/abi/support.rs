//! What the tests of the C ABI share: where the library and the header are, and a host that calls as C does.
#![allow(dead_code, reason = "each test uses a part")]

use queuecore::ffi::callbacks::qc_key;
use queuecore::ffi::history::{qc_history, qc_history_create};
use queuecore::ffi::history_change::{qc_history_insert, qc_history_readmit};
use queuecore::ffi::history_options::{qc_history_options, qc_history_options_init};
use queuecore::ffi::history_types::qc_insert_result;
use queuecore::ffi::last_error::qc_last_error;
use queuecore::ffi::status::qc_status;
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::ptr;

/// The folder of the shared library: the one that `make` has built, or the one that was built with this test.
pub fn library_dir() -> PathBuf {
    match std::env::var_os("QUEUECORE_LIB_DIR") {
        Some(dir) => dir.into(),
        None => std::env::current_exe().unwrap().parent().unwrap().to_owned(),
    }
}

/// The name under which programs ask for the shared library.
pub fn soname() -> String {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    let version = if major == "0" { format!("0.{minor}") } else { major.to_owned() };
    format!("libqueuecore.so.{version}")
}

/// A file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// An empty folder for a test's own files.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).unwrap();
    }
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// Compiles C code of the standard C11 that includes the header, without linking it.
pub fn compile_c11(dir: &Path, code: &str) {
    let source = dir.join("code.c");
    std::fs::write(&source, code).unwrap();
    let compiler = std::process::Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I"])
        .arg(repository("include"))
        .arg(&source)
        .output()
        .expect("cc (package gcc) is needed");
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
}

/// The committed header.
pub fn header() -> String {
    std::fs::read_to_string(repository("include/queuecore.h")).unwrap()
}

/// The header without its comments.
pub fn header_code() -> String {
    let header = header();
    let mut code = String::new();
    let mut rest = header.as_str();
    while let Some(start) = rest.find("/*") {
        code.push_str(&rest[..start]);
        let end = rest[start..].find("*/").expect("comments end") + start + 2;
        rest = &rest[end..];
    }
    code.push_str(rest);
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

pub fn last_error() -> String {
    // SAFETY: the text is zero-terminated and is copied before another call can fail.
    unsafe { CStr::from_ptr(qc_last_error()) }.to_str().unwrap().to_owned()
}

pub fn key(number: u64) -> qc_key {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    qc_key { bytes }
}

/// The default options of this version.
pub fn defaults() -> qc_history_options {
    let mut options = std::mem::MaybeUninit::<qc_history_options>::uninit();
    // SAFETY: the place is as large as is said.
    let status = unsafe { qc_history_options_init(options.as_mut_ptr(), size_of::<qc_history_options>()) };
    assert_eq!(status, qc_status::QC_OK);
    // SAFETY: the call has filled all of it.
    unsafe { options.assume_init() }
}

/// A history with these options.
pub fn try_create(options: &qc_history_options) -> Result<*mut qc_history, qc_status> {
    let mut history = ptr::null_mut();
    // SAFETY: both pointers are good.
    match unsafe { qc_history_create(options, &mut history) } {
        qc_status::QC_OK => Ok(history),
        status => {
            assert!(history.is_null(), "a failed call writes nothing");
            Err(status)
        }
    }
}

pub fn create(options: &qc_history_options) -> *mut qc_history {
    try_create(options).unwrap_or_else(|status| panic!("{status:?}: {}", last_error()))
}

/// An insert of a value of zeros, at time `now_ns`.
pub fn insert(history: *mut qc_history, number: u64, now_ns: i64) -> Result<qc_insert_result, qc_status> {
    put(history, number, now_ns, false)
}

/// A readmit of a value of zeros, at time `now_ns`.
pub fn readmit(history: *mut qc_history, number: u64, now_ns: i64) -> Result<qc_insert_result, qc_status> {
    put(history, number, now_ns, true)
}

fn put(
    history: *mut qc_history,
    number: u64,
    now: i64,
    readmit: bool,
) -> Result<qc_insert_result, qc_status> {
    let mut result = qc_insert_result { entry: 77, outcome: 77, reserved: 77 };
    let before = result;
    let call = if readmit { qc_history_readmit } else { qc_history_insert };
    // SAFETY: all pointers are good, or a handle for the library to judge.
    match unsafe { call(history, &key(number), ptr::null(), 0, now, now, &mut result) } {
        qc_status::QC_OK => Ok(result),
        status => {
            assert_eq!(result, before, "a failed call writes nothing");
            Err(status)
        }
    }
}
