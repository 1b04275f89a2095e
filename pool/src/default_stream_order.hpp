#pragma once

#include <cupool/driver/device_context.hpp>
#include <cupool/driver/event.hpp>

namespace cupool::detail {

/// Lets later work of a context's stream wait for what was given to the other one's stream so far.
inline void wait_for_default_stream(const DeviceContext& waiting, const DeviceContext& other) {
    Event given(other.context());
    given.record(other.stream());
    waiting.stream().wait(given);
}

}  // namespace cupool::detail
