#!/usr/bin/env bash
# shipped_ptx.sh KERNELS OUTPUT: sees that no shipped kernel stores byte by byte, regenerates the PTX into OUTPUT and compares it with KERNELS/ptx. Exit 77: the canonical compiler is not here.
set -euo pipefail
kernels=$1 output=$2
# LLVM makes such loops of records that one thread clears, which then take as long as all the rest of a kernel. Results of bytes, spins and colours are stored so.
if grep -lE '\bst(\.[a-z0-9]+)*\.[bsu]8\b' "$kernels"/ptx/*.ptx | grep -vE '(reduce_u8|reduce_middle_u8|collective_[iu]8|coloring_[0-9]+|ising)\.ptx$'; then echo "a kernel stores byte by byte" >&2; exit 1; fi
canonical=$(sed -n '1s/.*compiled by clang \([0-9.]*\);.*/\1/p' "$kernels/ptx/reduce_f32.ptx")
clang=${CLANG:-$(command -v clang-14 || command -v clang || true)}
if [ -z "$clang" ] || ! "$clang" --version | grep -qF "clang version $canonical"; then
    echo "skipped: clang $canonical, which made the committed PTX, is not installed"
    exit 77
fi
rm -rf "$output"
CLANG=$clang bash "$kernels/regenerate_ptx.sh" "$output"
diff -rq "$kernels/ptx" "$output" || { echo "kernels/ptx is not what its sources give; run bash kernels/regenerate_ptx.sh" >&2; exit 1; }
