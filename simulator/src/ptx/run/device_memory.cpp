#include "ptx/run/device_memory.hpp"

namespace cupool::ptx {

std::byte* DeviceMemory::translate_slowly(std::uint64_t address, std::uint64_t bytes, bool write) {
    std::size_t index = 1;
    while (index < recent_.size() && !within(recent_[index], address, bytes)) ++index;
    const MemoryRange found = index < recent_.size() ? recent_[index] : backing_.find(address);
    if (!within(found, address, bytes) || (write && !found.writable)) return nullptr;
    if (index == recent_.size()) --index;
    for (; index > 0; --index) recent_[index] = recent_[index - 1];
    recent_[0] = found;
    return found.host + (address - found.address);
}

}  // namespace cupool::ptx
