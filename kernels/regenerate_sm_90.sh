#!/usr/bin/env bash
# Assembles the committed PTX to the machine code for compute capability 9.0 that is committed in kernels/sm_90: bash kernels/regenerate_sm_90.sh [output folder]
#
# The canonical assembler is ptxas 13.0.88 (of CUDA 13.0), which drivers from that on take; older ones compile the PTX. PTXAS chooses another binary.
set -euo pipefail
kernels=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
output=${1:-$kernels/sm_90}
ptxas=${PTXAS:-$(command -v ptxas || true)}
[ -n "$ptxas" ] || { echo "regenerate_sm_90.sh: no ptxas found; install that of CUDA 13.0" >&2; exit 1; }
[ -n "${PTXAS:-}" ] || [[ $("$ptxas" --version) == *V13.0.88* ]] || { echo "regenerate_sm_90.sh: $ptxas is not 13.0.88; set PTXAS to use it all the same" >&2; exit 1; }
mkdir -p "$output"
export ptxas output
# Templates are no whole modules.
find "$kernels/ptx" -maxdepth 1 -name '*.ptx' -print0 |
    xargs -0 -P "$(nproc)" -I{} sh -c '"$ptxas" -arch=sm_90 "$1" -o "$output/$(basename "$1" .ptx).cubin"' - {}
# By which any machine can tell whether the machine code is that of the PTX beside it.
(cd "$kernels/ptx" && sha256sum ./*.ptx) > "$output/ptx.sha256"
(cd "$output" && sha256sum ./*.cubin) > "$output/cubin.sha256"
