#pragma once

#include <cstdint>

#include "curve/curve_parameters.hpp"
#include "curve/scalar_split.hpp"

namespace cupool::detail {

/// Which scalars an MSM may have.
struct ScalarRange {
    unsigned bits = 0;  ///< every one is below 2^bits
    /// Where they may be any below r: r's highest limb, so that they can be centred about 0, and the highest limb of the largest magnitude
    /// that one of a scalar's two parts may have, so that they can be split; else 0.
    std::uint64_t order_head = 0;
    std::uint64_t part_head = 0;

    bool spans_all() const { return order_head != 0; }
    bool operator==(const ScalarRange&) const = default;
};

/// \param bitsize  what the scalars are promised to be below, as in MsmConfig
template <Curve C>
ScalarRange scalar_range(int bitsize) {
    if (bitsize != 0 && static_cast<unsigned>(bitsize) < scalar_bits<C>) return {static_cast<unsigned>(bitsize)};
    constexpr auto largest_part = ScalarSplit<G1Parameters<C>>::largest_part;
    return {scalar_bits<C>, Parameters<C>::ScalarField::modulus.limb[3], static_cast<std::uint64_t>(largest_part >> 64)};
}

}  // namespace cupool::detail
