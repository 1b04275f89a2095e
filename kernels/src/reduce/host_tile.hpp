#pragma once

/// \file
/// Tiles of docs/reduce.md on the host: rows are accumulated and folded by loops that the compiler turns into vector code, once for each
/// vector unit. No lambdas in functions for a vector unit: GCC compiles those without it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "field/x86_intrinsics.hpp"
#include "reduce/accumulator.hpp"
#include "reduce/operations.hpp"
#include "reduce/order.hpp"
#include "support/host_vector_unit.hpp"

#if defined(__x86_64__)
#define CUPOOL_HAS_X86_VECTORS 1
#define CUPOOL_AVX2 [[gnu::target("avx2,f16c")]]
#if defined(__clang__)
#define CUPOOL_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,f16c")]]
#else
#define CUPOOL_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,f16c,prefer-vector-width=512")]]
#endif
#endif

namespace cupool::detail {

/// Whether the order of accumulation shows in the result.
template <class Operation, class A>
inline constexpr bool is_ordered = std::is_same_v<Operation, Sum> && !std::is_integral_v<A>;

/// Accumulators of a row of elements of type T.
template <class T, class A>
struct alignas(64) AccumulatorRow {
    static constexpr std::size_t size = reduce_row_elements(sizeof(T));
    std::array<A, size> values;
};

/// values[i] = values[i] (op) elements[i] for every i below `count`.
template <class Operation, class T, class A>
[[gnu::always_inline]] inline void accumulate_part(A* values, const T* elements, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) values[i] = Operation::combine(values[i], accumulator_of<A>(elements[i]));
}

/// Bytes of a row that are accumulated at a time.
inline constexpr std::size_t piece_bytes = 512;
/// How far ahead memory is asked for: past the end of a tile, so that the next one is on its way during the fold.
inline constexpr std::size_t prefetch_bytes = 8192;

/// Asks for the memory of a later piece. A prefetch of memory that is not there has no effect.
[[gnu::always_inline]] inline void prefetch_piece(const void* piece) {
    const auto later = reinterpret_cast<std::uintptr_t>(piece) + prefetch_bytes;
    for (std::size_t line = 0; line < piece_bytes; line += 64) __builtin_prefetch(reinterpret_cast<const void*>(later + line));
}

#if defined(CUPOOL_HAS_X86_VECTORS)
/// Converts by the processor's instruction, which the compiler does not find by itself. \pre count is a multiple of 8
CUPOOL_AVX2 inline void convert_float16(const Float16* elements, float* converted, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 8) {
        const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(elements + i));
        _mm256_storeu_ps(converted + i, _mm256_cvtph_ps(bits));
    }
}
#endif

/// Accumulates whole rows, one after the other.
template <class Operation, VectorUnit Unit, class T, class A>
[[gnu::always_inline]] inline void accumulate_rows(AccumulatorRow<T, A>& row, const T* elements, std::size_t rows) {
    constexpr std::size_t piece = piece_bytes / sizeof(T);
    A* __restrict const values = row.values.data();
    for (; rows != 0; --rows) {
        for (std::size_t first = 0; first < row.values.size(); first += piece, elements += piece) {
            prefetch_piece(elements);
#if defined(CUPOOL_HAS_X86_VECTORS)
            if constexpr (std::is_same_v<T, Float16> && Unit != VectorUnit::none) {
                std::array<float, piece> converted;
                convert_float16(elements, converted.data(), piece);
                accumulate_part<Operation, float, float>(values + first, converted.data(), piece);
                continue;
            }
#endif
            accumulate_part<Operation, T, A>(values + first, elements, piece);
        }
    }
}

/// Folds the first `used` accumulators of a row, one at least; the others are left out. \param vector  V: the elements of a vector
template <class Operation, std::size_t V, class A>
[[gnu::always_inline]] inline A fold_row(A* __restrict values, std::size_t used) {
    if constexpr (!is_ordered<Operation, A>) {
        for (; used > 1; used = (used + 1) / 2) accumulate_part<Operation, A, A>(values, values + (used + 1) / 2, used / 2);
        return values[0];
    } else {
        alignas(64) std::array<A, reduce_lanes> lanes;
        std::size_t lanes_used = (used + V - 1) / V;
        std::fill(values + used, values + lanes_used * V, Operation::template identity<A>());
        for (std::size_t lane = 0; lane < lanes_used; ++lane) {
            std::array<A, V> components;
            for (std::size_t v = 0; v < V; ++v) components[v] = values[lane * V + v];
            for (std::size_t half = V / 2; half > 0; half /= 2) {
                for (std::size_t v = 0; v < half; ++v) components[v] = Operation::combine(components[v], components[v + half]);
            }
            lanes[lane] = components[0];
        }
        for (std::size_t half = reduce_lanes / 2; half > 0; half /= 2) {
            if (lanes_used <= half) continue;
            accumulate_part<Operation, A, A>(lanes.data(), lanes.data() + half, lanes_used - half);
            lanes_used = half;
        }
        return lanes[0];
    }
}

template <class Operation, class T, class A, VectorUnit Unit>
[[gnu::always_inline]] inline A reduce_tile_by(const T* elements, std::size_t count) {
    using Row = AccumulatorRow<T, A>;
    Row row;
    const std::size_t used = std::min(count, Row::size);
    for (std::size_t i = 0; i < used; ++i) row.values[i] = accumulator_of<A>(elements[i]);
    if (count > used) {
        const std::size_t rows = count / Row::size - 1;
        accumulate_rows<Operation, Unit, T, A>(row, elements + used, rows);
        const std::size_t done = used + rows * Row::size;
        accumulate_part<Operation, T, A>(row.values.data(), elements + done, count - done);
    }
    return fold_row<Operation, reduce_vector_elements(sizeof(T)), A>(row.values.data(), used);
}

/// A tile's value. \pre it has one element at least
template <class Operation, class T, class A>
struct Tile {
    using Reduce = A (*)(const T* elements, std::size_t count);

    /// The function for a vector unit, which the processor must have.
    static Reduce reduce(VectorUnit unit) {
#if defined(CUPOOL_HAS_X86_VECTORS)
        if (unit == VectorUnit::avx512) return &reduce_by_avx512;
        if (unit == VectorUnit::avx2) return &reduce_by_avx2;
#endif
        static_cast<void>(unit);
        return &reduce_plainly;
    }

private:
    [[gnu::flatten]] static A reduce_plainly(const T* elements, std::size_t count) {
        return reduce_tile_by<Operation, T, A, VectorUnit::none>(elements, count);
    }
#if defined(CUPOOL_HAS_X86_VECTORS)
    CUPOOL_AVX2 [[gnu::flatten]] static A reduce_by_avx2(const T* elements, std::size_t count) {
        return reduce_tile_by<Operation, T, A, VectorUnit::avx2>(elements, count);
    }
    CUPOOL_AVX512 [[gnu::flatten]] static A reduce_by_avx512(const T* elements, std::size_t count) {
        return reduce_tile_by<Operation, T, A, VectorUnit::avx512>(elements, count);
    }
#endif
};

}  // namespace cupool::detail
