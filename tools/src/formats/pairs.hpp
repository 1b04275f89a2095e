#pragma once

#include <cstddef>
#include <cupool/kernels/curve.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cupool::tools {

/// The terms of an MSM: points[i] goes with scalars[i].
template <Curve C>
struct Pairs {
    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
};

/// Reads a pairs file line by line, so that a file larger than memory allows for its text can be parsed as it is read.
///
/// A line is a term: `X Y SCALAR`, or `inf SCALAR` for the point at infinity (`0 0 SCALAR` is the same). Numbers are big-endian
/// hexadecimal, "0x" before them or not, leading zeros or none; a coordinate in a group G2 is two with a comma between, `C0,C1` for
/// c0 + c1 u. Scalars take up to 64 digits; those of r and above count modulo r.
template <Curve C>
class PairsParser {
public:
    /// \throws BadInput length (fields or digits), digit, not_reduced
    void add_line(std::string_view line);

    /// The terms, once every line is in; each point is checked on all cores to be on the curve and in its subgroup.
    /// \throws BadInput empty, not_on_curve, not_in_subgroup
    Pairs<C> finish() &&;

private:
    Pairs<C> pairs_;
};

/// The terms of a whole pairs file. \throws BadInput as PairsParser does
template <Curve C>
Pairs<C> parse_pairs(std::string_view text);

/// The line, without its end, that PairsParser reads as this term.
template <Curve C>
std::string pair_line(const AffinePoint<C>& point, const Scalar& scalar);

}  // namespace cupool::tools
