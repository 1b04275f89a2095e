#pragma once

#include <cstddef>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/reduce.hpp>
#include <memory>
#include <span>

#include "reduce/device_kernels.hpp"
#include "reduce/reduce_scratch.hpp"

namespace cupool::detail {

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

/// One reduction of a whole array on one device. A thread can start several on several devices before it waits for the first.
class WholeReduction {
public:
    /// \pre the operand is not empty
    WholeReduction(const ReduceArithmetic& arithmetic, const OperandBytes& input, const ReduceConfig& config);
    /// Waits for the stream if a result is under way, because the work uses memory of the context.
    ~WholeReduction();
    WholeReduction(const WholeReduction&) = delete;
    WholeReduction& operator=(const WholeReduction&) = delete;

    /// Queues all work, with the result in memory that the context keeps. Waits for the stream where the operand is in host memory.
    void start(std::size_t result_bytes);
    /// Waits for the work, and copies the result. \pre started with as many bytes
    void finish(std::span<std::byte> result);
    /// Queues all work, with the result in device memory. Waits for the stream where the operand is in host memory.
    void run_async(abi::DevicePointer result, std::size_t result_bytes);

    /// The bytes copied from the host, and of device memory that the call took.
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t device_bytes() const { return device_bytes_; }

private:
    /// Where a result goes, as kernels see it.
    struct ResultPlace {
        abi::DevicePointer pointer;
        std::uint32_t bytes;
    };

    void enqueue(const ResultPlace& result, abi::DevicePointer counter);
    void launch(abi::DevicePointer input, std::uint64_t count, std::uint64_t first_tile, unsigned blocks, ResultPlace result,
                abi::DevicePointer counter);
    unsigned blocks_for(std::uint64_t tiles) const;

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
    std::shared_ptr<ReduceScratch> scratch_;  ///< while a result is under way
    std::uint64_t bytes_ = 0;
    std::uint64_t device_bytes_ = 0;
};

}  // namespace cupool::detail
