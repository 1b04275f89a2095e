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
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

constexpr std::uint64_t warp_lanes = 32;
/// Lanes of a tile that each lane of a warp takes the place of.
constexpr std::uint32_t tile_turns = reduce_lanes / warp_lanes;
/// Segments of more than a vector for each lane of a warp are left to warps if there are this many times as many as blocks at once.
constexpr std::uint64_t many_waves = 3;
/// Of a grid.
constexpr std::uint64_t max_blocks = (std::uint64_t{1} << 31) - 1;

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

    /// \param elements  of the input
    void enqueue(abi::DevicePointer input, std::uint64_t elements, const DeviceSegments& segments, abi::DevicePointer results,
                 std::uint32_t result_bytes) {
        const ShortShape shape = short_shape(segments);
        const bool has_short = segments.length <= shape.most;
        if (has_short) launch_short(input, segments, shape, results, result_bytes);
        if (segments.longest > shape.most || !has_short)
            launch_long(input, elements, segments, has_short ? shape.most + 1 : 0, results, result_bytes);
    }

    std::uint64_t device_bytes() const { return workspace_.size(); }

private:
    /// How lanes of a warp reduce segments.
    struct ShortShape {
        std::uint32_t width;  ///< lanes of a segment
        std::uint32_t turns;  ///< in which they take its elements
        std::uint64_t most;   ///< elements of the longest segment that they take
    };

    ShortShape short_shape(const DeviceSegments& segments) {
        const std::uint64_t vector = reduce_vector_elements(arithmetic_.element_bytes);
        const std::uint64_t vectors = (segments.length + vector - 1) / vector;
        // Where lengths vary, most are below twice the average.
        const std::uint64_t wanted_lanes = segments.offsets == 0 ? vectors : 2 * vectors;
        // A block reduces a tile sooner than a warp does, but takes more of the device for it.
        if (wanted_lanes > warp_lanes && segments.count >= many_waves * kernels_->get(arithmetic_, "short_segments").resident_blocks) {
            const std::uint64_t turns = std::bit_ceil((wanted_lanes - 1) / warp_lanes + 1);
            if (turns >= tile_turns) return {warp_lanes, tile_turns, reduce_min_rows * reduce_row_elements(arithmetic_.element_bytes)};
            return {warp_lanes, static_cast<std::uint32_t>(turns), turns * warp_lanes * vector};
        }
        const auto width = static_cast<std::uint32_t>(std::bit_ceil(std::clamp<std::uint64_t>(wanted_lanes, 1, warp_lanes)));
        return {width, 1, width * vector};
    }

    void launch_short(abi::DevicePointer input, DeviceSegments segments, ShortShape shape, abi::DevicePointer results,
                      std::uint32_t result_bytes) {
        const ReduceKernel kernel = kernels_->get(arithmetic_, "short_segments");
        const std::uint64_t wanted = (segments.count - 1) / (reduce_lanes / shape.width) + 1;
        const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(wanted, kernel.resident_blocks));
        void* parameters[] = {&input,       &segments.offsets, &segments.length, &segments.count, &shape.most,
                              &shape.width, &shape.turns,      &results,         &result_bytes,   &arithmetic_.flip};
        kernel.launch_raw({.grid = blocks, .block = reduce_lanes}, context_.stream(), parameters);
    }

    void launch_long(abi::DevicePointer input, std::uint64_t elements, DeviceSegments segments, std::uint64_t least,
                     abi::DevicePointer results, std::uint32_t result_bytes) {
        const ReduceKernel kernel = kernels_->get(arithmetic_, "long_segments");
        const std::uint64_t tiles = reduce_tiles(segments.longest, arithmetic_.element_bytes);
        std::uint32_t parts = 1;
        while (parts < tiles && !fills(kernel, segments.count * parts)) parts *= 2;
        abi::DevicePointer counters = 0;
        abi::DevicePointer values = 0;
        if (tiles > 1) {
            const std::uint64_t counter_bytes = parts == 1 ? 0 : (segments.count * sizeof(std::uint32_t) + 15) / 16 * 16;
            const std::uint64_t slots = reduce_segment_value_slots(elements, arithmetic_.element_bytes);
            workspace_ = DeviceBuffer<std::byte>(counter_bytes + slots * arithmetic_.accumulator_bytes, context_);
            counters = workspace_.span().pointer();
            values = counters + counter_bytes;
            fill_bytes_async(workspace_.span().subspan(0, counter_bytes), 0, context_.stream());
        }
        for (std::uint64_t first = 0; first < segments.count; first += max_blocks) {  // equal segments are never so many
            const auto blocks = static_cast<unsigned>(std::min(segments.count - first, max_blocks));
            void* parameters[] = {&input,    &segments.offsets, &segments.length, &least,           &values,
                                  &counters, &results,          &result_bytes,    &arithmetic_.flip};
            kernel.launch_raw({.grid = {blocks, parts}, .block = reduce_lanes}, context_.stream(), parameters);
            segments.offsets += blocks * sizeof(std::uint64_t);
            results += blocks * std::uint64_t{result_bytes};
            counters += parts == 1 ? 0 : blocks * sizeof(std::uint32_t);
        }
    }

    /// Whether so many blocks of equal work keep the device busy to their end.
    static bool fills(const ReduceKernel& kernel, std::uint64_t blocks) {
        const std::uint64_t waves = (blocks - 1) / kernel.resident_blocks + 1;
        return 8 * blocks >= 7 * waves * kernel.resident_blocks;
    }

    ReduceArithmetic arithmetic_;
    DeviceContext context_;
    std::shared_ptr<ReduceKernels> kernels_;
    DeviceBuffer<std::byte> workspace_;  ///< counters of finished blocks, then values of tiles
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
    reduction.enqueue(elements.span().pointer(), input.size(), there, results.pointer(), sizeof(R));
    const std::uint64_t copied = elements.copied_bytes() + offsets.copied_bytes();
    if (!config.is_async || copied != 0) stream.synchronize();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::gpu,
            .devices = {config.ctx.device()},
            .milliseconds = elapsed.count(),
            .bytes = copied,
            .device_bytes = copied + reduction.device_bytes()};
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
