#!/usr/bin/env bash
# lint.sh: everything about the sources that can be checked without running them. Goes on after a
# failure, so that one run tells all.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$repo"

failed=0
lint() { step "$@" || failed=$((failed + 1)); }

clippy() { cargo clippy --workspace --all-targets --locked -- -D warnings; }
clippy_loom() {
    CARGO_TARGET_DIR=$cargo_dir/loom RUSTFLAGS="${RUSTFLAGS:-} --cfg loom" \
        cargo clippy -p queuecore --lib --profile test --locked -- -D warnings
}
api_pages() {
    RUSTDOCFLAGS="-D warnings" cargo doc -p queuecore --no-deps --document-private-items --locked
}
shell_scripts() { shellcheck -x scripts/*.sh .ci/run; }

lint "cargo fmt" lint-fmt cargo fmt --all --check
lint "clippy" lint-clippy clippy
lint "clippy, as compiled for loom" lint-clippy-loom clippy_loom
lint "API pages of the library build without a warning" lint-doc api_pages
lint "shell scripts (shellcheck)" lint-shell shell_scripts
lint "the tree: paths, names, sizes, left-overs" lint-tree scripts/check-tree.sh
((failed == 0)) || die "$failed of the checks above failed"
