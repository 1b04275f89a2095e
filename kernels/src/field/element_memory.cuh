#pragma once

/// \file
/// Elements of 32 bytes in memory, 16 bytes an access.

#include "support/device.cuh"

namespace cupool::device {

template <class Field>
CUPOOL_DEVICE Field load_element(const Field* from) {
    const auto* halves = reinterpret_cast<const Vec4*>(from);
    Field element;
    element.set_vec4(0, halves[0]);
    element.set_vec4(1, halves[1]);
    return element;
}

/// Any integer of 32 bytes, modulo the modulus.
template <class Field>
CUPOOL_DEVICE Field load_reduced(const Field* from) {
    Field element = load_element(from);
    while (!element.is_reduced()) element = element.reduced_once();
    return element;
}

template <class Field>
CUPOOL_DEVICE void store_element(Field* to, const Field& element) {
    auto* halves = reinterpret_cast<Vec4*>(to);
    halves[0] = element.vec4(0);
    halves[1] = element.vec4(1);
}

}  // namespace cupool::device
