#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/pool/replica_model.hpp>
#include <memory>
#include <span>

#include "pool_state.hpp"

namespace cupool::detail {

/// The replicas of a model, where they live.
class ReplicaEngine {
public:
    virtual ~ReplicaEngine() = default;

    /// \throws Error if the engine cannot advance now; nothing is changed then
    virtual void require_ready() const {}
    /// Advances all replicas. \param places  of their temperatures in the ladder, by replica \param energies  to write, by replica
    virtual void advance(std::uint32_t sweeps, std::uint64_t first_sweep, std::span<const std::uint32_t> places,
                         std::span<double> energies) = 0;
    /// Replaces the descriptions of the temperatures: one behind the other, temperature_bytes each.
    virtual void set_temperatures(std::span<const std::byte> descriptions) = 0;
    virtual void read_state(std::uint32_t replica, std::span<std::byte> state) = 0;
    virtual void write_state(std::uint32_t replica, std::span<const std::byte> state) = 0;
    /// The bytes copied between host and devices.
    virtual std::uint64_t bytes() const = 0;
    /// The devices that have replicas, as ordinals.
    virtual std::vector<int> devices() const = 0;
};

/// \param model  must outlive the engine
std::unique_ptr<ReplicaEngine> make_host_replicas(PoolState& pool, const ReplicaModel& model, std::size_t replicas, std::uint64_t seed);
std::unique_ptr<ReplicaEngine> make_device_replicas(PoolState& pool, const ReplicaModel& model, std::size_t replicas, std::uint64_t seed);

}  // namespace cupool::detail
