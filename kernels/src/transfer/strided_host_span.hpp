#pragma once

#include <cstddef>
#include <cupool/driver/stream.hpp>
#include <span>

namespace cupool::detail {

/// Blocks of host memory of equal size at equal distances. A copy makes them contiguous.
struct StridedHostSpan {
    StridedHostSpan(std::span<const std::byte> all) : first(all) {}  // NOLINT(google-explicit-constructor): one block
    /// \param distance  bytes from the beginning of one block to that of the next
    StridedHostSpan(std::span<const std::byte> first_block, std::size_t blocks, std::size_t distance)
        : first(first_block), count(blocks), stride(distance) {}

    std::size_t size_bytes() const { return count * first.size(); }
    std::span<const std::byte> block(std::size_t index) const { return {first.data() + index * stride, first.size()}; }
    /// Fills `to` with the bytes from number `begin` on, counted over all blocks.
    void gather(std::span<std::byte> to, std::size_t begin) const;

    std::span<const std::byte> first;
    std::size_t count = 1;
    std::size_t stride = 0;
};

/// Copies each block with one driver call. Stream order and reads of host memory are as for cupool::copy_async().
void copy_strided_async(abi::DevicePointer to, const StridedHostSpan& from, StreamView stream);

}  // namespace cupool::detail
