#include "reduce/host_reduce.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "parallel_for.hpp"
#include "reduce/operations.hpp"

namespace cupool::detail {

namespace {

/// Tiles a task: 256 Ki elements.
constexpr std::size_t tiles_of_a_task = 64;

/// One tile, of up to reduce_tile elements and at least one. Lanes are a loop that the compiler makes vectors of.
template <class Operation, class T>
T reduce_tile_of(std::span<const T> tile) {
    std::array<T, reduce_lanes> lanes{};
    const std::size_t used_lanes = std::min<std::size_t>(tile.size(), reduce_lanes);
    std::copy_n(tile.begin(), used_lanes, lanes.begin());
    std::size_t first = reduce_lanes;
    for (; first + reduce_lanes <= tile.size(); first += reduce_lanes) {
        for (std::size_t lane = 0; lane < reduce_lanes; ++lane) lanes[lane] = Operation::combine(lanes[lane], tile[first + lane]);
    }
    for (std::size_t i = first; i < tile.size(); ++i) lanes[i - first] = Operation::combine(lanes[i - first], tile[i]);

    for (std::size_t half = reduce_lanes / 2; half > 0; half /= 2) {
        const std::size_t pairs = used_lanes > half ? std::min(half, used_lanes - half) : 0;
        for (std::size_t lane = 0; lane < pairs; ++lane) lanes[lane] = Operation::combine(lanes[lane], lanes[lane + half]);
    }
    return lanes[0];
}

template <class Operation, class T>
std::vector<T> reduce_level(std::span<const T> values, unsigned threads) {
    std::vector<T> tiles((values.size() + reduce_tile - 1) / reduce_tile);
    parallel_for_blocks(tiles.size(), tiles_of_a_task, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t tile = begin; tile < end; ++tile) {
            const std::size_t first = tile * reduce_tile;
            tiles[tile] = reduce_tile_of<Operation, T>(values.subspan(first, std::min<std::size_t>(reduce_tile, values.size() - first)));
        }
    });
    return tiles;
}

template <class Operation, class T>
T reduce_all(std::span<const T> input, unsigned threads) {
    std::vector<T> values = reduce_level<Operation, T>(input, threads);
    while (values.size() > 1) values = reduce_level<Operation, T>(values, threads);
    return with_canonical_nan(values.front());
}

}  // namespace

template <class T>
T reduce_on_host(std::span<const T> input, ReduceOperation operation, unsigned threads) {
    switch (operation) {
        case ReduceOperation::sum: return reduce_all<Sum, T>(input, threads);
        case ReduceOperation::min: return reduce_all<Min, T>(input, threads);
        case ReduceOperation::product:
        case ReduceOperation::max: break;
    }
    return reduce_all<Max, T>(input, threads);
}

#define CUPOOL_INSTANTIATE(T) template T reduce_on_host<T>(std::span<const T>, ReduceOperation, unsigned);
CUPOOL_INSTANTIATE(std::int32_t)
CUPOOL_INSTANTIATE(std::uint32_t)
CUPOOL_INSTANTIATE(std::int64_t)
CUPOOL_INSTANTIATE(std::uint64_t)
CUPOOL_INSTANTIATE(float)
CUPOOL_INSTANTIATE(double)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
