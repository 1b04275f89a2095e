#pragma once

#include <cstdint>

#include "objects/module.hpp"

namespace cupool::simulator {

/// How many blocks of a kernel can be resident on one multiprocessor; 0 if none fits.
std::uint32_t active_blocks(const Function& kernel, std::uint32_t threads, std::size_t dynamic_shared_bytes);

}  // namespace cupool::simulator
