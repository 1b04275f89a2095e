#pragma once

#include <cstddef>
#include <memory>

#include <cupool/driver/abi.hpp>

#include "memory/address_space.hpp"

namespace cupool::simulator {

/// Memory of a device that has no address until it is mapped, and as many as it is mapped at.
struct PhysicalMemory {
    abi::MemoryHandle handle = 0;
    int device = 0;
    std::size_t bytes = 0;
    std::shared_ptr<Backing> backing;
    std::shared_ptr<Backing> initialised;
    abi::MemoryHandleType handle_types = abi::MemoryHandleType::none;
    unsigned mappings = 0;
    /// How often its handle was given out and not released. With the last, and the last mapping, it goes itself.
    unsigned owners = 1;
};

}  // namespace cupool::simulator
