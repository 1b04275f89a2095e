#pragma once

#include <concepts>
#include <cstddef>
#include <cupool/driver/device_span.hpp>
#include <span>

namespace cupool {

/// An array that a job reads: in host memory (pageable or pinned) or on a device. The type of the span decides which.
template <class T>
class Operand {
public:
    Operand(std::span<const T> host) : host_(host) {}                           // NOLINT(google-explicit-constructor): a span is an operand
    Operand(DeviceSpan<const T> device) : device_(device), on_device_(true) {}  // NOLINT(google-explicit-constructor)
    Operand(DeviceSpan<T> device) : Operand(DeviceSpan<const T>(device)) {}     // NOLINT(google-explicit-constructor)

    /// Of mutable elements. A template, which a container does not match: it converts to the span of constants alone.
    template <class U>
    requires std::same_as<U, T> Operand(std::span<U> host) : host_(host) {}  // NOLINT(google-explicit-constructor)

    /// Whether the array lies in device memory.
    bool is_on_device() const { return on_device_; }
    /// The number of elements.
    std::size_t size() const { return on_device_ ? device_.size() : host_.size(); }

    /// \pre !is_on_device()
    std::span<const T> host() const { return host_; }
    /// \pre is_on_device()
    DeviceSpan<const T> device() const { return device_; }

    /// `count` elements from `offset` on. In host memory the range must be valid, as for std::span.
    /// \throws Error invalid_argument if the range exceeds an array on a device
    Operand subspan(std::size_t offset, std::size_t count, SourceLocation where = SourceLocation::current()) const {
        return on_device_ ? Operand(device_.subspan(offset, count, where)) : Operand(host_.subspan(offset, count));
    }

private:
    std::span<const T> host_;
    DeviceSpan<const T> device_;
    bool on_device_ = false;
};

/// An array that a job writes: in host memory (pageable or pinned) or on a device. The type of the span decides which.
template <class T>
class OutputOperand {
public:
    OutputOperand(std::span<T> host) : host_(host) {}                           // NOLINT(google-explicit-constructor): a span is an operand
    OutputOperand(DeviceSpan<T> device) : device_(device), on_device_(true) {}  // NOLINT(google-explicit-constructor)

    /// Whether the array lies in device memory.
    bool is_on_device() const { return on_device_; }
    /// The number of elements.
    std::size_t size() const { return on_device_ ? device_.size() : host_.size(); }

    /// \pre !is_on_device()
    std::span<T> host() const { return host_; }
    /// \pre is_on_device()
    DeviceSpan<T> device() const { return device_; }

    /// The same array, to be read.
    Operand<T> as_input() const { return on_device_ ? Operand<T>(device_) : Operand<T>(std::span<const T>(host_)); }

private:
    std::span<T> host_;
    DeviceSpan<T> device_;
    bool on_device_ = false;
};

}  // namespace cupool
