// The collectives' kernels for elements of type CUPOOL_ELEMENT: each reads an array of each device, combines them element by element, and
// writes the result to an array of each device. CUPOOL_HAS_PRODUCT is defined for integers.

#include <cupool/kernels/float16.hpp>

#include "collective/peer_arrays.hpp"
#include "reduce/operations.hpp"
#include "support/device.cuh"

using namespace cupool::device;
using cupool::BFloat16;
using cupool::Float16;
using cupool::detail::PeerArrays;

namespace {

/// 16-byte vectors that a thread has in flight from each peer: fewer of narrow elements, which take more registers.
template <class T>
constexpr unsigned vectors_a_step = sizeof(T) < 4 ? sizeof(T) : 4;

/// What elements of type T are combined as: 16-bit floats as float, which is rounded once at the end.
template <class T>
struct AccumulatorOf {
    using Type = T;
};
template <>
struct AccumulatorOf<Float16> {
    using Type = float;
};
template <>
struct AccumulatorOf<BFloat16> {
    using Type = float;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::Type;

template <class T>
struct Vector {
    static constexpr unsigned size = sizeof(Vec4) / sizeof(T);
    T elements[size];
};

/// A vector's elements while they are combined.
template <class T>
struct Accumulators {
    Accumulator<T> elements[Vector<T>::size];
};

CUPOOL_DEVICE Vec4 load_vector(std::uint64_t address, std::uint64_t index) { return reinterpret_cast<const Vec4*>(address)[index]; }

template <class T>
CUPOOL_DEVICE Accumulators<T> accumulators_of(Vec4 words) {
    const auto vector = __builtin_bit_cast(Vector<T>, words);
    Accumulators<T> accumulators;
#pragma unroll
    for (unsigned k = 0; k < Vector<T>::size; ++k) accumulators.elements[k] = static_cast<Accumulator<T>>(vector.elements[k]);
    return accumulators;
}

template <class T>
CUPOOL_DEVICE Vec4 words_of(const Accumulators<T>& accumulators) {
    Vector<T> vector;
#pragma unroll
    for (unsigned k = 0; k < Vector<T>::size; ++k) {
        vector.elements[k] = static_cast<T>(cupool::detail::with_canonical_nan(accumulators.elements[k]));
    }
    return __builtin_bit_cast(Vec4, vector);
}

template <class Operation, class T>
CUPOOL_DEVICE void combine_into(Accumulators<T>& left, const Accumulators<T>& right) {
#pragma unroll
    for (unsigned k = 0; k < Vector<T>::size; ++k) left.elements[k] = Operation::combine(left.elements[k], right.elements[k]);
}

/// Combines `Count` vectors, `stride` vectors apart. \param offset  of the first vector, in bytes
template <class Operation, class T, unsigned Count>
CUPOOL_DEVICE void combine_step(const PeerArrays& arrays, std::uint64_t offset, std::uint64_t index, std::uint64_t stride) {
    Accumulators<T> sums[Count];
#pragma unroll
    for (unsigned k = 0; k < Count; ++k) sums[k] = accumulators_of<T>(load_vector(arrays.inputs[0] + offset, index + k * stride));
#pragma nounroll
    for (std::uint32_t peer = 1; peer < arrays.input_count; ++peer) {
        Vec4 loaded[Count];
#pragma unroll
        for (unsigned k = 0; k < Count; ++k) loaded[k] = load_vector(arrays.inputs[peer] + offset, index + k * stride);
#pragma unroll
        for (unsigned k = 0; k < Count; ++k) combine_into<Operation, T>(sums[k], accumulators_of<T>(loaded[k]));
    }
    Vec4 words[Count];
#pragma unroll
    for (unsigned k = 0; k < Count; ++k) words[k] = words_of<T>(sums[k]);
#pragma nounroll
    for (std::uint32_t peer = 0; peer < arrays.output_count; ++peer) {
#pragma unroll
        for (unsigned k = 0; k < Count; ++k) reinterpret_cast<Vec4*>(arrays.outputs[peer] + offset)[index + k * stride] = words[k];
    }
}

template <class Operation, class T>
CUPOOL_DEVICE void combine_element(const PeerArrays& arrays, std::uint64_t index) {
    auto sum = static_cast<Accumulator<T>>(reinterpret_cast<const T*>(arrays.inputs[0])[index]);
#pragma nounroll
    for (std::uint32_t peer = 1; peer < arrays.input_count; ++peer) {
        sum = Operation::combine(sum, static_cast<Accumulator<T>>(reinterpret_cast<const T*>(arrays.inputs[peer])[index]));
    }
    const T result = static_cast<T>(cupool::detail::with_canonical_nan(sum));
#pragma nounroll
    for (std::uint32_t peer = 0; peer < arrays.output_count; ++peer) reinterpret_cast<T*>(arrays.outputs[peer])[index] = result;
}

/// outputs[...][i] = inputs[0][i] (op) inputs[1][i] (op) ..., from left to right. Threads take vectors in turn, then the elements before
/// and behind them.
template <class Operation, class T>
CUPOOL_DEVICE void combine_peers(const PeerArrays& arrays) {
    constexpr unsigned vector_size = Vector<T>::size;
    const std::uint64_t vectors = (arrays.count - arrays.head) / vector_size;
    const std::uint64_t offset = arrays.head * sizeof(T);
    const std::uint64_t stride = std::uint64_t{grid_size()} * block_size();
    const std::uint64_t first = std::uint64_t{block_index()} * block_size() + thread_index();
    std::uint64_t index = first;
    for (; index + (vectors_a_step<T> - 1) * stride < vectors; index += vectors_a_step<T> * stride) {
        combine_step<Operation, T, vectors_a_step<T>>(arrays, offset, index, stride);
    }
#pragma nounroll
    for (; index < vectors; index += stride) combine_step<Operation, T, 1>(arrays, offset, index, stride);

    const std::uint64_t vector_elements = vectors * vector_size;
#pragma nounroll
    for (std::uint64_t i = first; i < arrays.count - vector_elements; i += stride) {
        combine_element<Operation, T>(arrays, i < arrays.head ? i : i + vector_elements);
    }
}

}  // namespace

#define CUPOOL_COLLECTIVE_KERNEL(Operation, operation)                                             \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void combine_peers_##operation(const PeerArrays arrays) { \
        combine_peers<cupool::detail::Operation, CUPOOL_ELEMENT>(arrays);                          \
    }

CUPOOL_COLLECTIVE_KERNEL(Sum, sum)
CUPOOL_COLLECTIVE_KERNEL(Min, min)
CUPOOL_COLLECTIVE_KERNEL(Max, max)
#ifdef CUPOOL_HAS_PRODUCT
CUPOOL_COLLECTIVE_KERNEL(Product, product)
#endif
