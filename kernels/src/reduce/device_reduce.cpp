#include "reduce/device_reduce.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "reduce/device_kernels.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/order.hpp"
#include "reduce/whole_reduction.hpp"

namespace cupool::detail {

namespace {

/// Runs a reduction by `run` and reports it.
template <class Run>
RunReport report_of(WholeReduction& reduction, const DeviceContext& context, std::uint64_t result_bytes, const Run& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::gpu,
            .devices = {context.device()},
            .milliseconds = elapsed.count(),
            .bytes = reduction.bytes() + result_bytes,
            .device_bytes = reduction.device_bytes()};
}

/// The element that a kernel's key stands for: see accumulation.cuh.
template <class T>
T element_of_key(std::uint64_t key, std::uint64_t flip) {
    using Bits = std::conditional_t<
        sizeof(T) == 1, std::uint8_t,
        std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    Bits bits = static_cast<Bits>(key ^ flip);
    if constexpr (is_float_element<T>) {
        if (key == 0) {
            if constexpr (sizeof(T) == 2) {
                return T(std::numeric_limits<float>::quiet_NaN());
            } else {
                return std::numeric_limits<T>::quiet_NaN();
            }
        }
        bits = static_cast<Bits>((bits & sign_bit<T>) != 0 ? bits ^ sign_bit<T> : ~bits);
    }
    return std::bit_cast<T>(bits);
}

}  // namespace

template <class T, class R>
RunReport reduce_on_device(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, R& result) {
    WholeReduction reduction(reduce_arithmetic<T, R>(operation, config.compensated), OperandBytes(input), config);
    return report_of(reduction, config.ctx, sizeof(R), [&] {
        reduction.start(sizeof result);
        reduction.finish(std::as_writable_bytes(std::span(&result, 1)));
    });
}

template <class T, class R>
RunReport reduce_on_device(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, DeviceSpan<R> result) {
    WholeReduction reduction(reduce_arithmetic<T, R>(operation, config.compensated), OperandBytes(input), config);
    return report_of(reduction, config.ctx, 0, [&] {
        reduction.run_async(result.pointer(), sizeof(R));
        if (!config.is_async) config.ctx.stream().synchronize();
    });
}

template <class T, class R>
void sum_tiles_on_device(DeviceSpan<const T> part, std::uint64_t tile_elements, const DeviceContext& context,
                         DeviceSpan<Accumulator<T, R>> values) {
    const auto kernels = context.resource<ReduceKernels>();
    ReduceArithmetic arithmetic = reduce_arithmetic<T, R>(ReduceOperation::sum, false);
    abi::DevicePointer input = part.pointer();
    abi::DevicePointer output = values.pointer();
    std::uint64_t count = part.size();
    std::uint64_t first_tile = 0;
    std::uint64_t tiles = values.size();
    abi::DevicePointer none = 0;
    std::uint32_t result_bytes = 0;
    void* parameters[] = {&input, &count, &tile_elements, &first_tile, &tiles, &output, &none, &none, &result_bytes, &arithmetic.flip};
    const ReduceKernel kernel = kernels->get(arithmetic, "whole");
    const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(tiles, kernel.resident_blocks));
    kernel.launch_raw({.grid = blocks, .block = reduce_lanes}, context.stream(), parameters);
}

template <class T>
RunReport arg_reduce_on_device(const Operand<T>& input, ArgOperation operation, const ReduceConfig& config, IndexedValue<T>& result) {
    struct Found {
        std::uint64_t key;
        std::uint64_t index;
    } found{};
    const ReduceArithmetic arithmetic = arg_reduce_arithmetic<T>(operation);
    WholeReduction reduction(arithmetic, OperandBytes(input), config);
    RunReport report = report_of(reduction, config.ctx, sizeof found, [&] {
        reduction.start(sizeof found);
        reduction.finish(std::as_writable_bytes(std::span(&found, 1)));
    });
    result = {element_of_key<T>(found.key, arithmetic.flip), found.index};
    return report;
}

#define CUPOOL_INSTANTIATE_RESULT(T, R)                                                                     \
    template RunReport reduce_on_device<T, R>(const Operand<T>&, ReduceOperation, const ReduceConfig&, R&); \
    template RunReport reduce_on_device<T, R>(const Operand<T>&, ReduceOperation, const ReduceConfig&, DeviceSpan<R>);
#define CUPOOL_INSTANTIATE_TYPE(T) \
    template RunReport arg_reduce_on_device<T>(const Operand<T>&, ArgOperation, const ReduceConfig&, IndexedValue<T>&);
#define CUPOOL_INSTANTIATE_SUM(T, R) \
    template void sum_tiles_on_device<T, R>(DeviceSpan<const T>, std::uint64_t, const DeviceContext&, DeviceSpan<Accumulator<T, R>>);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE_RESULT)
CUPOOL_INSTANTIATE_SUM(Float16, Float16)
CUPOOL_INSTANTIATE_SUM(Float16, float)
CUPOOL_INSTANTIATE_SUM(BFloat16, BFloat16)
CUPOOL_INSTANTIATE_SUM(BFloat16, float)
CUPOOL_INSTANTIATE_SUM(float, float)
CUPOOL_INSTANTIATE_SUM(float, double)
CUPOOL_INSTANTIATE_SUM(double, double)
#undef CUPOOL_INSTANTIATE_SUM
CUPOOL_FOR_EACH_REDUCE_ELEMENT(CUPOOL_INSTANTIATE_TYPE)
#undef CUPOOL_INSTANTIATE_RESULT
#undef CUPOOL_INSTANTIATE_TYPE

}  // namespace cupool::detail
