#pragma once

/// \file
/// How an array in host memory passes through a device that reduces its tiles.

#include <algorithm>
#include <cstdint>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <span>

#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

/// Tiles of an array in host memory that are on the device at a time: 64 MiB of them, or one where it has more.
inline std::uint64_t host_chunk_tiles(std::uint64_t tile_bytes) {
    constexpr std::uint64_t chunk_bytes = std::uint64_t{64} << 20;
    return std::max<std::uint64_t>(1, chunk_bytes / tile_bytes);
}

/// Bytes of device memory that for_each_host_chunk() takes.
inline std::uint64_t host_chunk_bytes(std::uint64_t array_bytes, std::uint64_t tile_bytes) {
    return std::min(array_bytes, host_chunk_tiles(tile_bytes) * tile_bytes);
}

/// Copies the array to the device in chunks of whole tiles, calls use(chunk, first_tile) for each, and waits for the context's stream,
/// where `use` queues its work.
template <class Use>
void for_each_host_chunk(std::span<const std::byte> array, std::uint64_t tile_bytes, const DeviceContext& context, const Use& use) {
    DeviceBuffer<std::byte> chunk(host_chunk_bytes(array.size(), tile_bytes), context);
    const SynchronizeOnExit wait_for_copies(context.stream());
    for (std::uint64_t first = 0; first < array.size(); first += chunk.size()) {
        const auto part = array.subspan(first, std::min<std::uint64_t>(chunk.size(), array.size() - first));
        const DeviceSpan<std::byte> copied = chunk.span().subspan(0, part.size());
        copy_async(copied, part, context.stream());
        use(copied, first / tile_bytes);
    }
}

}  // namespace cupool::detail
