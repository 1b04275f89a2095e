#include <algorithm>
#include <cupool/driver/detail/caller.hpp>

#include "reduce/checks.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/order.hpp"

namespace cupool {

template <class T>
void combine_elements(DeviceSpan<T> target, DeviceSpan<const T> source, ReduceOperation operation, const DeviceContext& context,
                      SourceLocation where) {
    detail::report_at(where, [&] {
        if (context.is_host()) throw Error(ErrorCategory::unsupported, "combine_elements works on device memory; the context is the host");
        detail::require_operation<T>("combine_elements", operation);
        if (target.size() != source.size()) {
            throw Error(ErrorCategory::invalid_argument, "combine_elements: the target has " + std::to_string(target.size()) +
                                                             " elements, the source " + std::to_string(source.size()));
        }
        detail::require_place("combine_elements", "target", target, context);
        detail::require_place("combine_elements", "source", source, context);
        if (target.empty()) return;
        if (target.pointer() != source.pointer()) detail::require_apart("combine_elements", "target", target, "source", source);
        const auto kernels = context.resource<detail::ReduceKernels>();
        detail::ReduceArithmetic arithmetic = detail::reduce_arithmetic<T, T>(operation, false);
        abi::DevicePointer to = target.pointer();
        abi::DevicePointer from = source.pointer();
        std::uint64_t count = target.size();
        void* parameters[] = {&to, &from, &count, &arithmetic.flip};
        const detail::ReduceKernel kernel = kernels->get(arithmetic, "combine");
        const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>((count - 1) / detail::reduce_lanes + 1, kernel.resident_blocks));
        kernel.launch_raw({.grid = blocks, .block = detail::reduce_lanes}, context.stream(), parameters);
    });
}

#define CUPOOL_INSTANTIATE(T) \
    template void combine_elements<T>(DeviceSpan<T>, DeviceSpan<const T>, ReduceOperation, const DeviceContext&, SourceLocation);
CUPOOL_FOR_EACH_REDUCE_ELEMENT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
