#include "peers/staged_copy.hpp"

#include <algorithm>
#include <cupool/driver/copy.hpp>

namespace cupool::detail {

StagedCopy::StagedCopy(const DeviceContext& source, const DeviceContext& target, std::size_t chunk_bytes, std::size_t chunks)
    : source_(source.context()), target_(target.context()), outgoing_(source_), incoming_(target_) {
    for (std::size_t i = 0; i < chunks; ++i) {
        chunks_.push_back({PinnedBuffer<std::byte>(chunk_bytes, source_), Event(source_), Event(target_)});
    }
}

StagedCopy::~StagedCopy() { wait(); }

void StagedCopy::copy_async(abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, StreamView stream) {
    const std::lock_guard lock(mutex_);
    try {
        queue(to, from, bytes, stream);
    } catch (...) {
        wait();
        throw;
    }
}

void StagedCopy::queue(abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, StreamView stream) {
    Event given(stream.context());
    given.record(stream);
    outgoing_.wait(given);
    incoming_.wait(given);
    for (std::size_t done = 0; done < bytes;) {
        Chunk& chunk = chunks_[next_++ % chunks_.size()];
        const std::size_t part = std::min(bytes - done, chunk.memory.size());
        const std::span<std::byte> memory = chunk.memory.span().first(part);
        outgoing_.wait(chunk.emptied);
        cupool::copy_async<std::byte>(memory, DeviceSpan<std::byte>(from + done, part, outgoing_.ordinal()), outgoing_);
        chunk.filled.record(outgoing_);
        incoming_.wait(chunk.filled);
        cupool::copy_async<std::byte>(DeviceSpan<std::byte>(to + done, part, incoming_.ordinal()), memory, incoming_);
        chunk.emptied.record(incoming_);
        done += part;
    }
    Event arrived(target_);
    arrived.record(incoming_);
    stream.wait(arrived);
}

void StagedCopy::wait() noexcept {
    for (const StreamView stream : {outgoing_.view(), incoming_.view()}) {
        // A stream with a handle can be awaited without its context, too, which the driver may refuse to make current.
        destroy_in<&EntryPoints::stream_synchronize>(stream.context(), stream.handle());
    }
}

}  // namespace cupool::detail
