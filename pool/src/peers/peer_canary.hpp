#pragma once

#include <cupool/driver/device_context.hpp>

namespace cupool::detail {

/// Whether data that one device writes to another's memory arrives, checked by a copy and by the writer's own access. Both must have access
/// to each other. Waits for both.
bool arrives(const DeviceContext& writer, const DeviceContext& reader);

}  // namespace cupool::detail
