#include <algorithm>
#include <array>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/managed_buffer.hpp>
#include <cupool/driver/peer_access.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <map>
#include <mutex>
#include <ostream>
#include <utility>
#include <variant>

#include "peer_canary.hpp"
#include "pool_state.hpp"
#include "staged_copy.hpp"
#include "synchronize_on_exit.hpp"

namespace cupool {

namespace {

/// Two devices in the order of their indices in the pool, and what has been found out about them.
struct Pair {
    std::mutex mutex;
    std::optional<PeerPath> path;
    /// From the first to the second, and back; made when first needed.
    std::array<std::unique_ptr<detail::StagedCopy>, 2> staged;
};

/// A device's access to what is allocated from another's pool; afterwards it is what it was before, unless it is to be kept.
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
            detail::log_current_exception();
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

/// Lets two contexts reach each other's plain and pooled memory; takes back what it gave, unless told to keep it.
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

/// What the driver says of the link, where it can say.
std::optional<Device::PeerLink> link_between(const Device& device, const Device& peer) {
    if (device.driver()->api().device_get_peer_attribute == nullptr) return std::nullopt;
    return device.peer_link(peer);
}

}  // namespace

class PeerManager::State {
public:
    State(const DevicePool& own_pool, PeerOptions own_options) : pool(own_pool), options(own_options) {
        const std::size_t count = pool.device_count();
        for (std::size_t i = 0; i < count * count; ++i) pairs_.push_back(std::make_unique<Pair>());
    }

    PeerPath path(std::size_t first, std::size_t second) {
        Pair& pair = pair_of(first, second);
        const std::lock_guard lock(pair.mutex);
        if (!pair.path) pair.path = opened(std::min(first, second), std::max(first, second));
        PeerPath path = *pair.path;
        path.device = pool.device_at(first);
        path.peer = pool.device_at(second);
        return path;
    }

    detail::StagedCopy& staged(std::size_t from, std::size_t to) {
        Pair& pair = pair_of(from, to);
        const std::lock_guard lock(pair.mutex);
        std::unique_ptr<detail::StagedCopy>& way = pair.staged[from < to ? 0 : 1];
        if (way == nullptr) {
            way = std::make_unique<detail::StagedCopy>(pool.context_at(from), pool.context_at(to), options.chunk_bytes, options.chunks);
        }
        return *way;
    }

    DevicePool pool;
    PeerOptions options;

    std::mutex buffers_mutex;
    std::map<std::string, std::variant<DeviceBuffer<std::byte>, ManagedBuffer<std::byte>>> buffers;

private:
    Pair& pair_of(std::size_t first, std::size_t second) {
        return *pairs_[std::min(first, second) * pool.device_count() + std::max(first, second)];
    }

    PeerPath opened(std::size_t first, std::size_t second) const {
        PeerPath path;
        if (first == second) return path;
        const DeviceContext& one = pool.context_at(first);
        const DeviceContext& other = pool.context_at(second);
        path.link = link_between(one.context().device(), other.context().device());
        path.why = why_not_direct(one, other);
        path.route = path.why.empty() ? PeerRoute::direct : PeerRoute::staged;
        return path;
    }

    /// Gives both access to each other, for good where the canary arrives. \return why that is no way; else nothing
    std::string why_not_direct(const DeviceContext& one, const DeviceContext& other) const {
        if (!options.allows_direct) return "direct ways are not allowed";
        const Device& device = one.context().device();
        const Device& peer = other.context().device();
        if (!device.can_access_peer(peer) || !peer.can_access_peer(device)) return "there is no path between the devices";
        MutualAccess access(one, other);
        if (!detail::arrives(one, other) || !detail::arrives(other, one)) {
            const std::string why = "what one device wrote to the other's memory did not arrive";
            detail::log(LogLevel::warning, "pool: " + pair_text(one.device(), other.device()) + " have a path, but " + why +
                                               ": copies between them go through the host's memory");
            return why;
        }
        access.keep();
        return {};
    }

    /// A square, of which the half above the diagonal is used, and the diagonal.
    std::vector<std::unique_ptr<Pair>> pairs_;
};

PeerManager::PeerManager(const DevicePool& pool, PeerOptions options) {
    if (pool.is_host()) throw Error(ErrorCategory::unsupported, "a pool of the host has no devices to copy between");
    if (options.chunk_bytes == 0 || options.chunks == 0) {
        throw Error(ErrorCategory::invalid_argument, "staged copies need at least one chunk of at least one byte");
    }
    state_ = std::make_shared<State>(pool, options);
}

const DevicePool& PeerManager::pool() const { return state_->pool; }

void PeerManager::guard(const std::function<void()>& function) const { pool().state_->guard(function); }

PeerPath PeerManager::path(int device, int peer) const {
    PeerPath path;
    guard([&] { path = state_->path(pool().index_of(device), pool().index_of(peer)); });
    return path;
}

std::vector<PeerPath> PeerManager::paths() const {
    std::vector<PeerPath> all;
    for (const int device : pool().devices()) {
        for (const int peer : pool().devices()) {
            if (device != peer) all.push_back(path(device, peer));
        }
    }
    return all;
}

void PeerManager::copy_bytes(Place to, Place from, std::size_t bytes, StreamView stream, const SourceLocation& where) const {
    const std::size_t source = pool().index_of(from.device);
    const std::size_t target = pool().index_of(to.device);
    if (stream.ordinal() != from.device && stream.ordinal() != to.device) {
        detail::throw_wrong_device("a span", to.device, "a stream", stream.ordinal(), where);
    }
    guard([&] {
        if (state_->path(source, target).route == PeerRoute::staged) {
            return state_->staged(source, target).copy_async(to.pointer, from.pointer, bytes, stream);
        }
        const abi::Context to_context = pool().context_at(target).context().handle();
        const abi::Context from_context = pool().context_at(source).context().handle();
        detail::call_in<&EntryPoints::copy_peer_async>(stream.context(), where, to.pointer, to_context, from.pointer, from_context, bytes,
                                                       stream.handle());
    });
}

void PeerManager::await(int from, int to, StreamView stream, const SourceLocation& where) const {
    const auto wait = [&] {
        try {
            stream.synchronize(where);
        } catch (...) {
            const detail::SynchronizeOnExit again(stream);
            const std::size_t source = pool().index_of(from);
            const std::size_t target = pool().index_of(to);
            if (state_->path(source, target).route == PeerRoute::staged) state_->staged(source, target).wait();
            throw;
        }
    };
    guard(std::ref(wait));  // by reference, for which a std::function needs no memory: the copy is under way and must be awaited
}

void PeerManager::create_named(const std::string& name, std::size_t bytes, int home, const SourceLocation& where) const {
    const std::size_t index = pool().index_of(home);
    guard([&] {
        const std::lock_guard lock(state_->buffers_mutex);
        if (state_->buffers.count(name) != 0) {
            throw Error(ErrorCategory::invalid_argument, "there is a buffer named \"" + name + "\" already", where);
        }
        const auto& devices = pool().devices();
        const bool is_reached_by_all = std::all_of(devices.begin(), devices.end(), [&](int device) {
            return state_->path(index, pool().index_of(device)).route != PeerRoute::staged;
        });
        const DeviceContext& context = pool().context_at(index);
        if (is_reached_by_all) {
            state_->buffers.emplace(name, DeviceBuffer<std::byte>(bytes, context.with_memory_pool({}), where));
        } else {
            state_->buffers.emplace(name, ManagedBuffer<std::byte>(bytes, context.context(), where));
        }
    });
}

PeerManager::Named PeerManager::named(const std::string& name, std::size_t element_bytes, int device, const SourceLocation& where) const {
    pool().index_of(device);
    const std::lock_guard lock(state_->buffers_mutex);
    const auto found = state_->buffers.find(name);
    if (found == state_->buffers.end()) throw Error(ErrorCategory::invalid_argument, "there is no buffer named \"" + name + '"', where);
    Named buffer{};
    if (auto* const plain = std::get_if<DeviceBuffer<std::byte>>(&found->second)) {
        buffer = {plain->span().pointer(), plain->size()};
    } else {
        auto& managed = std::get<ManagedBuffer<std::byte>>(found->second);
        buffer = {managed.device_span(device).pointer(), managed.size()};
    }
    if (buffer.bytes % element_bytes != 0) {
        throw Error(ErrorCategory::invalid_argument,
                    "the buffer named \"" + name + "\" has " + std::to_string(buffer.bytes) + " bytes, which are no whole elements of " +
                        std::to_string(element_bytes),
                    where);
    }
    return buffer;
}

void PeerManager::remove_buffer(const std::string& name, SourceLocation where) const {
    const std::lock_guard lock(state_->buffers_mutex);
    if (state_->buffers.erase(name) == 0) throw Error(ErrorCategory::invalid_argument, "there is no buffer named \"" + name + '"', where);
}

std::string_view to_string(PeerRoute route) noexcept {
    switch (route) {
        case PeerRoute::local: return "local";
        case PeerRoute::direct: return "direct";
        case PeerRoute::staged: return "staged";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, PeerRoute route) { return out << to_string(route); }

std::string to_string(const PeerManager& peers) {
    std::string text;
    for (const PeerPath& path : peers.paths()) {
        text += std::to_string(path.device) + " -> " + std::to_string(path.peer) + ": " + std::string(to_string(path.route));
        if (path.link) {
            text += ", rank " + std::to_string(path.link->performance_rank) + (path.link->native_atomics ? ", native atomics" : "");
        }
        text += (path.why.empty() ? "" : " (" + path.why + ")") + '\n';
    }
    return text;
}

std::ostream& operator<<(std::ostream& out, const PeerManager& peers) { return out << to_string(peers); }

}  // namespace cupool
