#!/usr/bin/env bash
# From a fresh clone to a checked result: installs what is missing, builds the tools, shows the devices of this host, and runs an MSM.
#
#   bash tools/quickstart.sh

source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[ $# -eq 0 ] || fail "usage: bash tools/quickstart.sh"

install_missing_packages
build release devquery cupool
bin=build/release/bin

say "Devices: $bin/devquery"
reason=0
"$bin/devquery" || reason=$?
if [ "$reason" -ne 0 ]; then
    say "devquery's exit code $reason is the reason above; where no GPU is usable, the host's cores do the work"
fi

msm=("$bin/cupool" bench msm --curve bn254 --sizes "10,16" --runs 5 --check)
say "MSMs over BN254, held against their closed form and computed a second way: ${msm[*]}"
"${msm[@]}"

say "Done. More: $bin/cupool --help, README.md; every check there is: bash tools/test.sh"
