#include <chrono>
#include <cupool/driver/caller.hpp>
#include <cupool/kernels/reduce.hpp>
#include <new>
#include <ostream>
#include <string>

#include "operand_checks.hpp"
#include "reduce/device_reduce.hpp"
#include "reduce/host_reduce.hpp"

namespace cupool {

std::string to_string(ReduceOperation operation) {
    switch (operation) {
        case ReduceOperation::sum: return "sum";
        case ReduceOperation::product: return "product";
        case ReduceOperation::min: return "min";
        case ReduceOperation::max: return "max";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, ReduceOperation operation) { return out << to_string(operation); }

std::optional<ReduceOperation> reduce_operation_from_name(std::string_view name) {
    for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::product, ReduceOperation::min, ReduceOperation::max}) {
        if (name == to_string(operation)) return operation;
    }
    return std::nullopt;
}

std::string to_string(ArgOperation operation) {
    switch (operation) {
        case ArgOperation::min: return "argmin";
        case ArgOperation::max: return "argmax";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, ArgOperation operation) { return out << to_string(operation); }

std::optional<ArgOperation> arg_operation_from_name(std::string_view name) {
    for (const ArgOperation operation : {ArgOperation::min, ArgOperation::max}) {
        if (name == to_string(operation)) return operation;
    }
    return std::nullopt;
}

ReduceConfig ReduceConfig::default_for_device(int device, SourceLocation where) {
    return {.ctx = DeviceContext::default_for_device(device, where)};
}

ReduceConfig ReduceConfig::default_for_host() { return {.ctx = DeviceContext::host()}; }

Segments Segments::equal(std::size_t count, std::size_t length) {
    return {true, count, length, Operand<std::uint64_t>(std::span<const std::uint64_t>())};
}

Segments Segments::offsets(const Operand<std::uint64_t>& offsets) {
    return {false, offsets.size() == 0 ? 0 : offsets.size() - 1, 0, offsets};
}

namespace {

using detail::refuse;

void require_operation(const std::string& job, ReduceOperation operation, bool are_floats) {
    detail::require_enumerator(operation, ReduceOperation::max, "ReduceOperation");
    if (operation == ReduceOperation::product && are_floats)
        throw Error(ErrorCategory::unsupported, job + ": products are for integers; use sum, min or max");
}

bool has_identity(ReduceOperation operation) { return operation == ReduceOperation::sum || operation == ReduceOperation::product; }

template <class T>
void require_place(const std::string& job, const Operand<T>& input, const DeviceContext& context, const std::string& name = "input") {
    if (!input.is_on_device()) return;
    const std::string place = job + ": the " + name + " is on device " + std::to_string(input.device().device()) + ", but the context is ";
    if (context.is_host()) throw Error(ErrorCategory::invalid_argument, place + "the host");
    if (input.size() != 0 && input.device().device() != context.device())
        throw Error(ErrorCategory::wrong_context, place + "device " + std::to_string(context.device()));
}

void require_elements(const std::string& job, std::size_t count, const std::string& operation) {
    if (count == 0) refuse(job, "nothing has no " + operation + "; give at least one element");
}

void require_segments(const Segments& segments, std::size_t elements, std::size_t results, ReduceOperation operation) {
    const std::string job = "reduce_segments";
    if (results != segments.count())
        refuse(job, "there are " + std::to_string(segments.count()) + " segments, but " + std::to_string(results) + " results");
    if (segments.is_equal()) {
        const std::size_t length = segments.length();
        if (length == 0 ? elements != 0 : elements % length != 0 || elements / length != segments.count()) {
            refuse(job, std::to_string(segments.count()) + " segments of " + std::to_string(length) + " elements are not the input's " +
                            std::to_string(elements));
        }
        if (length == 0 && results != 0 && !has_identity(operation)) refuse(job, "empty segments have no " + to_string(operation));
        return;
    }
    const std::span<const std::uint64_t> offsets = segments.offsets().host();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::string offset = "offset " + std::to_string(i) + " is " + std::to_string(offsets[i]);
        if (offsets[i] > elements) refuse(job, offset + ", but the input has " + std::to_string(elements) + " elements");
        if (i == 0) continue;
        if (offsets[i] < offsets[i - 1]) refuse(job, offset + ", below the one before it, " + std::to_string(offsets[i - 1]));
        if (offsets[i] == offsets[i - 1] && !has_identity(operation))
            refuse(job, "segment " + std::to_string(i - 1) + " is empty and has no " + to_string(operation));
    }
}

/// Runs a job on the host. \param work  takes the options of the host engine
template <class Work>
RunReport run_on_host(const std::string& job, std::size_t count, const DeviceContext& context, const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    try {
        work(detail::HostReduceOptions{.threads = context.host_threads()});
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory, job + ": the host has not enough memory for " + std::to_string(count) + " elements");
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
}

[[noreturn]] void refuse_device(const std::string& job) {
    throw Error(ErrorCategory::unsupported, job + ": not on a device yet, for this type and operation; use the host");
}

template <class T>
constexpr bool has_device_kernels = sizeof(T) >= 4;

}  // namespace

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, R& result,
                                             SourceLocation where) {
    const DeviceContext& context = config.ctx;
    return detail::report_at(where, [&]() -> RunReport {
        require_operation("reduce", operation, !std::is_integral_v<T>);
        require_place("reduce", input, context);
        if (input.size() == 0) {
            if (!has_identity(operation)) require_elements("reduce", 0, to_string(operation));
            result = static_cast<R>(static_cast<int>(operation == ReduceOperation::product));
            if (context.is_host()) return {};
            return {.engine = Engine::gpu, .devices = {context.device()}, .milliseconds = 0, .bytes = 0};
        }
        if (context.is_host()) {
            return run_on_host("reduce", input.size(), context, [&](const detail::HostReduceOptions& options) {
                result = detail::reduce_on_host<T, R>(input.host(), operation, config.compensated, options);
            });
        }
        if constexpr (std::is_same_v<T, R> && has_device_kernels<T>) {
            if (operation != ReduceOperation::product && !config.compensated)
                return detail::reduce_on_device(input, operation, context, result);
        }
        refuse_device("reduce");
    });
}

template <ReduceElement T>
RunReport arg_reduce(const Operand<T>& input, ArgOperation operation, const ReduceConfig& config, IndexedValue<T>& result,
                     SourceLocation where) {
    const DeviceContext& context = config.ctx;
    return detail::report_at(where, [&]() -> RunReport {
        detail::require_enumerator(operation, ArgOperation::max, "ArgOperation");
        require_place("arg_reduce", input, context);
        require_elements("arg_reduce", input.size(), to_string(operation));
        if (!context.is_host()) refuse_device("arg_reduce");
        return run_on_host("arg_reduce", input.size(), context, [&](const detail::HostReduceOptions& options) {
            result = detail::arg_reduce_on_host<T>(input.host(), operation, options);
        });
    });
}

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_segments(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                                      const ReduceConfig& config, std::span<R> results, SourceLocation where) {
    const DeviceContext& context = config.ctx;
    return detail::report_at(where, [&]() -> RunReport {
        require_operation("reduce_segments", operation, !std::is_integral_v<T>);
        require_place("reduce_segments", input, context);
        if (!segments.is_equal()) require_place("reduce_segments", segments.offsets(), context, "offsets' array");
        if (!context.is_host()) refuse_device("reduce_segments");
        require_segments(segments, input.size(), results.size(), operation);
        return run_on_host("reduce_segments", input.size(), context, [&](const detail::HostReduceOptions& options) {
            detail::reduce_segments_on_host<T, R>(input.host(), segments, operation, config.compensated, options, results);
        });
    });
}

#define CUPOOL_INSTANTIATE_RESULT(T, R)                                                                                              \
    template RunReport reduce<T, R>(const Operand<T>&, ReduceOperation, const ReduceConfig&, R&, SourceLocation);                    \
    template RunReport reduce_segments<T, R>(const Operand<T>&, const Segments&, ReduceOperation, const ReduceConfig&, std::span<R>, \
                                             SourceLocation);
#define CUPOOL_INSTANTIATE(T)       \
    CUPOOL_INSTANTIATE_RESULT(T, T) \
    template RunReport arg_reduce<T>(const Operand<T>&, ArgOperation, const ReduceConfig&, IndexedValue<T>&, SourceLocation);
#define CUPOOL_INSTANTIATE_WIDE(T) \
    CUPOOL_INSTANTIATE(T)          \
    CUPOOL_INSTANTIATE_RESULT(T, Wide<T>)
CUPOOL_INSTANTIATE_WIDE(std::int8_t)
CUPOOL_INSTANTIATE_WIDE(std::uint8_t)
CUPOOL_INSTANTIATE_WIDE(std::int16_t)
CUPOOL_INSTANTIATE_WIDE(std::uint16_t)
CUPOOL_INSTANTIATE_WIDE(std::int32_t)
CUPOOL_INSTANTIATE_WIDE(std::uint32_t)
CUPOOL_INSTANTIATE(std::int64_t)
CUPOOL_INSTANTIATE(std::uint64_t)
CUPOOL_INSTANTIATE_WIDE(Float16)
CUPOOL_INSTANTIATE_WIDE(BFloat16)
CUPOOL_INSTANTIATE_WIDE(float)
CUPOOL_INSTANTIATE(double)
#undef CUPOOL_INSTANTIATE_WIDE
#undef CUPOOL_INSTANTIATE
#undef CUPOOL_INSTANTIATE_RESULT

}  // namespace cupool
