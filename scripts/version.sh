#!/usr/bin/env bash
# version.sh [so]: prints the version in Cargo.toml, or the part of the soname made from it.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
if [[ ${1:-} == so ]]; then soversion; else version; fi
