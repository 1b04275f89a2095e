#pragma once

#include <cstddef>
#include <cupool/kernels/curve.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cupool::tools {

/// The terms of an MSM: scalars[i] * points[i].
template <Curve C>
struct Pairs {
    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
};

/// Parses a pairs file line by line, so that the text never has to fit into memory.
///
/// A line is a term: `X Y SCALAR`, or `inf SCALAR` for the point at infinity (`0 0 SCALAR` is the
/// same). Numbers are big-endian hexadecimal, with or without "0x" and leading zeros. A coordinate in
/// G2 is two numbers: `C0,C1` is c0 + c1 u. Scalars have up to 64 digits and are reduced modulo r.
template <Curve C>
class PairsParser {
public:
    /// \throws BadInput length (fields or digits), digit, not_reduced
    void add_line(std::string_view line);

    /// The terms, after all lines. Checks on all cores that the points are on the curve and in its subgroup.
    /// \throws BadInput empty, not_on_curve, not_in_subgroup
    Pairs<C> finish() &&;

private:
    Pairs<C> pairs_;
};

/// The terms of a whole pairs file. \throws BadInput as PairsParser does
template <Curve C>
Pairs<C> parse_pairs(std::string_view text);

/// The line, without its end, that PairsParser parses as this term.
template <Curve C>
std::string pair_line(const AffinePoint<C>& point, const Scalar& scalar);

}  // namespace cupool::tools
