#!/usr/bin/env bash
# install-deps.sh [build|lint]: makes sure that everything the checkout needs is there.
# Looks first, and does nothing (and needs no network) when nothing is missing.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

group=${1:-build}
[[ $group == build || $group == lint ]] || die "unknown group '$group': say build or lint"

# --- Rust -----------------------------------------------------------------------------------
rust_help() {
    cat <<TEXT
Install Rust $1 or newer, then run the same command again:
  with rustup already here:   rustup update stable && rustup default stable
  Debian 13, Ubuntu 24.04 on: sudo apt-get install rustup && rustup default stable
  anywhere else:              follow https://rustup.rs, then open a new shell
TEXT
}

check_rust() {
    local wanted found
    wanted=$(sed -n 's/^rust-version *= *"\([^"]*\)".*/\1/p' "$repo/Cargo.toml" | head -n 1)
    if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
        say "error: cargo or rustc is not on the path." >&2
        rust_help "$wanted" >&2
        exit 1
    fi
    # The toolchain that cargo itself would use here, which is what counts under rustup.
    found=$(cd "$repo" && rustc --version | awk '{print $2}')
    if [[ $(printf '%s\n%s\n' "$wanted" "${found%%-*}" | sort -V | head -n 1) != "$wanted" ]]; then
        say "error: rustc is $found, and queuecore needs $wanted or newer." >&2
        rust_help "$wanted" >&2
        exit 1
    fi
    [[ $group == lint ]] || return 0
    for tool in fmt clippy; do
        cargo "$tool" --version >/dev/null 2>&1 ||
            die "cargo $tool is missing. With rustup: rustup component add rustfmt clippy"
    done
}

# --- Debian packages ------------------------------------------------------------------------
found() {
    case $1 in
    cmd:*) command -v "${1#cmd:}" >/dev/null ;;
    header:*) printf '#include <%s>\n' "${1#header:}" | g++ -E -x c++ - >/dev/null 2>&1 ;;
    *) die "scripts/deps.txt: unknown probe '$1'" ;;
    esac
}

missing_packages() {
    local in_group package probe
    while read -r in_group package probe; do
        [[ -z $in_group || $in_group == \#* ]] && continue
        # lint compiles as well, so it needs the build group too.
        [[ $in_group == build || $in_group == "$group" ]] || continue
        found "$probe" || say "$package"
    done <"$repo/scripts/deps.txt"
}

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 "$@"; }

install_packages() {
    local hand="apt-get install $*"
    command -v apt-get >/dev/null ||
        die "these Debian packages (or their like on this system) are missing: $*"
    as_root=()
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || die "not root, and no sudo here. As root, run: $hand"
        as_root=(sudo)
        # Without a terminal nobody can type a password.
        [[ -t 0 ]] || as_root=(sudo -n)
        "${as_root[@]}" true || die "sudo was refused. As root, run: $hand"
    fi
    say "installing from Debian or Ubuntu: $*"
    # A stale package list is no reason to stop: the install below tells whether it mattered.
    step "apt-get update" apt-update apt update || true
    step "apt-get install" apt-install apt install -y --no-install-recommends "$@" ||
        die "apt-get could not install them (is the network reachable?). As root, run: $hand"
}

# --- Java -----------------------------------------------------------------------------------
check_java() {
    local found
    # 17.0.15, 25, or 1.8.0.
    found=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
    ((${found:-0} >= 17)) ||
        die "javac is version ${found:-unknown}, and the Java modules need 17 or newer: install openjdk-17-jdk-headless"
}

# --- crates ---------------------------------------------------------------------------------
fetch_crates() {
    cd "$repo"
    cargo fetch --locked --offline >/dev/null 2>&1 && return 0
    step "fetch the Rust crates of Cargo.lock" cargo-fetch cargo fetch --locked ||
        die "cargo could not fetch the crates of Cargo.lock (is the network reachable, and Cargo.lock current?)"
}

check_rust
mapfile -t missing < <(missing_packages)
if ((${#missing[@]})); then
    install_packages "${missing[@]}"
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]} == 0)) || die "installed, but still not found: ${missing[*]}"
fi
check_java
fetch_crates
