# Shared by the other scripts here (sourced, never run): where things are, how steps speak.
# shellcheck shell=bash disable=SC2034 # the variables are for the scripts that source this

set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Cargo's artifacts may live elsewhere; logs, charts and tables always land in target/.
cargo_dir=${CARGO_TARGET_DIR:-$repo/target}
[[ $cargo_dir == /* ]] || cargo_dir=$repo/$cargo_dir
export CARGO_TARGET_DIR=$cargo_dir
release_dir=$cargo_dir/release
cmake_dir=$cargo_dir/cmake
logs=$repo/target/logs
jobs=${JOBS:-$(nproc)}

say() { printf '%s\n' "$*"; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# The version of the workspace, read from the one place that sets it.
version() {
    sed -n '/^\[workspace.package\]/,/^\[/s/^version *= *"\([^"]*\)".*/\1/p' "$repo/Cargo.toml"
}

# The part of the soname after ".so.": 0.MINOR while the major version is 0, then MAJOR.
soversion() {
    local major minor
    IFS=. read -r major minor _ <<<"$(version)"
    if [[ $major == 0 ]]; then say "0.$minor"; else say "$major"; fi
}

# step LABEL LOG COMMAND...: one line for a step that works; the log's end for one that does not.
# V=1 shows everything as it comes.
step() {
    local label=$1 log=$logs/$2.log status=0 started=$SECONDS
    shift 2
    mkdir -p "$logs"
    printf '%-58s ' "$label"
    if [[ ${V:-0} == 1 ]]; then
        printf '\n'
        "$@" 2>&1 | tee "$log" || status=$?
    else
        "$@" >"$log" 2>&1 || status=$?
    fi
    if [[ $status == 0 ]]; then
        printf 'ok      %3d s\n' $((SECONDS - started))
        return 0
    fi
    printf 'FAILED  %3d s\n' $((SECONDS - started))
    if [[ ${V:-0} != 1 ]]; then
        say "--- the last 60 lines of ${log#"$repo"/} ---"
        tail -n 60 "$log"
        say "--- end of ${log#"$repo"/} ---"
    fi
    return "$status"
}
