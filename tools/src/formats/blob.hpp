#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <span>
#include <vector>

namespace cupool::tools {

/// The size of the largest file that parse_blob() accepts, in bytes: "0x", 262144 hexadecimal digits
/// and a line end.
inline constexpr std::size_t largest_blob_file = 2 + 262144 + 2;

/// The field elements of an EIP-4844 blob, in its order: 4096 big-endian numbers of 32 bytes, each
/// below the order r of BLS12-381.
/// \param file  the blob as 131072 raw bytes, or as 262144 hexadecimal digits, with or without "0x"
/// and a line end
/// \throws BadInput empty, length, digit, not_reduced (naming the element's index)
std::vector<Scalar> parse_blob(std::span<const std::uint8_t> file);

}  // namespace cupool::tools
