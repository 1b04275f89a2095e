#include "reduce/device_segments.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <optional>

#include "reduce/device_kernels.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/operand_on_device.hpp"
#include "reduce/order.hpp"
#include "synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

constexpr std::uint64_t warp_lanes = 32;
/// Vectors of a row that each lane of a warp takes.
constexpr std::uint32_t row_turns = reduce_lanes / warp_lanes;

/// Segments on the device, however they are told.
struct DeviceSegments {
    abi::DevicePointer offsets;  ///< 0: segments are equal
    std::uint64_t length;        ///< of equal segments; else what they have on average, rounded up
    std::uint64_t longest;
    std::uint64_t count;
};

/// One launch for segments that lanes of a warp can take, one for longer ones, where there are such.
class SegmentedReduction {
public:
    SegmentedReduction(const ReduceArithmetic& arithmetic, const DeviceContext& context)
        : arithmetic_(arithmetic), context_(context), kernels_(context.resource<ReduceKernels>()) {}

    void enqueue(abi::DevicePointer input, const DeviceSegments& segments, abi::DevicePointer results, std::uint32_t result_bytes) {
        const std::uint64_t vector = reduce_vector_elements(arithmetic_.element_bytes);
        const std::uint64_t vectors = (segments.length + vector - 1) / vector;
        // Where lengths vary, most are below twice the average.
        const std::uint64_t wanted_lanes = segments.offsets == 0 ? vectors : 2 * vectors;
        const auto width = static_cast<std::uint32_t>(std::bit_ceil(std::clamp<std::uint64_t>(wanted_lanes, 1, warp_lanes)));
        const std::uint32_t turns = wanted_lanes > warp_lanes ? row_turns : 1;
        const std::uint64_t most = width * vector * turns;
        const bool has_short = segments.length <= most;
        if (has_short) launch_short(input, segments, width, turns, results, result_bytes);
        if (segments.longest > most || !has_short) launch_long(input, segments, has_short ? most + 1 : 0, results, result_bytes);
    }

private:
    void launch_short(abi::DevicePointer input, DeviceSegments segments, std::uint32_t width, std::uint32_t turns,
                      abi::DevicePointer results, std::uint32_t result_bytes) {
        void* parameters[] = {&input, &segments.offsets, &segments.length, &segments.count,  &width,
                              &turns, &results,          &result_bytes,    &arithmetic_.flip};
        launch("short_segments", blocks_for(segments.count, reduce_lanes / width), parameters);
    }

    void launch_long(abi::DevicePointer input, DeviceSegments segments, std::uint64_t least, abi::DevicePointer results,
                     std::uint32_t result_bytes) {
        void* parameters[] = {&input, &segments.offsets, &segments.length, &segments.count,
                              &least, &results,          &result_bytes,    &arithmetic_.flip};
        launch("long_segments", blocks_for(segments.count, 1), parameters);
    }

    unsigned blocks_for(std::uint64_t segments, std::uint64_t segments_a_block) const {
        return static_cast<unsigned>(std::min<std::uint64_t>((segments - 1) / segments_a_block + 1, kernels_->resident_blocks()));
    }

    void launch(const char* shape, unsigned blocks, void** parameters) {
        kernels_->get(arithmetic_, shape).launch_raw({.grid = blocks, .block = reduce_lanes}, context_.stream(), parameters);
    }

    ReduceArithmetic arithmetic_;
    DeviceContext context_;
    std::shared_ptr<ReduceKernels> kernels_;
};

}  // namespace

template <class T, class R>
RunReport reduce_segments_on_device(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                    const ReduceConfig& config, std::uint64_t longest, DeviceSpan<R> results) {
    const auto start = std::chrono::steady_clock::now();
    const StreamView stream = config.ctx.stream();
    std::optional<SynchronizeOnExit> wait_for_copies;
    if (!input.is_on_device() || (!segments.is_equal() && !segments.offsets().is_on_device())) wait_for_copies.emplace(stream);
    const OperandOnDevice<T> elements(input, config.ctx);
    const OperandOnDevice<std::uint64_t> offsets(segments.offsets(), config.ctx);
    const DeviceSegments there{segments.is_equal() ? 0 : offsets.span().pointer(),
                               segments.is_equal() ? segments.length() : (input.size() + segments.count() - 1) / segments.count(), longest,
                               segments.count()};
    SegmentedReduction reduction(reduce_arithmetic<T, R>(operation, config.compensated), config.ctx);
    reduction.enqueue(elements.span().pointer(), there, results.pointer(), sizeof(R));
    const std::uint64_t copied = elements.copied_bytes() + offsets.copied_bytes();
    if (!config.is_async || copied != 0) stream.synchronize();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {
        .engine = Engine::gpu, .devices = {config.ctx.device()}, .milliseconds = elapsed.count(), .bytes = copied, .device_bytes = copied};
}

template <class T, class R>
RunReport reduce_segments_on_device(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                    const ReduceConfig& config, std::uint64_t longest, std::span<R> results) {
    const auto start = std::chrono::steady_clock::now();
    DeviceBuffer<R> there(results.size(), config.ctx);
    RunReport report = reduce_segments_on_device<T, R>(input, segments, operation, config, longest, there.span());
    copy(results, there.span(), config.ctx.stream());
    report.bytes += there.size_bytes();
    report.device_bytes += there.size_bytes();
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

#define CUPOOL_INSTANTIATE(T, R)                                                                                                 \
    template RunReport reduce_segments_on_device<T, R>(const Operand<T>&, const Segments&, ReduceOperation, const ReduceConfig&, \
                                                       std::uint64_t, DeviceSpan<R>);                                            \
    template RunReport reduce_segments_on_device<T, R>(const Operand<T>&, const Segments&, ReduceOperation, const ReduceConfig&, \
                                                       std::uint64_t, std::span<R>);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
