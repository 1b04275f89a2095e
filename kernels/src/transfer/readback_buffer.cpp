#include "transfer/readback_buffer.hpp"

#include <algorithm>
#include <bit>
#include <cupool/driver/log.hpp>
#include <string>

namespace cupool::detail {

std::span<std::byte> ReadbackBuffer::memory(std::size_t bytes, std::vector<std::byte>& otherwise) {
    if (has_pinned(bytes)) return pinned_.span().first(bytes);
    otherwise.resize(bytes);
    return otherwise;
}

bool ReadbackBuffer::has_pinned(std::size_t bytes) {
    constexpr std::size_t min_bytes = std::size_t{64} << 10;
    constexpr std::size_t max_bytes = std::size_t{16} << 20;
    if (bytes > max_bytes) return false;
    if (bytes <= pinned_.size()) return true;
    try {
        pinned_ = PinnedBuffer<std::byte>(std::bit_ceil(std::max(bytes, min_bytes)), context_);
        return true;
    } catch (const Error& error) {
        if (error.category() != ErrorCategory::out_of_memory) throw;
        log(LogLevel::info, std::string("msm: results are copied to ordinary memory, as there is no page-locked memory: ") + error.what());
        return false;
    }
}

}  // namespace cupool::detail
