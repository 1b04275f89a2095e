#!/usr/bin/env bash
# Measures the lines and branches of each layer that the plain tests reach, with Clang's source-based coverage.
#
#   bash tools/coverage.sh              prints a table by layer and writes the figures of each file to build/coverage/files.txt
#   bash tools/coverage.sh -R driver    runs only these tests; the options go to ctest
#
# The count of every source line is in build/coverage/lines.txt. A process that is killed or calls _exit() writes no counts, so lines that
# only the children of the fault and fork tests reach are missing.

source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

more_packages=(llvm libgmp-dev)
install_missing_packages
install_clang
build coverage

profiles=$PWD/build/coverage/profiles
rm -rf "$profiles"
say "Testing build/coverage"
# Each program has four files, into which its processes merge their counts. If allocations fail, the counting fails, too, and calls that
# count their lines cost more.
LLVM_PROFILE_FILE="$profiles/%4m.profraw" ctest --preset coverage --parallel "$jobs" --exclude-regex '^(call_cost|tool_allocations)$' "$@" || fail "tests failed, so that no figure is given"

say "Counting"
version=$(clang++ -dumpversion)
llvm() {  # TOOL ARGUMENT...: runs the version that built the programs
    local tool=$1
    shift
    if has "$tool-${version%%.*}"; then "$tool-${version%%.*}" "$@"; else "$tool" "$@"; fi
}
llvm llvm-profdata merge --sparse "$profiles"/*.profraw -o build/coverage/all.profdata
mapfile -t programs < <(find build/coverage -type f -perm -u+x \( -name 'cupool*' -o -name devquery -o -name 'libcupool*.so' \) | sort)
objects=("${programs[0]}")
for program in "${programs[@]:1}"; do objects+=(-object "$program"); done
llvm llvm-cov export "${objects[@]}" --instr-profile build/coverage/all.profdata --summary-only >build/coverage/files.json
llvm llvm-cov report "${objects[@]}" --instr-profile build/coverage/all.profdata --show-branch-summary >build/coverage/files.txt
llvm llvm-cov show "${objects[@]}" --instr-profile build/coverage/all.profdata --show-branches=count >build/coverage/lines.txt
python3 tools/coverage_by_layer.py build/coverage/files.json
