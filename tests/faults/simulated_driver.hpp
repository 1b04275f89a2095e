#pragma once

#include <cupool/driver/loader.hpp>

namespace cupool::test {

/// The options that find the simulated driver; each executable has its own.
LoadOptions simulated_driver();

}  // namespace cupool::test
