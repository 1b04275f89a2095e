#pragma once

#include <cstdint>

#include "curve/curve_parameters.hpp"
#include "curve/scalar_split.hpp"

namespace cupool::detail {

/// The range of the scalars of an MSM.
struct ScalarRange {
    unsigned bits = 0;  ///< every one is below 2^bits
    /// If scalars may be any below r: the highest limb of r, by which they can be centred about 0, and the highest
    /// limb of the largest magnitude of one of the two parts of a scalar, by which they can be split; otherwise 0.
    std::uint64_t order_head = 0;
    std::uint64_t part_head = 0;

    bool spans_all() const { return order_head != 0; }
    bool operator==(const ScalarRange&) const = default;
};

/// \param bitsize the promise about scalars, as in MsmConfig
template <Curve C>
ScalarRange scalar_range(int bitsize) {
    if (bitsize != 0 && static_cast<unsigned>(bitsize) < scalar_bits<C>) return {static_cast<unsigned>(bitsize)};
    constexpr auto largest_part = ScalarSplit<G1Parameters<C>>::largest_part;
    return {scalar_bits<C>, Parameters<C>::ScalarField::modulus.limb[3], static_cast<std::uint64_t>(largest_part >> 64)};
}

}  // namespace cupool::detail
