#!/usr/bin/env bash
# install.sh: copies what `make build` made into $DESTDIR$PREFIX. PREFIX defaults to /usr/local,
# LIBDIR (below PREFIX) to lib. Builds nothing, so that `sudo make install` runs no compiler as root.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-lib}
[[ $prefix == /* ]] || die "PREFIX has to be an absolute path, not '$prefix'"
[[ $libdir != /* ]] || die "LIBDIR is below PREFIX and has to be relative, not '$libdir'"
root=${DESTDIR:-}$prefix
lib=$root/$libdir
# LIBDIR may be deep (lib/x86_64-linux-gnu), so the way back to the headers is worked out.
include_from_lib=$(realpath -s -m --relative-to="/$libdir" /include)
version=$(version)
soversion=$(soversion)
[[ -e $release_dir/libqueuecore.so && -e $release_dir/libqueuecore.a ]] ||
    die "nothing to install in $release_dir: run 'make build' first"

fill() {
    sed -e "s|@PREFIX@|$prefix|g" -e "s|@LIBDIR@|$libdir|g" -e "s|@VERSION@|$version|g" \
        -e "s|@INCLUDE_FROM_LIB@|$include_from_lib|g" "$1" >"$2"
    chmod 644 "$2"
}

install -d "$lib/pkgconfig" "$lib/cmake/queuecore" "$root/include/queuecore"
install -m 755 "$release_dir/libqueuecore.so" "$lib/libqueuecore.so.$version"
ln -sfn "libqueuecore.so.$version" "$lib/libqueuecore.so.$soversion"
ln -sfn "libqueuecore.so.$soversion" "$lib/libqueuecore.so"
install -m 644 "$release_dir/libqueuecore.a" "$lib/libqueuecore.a"
install -m 644 "$repo"/include/queuecore.h "$repo"/include/queuecore.hpp "$root/include/"
install -m 644 "$repo"/include/queuecore/*.hpp "$root/include/queuecore/"
install -m 644 "$repo"/cmake/queuecoreConfig.cmake "$repo"/cmake/queuecoreConfigVersion.cmake \
    "$lib/cmake/queuecore/"
fill "$repo/cmake/queuecoreLocation.cmake.in" "$lib/cmake/queuecore/queuecoreLocation.cmake"
fill "$repo/queuecore.pc.in" "$lib/pkgconfig/queuecore.pc"
say "installed queuecore $version below $root"
if [[ -z ${DESTDIR:-} && $(id -u) == 0 && $prefix == /usr* ]]; then ldconfig; fi
