#include "ptx/run/device_memory.hpp"

namespace cupool::ptx {

std::byte* DeviceMemory::translate_slowly(std::uint64_t address, std::uint64_t bytes, bool write) {
    std::size_t place = 1;
    while (place < recent_.size() && !within(recent_[place], address, bytes)) ++place;
    const MemoryRange found = place < recent_.size() ? recent_[place] : backing_.find(address);
    if (!within(found, address, bytes) || (write && !found.writable)) return nullptr;
    if (place == recent_.size()) --place;
    for (; place > 0; --place) recent_[place] = recent_[place - 1];
    recent_[0] = found;
    return found.host + (address - found.address);
}

}  // namespace cupool::ptx
