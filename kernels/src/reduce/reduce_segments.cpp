#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/caller.hpp>
#include <vector>

#include "reduce/checks.hpp"
#include "reduce/device_segments.hpp"
#include "reduce/host_reduce.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/reports.hpp"

namespace cupool {

namespace {

constexpr const char* job = "reduce_segments";

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCategory::invalid_argument, std::string(job) + ": " + why); }

/// Whether all segments have elements, and how many the longest has.
struct SegmentLengths {
    std::uint64_t shortest;
    std::uint64_t longest;
};

SegmentLengths lengths_of(std::span<const std::uint64_t> offsets, std::uint64_t elements) {
    SegmentLengths lengths{elements, 0};
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] > elements) {
            refuse("offset number " + std::to_string(i) + " is " + std::to_string(offsets[i]) + "; the input has " +
                   std::to_string(elements) + " elements");
        }
        if (i == 0) continue;
        if (offsets[i] < offsets[i - 1]) refuse("offset number " + std::to_string(i) + " is below the one before it");
        lengths.shortest = std::min(lengths.shortest, offsets[i] - offsets[i - 1]);
        lengths.longest = std::max(lengths.longest, offsets[i] - offsets[i - 1]);
    }
    return lengths;
}

SegmentLengths lengths_of(const Segments& segments, std::uint64_t elements, const DeviceContext& context) {
    if (segments.is_equal()) {
        const bool fits =
            segments.length() == 0 ? elements == 0 : elements % segments.length() == 0 && elements / segments.length() == segments.count();
        if (!fits) {
            refuse(std::to_string(segments.count()) + " segments of " + std::to_string(segments.length()) +
                   " elements are not the input's " + std::to_string(elements));
        }
        return {segments.length(), segments.length()};
    }
    if (!segments.offsets().is_on_device()) return lengths_of(segments.offsets().host(), elements);
    std::vector<std::uint64_t> offsets(segments.offsets().size());
    copy(std::span(offsets), segments.offsets().device(), context.stream());
    return lengths_of(offsets, elements);
}

/// What every call checks. \return the length of the longest segment
template <class T>
std::uint64_t check(const Operand<T>& input, const Segments& segments, ReduceOperation operation, const ReduceConfig& config,
                    std::size_t results) {
    detail::require_operation<T>(job, operation);
    detail::require_operand(job, "input", input, config.ctx);
    if (!segments.is_equal()) {
        detail::require_operand(job, "array of offsets", segments.offsets(), config.ctx);
        if (segments.offsets().size() == 0) refuse("the array of offsets is empty; give one offset more than there are segments");
    }
    if (results != segments.count())
        refuse("there are " + std::to_string(segments.count()) + " segments, but room for " + std::to_string(results) + " results");
    const SegmentLengths lengths = lengths_of(segments, input.size(), config.ctx);
    if (results != 0 && lengths.shortest == 0 && !detail::has_identity(operation))
        detail::throw_nothing(job, to_string(operation), "an empty segment");
    return lengths.longest;
}

}  // namespace

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_segments(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                                      const ReduceConfig& config, std::span<R> results, SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        const std::uint64_t longest = check(input, segments, operation, config, results.size());
        if (results.empty()) return detail::report_of_nothing(config.ctx);
        if (!config.ctx.is_host()) return detail::reduce_segments_on_device<T, R>(input, segments, operation, config, longest, results);
        return detail::report_on_host(job, input.size(), [&] {
            detail::reduce_segments_on_host<T, R>(input.host(), segments, operation, config.compensated,
                                                  {.threads = config.ctx.host_threads()}, results);
        });
    });
}

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_segments(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                                      const ReduceConfig& config, DeviceSpan<R> results, SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        if (config.ctx.is_host())
            throw Error(ErrorCategory::unsupported, std::string(job) + ": results on a device need a context of that device, not the host");
        detail::require_place(job, "array of results", results, config.ctx);
        detail::require_apart(job, "array of results", results, "input", input);
        if (!segments.is_equal()) detail::require_apart(job, "array of results", results, "array of offsets", segments.offsets());
        const std::uint64_t longest = check(input, segments, operation, config, results.size());
        if (results.empty()) return detail::report_of_nothing(config.ctx);
        return detail::reduce_segments_on_device<T, R>(input, segments, operation, config, longest, results);
    });
}

#define CUPOOL_INSTANTIATE(T, R)                                                                                                      \
    template RunReport reduce_segments<T, R>(const Operand<T>&, const Segments&, ReduceOperation, const ReduceConfig&, std::span<R>,  \
                                             SourceLocation);                                                                         \
    template RunReport reduce_segments<T, R>(const Operand<T>&, const Segments&, ReduceOperation, const ReduceConfig&, DeviceSpan<R>, \
                                             SourceLocation);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
