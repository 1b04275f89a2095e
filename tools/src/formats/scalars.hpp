#pragma once

#include <cupool/kernels/curve.hpp>
#include <string_view>
#include <vector>

namespace cupool::tools {

/// Parses a file of scalars line by line, so that the text never has to fit into memory.
///
/// A line is a scalar: a big-endian hexadecimal number of up to 64 digits, with or without "0x" and leading zeros.
class ScalarsParser {
public:
    /// \throws BadInput length (fields or digits), digit
    void add_line(std::string_view line);

    /// The scalars, after all lines. \throws BadInput empty
    std::vector<Scalar> finish() &&;

private:
    std::vector<Scalar> scalars_;
};

/// The scalars of a whole file. \throws BadInput as ScalarsParser does
std::vector<Scalar> parse_scalars(std::string_view text);

}  // namespace cupool::tools
