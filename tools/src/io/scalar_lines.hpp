#pragma once

#include <cupool/kernels/curve.hpp>
#include <span>
#include <string>
#include <vector>

namespace cupool::tools {

/// Reads a file of scalars, one a line; "-" is the standard input. \throws BadInput as ScalarsParser and LineReader do
std::vector<Scalar> read_scalars(const std::string& path);

/// "0x" and 64 digits a line.
std::string scalar_lines(std::span<const Scalar> scalars);

}  // namespace cupool::tools
