#pragma once

#include <cupool/driver/detail/call.hpp>
#include <cupool/driver/stream.hpp>

namespace cupool::detail {

/// Waits for a stream when its scope is left, by an exception too: the caller's host memory must not be in use afterwards.
class SynchronizeOnExit {
public:
    explicit SynchronizeOnExit(StreamView stream) : stream_(stream) {}
    ~SynchronizeOnExit() {
        // What failed is on its way to the caller already, or the device is lost and uses nothing any more.
        if (is_done([&] { stream_.synchronize(); })) return;
        // By its handle alone: unlike a default stream it can be awaited where the driver makes no context current any more.
        destroy_in<&EntryPoints::stream_synchronize>(stream_.context(), stream_.handle());
        is_done([&] { stream_.context().synchronize(); });
    }
    SynchronizeOnExit(const SynchronizeOnExit&) = delete;
    SynchronizeOnExit& operator=(const SynchronizeOnExit&) = delete;

private:
    template <class Wait>
    static bool is_done(const Wait& wait) noexcept {
        try {
            wait();
            return true;
        } catch (...) {
            log_current_exception();
            return false;
        }
    }

    StreamView stream_;
};

}  // namespace cupool::detail
