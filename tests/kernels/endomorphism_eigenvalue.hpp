#pragma once

#include "big_integer.hpp"
#include "curve/host_curve.hpp"
#include "curve/scalar_split.hpp"

namespace cupool::test {

inline BigInteger number(detail::Uint128 value) { return BigInteger(detail::to_limbs(detail::to_words(value))); }

/// The lambda of scalar_split.hpp: a short vector (a, b) has a + b lambda = 0 modulo r.
template <Curve C>
BigInteger endomorphism_eigenvalue() {
    using Scalars = detail::HostScalarField<C>;
    constexpr auto vectors = detail::ScalarSplit<detail::G1Parameters<C>>::vectors;
    const auto element = [](detail::Uint128 value) { return Scalars::from_standard(number(value).template limbs<4>()); };
    return BigInteger((element(vectors.a2) * element(vectors.b2).inverse()).negated().standard());
}

}  // namespace cupool::test
