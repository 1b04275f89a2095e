#!/usr/bin/env bash
# Installs what is missing, builds, and runs all checks: style; the plain tests, the same with Clang's address and undefined-behaviour
# sanitizers and with GCC's thread sanitizer; each fuzz target for a minute.
#
#   bash tools/test.sh            everything but clang-tidy and Debian 13
#   bash tools/test.sh --fast     only the plain tests
#   bash tools/test.sh --tidy     everything, and clang-tidy over all sources, which takes as long as everything else
#   bash tools/test.sh --debian   everything, and the plain tests on a minimal Debian 13 (tools/test_on.sh)
#
# CUPOOL_TEST_DATA names the directory of test vectors; without it the cases that need them are skipped and say so.

source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

fast=false
tidy=false
debian=false
case "${1:-}" in
    "") ;;
    --fast) fast=true ;;
    --tidy) tidy=true ;;
    --debian) debian=true ;;
    *) fail "usage: bash tools/test.sh [--fast | --tidy | --debian]" ;;
esac

# run_tests PRESET [WRAPPER...]
run_tests() {
    local preset=$1
    shift
    say "Testing build/$preset"
    "$@" ctest --preset "$preset" --parallel "$jobs"
}

# files_in NAME_PATTERN DIRECTORY...
files_in() {
    local pattern=$1
    shift
    find "$@" -type f -name "$pattern" | sort
}
all_parts=(include driver kernels pool cluster simulator tools tests bench examples)

# Versions of clang-format differ, so only the version of the project, 14, decides.
is_version_14() { has "$1" && "$1" --version | grep -q 'version 14\.'; }

check_format() {
    if ! is_version_14 clang-format; then
        say "Skipping the format check: no clang-format 14"
        return
    fi
    say "Checking the format"
    files_in '*.[ch]pp' "${all_parts[@]}" | xargs clang-format --dry-run --Werror
    files_in '*.cu' kernels | xargs clang-format --dry-run --Werror
}

check_tidy() {
    if ! is_version_14 clang-tidy; then
        say "Skipping clang-tidy: no clang-tidy 14"
        return
    fi
    local stamp=build/dev/tidy.stamp state
    state=$({ files_in '*.[chd]*' "${all_parts[@]}" && echo .clang-tidy; } | xargs sha256sum | sha256sum)
    if [ "$(cat "$stamp" 2>/dev/null)" = "$state" ]; then
        say "clang-tidy: nothing changed since it last passed"
        return
    fi
    say "Running clang-tidy"
    files_in '*.cpp' driver kernels pool cluster simulator tools | xargs -P "$jobs" -I{} sh -c 'echo "clang-tidy {}"; clang-tidy --quiet -p build/dev "{}" 2>/dev/null'
    echo "$state" >"$stamp"
}

# The thread sanitizer of older compilers does not work with the address space layout of newer kernels.
without_randomised_layout() {
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        setarch "$(uname -m)" -R "$@"
    else
        "$@"
    fi
}

# Without a chroot or a Debian mirror, test_on.sh says so and exits with 77.
test_on_debian_13() {
    local reason=0
    bash tools/test_on.sh trixie --fast || reason=$?
    if [ "$reason" -ne 0 ] && [ "$reason" -ne 77 ]; then return "$reason"; fi
}

# To count instructions, find missing descriptions, run the micro-benchmarks, compare with an independent library, and start ranks.
more_packages=(valgrind doxygen libbenchmark-dev libgmp-dev libopenmpi-dev openmpi-bin libmpich-dev mpich)
install_missing_packages
if [ ! -d "${CUPOOL_TEST_DATA:-}" ]; then
    say "CUPOOL_TEST_DATA names no directory: the cases that need its vectors are skipped"
fi

build dev
if ! $fast; then
    check_format
    if $tidy; then check_tidy; fi
    install_clang
    build asan
    run_tests asan
    CUPOOL_FUZZ_SEED=1 bash tools/fuzz.sh 60
    build tsan
    run_tests tsan without_randomised_layout
    if $debian; then test_on_debian_13; fi
fi
run_tests dev
