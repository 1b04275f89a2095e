#pragma once

#include <cupool/driver/device_context.hpp>

namespace cupool::detail {

/// Whether what one device writes to another's memory is there afterwards: by a copy, and by the writer's own access. Both must have access
/// to each other. Waits for both.
bool arrives(const DeviceContext& writer, const DeviceContext& reader);

}  // namespace cupool::detail
