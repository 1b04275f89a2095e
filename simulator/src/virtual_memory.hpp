#pragma once

#include <cstddef>
#include <memory>

#include <cupool/driver/abi.hpp>

#include "address_space.hpp"

namespace cupool::simulator {

/// Memory of a device that has no address until it is mapped, and as many as it is mapped at.
struct PhysicalMemory {
    abi::MemoryHandle handle = 0;
    int device = 0;
    std::size_t bytes = 0;
    std::shared_ptr<Backing> backing;
    std::shared_ptr<Backing> initialised;
    unsigned mappings = 0;
    /// Its handle is gone; it goes itself with its last mapping.
    bool is_released = false;
};

}  // namespace cupool::simulator
