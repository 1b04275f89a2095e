// Poseidon over one field: CUPOOL_FIELD names its parameters.

#include "poseidon/poseidon.cuh"

#include "poseidon/sponge.cuh"

using namespace cupool::device;

namespace {

using Parameters = cupool::detail::CUPOOL_FIELD;
using Element = DeviceField<Parameters, inlined_product_of<Parameters>>;
using Launch = cupool::detail::PoseidonLaunch<Element>;

template <class Permutation, class... Arguments>
CUPOOL_DEVICE void run(const Launch& launch, Arguments... arguments) {
    if (global_index() >= launch.count) return;
    Permutation permutation(launch.constants, arguments..., launch.partial_rounds);
    Sponge<Permutation, Element>(launch, permutation).run();
}

}  // namespace

CUPOOL_KERNEL CUPOOL_BLOCKS(128, 4) void poseidon_2(Launch launch) { run<PoseidonInRegisters<Element, 2>>(launch); }

CUPOOL_KERNEL CUPOOL_BLOCKS(128, 4) void poseidon_3(Launch launch) { run<PoseidonInRegisters<Element, 3>>(launch); }

CUPOOL_KERNEL CUPOOL_BLOCKS(128, 4) void poseidon_to_5(Launch launch) { run<PoseidonInMemory<Element, 5>>(launch, launch.width); }

CUPOOL_KERNEL CUPOOL_BLOCKS(128, 4) void poseidon_to_17(Launch launch) { run<PoseidonInMemory<Element, 17>>(launch, launch.width); }
