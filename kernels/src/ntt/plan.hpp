#pragma once

#include <bit>
#include <cstddef>
#include <cupool/kernels/ntt.hpp>
#include <vector>

#include "ntt/pass.hpp"

namespace cupool::detail {

/// What tests choose differently, to have several passes and large blocks with few elements.
struct NttTuning {
    unsigned max_pass_bits = max_ntt_pass_bits;
    bool uses_host_vectors = true;   ///< if the processor has them
    std::uint64_t min_blocks = 256;  ///< smaller blocks are for few elements, of which every multiprocessor should have some
};

/// As few passes as can be, of sizes as equal as can be. \pre log_size <= max_ntt_passes * max_pass_bits
inline NttDigits ntt_digits(unsigned log_size, unsigned max_pass_bits = max_ntt_pass_bits) {
    const unsigned passes = log_size <= max_pass_bits ? 1 : (log_size + max_pass_bits - 1) / max_pass_bits;
    NttDigits digits{};
    for (unsigned pass = 0; pass < passes; ++pass) digits.bits[pass] = (log_size + passes - 1 - pass) / passes;
    return digits;
}

inline NttOrder input_order(NttOrdering ordering) {
    switch (ordering) {
        case NttOrdering::natural_natural:
        case NttOrdering::natural_reversed:
        case NttOrdering::natural_mixed: return NttOrder::natural;
        case NttOrdering::reversed_natural:
        case NttOrdering::reversed_reversed: return NttOrder::reversed;
        case NttOrdering::mixed_natural: break;
    }
    return NttOrder::mixed;
}

inline NttOrder output_order(NttOrdering ordering) {
    switch (ordering) {
        case NttOrdering::natural_natural:
        case NttOrdering::reversed_natural:
        case NttOrdering::mixed_natural: return NttOrder::natural;
        case NttOrdering::natural_reversed:
        case NttOrdering::reversed_reversed: return NttOrder::reversed;
        case NttOrdering::natural_mixed: break;
    }
    return NttOrder::mixed;
}

/// The passes of transforms of `size` elements each.
inline std::vector<NttPassShape> ntt_passes(std::size_t size, const NttConfig& config, unsigned max_pass_bits = max_ntt_pass_bits) {
    const auto log_size = static_cast<unsigned>(std::bit_width(size) - 1);
    const NttDigits digits = ntt_digits(log_size, max_pass_bits);
    std::vector<NttPassShape> passes;
    unsigned left = log_size;
    do {
        const std::uint32_t bits = digits.bits[passes.size()];
        left -= bits;
        passes.push_back({.digits = digits,
                          .row_bits = bits,
                          .stride_bits = left,
                          .batch_size = static_cast<std::uint32_t>(config.batch_size),
                          .is_columns_batch = config.columns_batch ? 1u : 0u,
                          .is_first = passes.empty() ? 1u : 0u,
                          .is_last = left == 0 ? 1u : 0u,
                          .input_order = input_order(config.ordering),
                          .output_order = output_order(config.ordering)});
    } while (left != 0);
    return passes;
}

inline NttExponents ntt_exponents(unsigned log_size_of_domain, unsigned log_size, bool is_inverse) {
    return {.shift = log_size_of_domain - log_size,
            .mask = (std::uint32_t{1} << log_size_of_domain) - 1,
            .sign = is_inverse ? ~std::uint32_t{0} : 0};
}

}  // namespace cupool::detail
