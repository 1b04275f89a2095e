#pragma once

#include <cupool/driver/context.hpp>
#include <memory>

namespace cupool {

/// How a device's multiprocessors can be shared out.
struct MultiprocessorShare {
    unsigned count;      ///< in all
    unsigned smallest;   ///< share there can be
    unsigned alignment;  ///< of which every share is a multiple
};

/// \throws Error unsupported before CUDA 12.4
MultiprocessorShare multiprocessor_share(const Device& device, SourceLocation where = SourceLocation::current());

/// A context with some of a device's multiprocessors for itself, as far as others keep to theirs. Move-only. Its streams must be
/// non-blocking ones, as they are by default. From CUDA 12.5. What it is made of belongs to the device's primary context.
class GreenContext {
public:
    /// \param multiprocessors  at least so many; the driver rounds up
    /// \throws Error unsupported where driver or device has no green contexts, invalid_argument where there are not as many
    GreenContext(const Device& device, unsigned multiprocessors, SourceLocation where = SourceLocation::current());

    GreenContext(GreenContext&&) noexcept = default;
    GreenContext& operator=(GreenContext&&) noexcept = default;

    /// What does not own it.
    ContextView view() const noexcept { return state_.get(); }
    operator ContextView() const noexcept { return view(); }  // NOLINT(google-explicit-constructor): owners stand for their views

    /// How many it has.
    unsigned multiprocessor_count(SourceLocation where = SourceLocation::current()) const;

private:
    detail::Shared<const detail::ContextState> state_;
};

}  // namespace cupool
