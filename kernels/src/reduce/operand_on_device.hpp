#pragma once

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/operand.hpp>

namespace cupool::detail {

/// An operand's copy on the device, or the operand itself where it lies there.
template <class T>
class OperandOnDevice {
public:
    OperandOnDevice(const Operand<T>& operand, const DeviceContext& context)
        : copy_(operand.is_on_device() ? 0 : operand.size(), context), span_(operand.is_on_device() ? operand.device() : copy_.span()) {
        if (!operand.is_on_device()) copy_async(copy_.span(), operand.host(), context.stream());
    }

    DeviceSpan<const T> span() const { return span_; }
    std::uint64_t copied_bytes() const { return copy_.size_bytes(); }

private:
    DeviceBuffer<T> copy_;
    DeviceSpan<const T> span_;
};

}  // namespace cupool::detail
