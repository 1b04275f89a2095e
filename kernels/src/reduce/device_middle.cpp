#include "reduce/device_middle.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <optional>

#include "reduce/busy_blocks.hpp"
#include "reduce/device_kernels.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/operand_on_device.hpp"
#include "reduce/order.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

/// What a launch reads: elements, or the values of an earlier launch.
struct MiddleInput {
    abi::DevicePointer pointer;
    MiddleShape shape;
    std::uint64_t tile_rows;
    unsigned element_bytes;
    const char* kernel;
};

/// What a launch writes: the values of columns for another launch, or results.
struct MiddleOutput {
    abi::DevicePointer values;
    abi::DevicePointer results;  ///< 0: values
    std::uint64_t shares;        ///< values of a column
};

/// One launch, or two where a result has several values.
class MiddleReduction {
public:
    MiddleReduction(const ReduceArithmetic& arithmetic, const MiddleShape& shape, const ReduceConfig& config)
        : arithmetic_(arithmetic),
          shape_(shape),
          context_(config.ctx),
          kernels_(config.ctx.resource<ReduceKernels>()),
          busy_blocks_(busy_blocks(config.ctx)),
          shares_(reduce_middle_shares(shape.middle, shape.outer * shape.inner)),
          workspace_(config.workspace) {}

    void enqueue(abi::DevicePointer input, abi::DevicePointer results, std::uint32_t result_bytes) {
        result_bytes_ = result_bytes;
        const MiddleInput elements{input, shape_, reduce_middle_tile_elements(shape_.middle), arithmetic_.element_bytes, "middle"};
        if (shares_ == 1) return launch(elements, {0, results, 1});
        if (workspace_.empty()) {
            own_workspace_ = DeviceBuffer<std::byte>(shape_.outer * shares_ * shape_.inner * arithmetic_.accumulator_bytes, context_);
            workspace_ = own_workspace_.span();
        }
        launch(elements, {workspace_.pointer(), 0, shares_});
        const MiddleInput values{
            workspace_.pointer(), {shape_.outer, shares_, shape_.inner}, shares_, arithmetic_.accumulator_bytes, "middle_values"};
        launch(values, {0, results, 1});
    }

    std::uint64_t device_bytes() const { return own_workspace_.size_bytes(); }

private:
    /// The widest load of neighbouring columns that all rows are aligned for, or one column.
    unsigned columns_of_thread(const MiddleInput& input) const {
        const unsigned most = std::min(reduce_vector_elements(input.element_bytes), 32 / arithmetic_.accumulator_bytes);
        const bool is_aligned = input.shape.inner % most == 0 && input.pointer % (most * input.element_bytes) == 0;
        return is_aligned ? most : 1;
    }

    void launch(MiddleInput input, MiddleOutput output) {
        constexpr std::uint64_t warp_lanes = 32;
        std::uint32_t columns = columns_of_thread(input);
        // The groups of columns of a row, in pieces of about equal width.
        const std::uint64_t groups = (input.shape.inner - 1) / columns + 1;
        const std::uint64_t wanted_pieces = (groups - 1) / warp_lanes + 1;
        auto width = static_cast<std::uint32_t>((groups - 1) / wanted_pieces + 1);
        const std::uint64_t pieces = (groups - 1) / width + 1;
        const std::uint64_t jobs = input.shape.outer * output.shares * pieces;
        // Few jobs go to blocks of their own, which more multiprocessors read.
        const std::uint64_t jobs_of_block = std::clamp<std::uint64_t>(jobs / busy_blocks_, 1, reduce_lanes / (reduce_middle_lanes * width));
        const auto threads = static_cast<unsigned>(jobs_of_block * reduce_middle_lanes * width);
        const std::uint64_t blocks = std::min<std::uint64_t>((jobs - 1) / jobs_of_block + 1, busy_blocks_);
        void* parameters[] = {
            &input.pointer, &input.shape.outer, &input.shape.middle, &input.shape.inner, &input.tile_rows, &output.shares,   &width,
            &columns,       &output.values,     &output.results,     &result_bytes_,     &shape_.middle,   &arithmetic_.flip};
        kernels_->get(arithmetic_, input.kernel)
            .launch_raw({.grid = static_cast<unsigned>(blocks), .block = threads}, context_.stream(), parameters);
    }

    ReduceArithmetic arithmetic_;
    MiddleShape shape_;
    DeviceContext context_;
    std::shared_ptr<ReduceKernels> kernels_;
    std::uint64_t busy_blocks_;
    std::uint64_t shares_;
    DeviceSpan<std::byte> workspace_;
    DeviceBuffer<std::byte> own_workspace_;
    std::uint32_t result_bytes_ = 0;
};

}  // namespace

template <class T, class R>
RunReport reduce_middle_on_device(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation, const ReduceConfig& config,
                                  DeviceSpan<R> results) {
    const auto start = std::chrono::steady_clock::now();
    const StreamView stream = config.ctx.stream();
    std::optional<SynchronizeOnExit> wait_for_copy;
    if (!input.is_on_device()) wait_for_copy.emplace(stream);
    const OperandOnDevice<T> elements(input, config.ctx);
    MiddleReduction reduction(reduce_arithmetic<T, R>(operation, config.compensated), shape, config);
    reduction.enqueue(elements.span().pointer(), results.pointer(), sizeof(R));
    const std::uint64_t copied = elements.copied_bytes();
    if (!config.is_async || copied != 0) stream.synchronize();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::gpu,
            .devices = {config.ctx.device()},
            .milliseconds = elapsed.count(),
            .bytes = copied,
            .device_bytes = copied + reduction.device_bytes()};
}

template <class T, class R>
RunReport reduce_middle_on_device(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation, const ReduceConfig& config,
                                  std::span<R> results) {
    const auto start = std::chrono::steady_clock::now();
    DeviceBuffer<R> there(results.size(), config.ctx);
    RunReport report = reduce_middle_on_device<T, R>(input, shape, operation, config, there.span());
    copy(results, there.span(), config.ctx.stream());
    report.bytes += there.size_bytes();
    report.device_bytes += there.size_bytes();
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

#define CUPOOL_INSTANTIATE(T, R)                                                                                                  \
    template RunReport reduce_middle_on_device<T, R>(const Operand<T>&, const MiddleShape&, ReduceOperation, const ReduceConfig&, \
                                                     DeviceSpan<R>);                                                              \
    template RunReport reduce_middle_on_device<T, R>(const Operand<T>&, const MiddleShape&, ReduceOperation, const ReduceConfig&, \
                                                     std::span<R>);
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
