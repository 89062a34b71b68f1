#!/usr/bin/env bash
# mutants-usage.sh [NAME...]: seeds each fault of tests/mutants/usage (or those whose names contain a NAME) into a copy
# of the tree, and expects a model to fail. The second line of a patch names the models to try first; after those come
# all. Says which model caught a fault; a fault that survives all models, or does not apply or compile, is an error.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$repo"

work=$repo/target/mutants
tree=$work/tree
log=$logs/mutants-usage.log
prefix=usage::loom_tests::
# Seconds of processor time. No model takes this long; a fault may make one go round for ever.
limit_s=${LIMIT_S:-180}

build() {
    local said
    said=$(cd "$tree" && CARGO_TARGET_DIR=$work/target CARGO_PROFILE_DEV_DEBUG=0 \
        RUSTFLAGS="${RUSTFLAGS:-} --cfg loom" \
        cargo test --config 'profile.dev.package.loom.opt-level=3' -p queuecore --lib --locked --no-run 2>&1) || {
        say "$said" >>"$log"
        return 1
    }
    program=$(sed -n 's/.*Executable.*(\(.*\))/\1/p' <<<"$said")
    [[ $program == /* ]] || program=$tree/$program
}

# first_failure MODEL...: prints the first of them that fails, and how; false if none does.
first_failure() {
    local model status
    for model in "$@"; do
        status=137
        # 137: killed by somebody else, which says nothing about the model.
        while [[ $status == 137 ]]; do
            status=0
            (
                ulimit -St "$limit_s"
                LOOM_MAX_PREEMPTIONS=${LOOM_MAX_PREEMPTIONS:-2} exec "$program" --exact "$model"
            ) >>"$log" 2>&1 || status=$?
        done
        case $status in
        0) ;;
        152) say "${model#"$prefix"} (went round for ever)" && return 0 ;;
        *) say "${model#"$prefix"}" && return 0 ;;
        esac
    done
    return 1
}

# What the last fault changed is put back, newer than what was built with it.
restore() {
    local file
    while read -r file; do
        cp "$repo/$file" "$tree/$file"
        touch "$tree/$file"
    done <"$work/changed"
    : >"$work/changed"
}

mkdir -p "$tree" "$logs"
: >"$log"
git ls-files -z --cached --others --exclude-standard |
    tar --null -T - -c --ignore-failed-read 2>/dev/null | tar -x -C "$tree"
touch "$work/changed"
restore
find "$tree/src" -name '*.rs' -exec touch {} +

say "building the models, and running them without a fault"
build || die "the models do not compile; see ${log#"$repo"/}"
mapfile -t models < <("$program" --list --format terse | sed -n "s/^\($prefix.*\): test$/\1/p")
((${#models[@]})) || die "there are no models"
if broken=$(first_failure "${models[@]}"); then
    die "$broken fails without a fault"
fi

caught=0
survived=0
for patch in tests/mutants/usage/*.patch; do
    name=$(basename "$patch" .patch)
    if (($#)); then
        wanted=0
        for part in "$@"; do [[ $name != *"$part"* ]] || wanted=1; done
        ((wanted)) || continue
    fi
    started=$SECONDS
    printf '%-50s ' "$name"
    sed -n 's|^+++ b/||p' "$patch" >"$work/changed"
    # Out of sight of the repository around it, git applies patches to plain files.
    (cd "$tree" && GIT_CEILING_DIRECTORIES=$work git apply "$repo/$patch") 2>>"$log" ||
        { restore && die "it does not apply any more"; }
    build || { restore && die "it does not compile; see ${log#"$repo"/}"; }
    hint=$(sed -n '2s/^Caught by: //p' "$patch")
    first=() rest=()
    for model in "${models[@]}"; do
        if [[ $model == *"$hint"* ]]; then first+=("$model"); else rest+=("$model"); fi
    done
    if by=$(first_failure "${first[@]}" "${rest[@]}"); then
        caught=$((caught + 1))
        printf 'caught    %3d s by %s\n' $((SECONDS - started)) "$by"
    else
        survived=$((survived + 1))
        printf 'SURVIVED  %3d s\n' $((SECONDS - started))
    fi
    restore
done
say "$caught caught, $survived survived"
((survived == 0))
