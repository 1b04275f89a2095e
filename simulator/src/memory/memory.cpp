#include "memory/memory.hpp"

#include "api/handle_call.hpp"
#include "api/rollback.hpp"
#include "api/state.hpp"
#include "objects/capture.hpp"

namespace cupool::simulator {
namespace {

constexpr unsigned known_host_flags = 7;

// An H200 allocates memory in blocks of 2 MiB, which small allocations share.
constexpr std::uint64_t block = 2 * 1024 * 1024;
constexpr std::uint64_t max_small_bytes = block / 2;

std::uint64_t& account(Device& device, std::uint64_t bytes) { return bytes <= max_small_bytes ? device.small_bytes : device.block_bytes; }

std::uint64_t charge(std::uint64_t bytes) { return round_up(bytes, bytes <= max_small_bytes ? 512 : block); }

bool is_freeable(const Allocation& allocation) {
    return allocation.kind == Allocation::Kind::plain || allocation.kind == Allocation::Kind::pooled ||
           allocation.kind == Allocation::Kind::managed;
}

}  // namespace

std::uint64_t Device::memory_used() const { return withheld_bytes + block_bytes + round_up(small_bytes, block); }

void withhold_memory_beyond(Device& device, std::uint64_t bytes_left) {
    if (device.memory_free() > bytes_left) {
        device.withheld_bytes += device.memory_free() - bytes_left;
    }
}

void take_memory(State& state, Device& device, std::uint64_t bytes) {
    require(bytes <= device.kind.memory_bytes, abi::Status::out_of_memory);
    account(device, bytes) += charge(bytes);
    if (device.memory_used() > device.kind.memory_bytes) {
        trim_pools_to_use(state, device);
    }
    if (device.memory_used() > device.kind.memory_bytes) {
        return_memory(device, bytes);
        fail(abi::Status::out_of_memory);
    }
}

void return_memory(Device& device, std::uint64_t bytes) { account(device, bytes) -= charge(bytes); }

void release_memory(State& state, Allocation& allocation) {
    if (allocation.kind == Allocation::Kind::plain || allocation.kind == Allocation::Kind::module_variable) {
        return_memory(device_at(state, allocation.device), allocation.bytes);
    }
    unmap(allocation);
}

abi::DevicePointer allocate_plain(State& state, std::size_t bytes) {
    const auto context = current_context(state);
    auto& device = context->device;
    const auto allocation = std::make_shared<Allocation>(Allocation::Kind::plain, device.ordinal, context->handle, bytes);
    take_memory(state, device, bytes);
    Rollback rollback([&] { return_memory(device, bytes); });
    map(allocation);
    rollback.keep();
    return allocation->start;
}

abi::Status unknown_address_status(State& state) {
    return is_current_context_destroyed(state) ? abi::Status::context_is_destroyed : abi::Status::invalid_value;
}

std::shared_ptr<Allocation> freeable_at(State& state, abi::DevicePointer pointer) {
    auto allocation = allocation_at(pointer);
    require(allocation != nullptr && allocation->start == pointer && !allocation->free_called, unknown_address_status(state));
    require(is_freeable(*allocation), abi::Status::invalid_value);
    return allocation;
}

void note_free_called(State& state, Allocation& allocation) {
    allocation.free_called = true;
    if (allocation.kind == Allocation::Kind::pooled) {
        return_to_pool(state, allocation);
    }
}

Region region_of(abi::DevicePointer start, std::size_t bytes) {
    auto allocation = allocation_at(start);
    require(allocation != nullptr && !allocation->free_called, abi::Status::invalid_value);
    const std::size_t offset = start - allocation->start;
    require(bytes <= allocation->bytes - offset, abi::Status::invalid_value);
    return {std::move(allocation), offset, bytes};
}

namespace exports {

Status memory_get_info(std::size_t* free, std::size_t* total) {
    return handle_call(EntryPoint::memory_get_info, [&] {
        const Locked state;
        const auto& device = current_context(*state)->device;
        if (free != nullptr) {
            *free = device.memory_free();
        }
        if (total != nullptr) {
            *total = device.kind.memory_bytes;
        }
    });
}

Status memory_allocate(DevicePointer* pointer, std::size_t bytes) {
    return handle_call(EntryPoint::memory_allocate, [&] {
        const Locked state;
        current_context(*state);
        require(pointer != nullptr && bytes > 0, Status::invalid_value);
        require_unsafe_calls_allowed(*state);
        *pointer = allocate_plain(*state, bytes);
    });
}

Status memory_free(DevicePointer pointer) {
    return handle_call(EntryPoint::memory_free, [&] {
        std::shared_ptr<Allocation> allocation;
        Operations pending;
        {
            const Locked state;
            if (pointer == 0) {
                return;
            }
            allocation = freeable_at(*state, pointer);
            require_unsafe_calls_allowed(*state);
            pending = pending_on(*state, device_at(*state, allocation->device));
            note_free_called(*state, *allocation);
        }
        scheduler().wait_for(pending);
        note_free(*allocation, nullptr);
        const Locked state;
        release_memory(*state, *allocation);
    });
}

Status host_allocate(void** pointer, std::size_t bytes, unsigned flags) {
    return handle_call(EntryPoint::host_allocate, [&] {
        const Locked state;
        const auto context = current_context(*state);
        require(pointer != nullptr && (flags & ~known_host_flags) == 0, Status::invalid_value);
        require_unsafe_calls_allowed(*state);
        if (bytes == 0) {
            *pointer = nullptr;
            return;
        }
        const auto allocation =
            std::make_shared<Allocation>(Allocation::Kind::pinned_host, context->device.ordinal, context->handle, bytes);
        map(allocation);
        allocation->host_flags = flags;
        *pointer = allocation->backing->data();
    });
}

Status host_free(void* pointer) {
    return handle_call(EntryPoint::host_free, [&] {
        std::shared_ptr<Allocation> allocation;
        Operations pending;
        {
            const Locked state;
            if (pointer == nullptr) {
                return;
            }
            const auto address = reinterpret_cast<DevicePointer>(pointer);
            allocation = allocation_at(address);
            const bool found = allocation && allocation->kind == Allocation::Kind::pinned_host && allocation->start == address;
            require(found && !allocation->free_called, unknown_address_status(*state));
            require_unsafe_calls_allowed(*state);
            pending = pending_on(*state, device_at(*state, allocation->device));
            allocation->free_called = true;
        }
        scheduler().wait_for(pending);
        note_free(*allocation, nullptr);
        const Locked state;
        release_memory(*state, *allocation);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
