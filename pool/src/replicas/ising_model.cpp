#include <algorithm>
#include <cmath>
#include <cstring>
#include <cupool/pool/ising_model.hpp>
#include <string>

#include "replicas/ising.hpp"
#include "replicas/replica_code.hpp"

namespace cupool {

namespace {

using detail::IsingLattice;
using detail::IsingTemperature;

void describe_temperature(double temperature, std::span<std::byte> description) {
    const auto scaled = [](double probability) { return static_cast<std::uint32_t>(std::min(probability * 0x1p32, 0x1p32 - 1)); };
    const IsingTemperature described{scaled(std::exp(-4 / temperature)), scaled(std::exp(-8 / temperature))};
    std::memcpy(description.data(), &described, sizeof described);
}

void initialise(std::uint32_t side, std::uint32_t replica, std::uint64_t seed, std::span<std::byte> state) {
    for (std::uint32_t i = 0; i < side * side; ++i) {
        const detail::RandomWords random = detail::random_words(seed, detail::RandomStream::first_states, replica, 0, i / 128);
        state[i] = static_cast<std::byte>(random.words[i % 128 / 32] >> i % 32 & 1);
    }
}

double advance(const HostReplica& replica) {
    const std::uint32_t side = reinterpret_cast<const IsingLattice*>(replica.data.data())->side;
    const auto temperature = *reinterpret_cast<const IsingTemperature*>(replica.temperature.data());
    auto* const spins = reinterpret_cast<std::uint8_t*>(replica.state.data());
    for (std::uint64_t sweep = replica.first_sweep; sweep < replica.first_sweep + replica.sweeps; ++sweep) {
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            for (std::uint32_t group = 0; group < detail::ising_groups(side); ++group) {
                const auto random =
                    detail::random_words(replica.seed, detail::RandomStream::sweeps, replica.replica, sweep, 2 * group + colour);
                detail::update_ising_group(spins, side, temperature, colour, group, random);
            }
        }
    }
    std::int64_t energy = 0;
    for (std::uint32_t i = 0; i < side * side; ++i) energy += detail::ising_energy_at(spins, side, i);
    return static_cast<double>(energy);
}

}  // namespace

ReplicaModel ising_model(std::uint32_t side, SourceLocation where) {
    constexpr std::uint32_t largest_side = 1 << 14;
    if (side % 2 != 0 || side < 4 || side > largest_side) {
        throw Error(ErrorCategory::invalid_argument,
                    "ising_model: a side of " + std::to_string(side) + " spins; it must be even, and 4 to " + std::to_string(largest_side),
                    where);
    }
    ReplicaModel model;
    model.name = "ising " + std::to_string(side);
    model.state_bytes = (std::size_t{side} * side + 15) / 16 * 16;
    const IsingLattice lattice{side};
    model.data.resize(sizeof lattice);
    std::memcpy(model.data.data(), &lattice, sizeof lattice);
    model.temperature_bytes = sizeof(IsingTemperature);
    model.kernel = "ising_advance";
    model.shipped_code = &detail::ising_code;
    model.describe_temperature = describe_temperature;
    model.initialise = [side](std::uint32_t replica, std::uint64_t seed, std::span<std::byte> state) {
        initialise(side, replica, seed, state);
    };
    model.accepts_state = [](std::span<const std::byte> state) {
        return std::ranges::all_of(state, [](std::byte spin) { return spin <= std::byte{1}; });
    };
    model.advance_on_host = advance;
    return model;
}

}  // namespace cupool
