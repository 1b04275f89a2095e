#pragma once

#include <concepts>
#include <cstddef>
#include <cupool/driver/device_span.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <ranges>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace cupool {

/// An array that a pool's job writes: in host memory (from a span or a vector), in the memory of one device (from a DeviceSpan or a
/// DeviceBuffer), or in slices, one on each of several devices, which form the array in the given order (from a vector or a span of those).
///
/// It is a view: the memory must live until the job has ended. The list of slices is copied.
template <class T>
class PoolOutputOperand {
public:
    /// No elements.
    PoolOutputOperand() = default;

    /// Host memory.
    template <class Host>
    requires std::convertible_to<Host, std::span<T>> PoolOutputOperand(
        Host&& host)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload): a span is an operand, as Operand has it
        : array_(std::span<T>(std::forward<Host>(host))) {}

    /// Memory of one device.
    template <class OnDevice>
    requires std::convertible_to<OnDevice, DeviceSpan<T>> PoolOutputOperand(
        OnDevice&& device)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
        : array_(DeviceSpan<T>(std::forward<OnDevice>(device))) {}

    /// Slices, at most one with elements on each device.
    template <class Slices>
    requires std::ranges::input_range<Slices> && std::convertible_to<std::ranges::range_reference_t<Slices>, DeviceSpan<T>>
    PoolOutputOperand(Slices&& slices) {  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
        auto& copies = array_.template emplace<std::vector<DeviceSpan<T>>>();
        for (auto&& slice : slices) copies.push_back(slice);
    }

    /// Whether it lives in host memory.
    bool is_on_host() const noexcept { return std::holds_alternative<std::span<T>>(array_); }
    /// Whether it lives in slices.
    bool is_sliced() const noexcept { return std::holds_alternative<std::vector<DeviceSpan<T>>>(array_); }
    /// In elements, of all slices together.
    std::size_t size() const noexcept { return as_input().size(); }

    /// \pre is_on_host()
    std::span<T> host() const noexcept { return *std::get_if<std::span<T>>(&array_); }
    /// \pre neither is_on_host() nor is_sliced()
    DeviceSpan<T> device() const noexcept { return *std::get_if<DeviceSpan<T>>(&array_); }
    /// \pre is_sliced()
    std::span<const DeviceSpan<T>> slices() const noexcept { return *std::get_if<std::vector<DeviceSpan<T>>>(&array_); }

    /// The same array, to be read.
    PoolOperand<T> as_input() const {
        if (is_on_host()) return host();
        return is_sliced() ? PoolOperand<T>(slices()) : PoolOperand<T>(device());
    }

private:
    std::variant<std::span<T>, DeviceSpan<T>, std::vector<DeviceSpan<T>>> array_;
};

}  // namespace cupool
