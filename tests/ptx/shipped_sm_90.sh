#!/usr/bin/env bash
# shipped_sm_90.sh KERNELS OUTPUT: checks that the committed machine code was made of the committed PTX, and, where the canonical assembler is
# installed, that it gives the very same.
set -euo pipefail
kernels=$1 output=$2
advice="run bash kernels/regenerate_sm_90.sh"
(cd "$kernels/ptx" && sha256sum --quiet --check ../sm_90/ptx.sha256) || { echo "kernels/sm_90 was made of other PTX; $advice" >&2; exit 1; }
(cd "$kernels/sm_90" && sha256sum --quiet --check cubin.sha256) || { echo "kernels/sm_90 is not what was assembled; $advice" >&2; exit 1; }
for ptx in "$kernels"/ptx/*.ptx; do
    cubin=$kernels/sm_90/$(basename "$ptx" .ptx).cubin
    for listed in "ptx.sha256 $(basename "$ptx")" "cubin.sha256 $(basename "$cubin")"; do
        grep -qF "./${listed#* }" "$kernels/sm_90/${listed%% *}" || { echo "kernels/sm_90/${listed%% *} lacks ${listed#* }; $advice" >&2; exit 1; }
    done
done
ptxas=${PTXAS:-$(command -v ptxas || true)}
if [ -z "$ptxas" ] || ! "$ptxas" --version | grep -qF "V13.0.88"; then
    echo "not assembled anew: ptxas 13.0.88, which made the committed machine code, is not installed"
    exit 0
fi
rm -rf "$output"
PTXAS=$ptxas bash "$kernels/regenerate_sm_90.sh" "$output"
diff -rq "$kernels/sm_90" "$output" || { echo "kernels/sm_90 is not what its PTX gives; $advice" >&2; exit 1; }
