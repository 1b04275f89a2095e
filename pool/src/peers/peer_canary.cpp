#include "peers/peer_canary.hpp"

#include <algorithm>
#include <cstdint>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <vector>

#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

constexpr std::size_t words = 1024;
constexpr std::uint32_t stale = 0x0badf00d;
constexpr std::uint32_t copied = 0xc0ffee11;
constexpr std::uint32_t stored = 0x5eed5eed;

bool holds(DeviceSpan<const std::uint32_t> span, std::uint32_t expected, StreamView stream) {
    std::vector<std::uint32_t> read(span.size());
    copy<const std::uint32_t>(read, span, stream);
    return std::all_of(read.begin(), read.end(), [&](std::uint32_t word) { return word == expected; });
}

/// Plain memory: that of pools has an access of its own, which this does not ask about.
DeviceBuffer<std::uint32_t> filled(std::uint32_t value, const DeviceContext& context) {
    DeviceBuffer<std::uint32_t> buffer(words, context.with_memory_pool({}));
    fill(buffer.span(), value, context.stream());
    return buffer;
}

}  // namespace

bool arrives(const DeviceContext& writer, const DeviceContext& reader) {
    const DeviceBuffer<std::uint32_t> source = filled(copied, writer);
    DeviceBuffer<std::uint32_t> target = filled(stale, reader);
    const Stream stream(writer.context());
    const SynchronizeOnExit wait_for_buffers(stream);
    copy_peer<std::uint32_t>(target.span(), reader.context(), source.span(), writer.context(), stream);
    if (!holds(target.span(), copied, reader.stream())) return false;
    try {
        fill(DeviceSpan<std::uint32_t>(target.span().pointer(), words, writer.device()), stored, stream);
    } catch (const Error& error) {
        if (error.category() != ErrorCategory::invalid_argument) throw;
        log_current_exception();
        return false;  // the access that the driver says is there is not
    }
    return holds(target.span(), stored, reader.stream());
}

}  // namespace cupool::detail
