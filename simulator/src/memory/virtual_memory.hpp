#pragma once

#include <cstddef>
#include <memory>

#include <cupool/driver/abi.hpp>

#include "memory/address_space.hpp"

namespace cupool::simulator {

/// Physical memory of a device; it has an address for each mapping.
struct PhysicalMemory {
    abi::MemoryHandle handle = 0;
    int device = 0;
    std::size_t bytes = 0;
    std::shared_ptr<Backing> backing;
    std::shared_ptr<Backing> initialised;
    abi::MemoryHandleType handle_types = abi::MemoryHandleType::none;
    unsigned mappings = 0;
    /// Number of unreleased references to the handle. The memory is freed with the last reference and the last mapping.
    unsigned owners = 1;
};

}  // namespace cupool::simulator
