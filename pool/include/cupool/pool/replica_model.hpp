#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cupool {

namespace detail {
struct ShippedCode;
}

/// What a model's host function advances.
struct HostReplica {
    std::span<std::byte> state;              ///< to advance in place
    std::uint32_t replica = 0;               ///< its number
    std::span<const std::byte> temperature;  ///< what ReplicaModel::describe_temperature wrote of its temperature
    std::span<const std::byte> data;         ///< ReplicaModel::data
    std::uint32_t sweeps = 0;                ///< how many to make
    std::uint64_t seed = 0;                  ///< of the ReplicaExchange
    std::uint64_t first_sweep = 0;           ///< how many sweeps the replica has made before
};

/// A system that a ReplicaExchange simulates: what the state of a replica is, and how sweeps of a Markov chain advance it. ising_model()
/// and coloring_model() return built-in ones.
///
/// Random numbers may depend on the seed, the replica's number and the sweep only, best as a counter-based generator gives them. A run then
/// has the same trajectory on any number of devices. A model with both a kernel and a host function gives the same on both if the two
/// compute the same.
///
/// The functions are called while the exchange's mutex is held, so they must not call the exchange. Temperatures are in units of the
/// energy.
///
/// The kernel takes, in CUDA C++:
///
///     extern "C" __global__ void advance(std::byte* states, double* energies, const std::uint32_t* replicas,
///                                        const std::uint32_t* temperature_indices, const std::byte* temperatures,
///                                        const std::byte* data, std::uint32_t count, std::uint32_t sweeps,
///                                        std::uint64_t seed, std::uint64_t first_sweep);
///
/// `states` are those of the device's `count` replicas, one behind the other, `replicas` their numbers, `temperature_indices` the places of
/// their temperatures in `temperatures`, which holds what describe_temperature wrote. Block b advances the replicas from b *
/// replicas_per_block on and writes their energies.
struct ReplicaModel {
    std::string name;                      ///< in errors, and in checkpoints, which can only be resumed with a model of this name
    std::size_t state_bytes = 0;           ///< of a replica; a multiple of 16. States are aligned to 16 bytes.
    std::vector<std::byte> data;           ///< the same for all replicas, a graph for example; copied to each device once
    std::size_t temperature_bytes = 8;     ///< of the description of a temperature; a multiple of 8
    std::uint32_t replicas_per_block = 1;  ///< that one block of threads advances
    std::uint32_t block_size = 128;        ///< threads of a block
    std::uint32_t shared_bytes = 0;        ///< dynamic shared memory of a block
    std::string ptx;                       ///< the module with the kernel; empty: the model runs on the host only
    std::string kernel;                    ///< the kernel's name in it

    /// Describes a temperature for the kernel and the host function. Unset: writes 1 / T as a double.
    std::function<void(double temperature, std::span<std::byte> description)> describe_temperature;
    /// Writes the first state of a replica. Unset: all bytes are 0.
    std::function<void(std::uint32_t replica, std::uint64_t seed, std::span<std::byte> state)> initialise;
    /// Whether bytes can be the state of a replica, which resume() asks of a checkpoint's. Unset: all can.
    std::function<bool(std::span<const std::byte> state)> accepts_state;
    /// Does on the host what the kernel does, and returns the energy. Called by several threads at once. Unset: the model needs a GPU.
    std::function<double(const HostReplica&)> advance_on_host;

    const detail::ShippedCode* shipped_code = nullptr;  ///< for the library: the code of a built-in model, in place of ptx
};

}  // namespace cupool
