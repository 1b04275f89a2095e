#include <algorithm>
#include <cupool/driver/caller.hpp>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/managed_buffer.hpp>
#include <cupool/pool/peer_manager.hpp>
#include <map>
#include <mutex>
#include <ostream>
#include <utility>
#include <variant>

#include "peer_paths.hpp"
#include "pool_state.hpp"
#include "synchronize_on_exit.hpp"

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
    if (pool.is_host()) throw Error(ErrorCategory::unsupported, "a pool of the host has no devices to copy between", where);
    if (options.chunk_bytes == 0 || options.chunks == 0) {
        throw Error(ErrorCategory::invalid_argument, "staged copies need at least one chunk of at least one byte", where);
    }
    state_ = std::make_shared<State>(pool, options);
}

const DevicePool& PeerManager::pool() const { return state_->pool; }

void PeerManager::guard(const std::function<void()>& function, const SourceLocation& where) const {
    detail::report_at(where, [&] { pool().state_->guard(function); });
}

PeerPath PeerManager::path(int device, int peer, SourceLocation where) const {
    PeerPath path;
    guard([&] { path = state_->paths.path(pool().index_of(device, where), pool().index_of(peer, where)); }, where);
    return path;
}

std::vector<PeerPath> PeerManager::paths(SourceLocation where) const {
    std::vector<PeerPath> all;
    for (const int device : pool().devices()) {
        for (const int peer : pool().devices()) {
            if (device != peer) all.push_back(path(device, peer, where));
        }
    }
    return all;
}

void PeerManager::copy_bytes(Place to, Place from, std::size_t bytes, StreamView stream, const SourceLocation& where) const {
    const std::size_t source = pool().index_of(from.device, where);
    const std::size_t target = pool().index_of(to.device, where);
    if (stream.ordinal() != from.device && stream.ordinal() != to.device) {
        detail::throw_wrong_device("a span", to.device, "a stream", stream.ordinal(), where);
    }
    guard([&] { state_->paths.copy_async(target, to.pointer, source, from.pointer, bytes, stream, where); }, where);
    pool().state_->count_copy(source, target, bytes);
}

void PeerManager::await(int from, int to, StreamView stream, const SourceLocation& where) const {
    const auto wait = [&] {
        try {
            stream.synchronize(where);
        } catch (...) {
            const detail::SynchronizeOnExit again(stream);
            state_->paths.await_staged(pool().index_of(from, where), pool().index_of(to, where));
            throw;
        }
    };
    guard(std::ref(wait), where);  // by reference, for which a std::function needs no memory: the copy is under way and must be awaited
}

void PeerManager::create_named(const std::string& name, std::size_t bytes, int home, const SourceLocation& where) const {
    const std::size_t index = pool().index_of(home, where);
    guard(
        [&] {
            const std::lock_guard lock(state_->buffers_mutex);
            if (state_->buffers.count(name) != 0) {
                throw Error(ErrorCategory::invalid_argument, "there is a buffer named \"" + name + "\" already", where);
            }
            const auto& devices = pool().devices();
            const bool is_reached_by_all = std::all_of(devices.begin(), devices.end(), [&](int device) {
                return state_->paths.path(index, pool().index_of(device, where)).route != PeerRoute::staged;
            });
            const DeviceContext& context = pool().context_at(index);
            if (is_reached_by_all) {
                state_->buffers.emplace(name, DeviceBuffer<std::byte>(bytes, context.with_memory_pool({}), where));
            } else {
                state_->buffers.emplace(name, ManagedBuffer<std::byte>(bytes, context.context(), where));
            }
        },
        where);
}

PeerManager::Named PeerManager::named(const std::string& name, std::size_t element_bytes, int device, const SourceLocation& where) const {
    (void)pool().index_of(device, where);
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

std::string to_string(const PeerManager& peers) {
    std::string text;
    for (const PeerPath& path : peers.paths()) text += to_string(path) + '\n';
    return text;
}

std::ostream& operator<<(std::ostream& out, const PeerManager& peers) { return out << to_string(peers); }

}  // namespace cupool
