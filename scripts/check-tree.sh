#!/usr/bin/env bash
# check-tree.sh: looks through the tracked files for what should never be committed: paths of one
# machine, names or addresses of people, left-over notes, files that grew too long.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$repo"

bad=0
# The licence and lock file are others' text.
except=(':!LICENSE' ':!Cargo.lock')

forbid() {
    local what=$1 pattern=$2
    if git grep -nIE -e "$pattern" -- "${except[@]}"; then
        say "^ $what"
        bad=1
    fi
}

forbid "a path of one machine" '(^|[^A-Za-z0-9_.}$])/(work|tmp|root|home|Users)/'
forbid "an e-mail address" '[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z]{2,}'
# In brackets, so that this file is not found by what it looks for.
forbid "a left-over note" '\b(TO[D]O|FIX[M]E|X[X]X)\b'

# Whoever committed here is named by git, not by the files. One word alone may be any word.
while read -r name; do
    if [[ $name == *" "* ]] && git grep -nIF -e "$name" -- "${except[@]}"; then
        say "^ the name of someone who committed here"
        bad=1
    fi
done < <(git log --format='%an%n%cn' | sort -u)

# The header is generated as one file; prose and data may be long.
while read -r file; do
    lines=$(wc -l <"$file")
    ((lines <= 600)) || { say "$file: $lines lines; split it (about 500 at most)"; bad=1; }
done < <(git ls-files '*.rs' '*.c' '*.h' '*.cpp' '*.hpp' '*.sh' '*.cmake' '*CMakeLists.txt' ':!include/queuecore.h')

exit "$bad"
