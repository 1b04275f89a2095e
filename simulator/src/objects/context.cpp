#include "objects/context.hpp"

#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "faults/device_fault.hpp"
#include "memory/address_space.hpp"
#include "memory/memory.hpp"
#include "objects/capture.hpp"
#include "objects/current_contexts.hpp"

namespace cupool::simulator {
namespace {

// The limits of an H200 that a program can set. A static object would allocate while the library is loaded, where no caller can catch.
std::map<abi::ContextLimit, std::size_t> default_limits() {
    return {
        {abi::ContextLimit::stack_bytes, 1024},
        {abi::ContextLimit::printf_fifo_bytes, 1'048'576},
        {abi::ContextLimit::malloc_heap_bytes, 8'388'608},
        {abi::ContextLimit::device_runtime_pending_launches, 2048},
        {abi::ContextLimit::max_l2_fetch_granularity, 64},
        {abi::ContextLimit::persisting_l2_cache_bytes, 0},
    };
}

std::size_t& limit_of(Context& context, abi::ContextLimit limit) {
    constexpr int last_limit = 9;  // CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED of CUDA 13
    require(static_cast<int>(limit) >= 0 && static_cast<int>(limit) <= last_limit, abi::Status::invalid_value);
    const auto found = context.limits.find(limit);
    require(found != context.limits.end(), abi::Status::unsupported_limit);
    return found->second;
}

CurrentContexts& current_contexts(const State& state) {
    thread_local CurrentContexts current;
    current.enter_generation(state.generation);
    return current;
}

void check_usable(const Device& device) {
    const abi::Status fault = device_fault(device.ordinal);
    require(fault == abi::Status::success, fault);
    require(device.health == abi::Status::success, device.health);
    require(device.kind.compute_mode != static_cast<int>(abi::ComputeMode::prohibited), abi::Status::device_unavailable);
}

std::shared_ptr<Context> open_context(State& state, Device& device, abi::Context handle, unsigned flags) {
    check_usable(device);
    auto context = std::make_shared<Context>(handle, device);
    context->id = ++state.ids_issued;
    context->flags = flags;
    state.contexts.add(context);
    return context;
}

void open_primary_context(State& state, Device& device) {
    const auto earlier = state.contexts.find(device.primary_context);
    if (!earlier) {
        open_context(state, device, device.primary_context, device.primary_flags);
        return;
    }
    check_usable(device);
    earlier->limits = default_limits();
    earlier->alive = true;
    earlier->id = ++state.ids_issued;
    earlier->flags = device.primary_flags;
    earlier->cache_config = abi::CacheConfig::none;
}

// Destroys everything that the context owns. The context must be idle.
void close_context(State& state, Context& context) {
    const auto allocations = all_allocations();  // allocated first, so that nothing fails half-way
    const auto belongs = [&](const auto& object) { return object.context == &context; };
    state.streams.for_each([&](Stream& stream) {
        if (belongs(stream)) {
            abandon_capture(state, stream);
        }
    });
    state.streams.retire_if(belongs);
    state.events.retire_if(belongs);
    state.functions.remove_if([&](const Function& function) { return belongs(*function.module); });
    state.modules.remove_if(belongs);
    for (const auto& allocation : allocations) {
        if (allocation->context == context.handle && allocation->kind != Allocation::Kind::pooled) {
            release_memory(state, *allocation);
        }
    }
    state.contexts.for_each([&](Context& other) { other.peers.erase(context.handle); });
    context.alive = false;
    context.peers.clear();
    context.per_thread_streams.clear();
}

// CUctx_flags: at most one scheduling policy, and bits that have no effect here.
bool are_context_flags(unsigned flags, unsigned others = 0x38) {
    constexpr unsigned scheduling = 0x7;
    const unsigned choice = flags & scheduling;
    return (flags & ~(scheduling | others)) == 0 && (choice & (choice - 1)) == 0;
}

void push_new_context(State& state, abi::Device device, unsigned flags, abi::Context& handle) {
    CurrentContexts& current = current_contexts(state);
    current.require_room();
    handle = open_context(state, device_at(state, device), HandleTable<Context>::issue(), flags)->handle;
    current.push(handle);
}

// Accepts a destroyed context too: only its use fails.
std::shared_ptr<Context> known_context(State& state, abi::Context handle) {
    auto context = state.contexts.find(handle);
    require(context != nullptr, abi::Status::invalid_context);
    return context;
}

}  // namespace

Context::Context(Handle own_handle, Device& own_device)
    : handle(own_handle), device(own_device), limits(default_limits()), legacy_stream(std::make_shared<Stream>()) {
    legacy_stream->context = this;
    legacy_stream->kind = Stream::Kind::legacy;
}

std::shared_ptr<Context> context_of(State& state, abi::Context handle) {
    auto context = known_context(state, handle);
    require(context->alive, abi::Status::context_is_destroyed);
    return context;
}

std::shared_ptr<Context> current_context(State& state) {
    const CurrentContexts& current = current_contexts(state);
    require(!current.empty(), abi::Status::invalid_context);
    return context_of(state, current.top());
}

int device_of_current_context() {
    const Locked state;
    const CurrentContexts& current = current_contexts(*state);
    const auto context = current.empty() ? nullptr : state->contexts.find(current.top());
    return context ? context->device.ordinal : -1;
}

bool is_current_context_destroyed(State& state) {
    const CurrentContexts& current = current_contexts(state);
    return !current.empty() && !known_context(state, current.top())->alive;
}

Operations pending_in(State& state, const Context& context) {
    Operations pending = context.blocking_orphans;
    pending.insert(pending.end(), context.other_orphans.begin(), context.other_orphans.end());
    pending.push_back(context.legacy_stream->last);
    for (const auto& [_, stream] : context.per_thread_streams) {
        pending.push_back(stream->last);
    }
    state.streams.for_each([&](const Stream& stream) {
        if (stream.context == &context) {
            pending.push_back(stream.last);
        }
    });
    return pending;
}

Operations pending_on(State& state, const Device& device) {
    Operations pending;
    state.contexts.for_each([&](const Context& context) {
        if (&context.device == &device) {
            const Operations here = pending_in(state, context);
            pending.insert(pending.end(), here.begin(), here.end());
        }
    });
    return pending;
}

namespace exports {

Status primary_context_retain(Context* context, Device device) {
    return handle_call(EntryPoint::primary_context_retain, device, [&] {
        require(context != nullptr, Status::invalid_value);
        const Locked state;
        auto& owner = device_at(*state, device);
        if (owner.primary_retains == 0) {
            open_primary_context(*state, owner);
        }
        ++owner.primary_retains;
        *context = owner.primary_context;
    });
}

Status primary_context_release(Device device) {
    return handle_call(EntryPoint::primary_context_release, device, [&] {
        Operations pending;
        {
            const Locked state;
            auto& owner = device_at(*state, device);
            require(owner.primary_retains > 0, Status::invalid_context);
            if (owner.primary_retains == 1) {
                pending = pending_in(*state, *state->contexts.find(owner.primary_context));
            }
        }
        scheduler().wait_for(pending);
        const Locked state;
        auto& owner = device_at(*state, device);
        require(owner.primary_retains > 0, Status::invalid_context);
        if (owner.primary_retains == 1) {
            close_context(*state, *state->contexts.find(owner.primary_context));
        }
        --owner.primary_retains;
    });
}

Status primary_context_get_state(Device device, unsigned* flags, int* active) {
    return handle_call(EntryPoint::primary_context_get_state, device, [&] {
        require(flags != nullptr && active != nullptr, Status::invalid_value);
        const Locked state;
        const auto& owner = device_at(*state, device);
        *flags = owner.primary_flags;
        *active = owner.primary_retains > 0 ? 1 : 0;
    });
}

Status primary_context_set_flags(Device device, unsigned flags) {
    return handle_call(EntryPoint::primary_context_set_flags, device, [&] {
        require(are_context_flags(flags), Status::invalid_value);
        const Locked state;
        auto& owner = device_at(*state, device);
        owner.primary_flags = flags;
        if (owner.primary_retains > 0) {
            context_of(*state, owner.primary_context)->flags = flags;
        }
    });
}

// A reset drops all retained references.
Status primary_context_reset(Device device) {
    return handle_call(EntryPoint::primary_context_reset, device, [&] {
        Operations pending;
        {
            const Locked state;
            const auto& owner = device_at(*state, device);
            if (owner.primary_retains > 0) {
                pending = pending_in(*state, *state->contexts.find(owner.primary_context));
            }
        }
        scheduler().wait_for(pending);
        const Locked state;
        auto& owner = device_at(*state, device);
        if (owner.primary_retains > 0) {
            close_context(*state, *state->contexts.find(owner.primary_context));
            owner.primary_retains = 0;
        }
    });
}

Status context_create(Context* context, unsigned flags, Device device) {
    return handle_call(EntryPoint::context_create, device, [&] {
        require(context != nullptr && are_context_flags(flags), Status::invalid_value);
        const Locked state;
        push_new_context(*state, device, flags, *context);
    });
}

// Limits on multiprocessors are a feature of MPS, which is not simulated.
Status context_create_with_affinity(Context* context, ExecutionAffinity* affinities, int count, unsigned flags, Device device) {
    return handle_call(EntryPoint::context_create_with_affinity, device, [&] {
        require(context != nullptr && are_context_flags(flags) && count >= 0, Status::invalid_value);
        require(count == 0 || affinities != nullptr, Status::invalid_value);
        require(count == 0, Status::unsupported_execution_affinity);
        const Locked state;
        push_new_context(*state, device, flags, *context);
    });
}

Status context_destroy(Context context) {
    return handle_call(EntryPoint::context_destroy, [&] {
        Operations pending;
        {
            require(context != nullptr, Status::invalid_value);
            const Locked state;
            const auto doomed = context_of(*state, context);
            require(doomed->device.primary_context != context, Status::invalid_context);
            pending = pending_in(*state, *doomed);
        }
        scheduler().wait_for(pending);
        const Locked state;
        close_context(*state, *context_of(*state, context));
        CurrentContexts& current = current_contexts(*state);
        if (current.top() == context) {
            current.pop();
        }
    });
}

Status context_push_current(Context context) {
    return handle_call(EntryPoint::context_push_current, [&] {
        require(context != nullptr, Status::invalid_value);
        const Locked state;
        current_contexts(*state).push(known_context(*state, context)->handle);
    });
}

Status context_pop_current(Context* context) {
    return handle_call(EntryPoint::context_pop_current, [&] {
        const Locked state;
        CurrentContexts& current = current_contexts(*state);
        require(!current.empty(), Status::invalid_context);
        if (context != nullptr) {
            *context = current.top();
        }
        current.pop();
    });
}

Status context_get_current(Context* context) {
    return handle_call(EntryPoint::context_get_current, [&] {
        require(context != nullptr, Status::invalid_value);
        const Locked state;
        *context = current_contexts(*state).top();
    });
}

Status context_set_current(Context context) {
    return handle_call(EntryPoint::context_set_current, [&] {
        const Locked state;
        if (context != nullptr) {
            known_context(*state, context);
        }
        CurrentContexts& current = current_contexts(*state);
        if (!current.empty()) {
            current.pop();
        }
        if (context != nullptr) {
            current.push(context);
        }
    });
}

Status context_get_device(Device* device) {
    return handle_call(EntryPoint::context_get_device, [&] {
        require(device != nullptr, Status::invalid_value);
        const Locked state;
        const CurrentContexts& current = current_contexts(*state);
        require(!current.empty(), Status::invalid_context);
        *device = known_context(*state, current.top())->device.ordinal;
    });
}

Status context_synchronize() {
    return handle_call(EntryPoint::context_synchronize, [&] {
        Operations pending;
        {
            const Locked state;
            const auto current = current_context(*state);
            require_no_capture_in(*state, *current);
            pending = pending_in(*state, *current);
        }
        synchronize(pending);
    });
}

Status context_get_stream_priority_range(int* least, int* greatest) {
    return handle_call(EntryPoint::context_get_stream_priority_range, [&] {
        const Locked state;
        current_context(*state);
        if (least != nullptr) {
            *least = least_stream_priority;
        }
        if (greatest != nullptr) {
            *greatest = greatest_stream_priority;
        }
    });
}

Status context_get_flags(unsigned* flags) {
    return handle_call(EntryPoint::context_get_flags, [&] {
        require(flags != nullptr, Status::invalid_value);
        const Locked state;
        *flags = current_context(*state)->flags;
    });
}

Status context_set_flags(unsigned flags) {
    return handle_call(EntryPoint::context_set_flags, [&] {
        constexpr unsigned settable = 0xf8;
        require(are_context_flags(flags, settable), Status::invalid_value);
        const Locked state;
        current_context(*state)->flags = flags;
    });
}

Status context_get_limit(std::size_t* value, ContextLimit limit) {
    return handle_call(EntryPoint::context_get_limit, [&] {
        require(value != nullptr, Status::invalid_value);
        const Locked state;
        *value = limit_of(*current_context(*state), limit);
    });
}

Status context_set_limit(ContextLimit limit, std::size_t value) {
    return handle_call(EntryPoint::context_set_limit, [&] {
        const Locked state;
        limit_of(*current_context(*state), limit) = value;
    });
}

Status context_get_cache_config(CacheConfig* config) {
    return handle_call(EntryPoint::context_get_cache_config, [&] {
        require(config != nullptr, Status::invalid_value);
        const Locked state;
        *config = current_context(*state)->cache_config;
    });
}

Status context_set_cache_config(CacheConfig config) {
    return handle_call(EntryPoint::context_set_cache_config, [&] {
        require(config >= CacheConfig::none && config <= CacheConfig::prefer_equal, Status::invalid_value);
        const Locked state;
        current_context(*state)->cache_config = config;
    });
}

Status context_get_id(Context context, unsigned long long* id) {
    return handle_call(EntryPoint::context_get_id, [&] {
        require(id != nullptr, Status::invalid_value);
        const Locked state;
        *id = (context == nullptr ? current_context(*state) : context_of(*state, context))->id;
    });
}

Status context_get_execution_affinity(ExecutionAffinity* affinity, ExecutionAffinityType type) {
    return handle_call(EntryPoint::context_get_execution_affinity, [&] {
        require(affinity != nullptr && type == ExecutionAffinityType::multiprocessor_count, Status::invalid_value);
        const Locked state;
        affinity->type = type;
        affinity->multiprocessor_count = static_cast<unsigned>(current_context(*state)->device.kind.multiprocessor_count);
    });
}

Status context_get_api_version(Context context, unsigned* version) {
    return handle_call(EntryPoint::context_get_api_version, [&] {
        require(version != nullptr, Status::invalid_value);
        const Locked state;
        context == nullptr ? current_context(*state) : context_of(*state, context);
        *version = 3020;
    });
}

Status context_enable_peer_access(Context peer, unsigned flags) {
    return handle_call(EntryPoint::context_enable_peer_access, [&] {
        require(flags == 0, Status::invalid_value);
        const Locked state;
        const auto current = current_context(*state);
        const auto other = context_of(*state, peer);
        require(&current->device != &other->device, Status::peer_access_unsupported);
        require((current->device.reachable_peers & device_bit(other->device.card)) != 0, Status::peer_access_unsupported);
        require(current->peers.insert(peer).second, Status::peer_access_already_enabled);
    });
}

Status context_disable_peer_access(Context peer) {
    return handle_call(EntryPoint::context_disable_peer_access, [&] {
        const Locked state;
        const auto current = current_context(*state);
        context_of(*state, peer);
        require(current->peers.erase(peer) == 1, Status::peer_access_not_enabled);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
