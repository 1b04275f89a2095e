#pragma once

#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/pool/device_pool.hpp>
#include <span>
#include <string>

namespace cupool::tools {

/// Where the operands of a benchmark lie when its clock starts.
enum class OperandMemory { host, pinned, device };

/// The memory of that name for a pool. \param option  that asked for it, as "--memory"  \pre the name is "host", "pinned" or "device"
/// \throws UsageError where the pool has none: pinned memory belongs to a GPU, device memory to just one
OperandMemory operand_memory(const std::string& option, const std::string& name, const DevicePool& pool);

/// An array laid into a kind of memory.
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
    /// In host memory, also where the benchmark reads the device's.
    std::span<const T> host() const { return host_; }
    /// \pre is_on_device()
    DeviceSpan<const T> device() const { return device_.span(); }

private:
    std::span<const T> host_;
    OperandMemory memory_;
    PinnedBuffer<T> pinned_;
    DeviceBuffer<T> device_;
};

}  // namespace cupool::tools
