#pragma once

#include <cstddef>
#include <cupool/driver/detail/call.hpp>
#include <cupool/driver/error.hpp>
#include <string>
#include <type_traits>

namespace cupool {

/// A non-owning view of an array in device memory: like std::span, but it knows its device and
/// cannot be read from the host.
template <class T>
class DeviceSpan {
    static_assert(std::is_trivially_copyable_v<T>, "device memory holds bytes: T must be trivially copyable");

public:
    /// The element type without const.
    using value_type = std::remove_const_t<T>;

    DeviceSpan() = default;
    DeviceSpan(abi::DevicePointer pointer, std::size_t size, int device) noexcept : pointer_(pointer), size_(size), device_(device) {}

    operator DeviceSpan<const T>() const noexcept  // NOLINT(google-explicit-constructor): like std::span
        requires(!std::is_const_v<T>) {
        return {pointer_, size_, device_};
    }

    /// The device address of the first element.
    abi::DevicePointer pointer() const noexcept { return pointer_; }
    /// The number of elements.
    std::size_t size() const noexcept { return size_; }
    /// The number of bytes.
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    /// Whether the number of elements is 0.
    bool empty() const noexcept { return size_ == 0; }
    /// The ordinal of the device that holds the memory; -1 for a default-constructed span.
    int device() const noexcept { return device_; }

    /// `count` elements from `offset` on. \throws Error invalid_argument if they reach past the end
    DeviceSpan subspan(std::size_t offset, std::size_t count, SourceLocation where = SourceLocation::current()) const {
        if (offset > size_ || count > size_ - offset) {
            throw Error(ErrorCategory::invalid_argument,
                        "elements " + std::to_string(offset) + " and on, " + std::to_string(count) + " of them, reach past the span's " +
                            std::to_string(size_),
                        where);
        }
        return {pointer_ + offset * sizeof(T), count, device_};
    }

private:
    abi::DevicePointer pointer_ = 0;
    std::size_t size_ = 0;
    int device_ = detail::no_ordinal;
};

}  // namespace cupool
