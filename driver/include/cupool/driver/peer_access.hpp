#pragma once

#include <cupool/driver/context.hpp>
#include <memory>

namespace cupool {

/// One context's access to another's plain allocations, for as long as this lives. Move-only. Keeps both contexts alive.
///
/// The driver does not count: where the access was there already, made by whomever, this leaves it there when it goes, and loses it when
/// the one who made it takes it back. A program that shares peers with others keeps its owner (is_owner()) alive the longest, or calls
/// keep(). Memory of pools needs MemoryPoolView::allow_access() besides; copies work without access, through the host's memory.
class PeerAccess {
public:
    /// Lets `context` reach the memory of `peer`, not the other way.
    /// \throws Error unsupported where there is no path between the devices, or both are the same
    PeerAccess(ContextView context, ContextView peer, SourceLocation where = SourceLocation::current());
    ~PeerAccess() { release(); }
    PeerAccess(PeerAccess&& other) noexcept;
    PeerAccess& operator=(PeerAccess&& other) noexcept;

    /// The context that it is in.
    ContextView context() const noexcept { return context_.get(); }
    /// Whose memory it reaches.
    ContextView peer() const noexcept { return peer_.get(); }
    /// Whether this made the access, and will take it away.
    bool is_owner() const noexcept { return is_owner_; }
    /// Leaves the access there for good.
    void keep() noexcept { is_owner_ = false; }

private:
    void release() noexcept;

    detail::Shared<const detail::ContextState> context_;
    detail::Shared<const detail::ContextState> peer_;
    bool is_owner_ = false;
};

}  // namespace cupool
