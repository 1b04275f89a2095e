#pragma once

/// \file
/// Where the constants of a permutation lie in one array, for host and device. Device code includes this too: no standard library here but
/// <cstdint>.

#include <cstdint>

#include "support/host_device.hpp"

namespace cupool::detail {

inline constexpr std::uint32_t poseidon_half_full_rounds = 4;  ///< full rounds before the partial ones, and after them
inline constexpr std::uint32_t poseidon_max_width = 17;
/// Terms that one dot product takes in the kernel of all widths. Rows are padded with zeros to a multiple of it.
inline constexpr std::uint32_t poseidon_dot_terms = 4;

CUPOOL_HOST_DEVICE std::uint32_t padded_to_dots(std::uint32_t count) {
    return (count + poseidon_dot_terms - 1) / poseidon_dot_terms * poseidon_dot_terms;
}

/// Of Poseidon, in its form with few products (partial_rounds.hpp). Offsets are in elements.
struct PoseidonLayout {
    std::uint32_t width;
    std::uint32_t partial_rounds;

    CUPOOL_HOST_DEVICE std::uint32_t row_size() const { return padded_to_dots(width); }
    CUPOOL_HOST_DEVICE std::uint32_t leaving_row_size() const { return padded_to_dots(2 * (width - 1)); }

    /// The constants that full rounds add, a round after the other.
    CUPOOL_HOST_DEVICE std::uint32_t first_rounds() const { return 0; }
    CUPOOL_HOST_DEVICE std::uint32_t last_rounds() const { return poseidon_half_full_rounds * width; }
    /// The matrix of full rounds, and that of the last one before the partial rounds.
    CUPOOL_HOST_DEVICE std::uint32_t matrix() const { return 2 * last_rounds(); }
    CUPOOL_HOST_DEVICE std::uint32_t entering_matrix() const { return matrix() + width * row_size(); }
    /// The constant that each partial round adds.
    CUPOOL_HOST_DEVICE std::uint32_t partial_constants() const { return entering_matrix() + width * row_size(); }
    /// The coefficients of the recurrence. Those of the latest powers come first, beginning with the newest power. They stand twice, and
    /// poseidon_dot_terms zeros precede them. Those of the latest first elements follow in the same form.
    CUPOOL_HOST_DEVICE std::uint32_t power_coefficients() const { return partial_constants() + partial_rounds; }
    CUPOOL_HOST_DEVICE std::uint32_t element_coefficients() const { return power_coefficients() + poseidon_dot_terms + 2 * width; }
    /// The rows that give the other elements of the state after the partial rounds.
    CUPOOL_HOST_DEVICE std::uint32_t leaving_matrix() const { return element_coefficients() + poseidon_dot_terms + 2 * (width - 1); }
    CUPOOL_HOST_DEVICE std::uint32_t size() const { return leaving_matrix() + (width - 1) * leaving_row_size(); }
};

/// Of Poseidon2.
struct Poseidon2Layout {
    std::uint32_t width;
    std::uint32_t partial_rounds;

    CUPOOL_HOST_DEVICE std::uint32_t first_rounds() const { return 0; }
    CUPOOL_HOST_DEVICE std::uint32_t last_rounds() const { return poseidon_half_full_rounds * width; }
    CUPOOL_HOST_DEVICE std::uint32_t partial_constants() const { return 2 * last_rounds(); }
    /// The diagonal of the matrix of partial rounds, less one.
    CUPOOL_HOST_DEVICE std::uint32_t diagonal() const { return partial_constants() + partial_rounds; }
    CUPOOL_HOST_DEVICE std::uint32_t size() const { return diagonal() + width; }
};

}  // namespace cupool::detail
