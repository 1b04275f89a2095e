#pragma once

#include "support/device.cuh"

namespace cupool::device {

/// x^5, by which both permutations are nonlinear.
template <class Element>
CUPOOL_DEVICE Element fifth_power(const Element& element) {
    return element.square().square() * element;
}

template <class Element>
__attribute__((device, noinline)) Element fifth_power_of_vec4s(Vec4 low, Vec4 high) {
    Element element;
    element.set_vec4(0, low);
    element.set_vec4(1, high);
    return fifth_power(element);
}

/// The same by a function call, for full rounds: its several hundred instructions would stand there once for each element.
template <class Element>
CUPOOL_DEVICE Element called_fifth_power(const Element& element) {
    return fifth_power_of_vec4s<Element>(element.vec4(0), element.vec4(1));
}

}  // namespace cupool::device
