#pragma once

/// \file
/// Reductions over the middle dimension of [outer][middle][inner], in the order of order.hpp. A block has 8 threads, the lanes of a tile,
/// for each group of neighbouring columns; threads that follow each other read groups that follow each other in memory.

#include "reduce/accumulation.cuh"

namespace cupool::device {

/// Columns that a thread takes, where the array lets it read them at once: as many as a vector has, but few enough for its registers.
template <class Policy, class E>
inline constexpr unsigned middle_columns = vector_elements<E> < 32 / sizeof(typename Policy::Accumulator)
                                               ? vector_elements<E>
                                               : 32 / sizeof(typename Policy::Accumulator);

/// So many neighbouring bytes, at a multiple of their number, that no thread of the launch writes, as the beginning of a vector.
template <unsigned Bytes>
CUPOOL_DEVICE Vec4 load_columns(const void* address) {
    if constexpr (Bytes == 16) {
        return load_vector(address);
    } else if constexpr (Bytes == 8) {
        std::uint32_t x, y;
        asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(address));
        return {x, y, 0, 0};
    } else {
        std::uint32_t x;
        if constexpr (Bytes == 4) {
            asm("ld.global.nc.u32 %0, [%1];" : "=r"(x) : "l"(address));
        } else if constexpr (Bytes == 2) {
            asm("ld.global.nc.u16 %0, [%1];" : "=r"(x) : "l"(address));
        } else {
            asm("ld.global.nc.u8 %0, [%1];" : "=r"(x) : "l"(address));
        }
        return {x, 0, 0, 0};
    }
}

/// What a thread accumulates of a tile: every eighth row of some neighbouring columns.
template <class Reads, unsigned Columns>
struct MiddleLane {
    using E = typename Reads::Element;
    static constexpr unsigned bytes = Columns * sizeof(E);
    static constexpr unsigned rows_in_flight = bytes == 16 ? 4 : 8;

    typename Reads::Lane columns[Columns];

    /// \param elements  the lane's first row \param rows  of the lane \param stride  elements from one of them to the next
    CUPOOL_DEVICE void take_tile(const Reads& reads, const E* elements, std::uint64_t rows, std::uint64_t stride) {
#pragma unroll
        for (unsigned i = 0; i < Columns; ++i) columns[i] = reads.lane();
#pragma unroll 1
        for (; rows >= rows_in_flight; rows -= rows_in_flight, elements += rows_in_flight * stride)
            take_rows<true>(reads, elements, rows_in_flight, stride);
        if (rows != 0) take_rows<false>(reads, elements, static_cast<unsigned>(rows), stride);
    }

private:
    template <bool AreAllThere>
    CUPOOL_DEVICE void take_rows(const Reads& reads, const E* elements, unsigned rows, std::uint64_t stride) {
        Vec4 words[rows_in_flight];
#pragma unroll
        for (unsigned i = 0; i < rows_in_flight; ++i) {
            if (AreAllThere || i < rows) words[i] = load_columns<bytes>(elements + i * stride);
        }
#pragma unroll
        for (unsigned i = 0; i < rows_in_flight; ++i) {
            if (AreAllThere || i < rows) take_row(reads, words[i]);
        }
    }
    CUPOOL_DEVICE void take_row(const Reads& reads, Vec4 words) {
#pragma unroll
        for (unsigned i = 0; i < Columns; ++i) reads.take_one(columns[i], 0, element_of<E>(words, i), 0);
    }
};

/// An array, and how a launch divides its reduction.
struct MiddleWork {
    std::uint64_t outer;
    std::uint64_t middle;
    std::uint64_t inner;
    std::uint64_t tile_rows;
    /// Into how many values each column is reduced: value s takes the tiles s, s + shares, ... from left to right.
    std::uint64_t shares;
    std::uint32_t width;  ///< threads side by side, each with its columns
};

/// Where the values of columns go: accumulators for another launch, or results.
struct MiddleOutput {
    void* values;
    char* results;  ///< null: values are kept
    std::uint32_t result_bytes;
    std::uint64_t count;  ///< elements of a result
};

template <unsigned Columns, class Reads, class Policy>
CUPOOL_DEVICE void reduce_middle_by(const Reads& reads, const Policy& policy, const typename Reads::Element* input, const MiddleWork& work,
                                    const MiddleOutput& output, typename Policy::Accumulator* shared) {
    using A = typename Policy::Accumulator;
    constexpr unsigned lanes = detail::reduce_middle_lanes;
    static_assert(Columns <= lanes);  // each lane folds the lanes of one column
    const unsigned threads = lanes * work.width;
    const unsigned jobs_of_block = block_size() / threads;
    const unsigned group = thread_index() % work.width;
    const unsigned lane = thread_index() / work.width % lanes;
    const unsigned first_of_job = thread_index() / threads * threads;
    const std::uint64_t pieces = (work.inner - 1) / (std::uint64_t{work.width} * Columns) + 1;
    const std::uint64_t jobs = work.outer * work.shares * pieces;
    const std::uint64_t tiles = work.middle == 0 ? 1 : (work.middle - 1) / work.tile_rows + 1;
    for (std::uint64_t first_job = std::uint64_t{block_index()} * jobs_of_block; first_job < jobs;
         first_job += std::uint64_t{grid_size()} * jobs_of_block) {
        const std::uint64_t job = first_job + thread_index() / threads;
        const std::uint64_t column = (job % pieces * work.width + group) * Columns;
        const std::uint64_t run = job / pieces;  // of outer and share
        const bool has_columns = job < jobs && column < work.inner;
        A value = policy.identity();
        // All threads of a block take as many turns.
        for (std::uint64_t turn = 0; turn < tiles; turn += work.shares) {
            const std::uint64_t tile = turn + run % work.shares;
            const std::uint64_t first_row = tile * work.tile_rows;
            const std::uint64_t left = tile < tiles && has_columns ? work.middle - first_row : 0;
            const std::uint64_t rows = left < work.tile_rows ? left : work.tile_rows;
            MiddleLane<Reads, Columns> own;
            own.take_tile(reads, input + (run / work.shares * work.middle + first_row + lane) * work.inner + column,
                          (rows + lanes - 1 - lane) / lanes, lanes * work.inner);
            block_barrier();  // the lanes before have been read
#pragma unroll
            for (unsigned i = 0; i < Columns; ++i) shared[i * block_size() + thread_index()] = Reads::value(own.columns[i]);
            block_barrier();
            if (lane < Columns && tile < tiles) {
                A of_lanes[lanes];
#pragma unroll
                for (unsigned i = 0; i < lanes; ++i) of_lanes[i] = shared[lane * block_size() + first_of_job + i * work.width + group];
                value = Policy::combine(value, fold_components<Policy, lanes>(of_lanes));
            }
        }
        if (lane >= Columns || !has_columns) continue;
        const std::uint64_t index = run * work.inner + column + lane;
        if (output.results == nullptr) {
            static_cast<A*>(output.values)[index] = value;
        } else {
            policy.store(output.results + index * output.result_bytes, output.result_bytes, value, output.count);
        }
    }
}

/// \param columns  that a thread takes: 1, or middle_columns, of which `inner` is then a multiple and on whose bytes `input` is aligned
template <class Reads, class Policy>
CUPOOL_DEVICE void reduce_middle(const Reads& reads, const Policy& policy, const typename Reads::Element* input, const MiddleWork& work,
                                 std::uint32_t columns, const MiddleOutput& output) {
    constexpr unsigned most = middle_columns<Policy, typename Reads::Element>;
    CUPOOL_SHARED static typename Policy::Accumulator shared[most * detail::reduce_lanes];
    if (columns == 1) {
        reduce_middle_by<1>(reads, policy, input, work, output, shared);
    } else if constexpr (most != 1) {
        reduce_middle_by<most>(reads, policy, input, work, output, shared);
    }
}

}  // namespace cupool::device
