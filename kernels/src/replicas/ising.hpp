#pragma once

#include <cstdint>

#include "replicas/philox.hpp"

namespace cupool::detail {

/// The two-dimensional Ising model on a torus of side x side spins, 0 or 1 a byte, row by row. The energy is minus the sum of s s' over all
/// pairs of neighbours, with s = -1 or 1. A sweep updates the spins of one colour of the checkerboard, which do not interact, then those of
/// the other.
struct IsingLattice {
    std::uint32_t side;  ///< even, at least 4
};

/// The Metropolis probabilities exp(-4 / T) and exp(-8 / T) to accept a rise of the energy by 4 or 8, times 2^32.
struct IsingTemperature {
    std::uint32_t accept_4;
    std::uint32_t accept_8;
};

/// How many groups of four spins a colour has. The last group may be incomplete.
CUPOOL_HOST_DEVICE std::uint32_t ising_groups(std::uint32_t side) { return (side * side / 2 + 3) / 4; }

/// Updates a group of four spins of a colour in a sweep: they share the words of one random number.
CUPOOL_HOST_DEVICE void update_ising_group(std::uint8_t* spins, std::uint32_t side, IsingTemperature temperature, std::uint32_t colour,
                                           std::uint32_t group, const RandomWords& random) {
    for (std::uint32_t k = 0; k < 4; ++k) {
        const std::uint32_t index = 4 * group + k;  // among the spins of the colour
        if (index >= side * side / 2) return;
        const std::uint32_t y = index / (side / 2);
        const std::uint32_t x = 2 * (index % (side / 2)) + ((y + colour) & 1);
        const std::uint32_t above = (y == 0 ? side - 1 : y - 1) * side;
        const std::uint32_t below = (y + 1 == side ? 0 : y + 1) * side;
        const std::uint32_t left = x == 0 ? side - 1 : x - 1;
        const std::uint32_t right = x + 1 == side ? 0 : x + 1;
        const std::uint32_t up = spins[above + x] + spins[below + x] + spins[y * side + left] + spins[y * side + right];
        std::uint8_t& spin = spins[y * side + x];
        const std::uint32_t equal = spin != 0 ? up : 4 - up;  // a flip raises the energy by 4 (equal - 2)
        const std::uint32_t accept = equal <= 2 ? 0xffffffffu : equal == 3 ? temperature.accept_4 : temperature.accept_8;
        if (equal <= 2 || random.words[k] < accept) spin ^= 1;
    }
}

/// Minus the sum of s s' over the pairs of a spin with its right and its lower neighbour.
CUPOOL_HOST_DEVICE std::int32_t ising_energy_at(const std::uint8_t* spins, std::uint32_t side, std::uint32_t index) {
    const std::uint32_t y = index / side;
    const std::uint32_t x = index % side;
    const std::uint8_t right = spins[y * side + (x + 1 == side ? 0 : x + 1)];
    const std::uint8_t below = spins[(y + 1 == side ? 0 : y + 1) * side + x];
    return (spins[index] == right ? -1 : 1) + (spins[index] == below ? -1 : 1);
}

}  // namespace cupool::detail
