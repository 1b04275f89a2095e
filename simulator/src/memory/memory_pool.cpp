#include "memory/memory_pool.hpp"

#include <algorithm>

#include "api/handle_call.hpp"
#include "api/rollback.hpp"
#include "api/state.hpp"
#include "memory/address_space.hpp"
#include "memory/memory.hpp"

namespace cupool::simulator {
namespace {

// Pools reserve memory of their device in blocks of this size.
constexpr std::uint64_t reservation = 32 * 1024 * 1024;

void trim(MemoryPool& pool, std::uint64_t bytes_to_keep) {
    if (bytes_to_keep >= pool.reserved) {
        return;
    }
    const std::uint64_t kept = round_up(std::max(pool.used, bytes_to_keep), reservation);
    if (kept < pool.reserved) {
        return_memory(pool.device, pool.reserved - kept);
        pool.reserved = kept;
    }
}

std::shared_ptr<MemoryPool> pool_of(State& state, abi::MemoryPool handle) {
    auto pool = state.pools.find(handle);
    require(pool != nullptr, abi::Status::invalid_value);
    return pool;
}

void reserve(State& state, MemoryPool& pool, std::uint64_t bytes) {
    require(bytes <= pool.device.kind.memory_bytes, abi::Status::out_of_memory);
    const std::uint64_t needed = round_up(pool.used + bytes, reservation);
    require(pool.max_bytes == 0 || needed <= pool.max_bytes, abi::Status::out_of_memory);
    if (needed > pool.reserved) {
        take_memory(state, pool.device, needed - pool.reserved);
        pool.reserved = needed;
        pool.reserved_high = std::max(pool.reserved_high, needed);
    }
    pool.used += bytes;
    pool.used_high = std::max(pool.used_high, pool.used);
}

abi::DevicePointer allocate(State& state, const std::shared_ptr<MemoryPool>& pool, const Stream& stream, std::size_t bytes) {
    const auto allocation = std::make_shared<Allocation>(Allocation::Kind::pooled, pool->device.ordinal, stream.context->handle, bytes);
    reserve(state, *pool, bytes);
    Rollback rollback([&] { pool->used -= bytes; });
    allocation->pool = pool;
    map(allocation);
    rollback.keep();
    return allocation->start;
}

DeviceSet with_access(State& state, const MemoryPool& pool, DeviceSet accessible, const abi::MemoryAccessDescriptor& access) {
    require(access.location.type == abi::MemoryLocationType::device, abi::Status::not_supported);
    const Device& device = device_at(state, access.location.id);
    if (access.flags == abi::MemoryAccess::read_write) {
        const bool reachable = &device == &pool.device || (device.reachable_peers & device_bit(pool.device.card)) != 0;
        require(reachable, abi::Status::invalid_device);
        return accessible | device_bit(device.ordinal);
    }
    require(access.flags == abi::MemoryAccess::none, abi::Status::not_supported);
    require(&device != &pool.device, abi::Status::invalid_device);
    return accessible & ~device_bit(device.ordinal);
}

template <class Value>
void set(Value& member, const void* value) {
    member = *static_cast<const Value*>(value);
}

// High-water marks can only be reset.
void reset_high(std::uint64_t& high, std::uint64_t current, const void* value) {
    require(*static_cast<const std::uint64_t*>(value) == 0, abi::Status::invalid_value);
    high = current;
}

template <class Value>
void get(const Value& member, void* value) {
    *static_cast<Value*>(value) = member;
}

}  // namespace

MemoryPool::MemoryPool(Handle own_handle, Device& own_device)
    : handle(own_handle), device(own_device), accessible_from(device_bit(own_device.ordinal)) {}

void create_default_pool(State& state, Device& device) {
    if (device.kind.memory_pools_supported == 0) {
        return;
    }
    device.default_pool = std::make_shared<MemoryPool>(HandleTable<MemoryPool>::issue(), device);
    device.default_pool->is_default = true;
    state.pools.add(device.default_pool);
}

void return_to_pool(State& state, Allocation& allocation) {
    MemoryPool& pool = *allocation.pool;
    pool.used -= allocation.bytes;
    if (!state.pools.find(pool.handle)) {
        trim(pool, 0);
    }
}

void trim_pools(State& state) {
    state.pools.for_each([](MemoryPool& pool) { trim(pool, pool.release_threshold); });
}

void trim_pools_to_use(State& state, const Device& device) {
    state.pools.for_each([&](MemoryPool& pool) {
        if (&pool.device == &device) {
            trim(pool, 0);
        }
    });
}

namespace exports {

Status memory_pool_create(MemoryPool* pool, const MemoryPoolProperties* properties) {
    return handle_call(EntryPoint::memory_pool_create, [&] {
        require(pool != nullptr && properties != nullptr, Status::invalid_value);
        require(properties->allocation_type == MemoryAllocationType::pinned, Status::invalid_value);
        require(properties->location.type == MemoryLocationType::device, Status::invalid_value);
        require(properties->handle_types == MemoryHandleType::none, Status::not_supported);
        const Locked state;
        const int ordinal = properties->location.id;
        require(ordinal >= 0 && static_cast<std::size_t>(ordinal) < state->devices.size(), Status::invalid_value);
        auto& device = device_at(*state, ordinal);
        require(device.kind.memory_pools_supported != 0, Status::not_supported);
        const auto created = std::make_shared<simulator::MemoryPool>(HandleTable<simulator::MemoryPool>::issue(), device);
        created->max_bytes = properties->max_size;
        state->pools.add(created);
        *pool = created->handle;
    });
}

Status memory_pool_destroy(MemoryPool pool) {
    return handle_call(EntryPoint::memory_pool_destroy, [&] {
        const Locked state;
        const auto doomed = pool_of(*state, pool);
        require(!doomed->is_default, Status::invalid_value);
        trim(*doomed, 0);
        state->pools.remove(pool);
    });
}

Status memory_pool_set_attribute(MemoryPool pool, MemoryPoolAttribute attribute, void* value) {
    return handle_call(EntryPoint::memory_pool_set_attribute, [&] {
        require(value != nullptr, Status::invalid_value);
        const Locked state;
        auto& changed = *pool_of(*state, pool);
        switch (attribute) {
            case MemoryPoolAttribute::reuse_follow_event_dependencies: return set(changed.reuse_follow_event_dependencies, value);
            case MemoryPoolAttribute::reuse_allow_opportunistic: return set(changed.reuse_allow_opportunistic, value);
            case MemoryPoolAttribute::reuse_allow_internal_dependencies: return set(changed.reuse_allow_internal_dependencies, value);
            case MemoryPoolAttribute::release_threshold: return set(changed.release_threshold, value);
            case MemoryPoolAttribute::reserved_memory_high: return reset_high(changed.reserved_high, changed.reserved, value);
            case MemoryPoolAttribute::used_memory_high: return reset_high(changed.used_high, changed.used, value);
            case MemoryPoolAttribute::reserved_memory_current:
            case MemoryPoolAttribute::used_memory_current: break;
        }
        fail(Status::invalid_value);
    });
}

Status memory_pool_get_attribute(MemoryPool pool, MemoryPoolAttribute attribute, void* value) {
    return handle_call(EntryPoint::memory_pool_get_attribute, [&] {
        require(value != nullptr, Status::invalid_value);
        const Locked state;
        const auto& asked = *pool_of(*state, pool);
        switch (attribute) {
            case MemoryPoolAttribute::reuse_follow_event_dependencies: return get(asked.reuse_follow_event_dependencies, value);
            case MemoryPoolAttribute::reuse_allow_opportunistic: return get(asked.reuse_allow_opportunistic, value);
            case MemoryPoolAttribute::reuse_allow_internal_dependencies: return get(asked.reuse_allow_internal_dependencies, value);
            case MemoryPoolAttribute::release_threshold: return get(asked.release_threshold, value);
            case MemoryPoolAttribute::reserved_memory_current: return get(asked.reserved, value);
            case MemoryPoolAttribute::reserved_memory_high: return get(asked.reserved_high, value);
            case MemoryPoolAttribute::used_memory_current: return get(asked.used, value);
            case MemoryPoolAttribute::used_memory_high: return get(asked.used_high, value);
        }
        fail(Status::invalid_value);
    });
}

Status memory_pool_trim_to(MemoryPool pool, std::size_t bytes_to_keep) {
    return handle_call(EntryPoint::memory_pool_trim_to, [&] {
        const Locked state;
        trim(*pool_of(*state, pool), bytes_to_keep);
    });
}

Status memory_pool_set_access(MemoryPool pool, const MemoryAccessDescriptor* map, std::size_t count) {
    return handle_call(EntryPoint::memory_pool_set_access, [&] {
        require(map != nullptr && count > 0, Status::invalid_value);
        const Locked state;
        auto& changed = *pool_of(*state, pool);
        DeviceSet accessible = changed.accessible_from;
        for (std::size_t i = 0; i < count; ++i) {
            accessible = with_access(*state, changed, accessible, map[i]);
        }
        changed.accessible_from = accessible;
    });
}

Status memory_pool_get_access(MemoryAccess* access, MemoryPool pool, MemoryLocation* location) {
    return handle_call(EntryPoint::memory_pool_get_access, [&] {
        require(access != nullptr && location != nullptr, Status::invalid_value);
        const Locked state;
        const auto& asked = *pool_of(*state, pool);
        const int ordinal = location->id;
        const bool is_device = ordinal >= 0 && static_cast<std::size_t>(ordinal) < state->devices.size();
        require(location->type == MemoryLocationType::device && is_device, Status::invalid_value);
        const auto& device = device_at(*state, ordinal);
        const bool may_access = (asked.accessible_from & device_bit(device.ordinal)) != 0;
        *access = may_access ? MemoryAccess::read_write : MemoryAccess::none;
    });
}

Status memory_allocate_async(DevicePointer* pointer, std::size_t bytes, Stream stream) {
    return handle_call(EntryPoint::memory_allocate_async, [&] {
        const Locked state;
        const auto ordered_by = stream_of(*state, stream);
        require(pointer != nullptr, Status::invalid_value);
        require(ordered_by->capture == nullptr, Status::not_supported);
        const auto pool = ordered_by->context->device.default_pool;
        require(pool != nullptr, Status::not_supported);
        *pointer = bytes == 0 ? 0 : allocate(*state, pool, *ordered_by, bytes);
    });
}

Status memory_allocate_from_pool_async(DevicePointer* pointer, std::size_t bytes, MemoryPool pool, Stream stream) {
    return handle_call(EntryPoint::memory_allocate_from_pool_async, [&] {
        const Locked state;
        const auto ordered_by = stream_of(*state, stream);
        require(pointer != nullptr, Status::invalid_value);
        require(ordered_by->capture == nullptr, Status::not_supported);
        const auto source = pool_of(*state, pool);
        *pointer = bytes == 0 ? 0 : allocate(*state, source, *ordered_by, bytes);
    });
}

Status memory_free_async(DevicePointer pointer, Stream stream) {
    return handle_call(EntryPoint::memory_free_async, [&] {
        const Locked state;
        const auto ordered_by = stream_of(*state, stream);
        if (pointer == 0) {
            return;
        }
        const auto allocation = freeable_at(*state, pointer);
        require(ordered_by->capture == nullptr, Status::not_supported);
        const auto release = [allocation](std::uint64_t) {
            note_free_done(*allocation);
            const Locked later;
            release_memory(*later, *allocation);
            return Time{0};
        };
        enqueue(*state, *ordered_by, {Work::Kind::release, "free of " + std::to_string(allocation->bytes) + " bytes", release});
        note_free_called(*state, *allocation);
        note_free(*allocation, ordered_by->last.get());
    });
}

}  // namespace exports
}  // namespace cupool::simulator
