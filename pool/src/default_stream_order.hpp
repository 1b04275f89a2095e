#pragma once

#include <cupool/driver/device_context.hpp>
#include <cupool/driver/event.hpp>

namespace cupool::detail {

/// Makes later work of a context's stream wait for earlier work of the other one's stream.
inline void wait_for_default_stream(const DeviceContext& waiting, const DeviceContext& other) {
    Event given(other.context());
    given.record(other.stream());
    waiting.stream().wait(given);
}

}  // namespace cupool::detail
