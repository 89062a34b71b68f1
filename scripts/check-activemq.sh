#!/usr/bin/env bash
# check-activemq.sh: runs the tests that ActiveMQ publishes, unchanged, with the agent on their command line. They come from
# Maven; java/queuecore-activemq-published/tests.txt says which. Each class gets a virtual machine of its own; all take
# twenty minutes.
#   TESTS=a,b    only these classes, as patterns of Surefire's: TESTS='**/MemoryUsage*Test.class'
#   AGENT=0      without the agent, to compare with
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
module=$repo/java/queuecore-activemq-published
reports=$module/target/surefire-reports

step "build the agent" check-activemq-build "$repo/scripts/maven.sh" package -DskipTests -pl queuecore-activemq -am

options=()
if [[ -n ${TESTS:-} ]]; then options+=("-Dqueuecore.published.tests=$module/target/chosen.txt"); fi
if [[ ${AGENT:-1} == 0 ]]; then options+=(-Dqueuecore.published.agent=); fi
rm -rf "$reports"
mkdir -p "$module/target"
tr ',' '\n' <<<"${TESTS:-}" >"$module/target/chosen.txt"
status=0
step "ActiveMQ's own tests" check-activemq "$repo/scripts/maven.sh" test -Ppublished -pl queuecore-activemq-published \
    "${options[@]}" || status=$?

grep -E '^\[(INFO|ERROR|WARNING)\] Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+$' "$logs/check-activemq.log" |
    sed 's/^[^ ]* /    /'
# A run in which the agent did nothing would prove nothing.
if [[ ${AGENT:-1} == 1 ]]; then
    counted=$(grep -rl --include='*-output.txt' 'counts the memory of this broker' "$reports" | wc -l)
    say "    the native meter counted in $counted of the classes"
    ((counted > 0)) || die "the agent was not active"
fi
exit "$status"
