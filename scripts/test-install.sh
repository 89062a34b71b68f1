#!/usr/bin/env bash
# test-install.sh: installs into a scratch folder what `make build` made, then builds and runs the
# documentation's examples against that tree: through pkg-config and CMake, shared and static.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/checks.sh
source "$repo/scripts/checks.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/usr
examples=$repo/docs/examples
warnings=(-Wall -Wextra -Wpedantic -Werror)
unset LD_LIBRARY_PATH

install_into() { PREFIX=$1 LIBDIR=${2:-lib} DESTDIR='' "$repo/scripts/install.sh"; }

has_file() { [[ -e $1 ]] || { say "$1 is missing"; return 1; }; }
soname_of() { readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'; }
needs() { readelf -d "$1" | grep -q "NEEDED.*\[$2\]"; }
needs_not() { has_file "$1" && ! readelf -d "$1" | grep "NEEDED.*queuecore"; }
no_build_paths() { has_file "$1/include/queuecore.h" && ! grep -rn -e "$repo" -e "$cargo_dir" --include='*.cmake' --include='*.pc' --include='*.h*' "$1"; }

# compile LANGUAGE OUTPUT FLAGS...
compile() {
    local language=$1 output=$2
    shift 2
    case $language in
    c) gcc -std=c99 "${warnings[@]}" "$examples/history.c" -o "$output" "$@" ;;
    cpp) g++ -std=c++17 "${warnings[@]}" "$examples/history.cpp" -o "$output" "$@" ;;
    esac
}

pc() { PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@"; }

pkg_config_programs() {
    local language=$1 out=$scratch/pc-$1 flags
    read -ra flags < <(pc --cflags --libs queuecore) || true
    check "pkg-config, $language, shared: builds" compile "$language" "$out-shared" "${flags[@]}"
    check "pkg-config, $language, shared: runs" \
        prints duplicate env LD_LIBRARY_PATH="$prefix/lib" "$out-shared"
    check "pkg-config, $language, shared: asks for the soname" \
        needs "$out-shared" "libqueuecore.so.$(soversion)"

    read -ra flags < <(pc --cflags queuecore) || true
    flags+=("$(pc --variable=libdir queuecore)/libqueuecore.a")
    check "pkg-config, $language, the archive: builds" compile "$language" "$out-archive" "${flags[@]}" -pthread -lm -ldl
    check "pkg-config, $language, the archive: runs" prints duplicate "$out-archive"
    check "pkg-config, $language, the archive: needs no shared queuecore" needs_not "$out-archive"
}

cmake_programs() {
    local name=$1 package=$2 build=$scratch/cmake-$1
    mkdir -p "$build/src"
    cat >"$build/src/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.16)
project(consumer C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(queuecore $(version | cut -d. -f1,2) REQUIRED CONFIG)
foreach(language c cpp)
  add_executable(\${language}-shared "$examples/history.\${language}")
  target_link_libraries(\${language}-shared PRIVATE queuecore::queuecore)
  add_executable(\${language}-static "$examples/history.\${language}")
  target_link_libraries(\${language}-static PRIVATE queuecore::static)
endforeach()
TEXT
    check "CMake, $name: configures" \
        cmake -S "$build/src" -B "$build" -Dqueuecore_DIR="$package" -DQUEUECORE_TARGET_DIR="$cargo_dir"
    check "CMake, $name: builds" cmake --build "$build"
    for program in c-shared c-static cpp-shared cpp-static; do
        check "CMake, $name, $program: runs" prints duplicate "$build/$program"
    done
    check "CMake, $name: static needs no shared queuecore" needs_not "$build/c-static"
}

refuses_version() {
    local build=$scratch/refuses
    mkdir -p "$build/src"
    printf 'cmake_minimum_required(VERSION 3.16)\nproject(x C)\nfind_package(queuecore %s REQUIRED CONFIG)\n' \
        "$1" >"$build/src/CMakeLists.txt"
    ! cmake -S "$build/src" -B "$build" -Dqueuecore_DIR="$prefix/lib/cmake/queuecore" 2>&1
}

check "make install" install_into "$prefix"
for file in include/queuecore.h include/queuecore.hpp lib/libqueuecore.a lib/libqueuecore.so \
    "lib/libqueuecore.so.$(soversion)" "lib/libqueuecore.so.$(version)" lib/pkgconfig/queuecore.pc; do
    check "installed: $file" has_file "$prefix/$file"
done
check "the library names itself by its soname" \
    prints "libqueuecore.so.$(soversion)" soname_of "$prefix/lib/libqueuecore.so"
check "pkg-config tells the version" prints "$(version)" pc --modversion queuecore
check "no path of the checkout in what is installed" no_build_paths "$prefix"

pkg_config_programs c
pkg_config_programs cpp
cmake_programs "the checkout" "$repo/cmake"
cmake_programs "installed" "$prefix/lib/cmake/queuecore"

# A package is often unpacked somewhere else, and Debian's library folders are deep.
check "installs below a deep library folder" install_into "$scratch/deep" lib/x86_64-linux-gnu
mv "$scratch/deep" "$scratch/moved"
cmake_programs "deep and moved" "$scratch/moved/lib/x86_64-linux-gnu/cmake/queuecore"

check "CMake refuses a version of another series" refuses_version 99.0
checks_end
