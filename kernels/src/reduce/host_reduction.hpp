#pragma once

/// \file
/// Reductions on the host of one operation, element type and accumulator, and the choice among them.

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "reduce/host_reduce.hpp"
#include "reduce/host_tile.hpp"
#include "support/parallel_for.hpp"

namespace cupool::detail {

/// What a thread takes at a time: enough to pay for starting it.
inline constexpr std::size_t host_task_bytes = std::size_t{1} << 20;

/// Rows of a tile where the order does not show: few tiles, which still fit a core's second-level cache.
inline constexpr std::size_t unordered_tile_rows = 64;

template <class Operation, class T, class A>
class HostReduction {
    /// Wide sums of bytes fit 32 bits in a tile, whose vectors hold twice as many of them.
    static constexpr bool is_byte_sum = std::is_same_v<Operation, Sum> && sizeof(T) == 1 && sizeof(A) == 8;
    using TileAccumulator = std::conditional_t<is_byte_sum, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>, A>;

public:
    explicit HostReduction(VectorUnit vectors)
        : reduce_tile_(Tile<Operation, T, TileAccumulator>::reduce(vectors)), reduce_values_(Tile<Operation, A, A>::reduce(vectors)) {}

    /// \pre the input is not empty
    A operator()(std::span<const T> input, unsigned threads) const {
        const std::size_t tile = tile_elements(input.size());
        const std::size_t tiles = (input.size() - 1) / tile + 1;
        if (tiles == 1) return value_of_tile(input);
        std::vector<A> values(tiles);
        const std::size_t tiles_of_task = std::max<std::size_t>(1, host_task_bytes / (tile * sizeof(T)));
        parallel_for_blocks(tiles, tiles_of_task, threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t first = i * tile;
                values[i] = value_of_tile(input.subspan(first, std::min(tile, input.size() - first)));
            }
        });
        return reduce_values_(values.data(), tiles);
    }

private:
    static std::size_t tile_elements(std::size_t count) {
        if constexpr (is_ordered<Operation, A>) return reduce_tile_elements(count, sizeof(T));
        return unordered_tile_rows * reduce_row_elements(sizeof(T));
    }
    A value_of_tile(std::span<const T> tile) const { return static_cast<A>(reduce_tile_(tile.data(), tile.size())); }

    typename Tile<Operation, T, TileAccumulator>::Reduce reduce_tile_;
    typename Tile<Operation, A, A>::Reduce reduce_values_;
};

/// Calls `function.template operator()<Operation, A>()` for the operation and what it accumulates in, and returns what it returns.
template <class T, class R, class Function>
auto with_host_operation(ReduceOperation operation, bool compensated, const Function& function) {
    using Narrow = Accumulator<T, T>;  // a minimum or maximum is an element
    switch (operation) {
        case ReduceOperation::min: return function.template operator()<Min, Narrow>();
        case ReduceOperation::max: return function.template operator()<Max, Narrow>();
        case ReduceOperation::product:
            if constexpr (std::is_integral_v<T>) return function.template operator()<Product, R>();
            break;
        case ReduceOperation::sum: break;
    }
    if constexpr (!std::is_same_v<Accumulator<T, R, true>, Accumulator<T, R>>) {
        if (compensated) return function.template operator()<Sum, Accumulator<T, R, true>>();
    }
    return function.template operator()<Sum, Accumulator<T, R>>();
}

}  // namespace cupool::detail
