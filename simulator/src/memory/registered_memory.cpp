#include <cstdint>

#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "memory/memory.hpp"

/// \file
/// Registered host memory and device addresses of host memory, which under unified addressing equal the host addresses.

namespace cupool::simulator {
namespace {

using abi::HostRegistrationFlags;
using abi::Status;

constexpr unsigned known_flags =
    static_cast<unsigned>(HostRegistrationFlags::portable) | static_cast<unsigned>(HostRegistrationFlags::device_map) |
    static_cast<unsigned>(HostRegistrationFlags::io_memory) | static_cast<unsigned>(HostRegistrationFlags::read_only);
// Neither memory of other devices nor read-only host memory is supported.
constexpr unsigned flags_not_simulated =
    static_cast<unsigned>(HostRegistrationFlags::io_memory) | static_cast<unsigned>(HostRegistrationFlags::read_only);

abi::DevicePointer address_of(const void* pointer) { return reinterpret_cast<abi::DevicePointer>(pointer); }

std::shared_ptr<Allocation> host_memory_at(const void* pointer) {
    auto allocation = allocation_at(address_of(pointer));
    require(allocation && is_host_memory(*allocation) && !allocation->free_called, Status::invalid_value);
    return allocation;
}

}  // namespace

namespace exports {

Status host_register(void* pointer, std::size_t bytes, unsigned flags) {
    return handle_call(EntryPoint::host_register, [&] {
        const Locked state;
        const auto context = current_context(*state);
        require(pointer != nullptr && bytes > 0 && (flags & ~known_flags) == 0, Status::invalid_value);
        require((flags & flags_not_simulated) == 0, Status::not_supported);
        require(!is_anything_mapped(address_of(pointer), bytes), Status::host_memory_already_registered);
        const auto allocation = std::make_shared<Allocation>(Allocation::Kind::registered_host, context->device.ordinal, context->handle,
                                                             bytes, std::make_shared<Backing>(static_cast<std::byte*>(pointer)));
        allocation->host_flags = flags;
        map(allocation);
    });
}

Status host_unregister(void* pointer) {
    return handle_call(EntryPoint::host_unregister, [&] {
        std::shared_ptr<Allocation> allocation;
        Operations pending;
        {
            const Locked state;
            current_context(*state);
            require(pointer != nullptr, Status::invalid_value);
            allocation = allocation_at(address_of(pointer));
            require(allocation == nullptr || allocation->kind == Allocation::Kind::registered_host, Status::invalid_value);
            const bool begins_here = allocation && allocation->start == address_of(pointer) && !allocation->free_called;
            require(begins_here, Status::host_memory_not_registered);
            pending = pending_on(*state, device_at(*state, allocation->device));
            allocation->free_called = true;
        }
        scheduler().wait_for(pending);
        const Locked state;
        release_memory(*state, *allocation);
    });
}

Status host_get_device_pointer(DevicePointer* device_pointer, void* pointer, unsigned flags) {
    return handle_call(EntryPoint::host_get_device_pointer, [&] {
        const Locked state;
        current_context(*state);
        require(device_pointer != nullptr && pointer != nullptr && flags == 0, Status::invalid_value);
        host_memory_at(pointer);
        *device_pointer = address_of(pointer);
    });
}

Status host_get_flags(unsigned* flags, void* pointer) {
    return handle_call(EntryPoint::host_get_flags, [&] {
        const Locked state;
        current_context(*state);
        require(flags != nullptr, Status::invalid_value);
        const auto allocation = host_memory_at(pointer);
        require(allocation->kind == Allocation::Kind::pinned_host, Status::invalid_value);
        // Under unified addressing all registered memory is mapped.
        *flags = allocation->host_flags | static_cast<unsigned>(HostAllocationFlags::device_map);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
