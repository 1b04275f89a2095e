// Collectives: one kernel reads an array of each device, combines them element by element, and writes the result to an array of each
// device.

#include "../device.cuh"
#include "../reduce_operations.hpp"
#include "peer_arrays.hpp"

using namespace cupool::device;
using cupool::detail::PeerArrays;

namespace {

/// 16-byte vectors that a thread has in flight from each peer.
constexpr unsigned vectors_a_step = 4;

template <class T>
struct Vector {
    static constexpr unsigned size = sizeof(Words4) / sizeof(T);
    T elements[size];
};

template <class T>
CUPOOL_DEVICE Vector<T> load_vector(std::uint64_t address, std::uint64_t index) {
    return __builtin_bit_cast(Vector<T>, reinterpret_cast<const Words4*>(address)[index]);
}

template <class Operation, class T>
CUPOOL_DEVICE Vector<T> combine_vectors(Vector<T> left, Vector<T> right) {
#pragma unroll
    for (unsigned k = 0; k < Vector<T>::size; ++k) left.elements[k] = Operation::combine(left.elements[k], right.elements[k]);
    return left;
}

/// Combines `Count` vectors, `stride` vectors apart. \param offset  of the first vector, in bytes
template <class Operation, class T, unsigned Count>
CUPOOL_DEVICE void combine_step(const PeerArrays& arrays, std::uint64_t offset, std::uint64_t index, std::uint64_t stride) {
    Vector<T> sums[Count];
#pragma unroll
    for (unsigned k = 0; k < Count; ++k) sums[k] = load_vector<T>(arrays.inputs[0] + offset, index + k * stride);
#pragma nounroll
    for (std::uint32_t peer = 1; peer < arrays.input_count; ++peer) {
        Vector<T> loaded[Count];
#pragma unroll
        for (unsigned k = 0; k < Count; ++k) loaded[k] = load_vector<T>(arrays.inputs[peer] + offset, index + k * stride);
#pragma unroll
        for (unsigned k = 0; k < Count; ++k) sums[k] = combine_vectors<Operation>(sums[k], loaded[k]);
    }
#pragma unroll
    for (unsigned k = 0; k < Count; ++k) {
#pragma unroll
        for (unsigned i = 0; i < Vector<T>::size; ++i) sums[k].elements[i] = cupool::detail::with_canonical_nan(sums[k].elements[i]);
    }
#pragma nounroll
    for (std::uint32_t peer = 0; peer < arrays.output_count; ++peer) {
#pragma unroll
        for (unsigned k = 0; k < Count; ++k) {
            reinterpret_cast<Words4*>(arrays.outputs[peer] + offset)[index + k * stride] = __builtin_bit_cast(Words4, sums[k]);
        }
    }
}

template <class Operation, class T>
CUPOOL_DEVICE void combine_element(const PeerArrays& arrays, std::uint64_t index) {
    T sum = reinterpret_cast<const T*>(arrays.inputs[0])[index];
#pragma nounroll
    for (std::uint32_t peer = 1; peer < arrays.input_count; ++peer) {
        sum = Operation::combine(sum, reinterpret_cast<const T*>(arrays.inputs[peer])[index]);
    }
    sum = cupool::detail::with_canonical_nan(sum);
#pragma nounroll
    for (std::uint32_t peer = 0; peer < arrays.output_count; ++peer) reinterpret_cast<T*>(arrays.outputs[peer])[index] = sum;
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
    for (; index + (vectors_a_step - 1) * stride < vectors; index += vectors_a_step * stride) {
        combine_step<Operation, T, vectors_a_step>(arrays, offset, index, stride);
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

#define CUPOOL_COLLECTIVE_KERNEL(Operation, operation, T, type)                                             \
    CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void combine_peers_##operation##_##type(const PeerArrays arrays) { \
        combine_peers<cupool::detail::Operation, T>(arrays);                                                \
    }

#define CUPOOL_COLLECTIVE_OPERATIONS(T, type)   \
    CUPOOL_COLLECTIVE_KERNEL(Sum, sum, T, type) \
    CUPOOL_COLLECTIVE_KERNEL(Min, min, T, type) \
    CUPOOL_COLLECTIVE_KERNEL(Max, max, T, type)

CUPOOL_COLLECTIVE_OPERATIONS(std::int32_t, i32)
CUPOOL_COLLECTIVE_OPERATIONS(std::uint32_t, u32)
CUPOOL_COLLECTIVE_OPERATIONS(std::int64_t, i64)
CUPOOL_COLLECTIVE_OPERATIONS(std::uint64_t, u64)
CUPOOL_COLLECTIVE_OPERATIONS(float, f32)
CUPOOL_COLLECTIVE_OPERATIONS(double, f64)
