#include "reduce/host_reduction.hpp"
#include "reduce/instantiate.hpp"

namespace cupool::detail {

namespace {

/// Columns of a task: those whose accumulators fit the first-level cache, and whose elements are whole lines.
constexpr std::size_t columns_of_task = 256;

/// One tile of the middle dimension, of `rows` rows that are `stride` elements apart, and of `columns` columns side by side.
template <class T>
struct MiddleTile {
    const T* elements;
    std::size_t stride;
    std::size_t rows;
    std::size_t columns;
};

template <class Operation, class T, class A>
[[gnu::always_inline]] inline void reduce_middle_tile(const MiddleTile<T>& tile, A* results) {
    alignas(64) std::array<std::array<A, columns_of_task>, reduce_middle_lanes> lanes;
    for (auto& lane : lanes) std::fill_n(lane.data(), tile.columns, Operation::template identity<A>());
    for (std::size_t row = 0; row < tile.rows; ++row)
        accumulate_part<Operation, T, A>(lanes[row % reduce_middle_lanes].data(), tile.elements + row * tile.stride, tile.columns);
    for (std::size_t half = reduce_middle_lanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane)
            accumulate_part<Operation, A, A>(lanes[lane].data(), lanes[lane + half].data(), tile.columns);
    }
    std::copy_n(lanes[0].data(), tile.columns, results);
}

/// The function for a vector unit, which the processor must have.
template <class Operation, class T, class A>
struct MiddleReduction {
    using Reduce = void (*)(const MiddleTile<T>& tile, A* results);

    static Reduce reduce(VectorUnit unit) {
#if defined(CUPOOL_HAS_X86_VECTORS)
        if (unit == VectorUnit::avx512) return &reduce_by_avx512;
        if (unit == VectorUnit::avx2) return &reduce_by_avx2;
#endif
        static_cast<void>(unit);
        return &reduce_plainly;
    }

private:
    [[gnu::flatten]] static void reduce_plainly(const MiddleTile<T>& tile, A* results) {
        reduce_middle_tile<Operation, T, A>(tile, results);
    }
#if defined(CUPOOL_HAS_X86_VECTORS)
    CUPOOL_AVX2 [[gnu::flatten]] static void reduce_by_avx2(const MiddleTile<T>& tile, A* results) {
        reduce_middle_tile<Operation, T, A>(tile, results);
    }
    CUPOOL_AVX512 [[gnu::flatten]] static void reduce_by_avx512(const MiddleTile<T>& tile, A* results) {
        reduce_middle_tile<Operation, T, A>(tile, results);
    }
#endif
};

/// Reduces tiles of `tile` elements of the middle dimension: [outer][middle][inner] to [outer][tiles][inner].
template <class Operation, class T, class A>
void reduce_middle_tiles(const T* input, const MiddleShape& shape, std::size_t tile, const HostReduceOptions& options, A* results) {
    const auto reduce = MiddleReduction<Operation, T, A>::reduce(options.vectors);
    const std::size_t tiles = (shape.middle - 1) / tile + 1;
    const std::size_t blocks = (shape.inner - 1) / columns_of_task + 1;
    const std::size_t rows = std::min(tile, shape.middle);
    const std::size_t bytes_of_block = rows * std::min(columns_of_task, shape.inner) * sizeof(T);
    const std::size_t blocks_of_task = std::max<std::size_t>(1, host_task_bytes / bytes_of_block);
    parallel_for_blocks(shape.outer * tiles * blocks, blocks_of_task, options.threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t column = i % blocks * columns_of_task;
            const std::size_t run = i / blocks;  // of outer and tile
            const std::size_t first_row = run % tiles * tile;
            const T* const elements = input + (run / tiles * shape.middle + first_row) * shape.inner + column;
            const MiddleTile<T> part{elements, shape.inner, std::min(tile, shape.middle - first_row),
                                     std::min(columns_of_task, shape.inner - column)};
            reduce(part, results + run * shape.inner + column);
        }
    });
}

template <class Operation, class T, class A>
std::vector<A> reduce_middle(std::span<const T> input, const MiddleShape& shape, const HostReduceOptions& options) {
    const std::size_t tile = reduce_middle_tile_elements(shape.middle);
    const std::size_t tiles = (shape.middle - 1) / tile + 1;
    std::vector<A> values(shape.outer * tiles * shape.inner);
    reduce_middle_tiles<Operation, T, A>(input.data(), shape, tile, options, values.data());
    if (tiles == 1) return values;
    std::vector<A> results(shape.outer * shape.inner);
    reduce_middle_tiles<Operation, A, A>(values.data(), {shape.outer, tiles, shape.inner}, tiles, options, results.data());
    return results;
}

}  // namespace

template <class T, class R>
void reduce_middle_on_host(std::span<const T> input, const MiddleShape& shape, ReduceOperation operation, bool compensated,
                           const HostReduceOptions& options, std::span<R> results) {
    if (results.empty()) return;
    if (shape.middle == 0) {
        std::fill(results.begin(), results.end(), static_cast<R>(static_cast<float>(operation == ReduceOperation::product)));
        return;
    }
    with_host_operation<T, R>(operation, compensated, [&]<class Operation, class A>() {
        const std::vector<A> values = reduce_middle<Operation, T, A>(input, shape, options);
        for (std::size_t i = 0; i < values.size(); ++i) results[i] = result_of<R>(values[i]);
    });
}

#define CUPOOL_INSTANTIATE(T, R)                                                                                                       \
    template void reduce_middle_on_host<T, R>(std::span<const T>, const MiddleShape&, ReduceOperation, bool, const HostReduceOptions&, \
                                              std::span<R>);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
