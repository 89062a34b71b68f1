#!/usr/bin/env bash
# check-java.sh OPERATIONS: that many operations at random by threads in Java, C++ and Rust on one tracker; after every slice
# the tracker has to count what they left behind, to the byte.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$repo"
log=$repo/target/logs/check-java.log
mkdir -p "$(dirname "$log")"
scripts/maven.sh test -pl queuecore -Dtest='LanguagesTest#theSumIsExactWhoeverCounts*' \
    -Dqueuecore.test.jvm="-Dqueuecore.operations=$1" 2>&1 | tee "$log" | grep --line-buffered -E 'operations|Tests run|ERROR' ||
    die "it failed: see $log"
