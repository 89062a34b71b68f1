#!/usr/bin/env bash
# test-docs.sh: the documentation says what is true: its examples build without a warning, run and
# print what they should; the pages show the same text; links lead somewhere; make targets exist.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/checks.sh
source "$repo/scripts/checks.sh"

cd "$repo"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-O2 -Wall -Wextra -Wpedantic -Werror -Iinclude)
mapfile -t pages < <(git ls-files '*.md')

build() {
    local source=$1 output=$2 libraries=("$release_dir/libqueuecore.a" -pthread -lm -ldl)
    case $source in
    *.c) gcc -std=c99 "${flags[@]}" "$source" "${libraries[@]}" -o "$output" ;;
    *.cpp) g++ -std=c++17 "${flags[@]}" "$source" "${libraries[@]}" -o "$output" ;;
    *.rs)
        rustc --edition 2024 -O -D warnings -L dependency="$release_dir/deps" \
            --extern queuecore="$release_dir/libqueuecore.rlib" "$source" -o "$output"
        ;;
    *.java)
        cargo build --release --locked -p queuecore-jni &&
            javac -Xlint:all -Werror -d "$scratch/java" java/queuecore/src/main/java/org/queuecore/*.java "$source" &&
            printf '#!/bin/sh\nexec java -Dorg.queuecore.library.path=%q -cp %q %s\n' "$release_dir" "$scratch/java" \
                "$(sed -n 's/^class \([A-Za-z]*\) .*/\1/p' "$source")" >"$output" && chmod +x "$output"
        ;;
    esac
}

# The first fenced block after '<!-- file: NAME -->' in a page has to be that file, byte for byte.
shows_file() {
    local page=$1 file=$2
    awk -v mark="<!-- file: $file -->" '
        index($0, mark) { armed = 1; next }
        armed && /^```/ { if (inside) exit; inside = 1; next }
        inside { print }
    ' "$page" | diff -u "$file" - || return 1
}

# A page without its fenced blocks: a lambda looks like a link.
prose() { awk '/^```/ { inside = !inside; next } !inside' "$1"; }

links_lead_somewhere() {
    local page=$1 link bad=0
    while read -r link; do
        [[ -e $(dirname "$page")/$link ]] || { say "$page: $link is not there"; bad=1; }
    done < <(prose "$page" | grep -oE '\]\([^)# ]+' | sed 's/^](//' | grep -v '^[a-z]*:')
    return "$bad"
}

make_targets_exist() {
    local page=$1 target bad=0
    while read -r target; do
        grep -qE "^$target:" Makefile || { say "$page: make $target is no target"; bad=1; }
    done < <(grep -oE '`make [a-z][a-z-]*' "$page" | sed 's/^`make //' | sort -u)
    return "$bad"
}

for example in docs/examples/*.c docs/examples/*.cpp docs/examples/*.rs docs/examples/*.java; do
    program=$scratch/$(basename "$example")
    check "$example builds" build "$example" "$program.out"
    check "$example prints what it should" prints "$(cat "${example%.*}.txt")" "$program.out"
done
for page in "${pages[@]}"; do
    while read -r file; do
        check "$page shows $file as it is" shows_file "$page" "$file"
    done < <(sed -n 's/^<!-- file: \(.*\) -->$/\1/p' "$page")
    check "$page: links lead somewhere" links_lead_somewhere "$page"
    check "$page: make targets exist" make_targets_exist "$page"
done
checks_end
