#pragma once

#include <cstddef>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/event.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <mutex>
#include <vector>

namespace cupool::detail {

/// Copies from one device to another through page-locked host memory, a chunk at a time: while one chunk is copied to the target, the next
/// one is copied from the source. Thread-safe.
class StagedCopy {
public:
    StagedCopy(const DeviceContext& source, const DeviceContext& target, std::size_t chunk_bytes, std::size_t chunks);
    /// Waits for what is under way.
    ~StagedCopy();

    /// Queues a copy, ordered on a stream of either device. If it throws, none of its transfers is in flight.
    void copy_async(abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, StreamView stream);

    /// Waits for all copies. Logs failures.
    void wait() noexcept;

private:
    struct Chunk {
        PinnedBuffer<std::byte> memory;
        Event filled;   ///< of the source
        Event emptied;  ///< of the target
    };

    void queue(abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, StreamView stream);

    std::mutex mutex_;
    ContextView source_;
    ContextView target_;
    Stream outgoing_;  ///< of the source
    Stream incoming_;  ///< of the target
    std::vector<Chunk> chunks_;
    std::size_t next_ = 0;
};

}  // namespace cupool::detail
