// The bounds of the host's vectors in transforms: the butterflies themselves, with ranges in place of VectorField's elements.
#include "vector_ranges.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

#include "catch.hpp"
#include "ntt/vector_butterflies.hpp"

using namespace cupool::detail;
using namespace cupool::test;

TEMPLATE_TEST_CASE("bounds: butterflies of vectors give elements of elements, at every step of every line", "[kernels]",
                   RangeParameters<false>, RangeParameters<true>) {
    using Range = VectorField<TestType>;
    for (unsigned bits = 0; bits <= 10; ++bits) {
        const std::size_t count = std::size_t{1} << bits;
        std::vector<Range> rows(count, Range::stored());
        const std::vector<Range> roots(std::max<std::size_t>(1, count / 2), Range::stored());
        transform_rows(rows.data(), bits, roots.data());
        bool are_elements = true;
        for (const Range& row : rows) are_elements &= row.is_element();
        CHECK(are_elements);
    }
}

#endif
