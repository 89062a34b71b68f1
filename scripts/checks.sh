# Shared by the shell test suites (sourced, never run): counts checks and closes with the plain line
# that test.sh reads.
# shellcheck shell=bash

checks_passed=0
checks_failed=0

# check NAME COMMAND...: one check; what the command says is shown only when it fails.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        checks_passed=$((checks_passed + 1))
        say "ok      $name"
    else
        checks_failed=$((checks_failed + 1))
        say "FAILED  $name"
        say "$output"
    fi
}

# prints EXPECTED COMMAND...: true when the command exits 0 and prints exactly that.
prints() {
    local expected=$1 got
    shift
    got=$("$@") || {
        say "exit code $?; it printed: $got"
        return 1
    }
    [[ $got == "$expected" ]] || {
        say "printed '$got', not '$expected'"
        return 1
    }
}

checks_end() {
    say "$checks_passed passed, $checks_failed failed"
    ((checks_failed == 0))
}
