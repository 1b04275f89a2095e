#include "shared_memory.hpp"

#include <atomic>

namespace cupool::detail {

std::uint64_t next_shared_id() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

SharedMemory::SharedMemory(std::size_t bytes) : id_(next_shared_id()), file_(sealed_memory_file(bytes)), mapping_(file_, bytes) {}

std::span<std::byte> bytes_of(const SharedMemory& memory) noexcept { return memory.bytes(); }

}  // namespace cupool::detail
