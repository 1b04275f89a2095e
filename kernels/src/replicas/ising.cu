// Sweeps of the two-dimensional Ising model: a block for each replica.

#include "replicas/ising.hpp"
#include "support/device.cuh"

using namespace cupool::device;
using cupool::detail::IsingLattice;
using cupool::detail::IsingTemperature;
using cupool::detail::RandomStream;

CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(128) void ising_advance(std::uint8_t* states, double* energies, const std::uint32_t* replicas,
                                                        const std::uint32_t* temperature_indices, const IsingTemperature* temperatures,
                                                        const IsingLattice* lattice, std::uint32_t, std::uint32_t sweeps,
                                                        std::uint64_t seed, std::uint64_t first_sweep) {
    CUPOOL_SHARED static std::uint32_t total;
    const std::uint32_t side = lattice->side;
    const std::uint32_t spin_count = side * side;
    std::uint8_t* const spins = states + std::uint64_t{block_index()} * ((spin_count + 15) / 16 * 16);
    const std::uint32_t replica = replicas[block_index()];
    const IsingTemperature temperature = temperatures[temperature_indices[block_index()]];
    const std::uint32_t groups = cupool::detail::ising_groups(side);
    for (std::uint64_t sweep = first_sweep; sweep < first_sweep + sweeps; ++sweep) {
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            for (std::uint32_t group = thread_index(); group < groups; group += block_size()) {
                const auto random = cupool::detail::random_words(seed, RandomStream::sweeps, replica, sweep, 2 * group + colour);
                cupool::detail::update_ising_group(spins, side, temperature, colour, group, random);
            }
            block_barrier();
        }
    }
    if (thread_index() == 0) total = 0;
    block_barrier();
    std::int32_t energy = 0;
    for (std::uint32_t i = thread_index(); i < spin_count; i += block_size()) energy += cupool::detail::ising_energy_at(spins, side, i);
    atomic_add_shared(&total, static_cast<std::uint32_t>(energy));
    block_barrier();
    if (thread_index() == 0) energies[block_index()] = static_cast<std::int32_t>(total);
}
