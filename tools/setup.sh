# shellcheck shell=bash
# Sourced by quickstart.sh and test.sh: changes to the root of the repository, installs what the build needs, configures and builds.
# Everything here can run again at any time and skips what is done already.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# One job per core, but not more than memory allows (about 1 GiB for each compiler).
memory_jobs=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null || echo 1)
jobs=$(nproc)
if [ "${memory_jobs:-1}" -lt "$jobs" ]; then jobs=$memory_jobs; fi
if [ "$jobs" -lt 1 ]; then jobs=1; fi

say() { printf '\n==> %s\n' "$*"; }

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# Further Debian packages that the sourcing script needs.
more_packages=()

# The Debian packages that are needed and not installed.
missing_packages() {
    has "${CXX:-c++}" || echo g++
    has cmake || echo cmake
    has ninja || echo ninja-build
    if has dpkg-query; then
        local package
        for package in libspdlog-dev libcli11-dev nlohmann-json3-dev catch2 "${more_packages[@]}"; do
            dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
        done
    fi
}

# install_packages NAME...
install_packages() {
    local as_root=()
    if ! has apt-get; then
        fail "this is no Debian or Ubuntu, so please install: $* (the names are Debian's), then run this again"
    fi
    if [ "$(id -u)" -ne 0 ]; then
        has sudo || fail "please have an administrator install: $* (there is no sudo here), then run this again"
        as_root=(sudo)
    fi
    say "Installing $*${as_root:+ (with sudo)}"
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

install_missing_packages() {
    local missing
    mapfile -t missing < <(missing_packages)
    if [ "${#missing[@]}" -ne 0 ]; then install_packages "${missing[@]}"; fi
}

# Clang, and the libraries of its sanitizers if a release has them in a separate package.
install_clang() {
    has clang++ || install_packages clang
    echo 'int main() {}' | clang++ -fsanitize=address -x c++ -o /dev/null - 2>/dev/null || install_packages libclang-rt-dev
}

# GCC 12 and 14 and Clang 14 give no warnings. Warnings of another compiler do not stop the build.
are_warnings_errors() {
    [ -n "${CI:-}" ] || "${CXX:-c++}" --version | grep -qE '^(g\+\+|c\+\+) .* 1[24]\.|clang version 14\.'
}

# build PRESET [TARGET...]: configures build/PRESET and builds all or these targets.
build() {
    local preset=$1 settings=()
    shift
    if has ccache; then
        settings+=(-D CMAKE_CXX_COMPILER_LAUNCHER=ccache)
        export CCACHE_SLOPPINESS=pch_defines,time_macros  # without them it does not cache what has a precompiled header
    fi
    if ! are_warnings_errors; then settings+=(-D CUPOOL_WARNINGS_AS_ERRORS=OFF); fi
    say "Building build/$preset with $jobs jobs"
    cmake --preset "$preset" --log-level=WARNING "${settings[@]}" >/dev/null
    cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
}
