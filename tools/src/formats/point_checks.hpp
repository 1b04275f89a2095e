#pragma once

/// \file
/// The checks of all points of a file format; errors name the position.

#include <cupool/kernels/point.hpp>
#include <string>

#include "formats/bad_input.hpp"

namespace cupool::tools {

/// The fault of an input that has this faulty point.
inline BadInput bad_point(PointFault fault, std::string where) {
    switch (fault) {
        case PointFault::coordinate_not_reduced:
            return {InputFault::not_reduced, std::move(where), "the coordinate is not below the field's modulus"};
        case PointFault::not_on_curve: return {InputFault::not_on_curve, std::move(where), "the point is not on the curve"};
        case PointFault::not_in_subgroup: break;
    }
    return {InputFault::not_in_subgroup, std::move(where), "the point is on the curve but outside the subgroup of order r"};
}

/// \throws BadInput not_reduced, at where_of()
template <Curve C, class WhereOf>
void require_reduced(const BaseFieldElement<C>& coordinate, const WhereOf& where_of) {
    if (!is_reduced<C>(coordinate)) throw bad_point(PointFault::coordinate_not_reduced, where_of());
}

/// Checks points on all cores. \throws BadInput for the first faulty one, at where_of(its index)
template <Curve C, class WhereOf>
void require_points(std::span<const AffinePoint<C>> points, bool in_subgroup, const WhereOf& where_of) {
    if (const auto faulty = find_faulty_point<C>(points, in_subgroup)) throw bad_point(faulty->fault, where_of(faulty->index));
}

}  // namespace cupool::tools
