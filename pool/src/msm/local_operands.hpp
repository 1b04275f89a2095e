#pragma once

#include <cstddef>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <set>
#include <vector>

#include "pool_state.hpp"

namespace cupool::detail {

/// Which elements of an array a part of a job reads: rows of equal size at equal distances.
struct StridedRange {
    std::size_t first = 0;  ///< the first element of the first row
    std::size_t row_count = 0;
    std::size_t row_size = 0;
    std::size_t stride = 0;  ///< from the first element of a row to that of the next

    bool is_contiguous() const { return row_count <= 1 || stride == row_size; }
    /// The number of elements from the first one of the first row to the last one of the last.
    std::size_t extent() const { return row_count == 0 || row_size == 0 ? 0 : (row_count - 1) * stride + row_size; }
};

/// A strided range of an array in memory that the reading device can use: host memory or its own.
template <class T>
struct StridedOperand {
    Operand<T> elements;  ///< from the first one of the first row to the last one of the last
    StridedRange range;   ///< in `elements`

    Operand<T> row(std::size_t number) const { return elements.subspan(number * range.stride, range.row_size); }
};

/// Makes the operands of one part of a job readable on its device. Memory of another device is copied into buffers of the part's device.
/// The copies run on the default stream of the part's device, after earlier work of the owner's default stream.
class LocalOperands {
public:
    /// \param context  of the member
    LocalOperands(PoolState& pool, std::size_t member, const DeviceContext& context) : pool_(pool), member_(member), context_(context) {}

    /// \param range  in the whole array; of a sliced array it is the member's slice
    template <class T>
    StridedOperand<T> local(const PoolOperand<T>& operand, const StridedRange& range) {
        if (range.extent() == 0) return {std::span<const T>(), {0, range.row_count, 0, 0}};
        if (operand.is_on_host()) return {operand.host().subspan(range.first, range.extent()), at_front(range, range.stride)};
        if (operand.is_sliced()) return {slice_here(operand), at_front(range, range.stride)};
        const DeviceSpan<const T> wanted = operand.device().subspan(range.first, range.extent());
        if (wanted.device() == context_.device()) return {wanted, at_front(range, range.stride)};
        const std::size_t size = range.row_count * range.row_size;
        const abi::DevicePointer here = copy_from(wanted.device(), wanted.pointer(), in_bytes(range, sizeof(T)));
        return {DeviceSpan<const T>(here, size, context_.device()), at_front(range, range.row_size)};
    }

    /// The bytes copied from other devices. The buffers take as much memory.
    std::uint64_t bytes() const { return bytes_; }

    /// Waits for the copies. To be called after a failure: the caller's memory must not be in use then.
    void wait() noexcept;

private:
    static StridedRange at_front(const StridedRange& range, std::size_t stride) { return {0, range.row_count, range.row_size, stride}; }
    static StridedRange in_bytes(const StridedRange& range, std::size_t size) {
        return {0, range.row_count, range.row_size * size, range.stride * size};
    }

    template <class T>
    DeviceSpan<const T> slice_here(const PoolOperand<T>& operand) const {
        for (const DeviceSpan<const T>& slice : operand.slices()) {
            if (slice.device() == context_.device() && !slice.empty()) return slice;
        }
        return {};
    }

    abi::DevicePointer copy_from(int owner, abi::DevicePointer there, const StridedRange& bytes);

    PoolState& pool_;
    std::size_t member_;
    const DeviceContext& context_;
    std::vector<DeviceBuffer<std::byte>> buffers_;
    std::set<std::size_t> owners_;
    std::uint64_t bytes_ = 0;
};

}  // namespace cupool::detail
