#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ptx/ptx.hpp"

namespace cupool::ptx {

/// A launch's view of global memory. Checks every access and caches the most recently used ranges.
class DeviceMemory {
public:
    explicit DeviceMemory(GlobalMemory& backing) : backing_(backing) {}

    /// Host address of the device range [address, address + bytes); null if no single allocation contains it, or for a write to read-only
    /// memory.
    std::byte* translate(std::uint64_t address, std::uint64_t bytes, bool write) {
        const MemoryRange& last = recent_[0];
        if (within(last, address, bytes) && (!write || last.writable)) return last.host + (address - last.address);
        return translate_slowly(address, bytes, write);
    }

    /// The range of the last translation.
    const MemoryRange& last_range() const { return recent_[0]; }

    std::string describe(std::uint64_t address) { return backing_.describe(address); }

private:
    static bool within(const MemoryRange& range, std::uint64_t address, std::uint64_t bytes) {
        const std::uint64_t offset = address - range.address;
        return offset < range.bytes && range.bytes - offset >= bytes;
    }

    std::byte* translate_slowly(std::uint64_t address, std::uint64_t bytes, bool write);

    GlobalMemory& backing_;
    std::array<MemoryRange, 8> recent_{};  ///< most recent first
};

}  // namespace cupool::ptx
