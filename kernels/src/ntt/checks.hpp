#pragma once

#include <bit>
#include <cupool/kernels/ntt.hpp>
#include <string>

#include "curve/scalar_field.hpp"
#include "transfer/operand_checks.hpp"

namespace cupool::detail {

/// The elements of one transform. \throws Error invalid_argument as ntt() does for sizes
inline std::size_t checked_ntt_size(std::size_t inputs, std::size_t outputs, std::size_t domain_size, const NttConfig& config) {
    if (config.batch_size == 0) refuse("ntt", "batch_size is 0; it must be 1 or more");
    if (inputs != outputs) refuse("ntt", std::to_string(inputs) + " inputs, but room for " + std::to_string(outputs) + " outputs");
    if (inputs % config.batch_size != 0) {
        refuse("ntt", std::to_string(inputs) + " inputs do not divide evenly among batch_size = " + std::to_string(config.batch_size) +
                          " transforms");
    }
    const std::size_t size = inputs / config.batch_size;
    if (!std::has_single_bit(size)) refuse("ntt", std::to_string(size) + " elements a transform; it must be a power of two");
    if (size > domain_size) {
        refuse("ntt", std::to_string(size) + " elements a transform, but the domain is for up to " + std::to_string(domain_size) +
                          "; make a larger one");
    }
    return size;
}

/// \throws Error invalid_argument (an enumerator out of range, a coset generator of 0)
template <Curve C>
void check_ntt_config(NttDirection direction, const NttConfig& config) {
    require_enumerator(direction, NttDirection::inverse, "NttDirection");
    require_enumerator(config.ordering, NttOrdering::mixed_natural, "NttOrdering");
    if (ScalarField<C>::from_standard(config.coset_gen).is_zero())
        refuse("ntt", "coset_gen is 0 modulo r, which generates no coset; 1 is for none");
}

}  // namespace cupool::detail
