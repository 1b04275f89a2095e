#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include <cupool/driver/abi.hpp>

#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

struct Device;
struct State;
struct Stream;

struct Context {
    using Handle = abi::Context;
    static constexpr unsigned char handle_tag = 1;

    Context(Handle own_handle, Device& own_device);

    Handle handle;
    Device& device;
    /// A destroyed context remains known by its handle, as with real drivers; a primary context can be retained again.
    bool alive = true;
    /// Unique within the process.
    std::uint64_t id = 0;
    /// CUctx_flags.
    unsigned flags = 0;
    abi::CacheConfig cache_config = abi::CacheConfig::none;
    std::map<abi::ContextLimit, std::size_t> limits;
    std::shared_ptr<Stream> legacy_stream;
    std::map<std::thread::id, std::shared_ptr<Stream>> per_thread_streams;
    /// The contexts whose memory this context may access.
    std::set<Handle> peers;
    /// The last operations of streams that were destroyed before they finished: of blocking streams, and of others.
    Operations blocking_orphans;
    Operations other_orphans;
};

/// The context on top of the calling thread's stack. Fails with invalid_context if there is none, with context_is_destroyed if it has been
/// destroyed.
std::shared_ptr<Context> current_context(State& state);

/// The device of the context on top of the calling thread's stack, or -1.
int device_of_current_context();

bool is_current_context_destroyed(State& state);

/// Fails with invalid_context for an invalid handle, with context_is_destroyed for that of a destroyed context.
std::shared_ptr<Context> context_of(State& state, abi::Context handle);

/// The unfinished operations of a context.
Operations pending_in(State& state, const Context& context);

/// The unfinished operations of a device.
Operations pending_on(State& state, const Device& device);

}  // namespace cupool::simulator
