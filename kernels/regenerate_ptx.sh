#!/usr/bin/env bash
# Compiles the device kernels to the PTX that is committed in kernels/ptx: bash kernels/regenerate_ptx.sh [output folder]
#
# The canonical compiler is clang 14.0.6 (Debian's or LLVM's own); no CUDA toolkit is needed. Others make working PTX of other text. CLANG chooses another binary.
set -euo pipefail
kernels=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
output=${1:-$kernels/ptx}
clang=${CLANG:-$(command -v clang-14 || command -v clang || true)}
[ -n "$clang" ] || { echo "regenerate_ptx.sh: no clang found; install clang-14" >&2; exit 1; }
compiler=$("$clang" --version | sed -n 's/.*clang version \([0-9.]*\).*/clang \1/p')
mkdir -p "$output/templates"

compile() {  # source, output name, further options
    local source=$1 name=$2
    shift 2
    {
        echo "// cupool: kernels/src/$source compiled by $compiler; made by kernels/regenerate_ptx.sh, do not edit."
        "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 -nocudainc -nocudalib \
            -Wno-unknown-cuda-version -Wall -Wextra -Werror -std=c++20 -O3 -ffp-contract=off -I "$kernels/src" -I "$kernels/include" "$@" -S "$kernels/src/$source" -o - |
            sed -e '/\/\/ begin inline asm/d' -e '/\/\/ end inline asm/d' -e '/^$/d'
    } > "$output/$name.ptx.new"
    mv "$output/$name.ptx.new" "$output/$name.ptx"
}

declare -A curves=([bn254]=Bn254 [bls12_381]=Bls12381 [bls12_377]=Bls12377 [bn254_g2]=Bn254G2 [bls12_381_g2]=Bls12381G2)
for source in "$kernels"/src/msm/device/stages/stage*.cu; do
    stage=$(basename "$source" .cu)
    for curve in "${!curves[@]}"; do
        [[ $stage == *_sort && $curve == *_g2 ]] && continue  # scalars are those of G1, and so are the kernels that sort them
        compile "msm/device/stages/$stage.cu" "msm_${stage#stage?_}_$curve" "-DCUPOOL_CURVE=${curves[$curve]}"
    done
done

# Transforms and element-wise operations: a module for each scalar field.
for curve in bn254 bls12_381 bls12_377; do
    compile ntt/ntt.cu "ntt_$curve" "-DCUPOOL_FIELD=${curves[$curve]}ScalarField"
    compile vectors/vectors.cu "vectors_$curve" "-DCUPOOL_FIELD=${curves[$curve]}ScalarField"
done

for curve in bn254 bls12_381; do
    compile poseidon/poseidon.cu "poseidon_$curve" "-DCUPOOL_FIELD=${curves[$curve]}ScalarField"
    compile poseidon/poseidon2.cu "poseidon2_$curve" "-DCUPOOL_FIELD=${curves[$curve]}ScalarField"
done

# Graph colouring: a module for each number of vertices, in words of four for each lane.
for words in 1 2 4 8; do
    compile coloring/coloring.cu "coloring_$((128 * words))" "-DCUPOOL_WORDS=$words"
done

# The models of replica exchange.
compile replicas/ising.cu ising

# Collectives: a module for each element type.
declare -A integers=([i8]=std::int8_t [u8]=std::uint8_t [i16]=std::int16_t [u16]=std::uint16_t [i32]=std::int32_t [u32]=std::uint32_t [i64]=std::int64_t [u64]=std::uint64_t)
declare -A floats=([f16]=Float16 [bf16]=BFloat16 [f32]=float [f64]=double)
for type in "${!integers[@]}"; do
    compile collective/collective.cu "collective_$type" "-DCUPOOL_ELEMENT=${integers[$type]}" -DCUPOOL_HAS_PRODUCT
done
for type in "${!floats[@]}"; do
    compile collective/collective.cu "collective_$type" "-DCUPOOL_ELEMENT=${floats[$type]}"
done

# Reductions: a module for each element type, and one more for reductions over the middle dimension. In it is what is accumulated for each
# operation. Integers of one size share theirs.
reductions() {  # name, options
    local name=$1
    shift
    compile reduce/reduce_elements.cu "reduce_$name" "$@"
    compile reduce/reduce_middle_elements.cu "reduce_middle_$name" "$@"
}
integer_reductions() {  # name, type
    reductions "$1" "-DCUPOOL_SUM=IntegerSum<$2>" "-DCUPOOL_PRODUCT=IntegerProduct<$2>" \
        "-DCUPOOL_MINIMUM=IntegerMinimum<$2>" "-DCUPOOL_INDEX=IndexOfMinimum<$2, 0>"
}
float_reductions() {  # name, type, accumulator, unsigned integer of its size, bits of infinity, accumulator of wide sums if any
    reductions "$1" "-DCUPOOL_SUM=FloatSum<$2, $3>" "-DCUPOOL_MINIMUM=FloatMinimum<$2, $3>" \
        "-DCUPOOL_INDEX=IndexOfMinimum<$4, $5>" ${6:+"-DCUPOOL_WIDE_SUM=FloatSum<$2, $6>"}
}
integer_reductions u8 std::uint8_t
integer_reductions u16 std::uint16_t
integer_reductions u32 std::uint32_t
integer_reductions u64 std::uint64_t
float_reductions f16 Float16 float std::uint16_t 0x7c00
float_reductions bf16 BFloat16 float std::uint16_t 0x7f80
float_reductions f32 float float std::uint32_t 0x7f800000 double
float_reductions f64 double double std::uint64_t 0x7ff0000000000000 DoubleDouble

# The reduction by a caller's function: a text for each size of elements, which the library completes.
for bytes in 1 2 4 8 16; do
    compile reduce/reduce_by_function.cu "templates/reduce_by_function_$bytes" "-DCUPOOL_ELEMENT_BYTES=$bytes"
done
