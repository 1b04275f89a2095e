#pragma once

#include <cupool/driver/event.hpp>
#include <memory>
#include <vector>

namespace cupool::detail {

/// The streams that use a piece of memory besides its own: one event each, marking the last use told of.
class StreamUses {
public:
    void record(StreamView stream, const SourceLocation& where);

    /// Makes the stream wait for all of them. Failures are logged.
    void order_before(StreamView stream) noexcept;
    /// Makes the calling thread wait for all of them. Failures are logged.
    void synchronize() noexcept;

private:
    struct Use {
        abi::Stream stream;
        std::shared_ptr<const StreamState> state;  ///< keeps the handle from being used for another stream
        Event event;
    };

    std::vector<Use> uses_;
};

}  // namespace cupool::detail
