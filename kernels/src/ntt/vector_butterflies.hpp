#pragma once

/// \file
/// The butterflies of a line, for VectorField. Between steps every number is an element: below 1.2 p over any field.

#include "field/vector_field.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

namespace cupool::detail {

/// (a, b) = (a + b, a - b)
template <class Vector>
CUPOOL_VECTOR_INLINE void vector_butterfly(Vector& a, Vector& b) {
    const Vector difference = a.minus(b).template plus_moduli<2>();
    a = a.plus(b).template plus_moduli<1>().reduced();
    b = difference.reduced();
}

/// Two levels at once: the differences of the first, of elements that are two places apart, are multiplied by `first` and `second`, those
/// of the second by `both`.
template <class Vector>
CUPOOL_VECTOR_INLINE void vector_butterflies(Vector (&e)[4], const Vector& first, const Vector& second, const Vector& both) {
    const Vector sum = e[0].plus(e[2]);
    const Vector other_sum = e[1].plus(e[3]);
    const Vector difference = Vector::product(first, e[0].minus(e[2]).template plus_moduli<2>().normalized());
    const Vector other_difference = Vector::product(second, e[1].minus(e[3]).template plus_moduli<2>().normalized());
    e[0] = sum.plus(other_sum).template plus_moduli<1>().reduced();
    e[1] = Vector::product(both, sum.minus(other_sum).template plus_moduli<3>().normalized());
    e[2] = difference.plus(other_difference).template plus_moduli<1>().reduced();
    e[3] = Vector::product(both, difference.minus(other_difference).template plus_moduli<2>().normalized());
}
/// The same where `first` and `both` are 1.
template <class Vector>
CUPOOL_VECTOR_INLINE void vector_butterflies(Vector (&e)[4], const Vector& second) {
    const Vector sum = e[0].plus(e[2]);
    const Vector other_sum = e[1].plus(e[3]);
    const Vector difference = e[0].minus(e[2]);
    const Vector other_difference = Vector::product(second, e[1].minus(e[3]).template plus_moduli<2>().normalized());
    e[0] = sum.plus(other_sum).template plus_moduli<1>().reduced();
    e[1] = sum.minus(other_sum).template plus_moduli<3>().reduced();
    e[2] = difference.plus(other_difference).template plus_moduli<2>().reduced();
    e[3] = difference.minus(other_difference).template plus_moduli<3>().reduced();
}

/// The transform of 2^bits rows, which end in bit-reversed order. \param roots  half of the powers of the root of order 2^bits
template <class Vector>
CUPOOL_VECTOR void transform_rows(Vector* rows, unsigned bits, const Vector* roots) {
    const std::size_t count = std::size_t{1} << bits;
    unsigned left = bits;
    for (; left >= 2; left -= 2) {
        const std::size_t distance = count >> (bits - left + 2);
        const std::size_t stride = count >> left;  // of the roots of this level
        for (std::size_t block = 0; block < count; block += 4 * distance) {
            for (std::size_t i = 0; i < distance; ++i) {
                Vector* const own = rows + block + i;
                Vector elements[4] = {own[0], own[distance], own[2 * distance], own[3 * distance]};
                if (i == 0) {
                    vector_butterflies(elements, roots[count / 4]);
                } else {
                    vector_butterflies(elements, roots[i * stride], roots[i * stride + count / 4], roots[2 * i * stride]);
                }
                for (std::size_t k = 0; k < 4; ++k) own[k * distance] = elements[k];
            }
        }
    }
    if (left == 0) return;
    for (std::size_t pair = 0; pair < count; pair += 2) vector_butterfly(rows[pair], rows[pair + 1]);
}

}  // namespace cupool::detail

#endif
