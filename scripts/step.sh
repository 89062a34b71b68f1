#!/usr/bin/env bash
# step.sh LABEL LOG COMMAND...: runs one step of a make target; see `step` in lib.sh.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$repo"
step "$@"
