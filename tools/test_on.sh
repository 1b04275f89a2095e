#!/usr/bin/env bash
# Runs both commands of the README as a new user of a Debian release would: from a fresh clone, on a minimal installation.
#
#   bash tools/test_on.sh RELEASE [OPTION...]      e.g. trixie --fast; the options go to tools/test.sh
#
# It needs root, since the installation is a chroot, and the network, from which debootstrap installs it. What is committed is tested.
# The minimal installation and a compiler cache are kept in ~/.cache/cupool, so that a second run takes less time.

source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[[ "${1:-}" =~ ^[a-z]+$ ]] || fail "usage: bash tools/test_on.sh RELEASE [OPTION...] (the name of a Debian release, e.g. trixie)"
release=$1
shift
[ "$(id -u)" -eq 0 ] || fail "please run this as root: it installs $release in a chroot"
has debootstrap || install_packages debootstrap

cache=${XDG_CACHE_HOME:-$HOME/.cache}/cupool
minimal=$cache/$release.tar
mkdir -p "$cache/ccache"
root=$(mktemp -d)
chmod 755 "$root"  # other users look up files there, too
trap 'rm -rf --one-file-system "$root"' EXIT

if [ ! -f "$minimal" ]; then
    say "Installing a minimal $release"
    debootstrap --variant=minbase "$release" "$root" >"$root.log" || fail "debootstrap failed: see $root.log"
    rm "$root.log"
    tar -C "$root" -cf "$minimal.new" .
    mv "$minimal.new" "$minimal"
else
    tar -C "$root" -xf "$minimal"
fi
git clone --quiet . "$root/cupool"
mkdir "$root/ccache" "$root/data"

say "Running the README's two commands on $release"
# The mounts are gone with the namespace that they are made in.
root=$root data=${CUPOOL_TEST_DATA:-} cache=$cache/ccache unshare --mount --fork bash -euc '
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$cache" "$root/ccache"
    if [ -d "$data" ]; then mount --bind -o ro "$data" "$root/data"; fi
    exec chroot "$root" env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        CI="${CI:-}" CCACHE_DIR=/ccache ${data:+CUPOOL_TEST_DATA=/data} bash -euc "
            apt-get update -q
            apt-get install -q -y --no-install-recommends ccache
            cd /cupool
            bash tools/quickstart.sh
            bash tools/test.sh $*"
' test_on.sh "$@"
