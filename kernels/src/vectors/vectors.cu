// Element-wise operations over one field: CUPOOL_FIELD names its parameters.

#include "field/device_inverse.cuh"
#include "field/element_memory.cuh"

using namespace cupool::device;

namespace {

using Parameters = cupool::detail::CUPOOL_FIELD;
using Element = DeviceField<Parameters, Product::inlined_reduced>;

CUPOOL_DEVICE std::uint64_t thread_count() { return std::uint64_t{grid_size()} * block_size(); }

template <class Function>
CUPOOL_DEVICE void combine(const Element* left, const Element* right, Element* results, std::uint64_t count, const Function& function) {
    for (std::uint64_t i = global_index(); i < count; i += thread_count())
        store_element(results + i, function(load_reduced(left + i), load_reduced(right + i)));
}

}  // namespace

CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void vectors_add(const Element* left, const Element* right, Element* results, std::uint64_t count) {
    combine(left, right, results, count, [](const Element& a, const Element& b) { return a + b; });
}

CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void vectors_subtract(const Element* left, const Element* right, Element* results,
                                                           std::uint64_t count) {
    combine(left, right, results, count, [](const Element& a, const Element& b) { return a - b; });
}

CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void vectors_multiply(const Element* left, const Element* right, Element* results, std::uint64_t count,
                                                           std::uint32_t is_montgomery_form) {
    combine(left, right, results, count, [&](const Element& a, const Element& b) {
        const Element product = a * b;
        return is_montgomery_form != 0 ? product : product.to_montgomery_form();
    });
}

/// results[i] = elements[i] base^i, with the base in Montgomery form. The number of threads is a power of two.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void vectors_multiply_by_powers(const Element* elements, Element base, Element* results,
                                                                     std::uint64_t count) {
    const std::uint64_t first = global_index();
    Element power = Element::one();
    Element stride = base;
    for (unsigned bit = 0; thread_count() >> bit != 1; ++bit) {
        if ((first >> bit & 1) != 0) power = Element::called_product(power, stride);
        stride = Element::called_product(stride, stride);
    }
    for (std::uint64_t i = first; i < count; i += thread_count()) {
        store_element(results + i, Element::called_product(load_reduced(elements + i), power));
        power = Element::called_product(power, stride);
    }
}

/// results[i] = 1 / elements[i], or 0 for 0, by Montgomery's trick over the elements of a thread. `products` may be `results`, but not
/// `elements`.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void vectors_invert(const Element* elements, Element* products, Element* results, std::uint64_t count,
                                                         std::uint32_t is_montgomery_form) {
    const std::uint64_t first = global_index();
    if (first >= count) return;
    Element product = Element::one();
    std::uint64_t end = first;  // the index behind the thread's last one
    for (; end < count; end += thread_count()) {
        store_element(products + end, product);
        const Element element = load_reduced(elements + end);
        if (!element.is_zero()) product = Element::called_product(product, element);
    }
    Element inverse = DeviceInverse<Parameters>::of(product);
    // An element a in standard form is the Montgomery form of a / R, whose inverse has the Montgomery form R^2 / a.
    if (is_montgomery_form == 0) inverse = inverse.from_montgomery_form().from_montgomery_form();
    for (std::uint64_t i = end; i > first;) {
        i -= thread_count();
        const Element element = load_reduced(elements + i);
        if (element.is_zero()) {
            store_element(results + i, Element::zero());
        } else {
            store_element(results + i, Element::called_product(inverse, load_element(products + i)));
            inverse = Element::called_product(inverse, element);
        }
    }
}
