// The reduction by a caller's own function, of elements of CUPOOL_ELEMENT_BYTES: reduce_by_function.cpp puts the function and
// cupool_combine, which calls it, into the text that is made of this.

#include "reduce/vectors.cuh"

using namespace cupool::device;
using cupool::detail::reduce_lanes;

namespace {

template <unsigned Bytes>
struct WordsOf {
    using Element = std::uint32_t;
    using Value = std::uint32_t;
};
template <>
struct WordsOf<1> {
    using Element = std::uint8_t;
    using Value = std::uint32_t;
};
template <>
struct WordsOf<2> {
    using Element = std::uint16_t;
    using Value = std::uint32_t;
};
template <>
struct WordsOf<8> {
    using Element = std::uint32_t __attribute__((ext_vector_type(2)));
    using Value = Element;
};
template <>
struct WordsOf<16> {
    using Element = Vec4;
    using Value = Vec4;
};

/// An element in memory, and as functions take it.
using Element = WordsOf<CUPOOL_ELEMENT_BYTES>::Element;
using Value = WordsOf<CUPOOL_ELEMENT_BYTES>::Value;

}  // namespace

extern "C" __attribute__((device)) Value cupool_combine(Value left, Value right);

namespace {

constexpr unsigned thread_elements = cupool::detail::function_thread_bytes / sizeof(Element);
constexpr unsigned chunk_elements = thread_elements * reduce_lanes;

/// The elements first, first + 1, ... of an array that are below `count`, combined from left to right. \pre one is
CUPOOL_DEVICE Value value_of_thread(const Element* array, std::uint64_t first, std::uint64_t count) {
    Value elements[thread_elements];
    const bool is_whole = first + thread_elements <= count;
    if (is_whole && is_vector_aligned(array)) {
        constexpr unsigned vector = vector_elements<Element>;
#pragma unroll
        for (unsigned i = 0; i < thread_elements / vector; ++i) {
            const Vec4 words = load_vector(array + first + i * vector);
#pragma unroll
            for (unsigned j = 0; j < vector; ++j) elements[i * vector + j] = element_of<Element>(words, j);
        }
    } else {
#pragma unroll
        for (unsigned i = 0; i < thread_elements; ++i) {
            if (first + i < count) elements[i] = array[first + i];
        }
    }
    Value value = elements[0];
#pragma unroll
    for (unsigned i = 1; i < thread_elements; ++i) {
        if (is_whole || first + i < count) value = cupool_combine(value, elements[i]);
    }
    return value;
}

/// The values of as many threads as have elements, combined in their order; thread 0 gets the value. All threads of the block.
CUPOOL_DEVICE Value value_of_block(Value value, unsigned threads, Value* of_warps) {
#pragma unroll 1
    for (unsigned half = 1; half < warp_size; half *= 2) {
        const Value right = shuffle_value(value, half);
        if (thread_index() % (2 * half) == 0 && thread_index() + half < threads) value = cupool_combine(value, right);
    }
    if (thread_index() % warp_size == 0) of_warps[warp_index()] = value;
    block_barrier();
    if (thread_index() == 0) {
#pragma unroll 1
        for (unsigned first = warp_size; first < threads; first += warp_size) value = cupool_combine(value, of_warps[first / warp_size]);
    }
    block_barrier();  // the values of warps have been read
    return value;
}

}  // namespace

/// A value of each tile of `tile_elements`, whole chunks but for the last tile: those of its chunks, combined in their order.
CUPOOL_KERNEL CUPOOL_BLOCK_SIZE(256) void cupool_reduce_by_function(const Element* input, std::uint64_t count, std::uint64_t tile_elements,
                                                                    Element* values) {
    CUPOOL_SHARED static Value of_warps[reduce_lanes / warp_size];
    const std::uint64_t tiles = (count - 1) / tile_elements + 1;
    for (std::uint64_t tile = block_index(); tile < tiles; tile += grid_size()) {
        const std::uint64_t begin = tile * tile_elements;
        const std::uint64_t end = count - begin < tile_elements ? count : begin + tile_elements;
        Value value{};
        for (std::uint64_t first = begin; first < end; first += chunk_elements) {
            const std::uint64_t left = end - first;
            const unsigned threads =
                left < chunk_elements ? (static_cast<unsigned>(left) + thread_elements - 1) / thread_elements : reduce_lanes;
            Value own{};
            if (thread_index() < threads) own = value_of_thread(input, first + thread_index() * thread_elements, end);
            own = value_of_block(own, threads, of_warps);
            if (thread_index() == 0) value = first == begin ? own : cupool_combine(value, own);
        }
        if (thread_index() == 0) values[tile] = static_cast<Element>(value);
    }
}
