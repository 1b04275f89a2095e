#pragma once

#include <cupool/driver/context.hpp>
#include <memory>

namespace cupool {

/// How the multiprocessors of a device can be partitioned.
struct MultiprocessorShare {
    unsigned count;      ///< the number of multiprocessors of the device
    unsigned smallest;   ///< the smallest partition
    unsigned alignment;  ///< the sizes of partitions are multiples of it
};

/// How the multiprocessors of a device can be partitioned. \throws Error unsupported before CUDA
/// 12.4
MultiprocessorShare multiprocessor_share(const Device& device, SourceLocation where = SourceLocation::current());

/// A context that is limited to some multiprocessors of a device. They are exclusive only if all
/// other work is limited to others. Move-only. Its streams must be non-blocking, which is the
/// default. From CUDA 12.5. Its resources belong to the primary context of the device.
class GreenContext {
public:
    /// \param multiprocessors  the least number; the driver rounds up
    /// \throws Error unsupported if the driver or the device has no green contexts,
    /// invalid_argument if there are not enough multiprocessors
    GreenContext(const Device& device, unsigned multiprocessors, SourceLocation where = SourceLocation::current());

    GreenContext(GreenContext&&) noexcept = default;
    GreenContext& operator=(GreenContext&&) noexcept = default;

    /// A non-owning view.
    ContextView view() const noexcept { return state_.get(); }
    operator ContextView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor): owners stand for their views

    /// The number of its multiprocessors.
    unsigned multiprocessor_count(SourceLocation where = SourceLocation::current()) const;

private:
    detail::Shared<const detail::ContextState> state_;
};

}  // namespace cupool
