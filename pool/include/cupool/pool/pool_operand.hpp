#pragma once

#include <concepts>
#include <cstddef>
#include <cupool/driver/device_span.hpp>
#include <numeric>
#include <ranges>
#include <span>
#include <variant>
#include <vector>

namespace cupool {

/// An array that a pool's job reads: in host memory (from a span or a vector), in the memory of one device (from a DeviceSpan or a
/// DeviceBuffer), or in slices, one on each of several devices, which form the array in the given order (from a vector or a span of those).
///
/// It is a view: the memory must live until the job has ended. The list of slices is copied. Earlier work of a device's default stream may
/// still write the operand there: the job waits for that stream.
template <class T>
class PoolOperand {
    template <class Range>
    using Element = std::ranges::range_reference_t<const Range&>;

public:
    /// No elements.
    PoolOperand() = default;

    /// Host memory.
    template <class Host>
    requires std::convertible_to<const Host&, std::span<const T>> PoolOperand(
        const Host& host)  // NOLINT(google-explicit-constructor): a span is an operand, as Operand has it
        : array_(std::span<const T>(host)) {}

    /// Memory of one device.
    template <class OnDevice>
    requires std::convertible_to<const OnDevice&, DeviceSpan<const T>> PoolOperand(
        const OnDevice& device)  // NOLINT(google-explicit-constructor)
        : array_(DeviceSpan<const T>(device)) {}

    /// Slices, at most one with elements on each device.
    template <class Slices>
    requires std::ranges::input_range<const Slices&> && std::convertible_to<Element<Slices>, DeviceSpan<const T>> PoolOperand(
        const Slices& slices) {  // NOLINT(google-explicit-constructor)
        auto& copies = array_.template emplace<std::vector<DeviceSpan<const T>>>();
        for (const DeviceSpan<const T> slice : slices) copies.push_back(slice);
    }

    /// Whether it lives in host memory.
    bool is_on_host() const noexcept { return std::holds_alternative<std::span<const T>>(array_); }
    /// Whether it lives in slices.
    bool is_sliced() const noexcept { return std::holds_alternative<std::vector<DeviceSpan<const T>>>(array_); }
    /// In elements, of all slices together.
    std::size_t size() const noexcept {
        if (is_on_host()) return host().size();
        if (!is_sliced()) return device().size();
        return std::accumulate(slices().begin(), slices().end(), std::size_t{0},
                               [](std::size_t sum, const DeviceSpan<const T>& slice) { return sum + slice.size(); });
    }

    /// \pre is_on_host()
    std::span<const T> host() const noexcept { return *std::get_if<std::span<const T>>(&array_); }
    /// \pre neither is_on_host() nor is_sliced()
    DeviceSpan<const T> device() const noexcept { return *std::get_if<DeviceSpan<const T>>(&array_); }
    /// \pre is_sliced()
    std::span<const DeviceSpan<const T>> slices() const noexcept { return *std::get_if<std::vector<DeviceSpan<const T>>>(&array_); }

private:
    std::variant<std::span<const T>, DeviceSpan<const T>, std::vector<DeviceSpan<const T>>> array_;
};

}  // namespace cupool
