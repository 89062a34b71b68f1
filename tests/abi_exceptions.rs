//! Programs whose callbacks throw, against the C library: what leaves a callback ends the process, and no catch of
//! the program's sees it. One is written in C++, one in Rust, whose runtime is not the library's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![cfg(all(target_os = "linux", not(loom)))]

#[path = "abi/support.rs"]
mod support;

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SIGABRT: i32 = 6;

/// Exits with 0 if nothing was thrown, with 3 if the throw came through.
const CXX: &str = r#"
#include "queuecore.h"
#include <cstdlib>
#include <cstring>

static const char *thrower = "";
static void may_throw(const char *who) {
    if (std::strcmp(thrower, who) == 0) {
        throw 7;
    }
}
static void *take(void *, size_t size, size_t align) {
    may_throw("alloc");
    return std::aligned_alloc(align, (size + align - 1) / align * align);
}
static void give(void *, void *block, size_t, size_t) {
    may_throw("free");
    std::free(block);
}
static uint64_t hash(void *, const qc_key *key) {
    may_throw("hash");
    return key->bytes[0];
}

int main(int, char **argv) {
    qc_history_options options;
    qc_history *history = nullptr;
    qc_history_options_init(&options, sizeof options);
    options.alloc = take;
    options.free = give;
    options.hash = hash;
    if (qc_history_create(&options, &history) != QC_OK) {
        return 1;
    }
    thrower = argv[1];
    try {
        qc_key key = {{1}};
        qc_insert_result result;
        qc_status status = qc_history_insert(history, &key, nullptr, 0, 0, 0, &result);
        if (status != QC_OK) {
            return 2;
        }
        return qc_history_destroy(history) == QC_OK ? 0 : 2;
    } catch (...) {
        return 3;
    }
}
"#;

/// The same for a hash, with the few declarations it needs.
const RUST: &str = r#"
use std::ffi::c_void;
type Hash = unsafe extern "C-unwind" fn(*mut c_void, *const u8) -> u64;
#[link(name = "queuecore")]
unsafe extern "C-unwind" {
    fn qc_history_options_init(options: *mut u8, size: usize) -> i32;
    fn qc_history_create(options: *const u8, out: *mut *mut c_void) -> i32;
    fn qc_history_find(history: *mut c_void, key: *const u8, out: *mut u64) -> i32;
}
unsafe extern "C-unwind" fn hash(_: *mut c_void, _: *const u8) -> u64 {
    if std::env::args().nth(1).as_deref() == Some("hash") {
        panic!("thrown");
    }
    1
}
#[repr(align(8))]
struct Options([u8; SIZE]);
fn main() {
    let mut options = Options([0; SIZE]);
    let mut history = std::ptr::null_mut();
    let mut entry = 0;
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| unsafe {
        assert_eq!(qc_history_options_init(options.0.as_mut_ptr(), SIZE), 0);
        options.0.as_mut_ptr().add(HASH_AT).cast::<Hash>().write(hash);
        assert_eq!(qc_history_create(options.0.as_ptr(), &mut history), 0);
        qc_history_find(history, [0; 16].as_ptr(), &mut entry)
    }));
    std::process::exit(match found {
        Ok(0) => 0,
        Ok(_) => 2,
        Err(_) => 3,
    });
}
"#;

fn build(compiler: &mut Command) {
    let output = compiler.output().unwrap_or_else(|error| panic!("{compiler:?}: {error}"));
    assert!(output.status.success(), "{compiler:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A folder with the library under the name that programs ask for.
fn folder(name: &str) -> PathBuf {
    let dir = support::scratch(name);
    let library = support::library_dir().join("libqueuecore.so");
    std::os::unix::fs::symlink(&library, dir.join(support::soname())).unwrap();
    std::os::unix::fs::symlink(&library, dir.join("libqueuecore.so")).unwrap();
    dir
}

fn ends_if_thrown(dir: &Path, throwers: &[&str]) {
    let run = |thrower: &str| {
        let mut program = Command::new(dir.join("program"));
        program.arg(thrower).env("LD_LIBRARY_PATH", dir).output().unwrap()
    };
    let calm = run("nobody");
    assert_eq!(calm.status.code(), Some(0), "{}", String::from_utf8_lossy(&calm.stderr));
    for thrower in throwers {
        let thrown = run(thrower);
        let said = String::from_utf8_lossy(&thrown.stderr);
        assert_eq!(thrown.status.signal(), Some(SIGABRT), "{thrower}: {} {said}", thrown.status);
    }
}

#[test]
fn an_exception_that_leaves_a_callback_ends_the_process() {
    let dir = folder("exceptions_cxx");
    let source = dir.join("program.cpp");
    std::fs::write(&source, CXX).unwrap();
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I"]).arg(support::repository("include"));
    compiler.arg(&source).arg("-L").arg(&dir).arg("-lqueuecore").arg("-o").arg(dir.join("program"));
    build(&mut compiler);
    ends_if_thrown(&dir, &["alloc", "free", "hash"]);
}

#[test]
fn a_panic_of_another_rust_runtime_ends_the_process() {
    let dir = folder("exceptions_rust");
    let source = dir.join("program.rs");
    let size = size_of::<queuecore::ffi::history_options::qc_history_options>();
    let hash_at = std::mem::offset_of!(queuecore::ffi::history_options::qc_history_options, hash);
    let sizes = format!("const SIZE: usize = {size};\nconst HASH_AT: usize = {hash_at};\n");
    std::fs::write(&source, sizes + RUST).unwrap();
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler.args(["--edition", "2024", "-L"]).arg(&dir).arg("-o").arg(dir.join("program")).arg(&source);
    build(&mut compiler);
    ends_if_thrown(&dir, &["hash"]);
}
