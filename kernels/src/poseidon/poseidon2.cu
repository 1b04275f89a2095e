// Poseidon2 over one field: CUPOOL_FIELD names its parameters.

#include "poseidon/poseidon2.cuh"

#include "poseidon/sponge.cuh"

using namespace cupool::device;

namespace {

using Parameters = cupool::detail::CUPOOL_FIELD;
using Element = DeviceField<Parameters, inlined_product_of<Parameters>>;
using Launch = cupool::detail::PoseidonLaunch<Element>;

template <int width>
CUPOOL_DEVICE void run(const Launch& launch) {
    using Permutation = Poseidon2InRegisters<Element, width>;
    Permutation permutation(launch.constants, launch.partial_rounds);
    if (global_index() < launch.count) Sponge<Permutation, Element>(launch, permutation).run();
}

}  // namespace

CUPOOL_KERNEL CUPOOL_BLOCKS(128, 4) void poseidon2_2(Launch launch) { run<2>(launch); }
CUPOOL_KERNEL CUPOOL_BLOCKS(128, 4) void poseidon2_3(Launch launch) { run<3>(launch); }
CUPOOL_KERNEL CUPOOL_BLOCKS(128, 4) void poseidon2_4(Launch launch) { run<4>(launch); }
CUPOOL_KERNEL CUPOOL_BLOCKS(128, 3) void poseidon2_8(Launch launch) { run<8>(launch); }
