#include <chrono>
#include <cupool/driver/caller.hpp>
#include <cupool/kernels/reduce.hpp>
#include <new>
#include <string>

#include "reduce/host_reduce.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/segment_checks.hpp"

namespace cupool {

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_segments(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                                      const ReduceConfig& config, std::span<R> results, SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        detail::require_operation<T>("reduce_segments", operation);
        detail::require_operand("reduce_segments", "input", input, config.ctx);
        if (!segments.is_equal()) detail::require_operand("reduce_segments", "offsets' array", segments.offsets(), config.ctx);
        if (results.size() != segments.count()) {
            detail::refuse("reduce_segments", "there are " + std::to_string(segments.count()) + " segments, but " +
                                                  std::to_string(results.size()) + " results");
        }
        if (!config.ctx.is_host()) throw Error(ErrorCategory::unsupported, "reduce_segments: not on a device yet; use the host");
        if (segments.is_equal()) {
            detail::require_equal_segments(segments, input.size(), operation);
        } else {
            detail::require_offsets(segments.offsets().host(), input.size(), operation);
        }
        const auto start = std::chrono::steady_clock::now();
        try {
            detail::reduce_segments_on_host<T, R>(input.host(), segments, operation, config.compensated,
                                                  {.threads = config.ctx.host_threads()}, results);
        } catch (const std::bad_alloc&) {
            throw Error(ErrorCategory::out_of_memory,
                        "reduce_segments: the host has not enough memory for " + std::to_string(input.size()) + " elements");
        }
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
        return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
    });
}

#define CUPOOL_INSTANTIATE(T, R)                                                                                                     \
    template RunReport reduce_segments<T, R>(const Operand<T>&, const Segments&, ReduceOperation, const ReduceConfig&, std::span<R>, \
                                             SourceLocation);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
