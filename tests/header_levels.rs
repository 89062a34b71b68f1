//! The header in every language level that it promises, without a warning, twice in one file and in two files of one
//! program, which is then linked against the library and run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "that is how a test fails")]
#![cfg(all(target_os = "linux", not(loom)))]

#[path = "abi/support.rs"]
mod support;

use std::path::Path;
use std::process::Command;

const FLAGS: [&str; 6] = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Wstrict-overflow", "-Werror"];

const MAIN: &str = r#"
#include "queuecore.h"
#include "queuecore.h"
#include <stdio.h>

int other_file(void);

static qc_status use_usage(void) {
    qc_usage_options options;
    qc_usage *usage = NULL;
    struct qc_usage_stats stats;
    qc_status status = qc_usage_options_init(&options, sizeof options);
    if (status == QC_OK) {
        status = qc_usage_create(&options, &usage);
    }
    if (status == QC_OK) {
        status = qc_usage_increase(usage, 3);
    }
    if (status == QC_OK) {
        stats.struct_size = (uint32_t)sizeof stats;
        status = qc_usage_stats(usage, &stats);
    }
    return status == QC_OK ? qc_usage_destroy(usage, NULL) : status;
}

int main(void) {
    qc_history_options options;
    qc_history *history = NULL;
    qc_status status = qc_history_options_init(&options, sizeof options);
    if (status == QC_OK) {
        status = qc_history_create(&options, &history);
    }
    if (status == QC_OK) {
        status = qc_history_destroy(history);
    }
    if (status != QC_OK) {
        fprintf(stderr, "%s: %s\n", qc_status_string(status), qc_last_error());
        return 1;
    }
    if (qc_history_destroy(history) != QC_ERR_DESTROYED) {
        return 2;
    }
    if (use_usage() != QC_OK) {
        return 5;
    }
    return sizeof(qc_status) == 4 ? other_file() : 3;
}
"#;

const OTHER: &str = r#"
#include "queuecore.h"

int other_file(void);

int other_file(void) {
    return qc_abi_version() == (uint32_t)QC_VERSION_NUMBER ? 0 : 4;
}
"#;

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

fn build_and_run(dir: &Path, compiler: &str, language: &str, level: &str) {
    let program = dir.join(level);
    let mut build = Command::new(compiler);
    build
        .args(["-x", language, &format!("-std={level}")])
        .args(FLAGS)
        .arg("-I")
        .arg(support::repository("include"));
    build.arg(dir.join("main.c")).arg(dir.join("other.c")).args(["-x", "none"]);
    build.arg("-L").arg(support::library_dir()).arg("-lqueuecore").arg("-o").arg(&program);
    run(&mut build);
    run(Command::new(&program).env("LD_LIBRARY_PATH", dir));
}

#[test]
fn a_program_of_each_level_compiles_links_and_runs() {
    let dir = support::scratch("header_levels");
    std::fs::write(dir.join("main.c"), MAIN).unwrap();
    std::fs::write(dir.join("other.c"), OTHER).unwrap();
    let soname = dir.join(support::soname());
    std::os::unix::fs::symlink(support::library_dir().join("libqueuecore.so"), soname).unwrap();
    for level in ["c99", "c11", "c17"] {
        build_and_run(&dir, "cc", "c", level);
    }
    for level in ["c++11", "c++17", "c++20"] {
        build_and_run(&dir, "c++", "c++", level);
    }
}
