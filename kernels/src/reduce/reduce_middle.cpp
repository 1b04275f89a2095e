#include <cupool/driver/detail/caller.hpp>
#include <cupool/kernels/reduce.hpp>
#include <string>

#include "reduce/checks.hpp"
#include "reduce/device_middle.hpp"
#include "reduce/device_reduce.hpp"
#include "reduce/host_reduce.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/order.hpp"
#include "reduce/reports.hpp"
#include "transfer/operand_checks.hpp"

namespace cupool {

namespace {

/// Whether a * b * c is n, which a product that overflows is not.
bool is_product(std::size_t n, std::size_t a, std::size_t b, std::size_t c) {
    std::size_t product = 0;
    if (a == 0 || b == 0 || c == 0) return n == 0;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_mul_overflow(product, c, &product) && product == n;
}

void require_shape(const MiddleShape& shape, std::size_t elements, std::size_t results, ReduceOperation operation) {
    const std::string dimensions = std::to_string(shape.outer) + " x " + std::to_string(shape.middle) + " x " + std::to_string(shape.inner);
    if (!is_product(elements, shape.outer, shape.middle, shape.inner))
        detail::refuse("reduce_middle", "the input has " + std::to_string(elements) + " elements, which are not " + dimensions);
    if (!is_product(results, shape.outer, 1, shape.inner))
        detail::refuse("reduce_middle", "there are " + std::to_string(results) + " results for the middle of " + dimensions);
    if (shape.middle == 0 && results != 0 && !detail::has_identity(operation))
        detail::throw_nothing("reduce_middle", to_string(operation), "an empty dimension");
}

template <class T>
void check(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation, const ReduceConfig& config, std::size_t results) {
    detail::require_operation<T>("reduce_middle", operation);
    detail::require_operand("reduce_middle", "input", input, config.ctx);
    require_shape(shape, input.size(), results, operation);
    detail::require_workspace("reduce_middle", config, reduce_middle_workspace_bytes(shape));
    detail::require_apart("reduce_middle", "workspace", config.workspace, "input", input);
}

}  // namespace

std::size_t reduce_middle_workspace_bytes(const MiddleShape& shape) {
    const std::uint64_t shares = detail::reduce_middle_shares(shape.middle, shape.outer * shape.inner);
    return shares == 1 ? 0 : shape.outer * shares * shape.inner * detail::reduce_accumulator_bytes;
}

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_middle(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation,
                                                    const ReduceConfig& config, std::span<R> results, SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        check(input, shape, operation, config, results.size());
        if (results.empty()) return detail::report_of_nothing(config.ctx);
        if (!config.ctx.is_host()) return detail::reduce_middle_on_device<T, R>(input, shape, operation, config, results);
        return detail::report_on_host("reduce_middle", input.size(), [&] {
            detail::reduce_middle_on_host<T, R>(input.host(), shape, operation, config.compensated, {.threads = config.ctx.host_threads()},
                                                results);
        });
    });
}

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_middle(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation,
                                                    const ReduceConfig& config, DeviceSpan<R> results, SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        if (config.ctx.is_host())
            throw Error(ErrorCategory::unsupported, "reduce_middle: results on a device need a context of that device, not the host");
        detail::require_place("reduce_middle", "array of results", results, config.ctx);
        check(input, shape, operation, config, results.size());
        detail::require_apart("reduce_middle", "array of results", results, "input", input);
        detail::require_apart("reduce_middle", "array of results", results, "workspace", config.workspace);
        if (results.empty()) return detail::report_of_nothing(config.ctx);
        return detail::reduce_middle_on_device<T, R>(input, shape, operation, config, results);
    });
}

#define CUPOOL_INSTANTIATE(T, R)                                                                                                       \
    template RunReport reduce_middle<T, R>(const Operand<T>&, const MiddleShape&, ReduceOperation, const ReduceConfig&, std::span<R>,  \
                                           SourceLocation);                                                                            \
    template RunReport reduce_middle<T, R>(const Operand<T>&, const MiddleShape&, ReduceOperation, const ReduceConfig&, DeviceSpan<R>, \
                                           SourceLocation);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
