#pragma once

/// \file
/// What reductions by segments ask of their arguments.

#include <span>

#include "operand_checks.hpp"
#include "reduce/checks.hpp"

namespace cupool::detail {

/// \param elements  of the input
inline void require_equal_segments(const Segments& segments, std::size_t elements, ReduceOperation operation) {
    const std::size_t length = segments.length();
    const bool fit = length == 0 ? elements == 0 : elements % length == 0 && elements / length == segments.count();
    if (!fit) {
        refuse("reduce_segments", std::to_string(segments.count()) + " segments of " + std::to_string(length) +
                                      " elements are not as long as the input, which has " + std::to_string(elements));
    }
    if (length == 0 && segments.count() != 0 && !has_identity(operation))
        throw_nothing("reduce_segments", to_string(operation), "an empty segment");
}

inline void require_offsets(std::span<const std::uint64_t> offsets, std::size_t elements, ReduceOperation operation) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const auto offset = [&] { return "offset " + std::to_string(i) + " is " + std::to_string(offsets[i]); };
        if (offsets[i] > elements) refuse("reduce_segments", offset() + ", but the input has " + std::to_string(elements) + " elements");
        if (i == 0) continue;
        if (offsets[i] < offsets[i - 1])
            refuse("reduce_segments", offset() + ", below the one before it, " + std::to_string(offsets[i - 1]));
        if (offsets[i] == offsets[i - 1] && !has_identity(operation))
            throw_nothing("reduce_segments", to_string(operation), "segment " + std::to_string(i - 1) + ", which is empty,");
    }
}

}  // namespace cupool::detail
