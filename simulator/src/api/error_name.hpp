#pragma once

#include <string>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// The name of a result, as cuGetErrorName() gives it; for one without a name its number.
std::string error_name(abi::Status result);

}  // namespace cupool::simulator
