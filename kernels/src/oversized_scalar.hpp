#pragma once

#include <cstddef>

namespace cupool::detail {

/// What both engines throw where MsmConfig::bitsize promised too little: Error invalid_argument, naming the scalar.
[[noreturn]] void throw_oversized_scalar(std::size_t index, unsigned bits);

}  // namespace cupool::detail
