#include <bit>

#include "reduce/host_reduction.hpp"

namespace cupool::detail {

namespace {

/// Whether two accumulators stand for the same element: any two NaNs do, zeros of unlike sign do not.
template <class A>
bool is_same_element(A left, A right) {
    if constexpr (is_floating<A>) {
        if (left != left || right != right) return left != left && right != right;
        return left == right && has_sign(left) == has_sign(right);
    } else {
        return left == right;
    }
}

/// Finds the tile that has the extreme first, by the vector code of reductions, and then looks in that tile alone for where.
template <class Operation, class T>
class HostArgReduction {
    using A = Accumulator<T, T>;

public:
    HostArgReduction(std::span<const T> input, const HostReduceOptions& options)
        : input_(input), threads_(options.threads), reduce_tile_(Tile<Operation, T, A>::reduce(options.vectors)) {}

    IndexedValue<T> run() const {
        const std::size_t tiles = (input_.size() - 1) / tile_elements + 1;
        const std::size_t tasks = (tiles - 1) / tiles_of_task + 1;
        std::vector<Best> best(tasks);
        parallel_for(tasks, threads_, [&](std::size_t task) {
            const std::size_t begin = task * tiles_of_task;
            best[task] = best_of_tiles(begin, std::min(begin + tiles_of_task, tiles));
        });
        Best first = best[0];
        for (std::size_t task = 1; task < tasks; ++task) first = better(first, best[task]);
        return {result_of<T>(first.value), index_in_tile(first)};
    }

private:
    static constexpr std::size_t tile_elements = 16 * reduce_row_elements(sizeof(T));
    static constexpr std::size_t tiles_of_task = host_task_bytes / (tile_elements * sizeof(T));

    /// An extreme, and the first tile that has it.
    struct Best {
        A value;
        std::size_t tile;
    };

    static Best better(const Best& first, const Best& later) {
        return is_same_element(Operation::combine(first.value, later.value), first.value) ? first : later;
    }

    std::span<const T> tile(std::size_t number) const {
        const std::size_t first = number * tile_elements;
        return input_.subspan(first, std::min(tile_elements, input_.size() - first));
    }

    Best best_of_tile(std::size_t number) const {
        const std::span<const T> elements = tile(number);
        return {reduce_tile_(elements.data(), elements.size()), number};
    }

    Best best_of_tiles(std::size_t begin, std::size_t end) const {
        Best best = best_of_tile(begin);
        for (std::size_t number = begin + 1; number < end; ++number) best = better(best, best_of_tile(number));
        return best;
    }

    std::uint64_t index_in_tile(const Best& best) const {
        const std::span<const T> elements = tile(best.tile);
        const auto found = std::find_if(elements.begin(), elements.end(),
                                        [&](T element) { return is_same_element(accumulator_of<A>(element), best.value); });
        return best.tile * tile_elements + static_cast<std::uint64_t>(found - elements.begin());
    }

    std::span<const T> input_;
    unsigned threads_;
    typename Tile<Operation, T, A>::Reduce reduce_tile_;
};

}  // namespace

template <class T>
IndexedValue<T> arg_reduce_on_host(std::span<const T> input, ArgOperation operation, const HostReduceOptions& options) {
    if (operation == ArgOperation::min) return HostArgReduction<Min, T>(input, options).run();
    return HostArgReduction<Max, T>(input, options).run();
}

#define CUPOOL_INSTANTIATE(T) template IndexedValue<T> arg_reduce_on_host<T>(std::span<const T>, ArgOperation, const HostReduceOptions&);
CUPOOL_INSTANTIATE(std::int8_t)
CUPOOL_INSTANTIATE(std::uint8_t)
CUPOOL_INSTANTIATE(std::int16_t)
CUPOOL_INSTANTIATE(std::uint16_t)
CUPOOL_INSTANTIATE(std::int32_t)
CUPOOL_INSTANTIATE(std::uint32_t)
CUPOOL_INSTANTIATE(std::int64_t)
CUPOOL_INSTANTIATE(std::uint64_t)
CUPOOL_INSTANTIATE(Float16)
CUPOOL_INSTANTIATE(BFloat16)
CUPOOL_INSTANTIATE(float)
CUPOOL_INSTANTIATE(double)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
