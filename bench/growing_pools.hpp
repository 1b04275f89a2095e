#pragma once

#include <cupool/pool/device_pool.hpp>
#include <span>
#include <vector>

/// Pools of the first one, two, four ... devices.
inline std::vector<cupool::DevicePool> growing_pools() {
    const cupool::DevicePool all = cupool::DevicePool::all();
    std::vector<cupool::DevicePool> pools;
    for (std::size_t count = 1; count <= all.device_count(); count *= 2) {
        pools.push_back(cupool::DevicePool::with_devices(std::span(all.devices()).first(count)));
    }
    return pools;
}
