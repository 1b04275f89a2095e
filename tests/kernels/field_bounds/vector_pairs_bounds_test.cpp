// The bounds of the host's vectors of points: VectorPairs itself, on every path, with ranges in place of VectorField's elements.
#include "vector_ranges.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

#include "msm/host/vector_pairs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace cupool::detail {

/// As in vector_pairs.cpp, which instantiates it for real fields.
template <class Parameters>
void VectorPairs<Parameters>::add(std::span<const RowPair> pairs, std::span<PointRow> sums) {
    add_sharing_an_inversion(pairs, sums);
}

}  // namespace cupool::detail

TEST_CASE("bounds: vectors of pairs of affine points", "[kernels]") {
    const auto paths = decisions().for_each_path([] {
        others_are_exceptional = decisions().next();
        const PointRow row{};
        const std::vector<RowPair> pairs{{SignedRow(row, true), SignedRow(row, false)}};
        std::vector<PointRow> sums(1);
        VectorPairs<RangeParameters<false>>(1).add(pairs, sums);
    });
    CHECK(paths > 10);
}

#endif
