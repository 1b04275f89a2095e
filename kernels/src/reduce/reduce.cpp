#include <chrono>
#include <cupool/driver/caller.hpp>
#include <cupool/kernels/reduce.hpp>
#include <new>
#include <ostream>
#include <string>

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

template <class T>
void validate(const Operand<T>& input, ReduceOperation operation, const DeviceContext& context) {
    detail::require_enumerator(operation, ReduceOperation::max, "ReduceOperation");
    if (operation == ReduceOperation::product) throw Error(ErrorCategory::unsupported, "reduce: there is no product yet");
    if (input.is_on_device() && context.is_host()) {
        throw Error(ErrorCategory::invalid_argument,
                    "reduce: the input is on device " + std::to_string(input.device().device()) + ", but the context is the host");
    }
    if (input.size() == 0) {
        if (operation == ReduceOperation::sum) return;
        throw Error(ErrorCategory::invalid_argument, "reduce: nothing has no " + to_string(operation) + "; give at least one element");
    }
    if (input.is_on_device() && input.device().device() != context.device()) {
        throw Error(ErrorCategory::wrong_context, "reduce: the input is on device " + std::to_string(input.device().device()) +
                                                      ", but the context is device " + std::to_string(context.device()));
    }
}

template <class T>
RunReport run_on_host(std::span<const T> input, ReduceOperation operation, const DeviceContext& context, T& result) {
    const auto start = std::chrono::steady_clock::now();
    try {
        result = detail::reduce_on_host<T>(input, operation, context.host_threads());
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory,
                    "reduce: the host has not enough memory for " + std::to_string(input.size()) + " elements");
    }
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
}

}  // namespace

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, R& result,
                                             SourceLocation where) {
    const DeviceContext& context = config.ctx;
    return detail::report_at(where, [&]() -> RunReport {
        validate(input, operation, context);
        if (input.size() != 0) {
            return context.is_host() ? run_on_host(input.host(), operation, context, result)
                                     : detail::reduce_on_device(input, operation, context, result);
        }
        result = T{};
        if (context.is_host()) return {};
        return {.engine = Engine::gpu, .devices = {context.device()}, .milliseconds = 0, .bytes = 0};
    });
}

#define CUPOOL_INSTANTIATE(T) template RunReport reduce<T, T>(const Operand<T>&, ReduceOperation, const ReduceConfig&, T&, SourceLocation);
CUPOOL_INSTANTIATE(std::int32_t)
CUPOOL_INSTANTIATE(std::uint32_t)
CUPOOL_INSTANTIATE(std::int64_t)
CUPOOL_INSTANTIATE(std::uint64_t)
CUPOOL_INSTANTIATE(float)
CUPOOL_INSTANTIATE(double)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
