#pragma once

#include <atomic>
#include <cstdint>

#include <cupool/driver/abi.hpp>

#include "device/device.hpp"

namespace cupool::simulator {

struct Allocation;
struct State;

struct MemoryPool {
    using Handle = abi::MemoryPool;
    static constexpr unsigned char handle_tag = 4;

    MemoryPool(Handle own_handle, Device& own_device);

    Handle handle;
    Device& device;
    bool is_default = false;
    std::uint64_t max_bytes = 0;  ///< 0: limited by the device's memory

    std::uint64_t release_threshold = 0;
    int reuse_follow_event_dependencies = 1;
    int reuse_allow_opportunistic = 1;
    int reuse_allow_internal_dependencies = 1;
    std::uint64_t used = 0;
    std::uint64_t used_high = 0;
    std::uint64_t reserved = 0;
    std::uint64_t reserved_high = 0;

    /// The devices whose kernels may access the pool's memory. Read by running kernels.
    std::atomic<DeviceSet> accessible_from;
};

/// Does nothing for a device that does not support memory pools.
void create_default_pool(State& state, Device& device);

/// Updates the pool when an allocation is freed: at the call of the free, not when the free happens.
void return_to_pool(State& state, Allocation& allocation);

/// Called at synchronisations: every pool releases unused memory beyond its release threshold.
void trim_pools(State& state);

/// Called when the device runs out of memory: its pools release all unused memory.
void trim_pools_to_use(State& state, const Device& device);

}  // namespace cupool::simulator
