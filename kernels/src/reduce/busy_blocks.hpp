#pragma once

#include <cstdint>
#include <cupool/driver/device.hpp>
#include <cupool/driver/device_context.hpp>

namespace cupool::detail {

/// How many blocks of reduce_lanes threads keep a device busy.
inline std::uint64_t busy_blocks(const DeviceContext& context) {
    return 8 * static_cast<std::uint64_t>(context.context().device().multiprocessor_count());
}

}  // namespace cupool::detail
