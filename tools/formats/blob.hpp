#pragma once

#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <span>
#include <vector>

namespace cupool::tools {

/// The field elements of an EIP-4844 blob, in its order: 4096 big-endian numbers of 32 bytes, each below the order r of BLS12-381's G1.
/// \param file  the blob as 131072 raw bytes, or as 262144 hexadecimal digits with or without "0x" before and a line end after them
/// \throws BadInput empty, length, digit, not_reduced (naming the element's index)
std::vector<Scalar> parse_blob(std::span<const std::uint8_t> file);

}  // namespace cupool::tools
