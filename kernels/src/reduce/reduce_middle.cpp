#include <chrono>
#include <cupool/driver/caller.hpp>
#include <cupool/kernels/reduce.hpp>
#include <new>
#include <string>

#include "operand_checks.hpp"
#include "reduce/checks.hpp"
#include "reduce/host_reduce.hpp"
#include "reduce/instantiate.hpp"

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

}  // namespace

template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_middle(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation,
                                                    const ReduceConfig& config, std::span<R> results, SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        detail::require_operation<T>("reduce_middle", operation);
        detail::require_operand("reduce_middle", "input", input, config.ctx);
        require_shape(shape, input.size(), results.size(), operation);
        if (!config.ctx.is_host()) throw Error(ErrorCategory::unsupported, "reduce_middle: not on a device yet; use the host");
        const auto start = std::chrono::steady_clock::now();
        try {
            detail::reduce_middle_on_host<T, R>(input.host(), shape, operation, config.compensated, {.threads = config.ctx.host_threads()},
                                                results);
        } catch (const std::bad_alloc&) {
            throw Error(ErrorCategory::out_of_memory,
                        "reduce_middle: the host has not enough memory for " + std::to_string(input.size()) + " elements");
        }
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
        return {.engine = Engine::host, .devices = {}, .milliseconds = elapsed.count(), .bytes = 0};
    });
}

#define CUPOOL_INSTANTIATE(T, R)                                                                                                      \
    template RunReport reduce_middle<T, R>(const Operand<T>&, const MiddleShape&, ReduceOperation, const ReduceConfig&, std::span<R>, \
                                           SourceLocation);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
