#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/driver/managed_buffer.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <map>
#include <mutex>
#include <ostream>
#include <utility>
#include <variant>

#include "peers/peer_paths.hpp"
#include "pool_state.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool {

class PeerManager::State {
public:
    State(const DevicePool& own_pool, PeerOptions options)
        : pool(own_pool),
          paths(
              pool.devices(), [this](std::size_t index) -> const DeviceContext& { return pool.context_at(index); }, options) {}

    DevicePool pool;
    detail::PeerPaths paths;

    std::mutex buffers_mutex;
    std::map<std::string, std::variant<DeviceBuffer<std::byte>, ManagedBuffer<std::byte>>> buffers;
};

PeerManager::PeerManager(const DevicePool& pool, PeerOptions options, SourceLocation where) {
    if (pool.is_host(where)) throw Error(ErrorCategory::unsupported, "a pool of the host has no devices to copy between", where);
    if (options.chunk_bytes == 0 || options.chunks == 0) {
        throw Error(ErrorCategory::invalid_argument, "staged copies need at least one chunk of at least one byte", where);
    }
    state_ = detail::make_shared_unless_forked<State>(pool, options);
}

PeerManager::State& PeerManager::state(const SourceLocation& where) const {
    if (state_ == nullptr) detail::throw_moved_from("the peer manager", where);
    state_->pool.state(where);  // refuses in a forked child
    return *state_;
}

const DevicePool& PeerManager::pool(SourceLocation where) const { return state(where).pool; }

void PeerManager::guard(const std::function<void()>& function, const SourceLocation& where) const {
    detail::report_at(where, [&] { pool(where).state(where).guard(function); });
}

PeerPath PeerManager::path(int device, int peer, SourceLocation where) const {
    PeerPath path;
    guard([&] { path = state(where).paths.path(pool(where).index_of(device, where), pool(where).index_of(peer, where)); }, where);
    return path;
}

std::vector<PeerPath> PeerManager::paths(SourceLocation where) const {
    std::vector<PeerPath> all;
    for (const int device : pool(where).devices(where)) {
        for (const int peer : pool(where).devices(where)) {
            if (device != peer) all.push_back(path(device, peer, where));
        }
    }
    return all;
}

void PeerManager::copy_bytes(Place to, Place from, std::size_t bytes, StreamView stream, const SourceLocation& where) const {
    const std::size_t source = pool(where).index_of(from.device, where);
    const std::size_t target = pool(where).index_of(to.device, where);
    if (stream.ordinal() != from.device && stream.ordinal() != to.device) {
        detail::throw_wrong_device("a span", to.device, "a stream", stream.ordinal(), where);
    }
    guard([&] { state(where).paths.copy_async(target, to.pointer, source, from.pointer, bytes, stream, where); }, where);
    pool(where).state(where).count_copy(source, target, bytes);
}

void PeerManager::await(int from, int to, StreamView stream, const SourceLocation& where) const {
    const auto wait = [&] {
        try {
            stream.synchronize(where);
        } catch (...) {
            const detail::SynchronizeOnExit again(stream);
            state(where).paths.await_staged(pool(where).index_of(from, where), pool(where).index_of(to, where));
            throw;
        }
    };
    guard(std::ref(wait), where);  // by reference, for which a std::function needs no memory: the copy is under way and must be awaited
}

void PeerManager::create_named(const std::string& name, std::size_t bytes, int home, const SourceLocation& where) const {
    const std::size_t index = pool(where).index_of(home, where);
    guard(
        [&] {
            const std::lock_guard lock(state(where).buffers_mutex);
            if (state(where).buffers.count(name) != 0) {
                throw Error(ErrorCategory::invalid_argument, "there is a buffer named \"" + name + "\" already", where);
            }
            const auto& devices = pool(where).devices(where);
            const bool is_reached_by_all = std::all_of(devices.begin(), devices.end(), [&](int device) {
                return state(where).paths.path(index, pool(where).index_of(device, where)).route != PeerRoute::staged;
            });
            const DeviceContext& context = pool(where).context_at(index);
            if (is_reached_by_all) {
                state(where).buffers.emplace(name, DeviceBuffer<std::byte>(bytes, context.with_memory_pool({}), where));
            } else {
                state(where).buffers.emplace(name, ManagedBuffer<std::byte>(bytes, context.context(), where));
            }
        },
        where);
}

PeerManager::Named PeerManager::named(const std::string& name, std::size_t element_bytes, int device, const SourceLocation& where) const {
    (void)pool(where).index_of(device, where);
    const std::lock_guard lock(state(where).buffers_mutex);
    const auto found = state(where).buffers.find(name);
    if (found == state(where).buffers.end())
        throw Error(ErrorCategory::invalid_argument, "there is no buffer named \"" + name + '"', where);
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
    const std::lock_guard lock(state(where).buffers_mutex);
    if (state(where).buffers.erase(name) == 0)
        throw Error(ErrorCategory::invalid_argument, "there is no buffer named \"" + name + '"', where);
}

std::string to_string(const PeerManager& peers, SourceLocation where) {
    std::string text;
    for (const PeerPath& path : peers.paths(where)) text += to_string(path) + '\n';
    return text;
}

std::ostream& operator<<(std::ostream& out, const PeerManager& peers) { return out << to_string(peers); }

}  // namespace cupool
