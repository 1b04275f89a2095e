#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzzing with libFuzzer and runs each of them from its corpus, one on each core.
#
#   bash tools/fuzz.sh             each for 60 seconds
#   bash tools/fuzz.sh SECONDS     each for this number of seconds
#   bash tools/fuzz.sh SECONDS NAME...   only these targets
#
# CUPOOL_FUZZ_SEED fixes the seed of all targets, so that another run tries nearly the same inputs. CI sets it, because a change should not
# fail by chance. Otherwise each run has its own seed.
#
# The corpora do not change: inputs that reach new code go to build/asan/found/NAME, for the next run. An input that crashes a target, or
# takes it longer than a minute, goes to build/asan/failures; the script prints its name and its content in base64, for readers who have
# only the log.

source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

export seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "usage: bash tools/fuzz.sh [SECONDS [NAME...]]"
shift || true
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for source in tests/fuzzing/*_fuzzer.cpp; do
        names+=("$(basename "$source" _fuzzer.cpp)")
    done
fi

install_missing_packages
install_clang
build asan "${names[@]/#/cupool_fuzz_}"

# fuzz NAME
fuzz() {
    local name=$1
    local target=build/asan/tests/fuzzing/cupool_fuzz_$name failures=build/asan/failures/$name
    local options=(-max_total_time="$seconds" -max_len=20000 -timeout=60 -rss_limit_mb=4096 -artifact_prefix="$failures/" -close_fd_mask=3
        -print_final_stats=1 -seed="${CUPOOL_FUZZ_SEED:-0}")
    local corpora=(build/asan/found/"$name" tests/fuzzing/corpus/"$name")  # libFuzzer writes only to the first
    if [ -f "build/asan/tests/fuzzing/$name.dict" ]; then options+=(-dict="build/asan/tests/fuzzing/$name.dict"); fi
    if [ "$name" = ptx ]; then corpora+=(tests/fuzzing/learnt); fi
    rm -rf "$failures"
    mkdir -p "$failures" "${corpora[0]}"
    if "$target" "${options[@]}" "${corpora[@]}" >"$failures/log" 2>&1; then
        echo "$name: $(awk '/number_of_executed_units/ { print $2 }' "$failures/log") inputs, nothing found"
        return
    fi
    local input
    for input in "$failures"/*-*; do
        echo "$name: FAILED at $input:"
        "$target" "$input" 2>&1 | tail -n 40
        echo "the input in base64:"
        base64 "$input"
    done
    echo "$name: the run's log is $failures/log"
    return 1
}
export -f fuzz

say "Fuzzing ${names[*]}, $seconds seconds each"
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz {}' || fail "a fuzz target failed: see above"
