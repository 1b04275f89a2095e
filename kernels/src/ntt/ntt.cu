// The transforms over one field: CUPOOL_FIELD names its parameters.

#include "ntt/pass.cuh"

using namespace cupool::device;

namespace {

using Parameters = cupool::detail::CUPOOL_FIELD;
using Element = DeviceField<Parameters, inlined_product_of<Parameters>>;

}  // namespace

CUPOOL_KERNEL CUPOOL_BLOCKS(256, 3) void ntt_pass(NttPass<Element> pass) {
    CUPOOL_SHARED static NttTile tile;
    NttBlock<Parameters, Element, NttArrays<Element>>(pass, {pass}, tile).run();
}

CUPOOL_KERNEL CUPOOL_BLOCKS(256, 3) void ntt_sliced_pass(NttSlicedPass<Element> sliced) {
    CUPOOL_SHARED static NttTile tile;
    CUPOOL_SHARED static NttSliceTables<Element> tables;
    tables.fill(sliced);
    NttBlock<Parameters, Element, NttShareOfSlices<Element>>(sliced.pass, {sliced, tables}, tile).run();
}

/// powers[i] = base^(i step)
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void ntt_powers(Element* powers, std::uint64_t count, Element base, std::uint64_t step) {
    const std::uint64_t threads = std::uint64_t{grid_size()} * block_size();
    const std::uint64_t first = global_index();
    Element own = Element::one();
    Element stride = Element::one();
    Element square = base;
    for (std::uint64_t bit = 0; (step * threads) >> bit != 0; ++bit) {
        if ((first * step) >> bit & 1) own = Element::called_product(own, square);
        if ((threads * step) >> bit & 1) stride = Element::called_product(stride, square);
        square = Element::called_product(square, square);
    }
    for (std::uint64_t i = first; i < count; i += threads) {
        store_element(powers + i, own.reduced_once());
        own = Element::called_product(own, stride);
    }
}
