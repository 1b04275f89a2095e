#pragma once

/// \file
/// How the kernels of a pass are launched.

#include <algorithm>
#include <cupool/driver/device_span.hpp>

#include "ntt/domain_state.hpp"
#include "ntt/plan.hpp"

namespace cupool::detail {

/// The blocks of a launch.
class NttBlocks {
public:
    /// \param elements  of all lines that the launch transforms
    NttBlocks(const NttPassShape& shape, std::uint64_t elements, std::uint64_t min_blocks)
        : row_bits_(std::max(2u, shape.row_bits)), line_bits_(tile_bits(elements, min_blocks) - row_bits_) {}

    /// A block transforms 2^line_bits() lines.
    unsigned line_bits() const { return line_bits_; }

    LaunchShape launch_shape(std::uint32_t lines) const {
        const std::uint32_t lines_of_block = 1u << line_bits_;
        return {(lines - 1) / lines_of_block + 1, (1u << (row_bits_ + line_bits_)) / elements_of_thread};
    }

private:
    static constexpr unsigned elements_of_thread = 4;
    static constexpr unsigned max_tile_bits = 10;
    static constexpr unsigned min_tile_bits = 6;

    /// The logarithm of the elements of a block: small enough for enough blocks, large enough for a line.
    unsigned tile_bits(std::uint64_t elements, std::uint64_t min_blocks) const {
        unsigned bits = max_tile_bits;
        while (bits > min_tile_bits && elements >> bits < min_blocks) --bits;
        return std::max(bits, row_bits_);
    }

    unsigned row_bits_;  ///< at least 2: a thread has rows whose numbers differ in two bits
    unsigned line_bits_;
};

/// The arguments of a pass but for its input and output. \param coset  null for none
template <Curve C>
NttPass<Scalar> ntt_pass_arguments(const NttPassShape& shape, unsigned line_bits, const NttDomainState<C>& domain, bool is_inverse,
                                   const NttPowerTable<C>* coset) {
    NttPass<Scalar> pass{.shape = shape,
                         .line_bits = line_bits,
                         .scale_log = is_inverse && shape.is_last != 0 ? shape.digits.log_size() : 0,
                         .input = nullptr,
                         .output = nullptr,
                         .roots = NttPowerTable<C>::address_of(domain.device_roots[is_inverse ? 1 : 0]),
                         .root_bits = domain.root_bits,
                         .exponents = ntt_exponents(domain.log_size, shape.digits.log_size(), is_inverse),
                         .twiddles = domain.twiddles.on_device(),
                         .coset = {}};
    if (coset != nullptr) pass.coset = coset->on_device();
    return pass;
}

}  // namespace cupool::detail
