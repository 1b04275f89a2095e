#pragma once

/// \file
/// Square roots in the host's base fields, prime and quadratic.

#include <optional>

#include "field/host_field.hpp"
#include "field/quadratic_element.hpp"

namespace cupool::detail {

template <class Parameters>
std::optional<HostField<Parameters>> square_root(const HostField<Parameters>& value) {
    return value.square_root();
}

/// The complex method (Scott, "Implementing cryptographic pairings", Pairing 2007, section 6): with n^2 the norm of c0 + c1 u, the root is
/// x + (c1 / 2x) u where x^2 is (c0 + n) / 2 or (c0 - n) / 2. Their product -c1^2 / 4 is no square unless c1 = 0, so just one of them is.
template <class Field>
std::optional<QuadraticElement<Field>> square_root(const QuadraticElement<Field>& value) {
    if (value.c1.is_zero()) {
        if (const auto root = value.c0.square_root()) return QuadraticElement<Field>{*root, Field::zero()};
        return QuadraticElement<Field>{Field::zero(), *value.c0.negated().square_root()};  // one of c0 and -c0 is a square
    }
    const auto norm_root = value.norm().square_root();
    if (!norm_root) return std::nullopt;
    const Field half = Field::one().doubled().inverse();
    auto x = ((value.c0 + *norm_root) * half).square_root();
    if (!x) x = ((value.c0 - *norm_root) * half).square_root();
    return QuadraticElement<Field>{*x, value.c1 * x->doubled().inverse()};
}

}  // namespace cupool::detail
