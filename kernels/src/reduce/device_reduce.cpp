#include "reduce/device_reduce.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <limits>

#include "reduce/device_kernels.hpp"
#include "reduce/host_chunks.hpp"
#include "reduce/instantiate.hpp"
#include "reduce/order.hpp"
#include "reduce/reduce_scratch.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

/// An operand whatever its elements are.
struct OperandBytes {
    template <class T>
    explicit OperandBytes(const Operand<T>& operand)
        : count(operand.size()),
          is_on_device(operand.is_on_device()),
          host(operand.is_on_device() ? std::span<const std::byte>() : std::as_bytes(operand.host())),
          device(operand.is_on_device() ? operand.device().pointer() : 0) {}

    std::uint64_t count;
    bool is_on_device;
    std::span<const std::byte> host;  ///< \pre !is_on_device
    abi::DevicePointer device;        ///< \pre is_on_device
};

/// Where a result goes, as kernels see it.
struct ResultPlace {
    abi::DevicePointer pointer;
    std::uint32_t bytes;
};

/// One reduction of a whole array on one device.
class WholeReduction {
public:
    WholeReduction(const ReduceArithmetic& arithmetic, const OperandBytes& input, const ReduceConfig& config)
        : arithmetic_(arithmetic),
          input_(input),
          context_(config.ctx),
          stream_(config.ctx.stream()),
          kernels_(config.ctx.resource<ReduceKernels>()),
          kernel_(kernels_->get(arithmetic, "whole")),
          tile_elements_(reduce_tile_elements(input.count, arithmetic.element_bytes)),
          tiles_(reduce_tiles(input.count, arithmetic.element_bytes)),
          workspace_(config.workspace) {}

    /// The result in host memory, when the work is done.
    void run(std::span<std::byte> result) {
        const auto scratch = context_.resource<ReduceScratches>()->take();
        const abi::DevicePointer counter = scratch->workspace().pointer();
        if (workspace_.empty()) workspace_ = scratch->workspace();
        try {
            enqueue({scratch->readback_on_device(), static_cast<std::uint32_t>(result.size())}, counter);
            stream_.synchronize();
        } catch (...) {
            const SynchronizeOnExit wait_for_work(stream_);  // which uses the scratch
            throw;
        }
        std::memcpy(result.data(), scratch->readback(), result.size());
    }

    /// Gives the stream all work. Waits for it where the operand is in host memory.
    void run_async(const ResultPlace& result) {
        if (workspace_.empty()) {
            own_workspace_ = DeviceBuffer<std::byte>(reduce_counter_bytes + tiles_ * arithmetic_.accumulator_bytes, context_);
            workspace_ = own_workspace_.span();
            device_bytes_ += own_workspace_.size();
        }
        const DeviceSpan<std::uint32_t> counter(workspace_.pointer(), 1, context_.device());
        fill_async(counter, 0u, stream_);
        enqueue(result, counter.pointer());
    }

    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t device_bytes() const { return device_bytes_; }

private:
    void enqueue(const ResultPlace& result, abi::DevicePointer counter) {
        if (input_.is_on_device) return launch(input_.device, input_.count, 0, blocks_for(tiles_), result, counter);
        const std::uint64_t tile_bytes = tile_elements_ * arithmetic_.element_bytes;
        const unsigned blocks = blocks_for(std::min(tiles_, host_chunk_tiles(tile_bytes)));
        device_bytes_ += host_chunk_bytes(input_.host.size(), tile_bytes);
        bytes_ += input_.host.size();
        for_each_host_chunk(input_.host, tile_bytes, context_, [&](DeviceSpan<std::byte> chunk, std::uint64_t first_tile) {
            const std::uint64_t count = chunk.size() / arithmetic_.element_bytes;
            const bool is_last = first_tile * tile_elements_ + count == input_.count;
            launch(chunk.pointer(), count, first_tile, blocks, result, is_last ? counter : 0);
        });
    }

    unsigned blocks_for(std::uint64_t tiles) const {
        return static_cast<unsigned>(std::min<std::uint64_t>(tiles, kernel_.resident_blocks));
    }

    /// Reduces tiles, and with a counter the values of all.
    /// \param blocks  the same for all launches of a reduction
    void launch(abi::DevicePointer input, std::uint64_t count, std::uint64_t first_tile, unsigned blocks, ResultPlace result,
                abi::DevicePointer counter) {
        const std::uint64_t tiles = (count - 1) / tile_elements_ + 1;
        std::uint64_t last_tile = first_tile + tiles;
        abi::DevicePointer values = workspace_.pointer() + reduce_counter_bytes;
        void* parameters[] = {&input,  &count,   &tile_elements_, &first_tile,   &last_tile,
                              &values, &counter, &result.pointer, &result.bytes, &arithmetic_.flip};
        kernel_.launch_raw({.grid = blocks, .block = reduce_lanes}, stream_, parameters);
    }

    ReduceArithmetic arithmetic_;
    OperandBytes input_;
    DeviceContext context_;
    StreamView stream_;
    std::shared_ptr<ReduceKernels> kernels_;
    ReduceKernel kernel_;
    std::uint64_t tile_elements_;
    std::uint64_t tiles_;
    DeviceSpan<std::byte> workspace_;
    DeviceBuffer<std::byte> own_workspace_;
    std::uint64_t bytes_ = 0;
    std::uint64_t device_bytes_ = 0;
};

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
    return report_of(reduction, config.ctx, sizeof(R), [&] { reduction.run(std::as_writable_bytes(std::span(&result, 1))); });
}

template <class T, class R>
RunReport reduce_on_device(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, DeviceSpan<R> result) {
    WholeReduction reduction(reduce_arithmetic<T, R>(operation, config.compensated), OperandBytes(input), config);
    return report_of(reduction, config.ctx, 0, [&] {
        reduction.run_async({result.pointer(), sizeof(R)});
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
    RunReport report = report_of(reduction, config.ctx, sizeof found, [&] { reduction.run(std::as_writable_bytes(std::span(&found, 1))); });
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
