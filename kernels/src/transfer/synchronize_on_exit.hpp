#pragma once

#include <cupool/driver/detail/call.hpp>
#include <cupool/driver/stream.hpp>

namespace cupool::detail {

/// Waits for a stream when its scope ends, also by an exception: afterwards the memory of the caller must not be in use.
class SynchronizeOnExit {
public:
    explicit SynchronizeOnExit(StreamView stream) : stream_(stream) {}
    ~SynchronizeOnExit() {
        // The error is already on its way to the caller, or the device is lost and uses no memory any more.
        if (is_done([&] { stream_.synchronize(); })) return;
        // By its handle alone: unlike a default stream, it can be waited for if the driver makes no context current any more.
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
