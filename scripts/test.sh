#!/usr/bin/env bash
# test.sh [SUITE...]: runs the test suites (all of them unless some are named), goes on after a
# failure, and closes with the sum of what the runners themselves counted. A suite that could not be
# built, or that ran no test, counts as one failure.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$repo"

all_suites=(rust debug tools loom c replay java install docs)
passed=0
failed=0
skipped=0

# Optimised like a release, without the whole-program link that would be paid once for every test file.
cargo_test_release() {
    CARGO_TARGET_DIR=$cargo_dir/test CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=0 \
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 QUEUECORE_LIB_DIR=$release_dir \
        cargo test --release -p queuecore --locked --no-fail-fast
}

# Overflow checks and debug assertions are on only here.
cargo_test_debug() { CARGO_PROFILE_DEV_DEBUG=0 cargo test -p queuecore --lib --locked --no-fail-fast; }

cargo_test_tools() {
    CARGO_PROFILE_DEV_DEBUG=0 cargo test --workspace --exclude queuecore --exclude queuecore-jni --exclude queuecore-jni-languages --locked --no-fail-fast
}

# Every interleaving of the small models, up to a number of preemptions that keeps each in seconds.
cargo_test_loom() {
    CARGO_TARGET_DIR=$cargo_dir/loom CARGO_PROFILE_DEV_DEBUG=0 RUSTFLAGS="${RUSTFLAGS:-} --cfg loom" \
        LOOM_MAX_PREEMPTIONS=${LOOM_MAX_PREEMPTIONS:-2} \
        cargo test --config 'profile.dev.package.loom.opt-level=3' \
        -p queuecore --lib --locked --no-fail-fast loom
}

cmake_test() {
    local source=$1 build=$cmake_dir/$2
    cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release \
        -Dqueuecore_DIR="$repo/cmake" -DQUEUECORE_TARGET_DIR="$cargo_dir" &&
        cmake --build "$build" -j "$jobs" &&
        ctest --test-dir "$build" --output-on-failure --no-tests=error
}

# The JNI library's own tests, then Java's against it, with -Xcheck:jni; the last one has threads in C++ and Rust besides.
java_test() {
    cargo build --release --locked -p queuecore-jni &&
        cargo build --release --locked -p queuecore-jni-languages &&
        QUEUECORE_LIB_DIR=$release_dir LD_LIBRARY_PATH=$release_dir CARGO_PROFILE_DEV_DEBUG=0 \
            cargo test -p queuecore-jni --locked &&
        scripts/maven.sh verify && jni_is_clean
}

# What -Xcheck:jni says of natives that break the rules: in the log of the tests, or where Surefire puts what a virtual
# machine says by itself.
jni_is_clean() {
    ! grep -rsE 'WARNING in native method|WARNING: JNI|FATAL ERROR in native method' \
        java/*/target/surefire-reports java/*/target/failsafe-reports
}

# Adds up the closing lines of cargo test, ctest and Maven, and the plain 'N passed, N failed' line.
# Prints: passed failed skipped.
count() {
    awk '
        /^test result: / {
            for (i = 1; i < NF; i++) {
                if ($(i + 1) ~ /^passed/) p += $i
                if ($(i + 1) ~ /^failed/) f += $i
                if ($(i + 1) ~ /^ignored/) s += $i
            }
        }
        /% tests passed, [0-9]+ tests? failed out of [0-9]+/ { f += $4; p += $NF - $4 }
        /Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+$/ {
            split($0, n, /[^0-9]+/)
            f += n[3] + n[4]
            s += n[5]
            p += n[2] - n[3] - n[4] - n[5]
        }
        /^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 }
        END { print p + 0, f + 0, s + 0 }
    ' "$1"
}

# The failed tests by name: as cargo test, ctest, Maven and the shell suites write them.
names_of_failed() {
    sed -nE -e 's/^test (.*) \.\.\. FAILED$/    failed: \1/p' \
        -e 's/^[[:space:]]+[0-9]+ - (.*) \((Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted|.*Exception.*)\)$/    failed: \1/p' \
        -e 's/^\[ERROR\] ([^ ]+) -- Time elapsed: .* <<< (FAILURE|ERROR)!$/    failed: \1/p' \
        -e 's/^FAILED  (.*)$/    failed: \1/p' "$1"
}

# suite NAME LABEL COMMAND...
suite() {
    local name=$1 label=$2 status=0 p f s
    shift 2
    step "$label" "test-$name" "$@" || status=$?
    [[ $status == 0 ]] || names_of_failed "$logs/test-$name.log"
    read -r p f s < <(count "$logs/test-$name.log")
    if [[ $status != 0 && $f == 0 ]]; then f=1; fi
    if [[ $status == 0 && $((p + f)) == 0 ]]; then
        say "    ran no test, which counts as a failure"
        f=1
    fi
    say "    $p passed, $f failed, $s skipped"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

run() {
    case $1 in
    rust) suite rust "Rust tests, optimised" cargo_test_release ;;
    debug) suite debug "Rust unit tests with debug assertions" cargo_test_debug ;;
    tools) suite tools "the report tool" cargo_test_tools ;;
    loom) suite loom "interleavings (loom)" cargo_test_loom ;;
    c) suite c "C and C++ tests against the shared library" cmake_test tests tests ;;
    replay) suite replay "the replay's own tests" cmake_test cpp-example replay ;;
    java) suite java "Java, and C++ and Rust beside it" java_test ;;
    install) suite install "programs built against an installed tree" scripts/test-install.sh ;;
    docs) suite docs "examples and README" scripts/test-docs.sh ;;
    *) die "unknown suite '$1'; there are: ${all_suites[*]}" ;;
    esac
}

(($#)) || set -- "${all_suites[@]}"
for name in "$@"; do run "$name"; done

say ""
say "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
