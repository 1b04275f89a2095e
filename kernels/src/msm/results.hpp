#pragma once

#include <cupool/driver/device_span.hpp>
#include <cupool/kernels/curve.hpp>
#include <span>

namespace cupool::detail {

/// The destination of the results of MSMs: memory of the host or of a device.
template <Curve C>
class MsmResults {
public:
    MsmResults(std::span<JacobianPoint<C>> host) : host_(host) {}                           // NOLINT(google-explicit-constructor)
    MsmResults(DeviceSpan<JacobianPoint<C>> device) : device_(device), on_device_(true) {}  // NOLINT(google-explicit-constructor)

    bool is_on_device() const { return on_device_; }
    std::size_t size() const { return on_device_ ? device_.size() : host_.size(); }

    /// \pre !is_on_device()
    std::span<JacobianPoint<C>> host() const { return host_; }
    /// \pre is_on_device()
    DeviceSpan<JacobianPoint<C>> device() const { return device_; }

    /// `count` results from `offset` on.
    MsmResults subspan(std::size_t offset, std::size_t count) const {
        return on_device_ ? MsmResults(device_.subspan(offset, count)) : MsmResults(host_.subspan(offset, count));
    }

private:
    std::span<JacobianPoint<C>> host_;
    DeviceSpan<JacobianPoint<C>> device_;
    bool on_device_ = false;
};

}  // namespace cupool::detail
