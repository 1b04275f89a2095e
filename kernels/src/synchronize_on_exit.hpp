#pragma once

#include <cupool/driver/error.hpp>
#include <cupool/driver/stream.hpp>

namespace cupool::detail {

/// Waits for a stream when its scope is left, by an exception too: the caller's host memory must not be in use afterwards.
class SynchronizeOnExit {
public:
    explicit SynchronizeOnExit(StreamView stream) : stream_(stream) {}
    ~SynchronizeOnExit() {
        try {
            stream_.synchronize();
        } catch (const Error&) {
            // What failed is on its way to the caller already, or the device is lost and uses nothing any more.
        }
    }
    SynchronizeOnExit(const SynchronizeOnExit&) = delete;
    SynchronizeOnExit& operator=(const SynchronizeOnExit&) = delete;

private:
    StreamView stream_;
};

}  // namespace cupool::detail
