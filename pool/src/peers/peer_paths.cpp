#include "peers/peer_paths.hpp"

#include <algorithm>
#include <cupool/driver/detail/call.hpp>
#include <cupool/driver/device.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/peer_access.hpp>
#include <cupool/driver/pointer_info.hpp>
#include <utility>

#include "peers/peer_canary.hpp"

namespace cupool::detail {

namespace {

/// Gives a device access to another's memory pool; the destructor restores the previous access unless it is kept.
class PoolAccess {
public:
    PoolAccess(const DeviceContext& owner, const DeviceContext& user) : pool_(owner.memory_pool()), user_(user.device()) {
        if (!pool_) return;
        before_ = pool_.access(user_);
        pool_.allow_access(user_);
    }
    ~PoolAccess() {
        if (!pool_ || is_kept_) return;
        try {
            pool_.allow_access(user_, before_);
        } catch (...) {
            log_current_exception();
        }
    }
    PoolAccess(const PoolAccess&) = delete;
    PoolAccess& operator=(const PoolAccess&) = delete;

    void keep() noexcept { is_kept_ = true; }

private:
    MemoryPoolView pool_;
    int user_;
    abi::MemoryAccess before_ = abi::MemoryAccess::none;
    bool is_kept_ = false;
};

/// Gives two contexts access to each other's plain and pooled memory; the destructor revokes it unless it is kept.
class MutualAccess {
public:
    MutualAccess(const DeviceContext& first, const DeviceContext& second)
        : forth_(first.context(), second.context()),
          back_(second.context(), first.context()),
          to_second_(second, first),
          to_first_(first, second) {}

    void keep() noexcept {
        forth_.keep();
        back_.keep();
        to_second_.keep();
        to_first_.keep();
    }

private:
    PeerAccess forth_;
    PeerAccess back_;
    PoolAccess to_second_;
    PoolAccess to_first_;
};

std::string pair_text(int device, int peer) { return "devices " + std::to_string(device) + " and " + std::to_string(peer); }

/// The properties of the link; nullopt if the driver cannot report them.
std::optional<Device::PeerLink> link_between(const Device& device, const Device& peer) {
    if (device.driver()->api().device_get_peer_attribute == nullptr) return std::nullopt;
    return device.peer_link(peer);
}

}  // namespace

bool is_open_to_peers(abi::DevicePointer pointer, const DeviceContext& context) {
    const abi::MemoryPool pool = pointer_info(context.context(), pointer).pool;
    return pool == nullptr || pool == context.memory_pool().handle();
}

PeerPaths::PeerPaths(std::vector<int> ordinals, ContextAt context_at, PeerOptions options)
    : ordinals_(std::move(ordinals)), context_at_(std::move(context_at)), options_(options) {
    for (std::size_t i = 0; i < ordinals_.size() * ordinals_.size(); ++i) pairs_.push_back(std::make_unique<Pair>());
}

PeerPath PeerPaths::path(std::size_t first, std::size_t second) {
    Pair& pair = pair_of(first, second);
    const std::lock_guard lock(pair.mutex);
    if (!pair.path) pair.path = opened(std::min(first, second), std::max(first, second));
    PeerPath path = *pair.path;
    path.device = ordinals_[first];
    path.peer = ordinals_[second];
    return path;
}

void PeerPaths::copy_async(std::size_t to, abi::DevicePointer to_pointer, std::size_t from, abi::DevicePointer from_pointer,
                           std::size_t bytes, StreamView stream, const SourceLocation& where) {
    if (path(from, to).route == PeerRoute::staged) return staged(from, to).copy_async(to_pointer, from_pointer, bytes, stream);
    const abi::Context to_context = context_at_(to).context().handle();
    const abi::Context from_context = context_at_(from).context().handle();
    call_in<&EntryPoints::copy_peer_async>(stream.context(), where, to_pointer, to_context, from_pointer, from_context, bytes,
                                           stream.handle());
}

void PeerPaths::await_staged(std::size_t from, std::size_t to) noexcept {
    Pair& pair = pair_of(from, to);
    const std::lock_guard lock(pair.mutex);
    if (const auto& way = pair.staged[from < to ? 0 : 1]) way->wait();
}

PeerPaths::Pair& PeerPaths::pair_of(std::size_t first, std::size_t second) {
    return *pairs_[std::min(first, second) * ordinals_.size() + std::max(first, second)];
}

StagedCopy& PeerPaths::staged(std::size_t from, std::size_t to) {
    Pair& pair = pair_of(from, to);
    const std::lock_guard lock(pair.mutex);
    std::unique_ptr<StagedCopy>& way = pair.staged[from < to ? 0 : 1];
    if (way == nullptr) {
        way = std::make_unique<StagedCopy>(context_at_(from), context_at_(to), options_.chunk_bytes, options_.chunks);
    }
    return *way;
}

PeerPath PeerPaths::opened(std::size_t first, std::size_t second) const {
    PeerPath path;
    if (first == second) return path;
    const DeviceContext& one = context_at_(first);
    const DeviceContext& other = context_at_(second);
    path.link = link_between(one.context().device(), other.context().device());
    path.why = why_not_direct(one, other);
    path.route = path.why.empty() ? PeerRoute::direct : PeerRoute::staged;
    return path;
}

/// Gives both access to each other, permanently if the canary arrives. \return why the path cannot be used; nullopt if it can
std::string PeerPaths::why_not_direct(const DeviceContext& one, const DeviceContext& other) const {
    if (!options_.allows_direct) return "direct ways are not allowed";
    const Device& device = one.context().device();
    const Device& peer = other.context().device();
    if (!device.can_access_peer(peer) || !peer.can_access_peer(device)) return "there is no path between the devices";
    MutualAccess access(one, other);
    if (!arrives(one, other) || !arrives(other, one)) {
        const std::string why = "what one device wrote to the other's memory did not arrive";
        log(LogLevel::warning, "pool: " + pair_text(one.device(), other.device()) + " have a path, but " + why +
                                   ": copies between them go through the host's memory");
        return why;
    }
    access.keep();
    return {};
}

}  // namespace cupool::detail
