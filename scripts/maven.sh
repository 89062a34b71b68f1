#!/usr/bin/env bash
# maven.sh ARGUMENT...: runs Maven on java/, with the native libraries of this build.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$repo/java"
exec mvn --batch-mode -Dqueuecore.native.dir="$release_dir" "$@"
