#include <cupool/driver/peer_access.hpp>
#include <utility>

namespace cupool {

PeerAccess::PeerAccess(ContextView context, ContextView peer, SourceLocation where)
    : context_(context.share(where)), peer_(peer.share(where)), is_owner_(context.try_enable_peer_access(peer, where)) {}

PeerAccess::PeerAccess(PeerAccess&& other) noexcept
    : context_(std::move(other.context_)), peer_(std::move(other.peer_)), is_owner_(std::exchange(other.is_owner_, false)) {}

PeerAccess& PeerAccess::operator=(PeerAccess&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        peer_ = std::move(other.peer_);
        is_owner_ = std::exchange(other.is_owner_, false);
    }
    return *this;
}

void PeerAccess::release() noexcept {
    if (std::exchange(is_owner_, false)) detail::destroy_in<&EntryPoints::context_disable_peer_access>(context_.get(), peer_->handle());
}

}  // namespace cupool
