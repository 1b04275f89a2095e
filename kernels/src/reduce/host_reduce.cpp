#include "reduce/host_reduce.hpp"

#include "reduce/host_reduction.hpp"
#include "reduce/instantiate.hpp"

namespace cupool::detail {

namespace {

/// Segments of one operation, element type, accumulator and result.
template <class Operation, class T, class A, class R>
class HostSegments {
public:
    HostSegments(std::span<const T> input, const Segments& segments, const HostReduceOptions& options, std::span<R> results)
        : input_(input), segments_(segments), threads_(options.threads), reduction_(options.vectors), results_(results) {}

    void run() const {
        const std::size_t count = results_.size();
        if (count == 0) return;
        // Long segments one after the other by all threads, the others side by side.
        const std::size_t bytes_of_segment = input_.size() * sizeof(T) / count;
        const std::size_t segments_of_task = std::clamp<std::size_t>(host_task_bytes / std::max<std::size_t>(1, bytes_of_segment), 1, 4096);
        parallel_for_blocks(count, segments_of_task, threads_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::span<const T> elements = segment(i);
                if (!is_long(elements)) results_[i] = value(elements, 1);
            }
        });
        if (input_.size() * sizeof(T) < long_bytes) return;
        for (std::size_t i = 0; i < count; ++i) {
            const std::span<const T> elements = segment(i);
            if (is_long(elements)) results_[i] = value(elements, threads_);
        }
    }

private:
    static constexpr std::size_t long_bytes = 16 * host_task_bytes;

    static bool is_long(std::span<const T> elements) { return elements.size_bytes() >= long_bytes; }

    std::span<const T> segment(std::size_t i) const {
        if (segments_.is_equal()) return input_.subspan(i * segments_.length(), segments_.length());
        const std::span<const std::uint64_t> offsets = segments_.offsets().host();
        return input_.subspan(offsets[i], offsets[i + 1] - offsets[i]);
    }

    R value(std::span<const T> elements, unsigned threads) const {
        if (elements.empty()) return static_cast<R>(static_cast<int>(std::is_same_v<Operation, Product>));
        return result_of<R>(reduction_(elements, threads));
    }

    std::span<const T> input_;
    const Segments& segments_;
    unsigned threads_;
    HostReduction<Operation, T, A> reduction_;
    std::span<R> results_;
};

}  // namespace

template <class T, class R>
R reduce_on_host(std::span<const T> input, ReduceOperation operation, bool compensated, const HostReduceOptions& options) {
    return with_host_operation<T, R>(operation, compensated, [&]<class Operation, class A>() {
        return result_of<R>(HostReduction<Operation, T, A>(options.vectors)(input, options.threads));
    });
}

template <class T, class R>
R sum_tile_values_on_host(std::span<const Accumulator<T, R>> values) {
    using A = Accumulator<T, R>;
    return result_of<R>(values.size() == 1 ? values.front() : Tile<Sum, A, A>::reduce(host_vector_unit())(values.data(), values.size()));
}

template <class T, class R>
void reduce_segments_on_host(std::span<const T> input, const Segments& segments, ReduceOperation operation, bool compensated,
                             const HostReduceOptions& options, std::span<R> results) {
    with_host_operation<T, R>(operation, compensated, [&]<class Operation, class A>() {
        HostSegments<Operation, T, A, R>(input, segments, options, results).run();
    });
}

#define CUPOOL_INSTANTIATE(T, R)                                                                                                      \
    template R reduce_on_host<T, R>(std::span<const T>, ReduceOperation, bool, const HostReduceOptions&);                             \
    template void reduce_segments_on_host<T, R>(std::span<const T>, const Segments&, ReduceOperation, bool, const HostReduceOptions&, \
                                                std::span<R>);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE)
template float sum_tile_values_on_host<float, float>(std::span<const float>);
template double sum_tile_values_on_host<float, double>(std::span<const double>);
template double sum_tile_values_on_host<double, double>(std::span<const double>);
template Float16 sum_tile_values_on_host<Float16, Float16>(std::span<const float>);
template float sum_tile_values_on_host<Float16, float>(std::span<const float>);
template BFloat16 sum_tile_values_on_host<BFloat16, BFloat16>(std::span<const float>);
template float sum_tile_values_on_host<BFloat16, float>(std::span<const float>);
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
