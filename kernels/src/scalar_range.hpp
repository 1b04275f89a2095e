#pragma once

#include <cstdint>

#include "curve_parameters.hpp"

namespace cupool::detail {

/// Which scalars an MSM may have.
struct ScalarRange {
    unsigned bits = 0;             ///< every one is below 2^bits
    std::uint64_t order_head = 0;  ///< r's highest limb where they may be any below r, so that they can be centred about 0; else 0

    bool spans_all() const { return order_head != 0; }
};

/// \param bitsize  what the scalars are promised to be below, as in MsmConfig
template <Curve C>
ScalarRange scalar_range(int bitsize) {
    if (bitsize != 0 && static_cast<unsigned>(bitsize) < scalar_bits<C>) return {static_cast<unsigned>(bitsize), 0};
    return {scalar_bits<C>, Parameters<C>::ScalarField::modulus.limb[3]};
}

}  // namespace cupool::detail
