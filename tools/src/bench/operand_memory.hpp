#pragma once

#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/pool/device_pool.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <span>
#include <string>

namespace cupool::tools {

/// Where the operands of a benchmark are when its clock starts.
enum class OperandMemory { host, pinned, device };

/// Parses the name of a kind of memory. \param option  the option that has the name, for errors:
/// "--memory" \pre the name is "host", "pinned" or "device"
/// \throws UsageError if the pool has no such memory: "pinned" needs a GPU, "device" exactly one
OperandMemory operand_memory(const std::string& option, const std::string& name, const DevicePool& pool);

/// An array in memory of the given kind.
template <class T>
class PlacedArray {
public:
    PlacedArray(std::span<const T> elements, OperandMemory memory, const DevicePool& pool) : host_(elements), memory_(memory) {
        if (memory == OperandMemory::pinned) {
            pinned_ = PinnedBuffer<T>(elements.size(), pool.context_at(0).context());
            std::copy(elements.begin(), elements.end(), pinned_.data());
            host_ = pinned_.span();
        } else if (memory == OperandMemory::device) {
            const auto& context = pool.context_at(0);
            device_ = DeviceBuffer<T>(elements.size(), context);
            copy(device_.span(), elements, context.stream());
        }
    }

    bool is_on_device() const { return memory_ == OperandMemory::device; }
    /// The elements in host memory, even if the benchmark reads device memory.
    std::span<const T> host() const { return host_; }
    /// \pre is_on_device()
    DeviceSpan<const T> device() const { return device_.span(); }
    /// Where it lies.
    PoolOperand<T> operand() const { return is_on_device() ? PoolOperand<T>(device()) : PoolOperand<T>(host()); }

private:
    std::span<const T> host_;
    OperandMemory memory_;
    PinnedBuffer<T> pinned_;
    DeviceBuffer<T> device_;
};

}  // namespace cupool::tools
