#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/kernels/prepared_bases.hpp>
#include <memory>
#include <vector>

namespace cupool {

namespace detail {
template <Curve C>
struct PooledBasesState;
}  // namespace detail

/// Bases that are used in many MSMs, prepared on the devices of a pool: see DevicePool::prepare(). Many of them are divided, so that each
/// device has a part and every MSM takes all devices; few lie whole on each device, and each MSM takes one. Copyable; copies share them.
/// Thread-safe. Keeps the devices' contexts. Every member throws wrong_context where the bases were moved from, and forked in a child of
/// the process that prepared them.
template <Curve C>
class PooledBases {
public:
    /// How many points were given.
    std::size_t size(SourceLocation where = SourceLocation::current()) const;
    /// Whether each device has a part of them, not all.
    bool is_sharded(SourceLocation where = SourceLocation::current()) const;
    /// The ordinals of the devices that have them, in the pool's order; empty on the host.
    std::vector<int> devices(SourceLocation where = SourceLocation::current()) const;
    /// What they take, on all devices together; 0 on the host.
    std::uint64_t device_bytes(SourceLocation where = SourceLocation::current()) const;

private:
    friend class DevicePool;
    explicit PooledBases(std::shared_ptr<const detail::PooledBasesState<C>> state);
    /// Called first by every member. \throws Error wrong_context if the bases were moved from, forked
    const detail::PooledBasesState<C>& state(const SourceLocation& where) const;

    std::shared_ptr<const detail::PooledBasesState<C>> state_;
};

}  // namespace cupool
