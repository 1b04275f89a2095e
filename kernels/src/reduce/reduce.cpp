#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/kernels/reduce.hpp>
#include <ostream>
#include <string>

#include "reduce/checks.hpp"
#include "reduce/device_reduce.hpp"
#include "reduce/host_reduce.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/order.hpp"
#include "reduce/reports.hpp"

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
void check(const char* job, const Operand<T>& input, const ReduceConfig& config) {
    detail::require_operand(job, "input", input, config.ctx);
    detail::require_workspace(job, config, reduce_workspace_bytes<T>(input.size()));
    detail::require_apart(job, "workspace", config.workspace, "input", input);
}

/// Of nothing.
template <class R>
R identity_of(ReduceOperation operation) {
    if constexpr (detail::is_float_element<R>) {
        return R{};
    } else {
        return static_cast<R>(operation == ReduceOperation::product ? 1 : 0);
    }
}

}  // namespace

template <ReduceElement T>
std::size_t reduce_workspace_bytes(std::size_t count) {
    return detail::reduce_counter_bytes + detail::reduce_tiles(count, sizeof(T)) * detail::reduce_accumulator_bytes;
}

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, R& result,
                                             SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        detail::require_operation<T>("reduce", operation);
        if (input.size() == 0 && !detail::has_identity(operation)) detail::throw_nothing("reduce", to_string(operation), "nothing");
        check("reduce", input, config);
        if (input.size() == 0) {
            result = identity_of<R>(operation);
            return detail::report_of_nothing(config.ctx);
        }
        if (!config.ctx.is_host()) return detail::reduce_on_device(input, operation, config, result);
        return detail::report_on_host("reduce", input.size(), [&] {
            result = detail::reduce_on_host<T, R>(input.host(), operation, config.compensated, {.threads = config.ctx.host_threads()});
        });
    });
}

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config,
                                             DeviceSpan<R> result, SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        detail::require_operation<T>("reduce", operation);
        if (config.ctx.is_host())
            throw Error(ErrorCategory::unsupported, "reduce: a result on a device needs a context of that device, not the host");
        if (result.size() != 1) {
            throw Error(ErrorCategory::invalid_argument,
                        "reduce: the result is a span of " + std::to_string(result.size()) + " elements; it must have one");
        }
        detail::require_place("reduce", "result", result, config.ctx);
        if (input.size() == 0 && !detail::has_identity(operation)) detail::throw_nothing("reduce", to_string(operation), "nothing");
        check("reduce", input, config);
        detail::require_apart("reduce", "result", result, "input", input);
        detail::require_apart("reduce", "result", result, "workspace", config.workspace);
        if (input.size() != 0) return detail::reduce_on_device(input, operation, config, result);
        fill_bytes_async(result, 0, config.ctx.stream());
        const DeviceSpan<std::uint8_t> first_byte(result.pointer(), 1, result.device());
        if (operation == ReduceOperation::product) fill_bytes_async(first_byte, 1, config.ctx.stream());
        if (!config.is_async) config.ctx.stream().synchronize();
        return detail::report_of_nothing(config.ctx);
    });
}

template <ReduceElement T>
RunReport arg_reduce(const Operand<T>& input, ArgOperation operation, const ReduceConfig& config, IndexedValue<T>& result,
                     SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        detail::require_enumerator(operation, ArgOperation::max, "ArgOperation");
        if (input.size() == 0) detail::throw_nothing("arg_reduce", to_string(operation), "nothing");
        check("arg_reduce", input, config);
        if (!config.ctx.is_host()) return detail::arg_reduce_on_device(input, operation, config, result);
        return detail::report_on_host("arg_reduce", input.size(), [&] {
            result = detail::arg_reduce_on_host<T>(input.host(), operation, {.threads = config.ctx.host_threads()});
        });
    });
}

#define CUPOOL_INSTANTIATE_RESULT(T, R)                                                                           \
    template RunReport reduce<T, R>(const Operand<T>&, ReduceOperation, const ReduceConfig&, R&, SourceLocation); \
    template RunReport reduce<T, R>(const Operand<T>&, ReduceOperation, const ReduceConfig&, DeviceSpan<R>, SourceLocation);
#define CUPOOL_INSTANTIATE_TYPE(T)                               \
    template std::size_t reduce_workspace_bytes<T>(std::size_t); \
    template RunReport arg_reduce<T>(const Operand<T>&, ArgOperation, const ReduceConfig&, IndexedValue<T>&, SourceLocation);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE_RESULT)
CUPOOL_FOR_EACH_REDUCE_ELEMENT(CUPOOL_INSTANTIATE_TYPE)
#undef CUPOOL_INSTANTIATE_RESULT
#undef CUPOOL_INSTANTIATE_TYPE

}  // namespace cupool
