#pragma once

#include <cupool/driver/context.hpp>
#include <memory>

namespace cupool {

/// The access of one context to the plain allocations of another, as long as the object lives.
/// Move-only. Keeps both contexts alive.
///
/// The driver does not count owners. If the access already existed, the destructor leaves it
/// enabled, and the object loses it when the code that enabled it disables it. A program with
/// several owners keeps the one with is_owner() alive the longest, or calls keep(). Memory of pools also needs
/// MemoryPoolView::allow_access(); copies work without access, through host memory.
class PeerAccess {
public:
    /// Lets `context` access the memory of `peer`, but not the reverse.
    /// \throws Error unsupported if there is no path between the devices, or both are the same
    PeerAccess(ContextView context, ContextView peer, SourceLocation where = SourceLocation::current());
    ~PeerAccess() { release(); }
    PeerAccess(PeerAccess&& other) noexcept;
    PeerAccess& operator=(PeerAccess&& other) noexcept;

    /// The context to which it belongs.
    ContextView context() const noexcept { return context_.get(); }
    /// The context whose memory it can access.
    ContextView peer() const noexcept { return peer_.get(); }
    /// Whether this object enabled the access and will disable it.
    bool is_owner() const noexcept { return is_owner_; }
    /// Makes the access permanent.
    void keep() noexcept { is_owner_ = false; }

private:
    void release() noexcept;

    detail::Shared<const detail::ContextState> context_;
    detail::Shared<const detail::ContextState> peer_;
    bool is_owner_ = false;
};

}  // namespace cupool
