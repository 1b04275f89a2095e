#!/usr/bin/env bash
# Runs both commands of the README like a new user of a Debian release: from a fresh clone, on a minimal installation.
#
#   bash tools/test_on.sh RELEASE [OPTION...]      e.g. trixie --fast; the options go to tools/test.sh
#
# It tests the committed state. It needs root and its own mounts, because the installation is a chroot, and a Debian mirror, from which
# debootstrap installs it. If one of these is missing, it prints one line and exits with 77: skipped. Every failure of the two commands
# exits with 1. The minimal installation and a compiler cache stay in ~/.cache/cupool, so that a second run takes less time.

source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[[ "${1:-}" =~ ^[a-z]+$ ]] || fail "usage: bash tools/test_on.sh RELEASE [OPTION...] (the name of a Debian release, e.g. trixie)"
release=$1
shift

skip() {
    say "Skipping the test on $release: $*"
    exit 77
}

[ "$(id -u)" -eq 0 ] || skip "only root can install it in a chroot"
has debootstrap || (install_packages debootstrap) >/dev/null 2>&1 || skip "debootstrap cannot be installed"
unshare --mount mount -t tmpfs none /mnt 2>/dev/null || skip "this root may not mount"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/cupool
minimal=$cache/$release.tar
mkdir -p "$cache/ccache"
root=$(mktemp -d)
chmod 755 "$root"  # other users look up files there, too
trap 'rm -rf --one-file-system "$root"' EXIT

if [ ! -f "$minimal" ]; then
    say "Installing a minimal $release"
    debootstrap --variant=minbase "$release" "$root" >"$cache/$release.log" 2>&1 || skip "debootstrap cannot install it, see $cache/$release.log"
    tar -C "$root" -cf "$minimal.new" .
    mv "$minimal.new" "$minimal"
else
    tar -C "$root" -xf "$minimal"
fi
git clone --quiet . "$root/cupool"
mkdir "$root/ccache" "$root/data"
cp /etc/resolv.conf "$root/etc/resolv.conf"

say "Running the README's two commands on $release"
# The mounts disappear with their namespace.
no_mirror=77
reason=0
root=$root data=${CUPOOL_TEST_DATA:-} cache=$cache/ccache no_mirror=$no_mirror unshare --mount --fork bash -euc '
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$cache" "$root/ccache"
    if [ -d "$data" ]; then mount --bind -o ro "$data" "$root/data"; else data=; fi
    exec chroot "$root" env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        CI="${CI:-}" CCACHE_DIR=/ccache ${data:+CUPOOL_TEST_DATA=/data} bash -uc "
            apt-get update -q --error-on=any || exit $no_mirror
            apt-get install -q -y --no-install-recommends ccache &&
                cd /cupool &&
                bash tools/quickstart.sh &&
                bash tools/test.sh $* || exit 1"
' test_on.sh "$@" || reason=$?
if [ "$reason" -eq "$no_mirror" ]; then skip "no Debian mirror answers"; fi
[ "$reason" -eq 0 ] || fail "the README's commands failed on $release: see above"
