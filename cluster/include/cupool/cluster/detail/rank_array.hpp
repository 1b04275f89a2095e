#pragma once

#include <cstddef>
#include <cupool/driver/device_span.hpp>
#include <cupool/kernels/operand.hpp>
#include <span>

namespace cupool::detail {

/// An array that ranks send or receive, whatever its elements are.
struct RankArray {
    std::byte* host = nullptr;
    abi::DevicePointer device = 0;
    std::size_t bytes = 0;
    int ordinal = no_ordinal;      ///< of the device; no_ordinal in host memory
    std::size_t element_size = 1;  ///< bytes

    /// An array that is only read, although `host` would allow to write it.
    template <class T>
    static RankArray of(const Operand<T>& array) {
        if (array.is_on_device()) return on_device(array.device());
        return on_host(std::span<T>(const_cast<T*>(array.host().data()), array.host().size()));
    }
    template <class T>
    static RankArray of(const OutputOperand<T>& array) {
        return array.is_on_device() ? on_device(DeviceSpan<const T>(array.device())) : on_host(array.host());
    }

private:
    template <class T>
    static RankArray on_device(const DeviceSpan<const T>& span) {
        return {nullptr, span.pointer(), span.size_bytes(), span.device(), sizeof(T)};
    }
    template <class T>
    static RankArray on_host(std::span<T> span) {
        return {std::as_writable_bytes(span).data(), 0, span.size_bytes(), no_ordinal, sizeof(T)};
    }
};

}  // namespace cupool::detail
