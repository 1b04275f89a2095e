#include "rank_fold.hpp"

#include <algorithm>
#include <array>

#include "reduce/host_reduction.hpp"
#include "reduce/instantiate.hpp"

namespace cupool::detail {

namespace {

/// Results whose accumulators stay in the first-level cache.
constexpr std::size_t block = 512;

template <class Operation, class T, class A>
void fold_block(const T* values, std::size_t ranks, std::size_t stride, std::size_t count, T* results) {
    std::array<A, block> folded;
    std::fill_n(folded.begin(), count, Operation::template identity<A>());
    for (std::size_t rank = 0; rank < ranks; ++rank) accumulate_part<Operation, T, A>(folded.data(), values + rank * stride, count);
    for (std::size_t i = 0; i < count; ++i) results[i] = result_of<T>(folded[i]);
}

}  // namespace

template <class T>
void fold_ranks(std::span<const T> values, ReduceOperation operation, std::span<T> results) {
    if (results.empty()) return;
    with_host_operation<T, T>(operation, false, [&]<class Operation, class A>() {
        for (std::size_t first = 0; first < results.size(); first += block) {
            fold_block<Operation, T, A>(values.data() + first, values.size() / results.size(), results.size(),
                                        std::min(block, results.size() - first), results.data() + first);
        }
    });
}

#define CUPOOL_INSTANTIATE(T) template void fold_ranks<T>(std::span<const T>, ReduceOperation, std::span<T>);
CUPOOL_FOR_EACH_REDUCE_ELEMENT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
