#pragma once

#include <cstdint>

namespace cupool::detail {

/// A point of a table, or its negative.
struct Term {
    std::uint32_t index : 31;
    std::uint32_t is_negative : 1;
};

/// Some terms, side by side with those of other buckets, and what each of them counts.
struct Bucket {
    std::uint32_t weight;
    std::uint32_t size;
};

}  // namespace cupool::detail
