#include "memory/virtual_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/handle_call.hpp"
#include "api/rollback.hpp"
#include "api/state.hpp"
#include "checks/launch_checks.hpp"
#include "memory/memory.hpp"

/// \file
/// Virtual memory management: addresses are reserved and physical memory is created, mapped and made accessible in separate calls.

namespace cupool::simulator {
namespace {

using abi::Status;

constexpr std::size_t granularity = 2 * 1024 * 1024;
constexpr std::size_t host_page = 4096;

bool is_power_of_two(std::size_t number) { return number != 0 && (number & (number - 1)) == 0; }

Device& device_of(State& state, const abi::PhysicalMemoryProperties* properties) {
    require(properties != nullptr && properties->type == abi::MemoryAllocationType::pinned, Status::invalid_value);
    require(properties->location.type == abi::MemoryLocationType::device, Status::invalid_value);
    const abi::MemoryHandleType types = properties->requested_handle_types;
    require(types == abi::MemoryHandleType::none || types == abi::MemoryHandleType::posix_file_descriptor, Status::not_supported);
    return device_at(state, properties->location.id);
}

std::shared_ptr<PhysicalMemory> memory_of(State& state, abi::MemoryHandle handle) {
    const auto found = state.physical_memories.find(handle);
    require(found != state.physical_memories.end() && found->second->owners > 0, Status::invalid_value);
    return found->second;
}

void release_unused(State& state, const PhysicalMemory& memory) {
    if (memory.owners == 0 && memory.mappings == 0) {
        return_memory(device_at(state, memory.device), memory.bytes);
        state.physical_memories.erase(memory.handle);
    }
}

/// The mappings that exactly cover the range, in ascending order. Fails with invalid_value.
std::vector<std::shared_ptr<Allocation>> mappings_in(abi::DevicePointer start, std::size_t bytes) {
    require(bytes > 0 && start % granularity == 0 && bytes % granularity == 0, Status::invalid_value);
    std::vector<std::shared_ptr<Allocation>> mappings;
    for (abi::DevicePointer next = start; next - start < bytes;) {
        auto mapping = allocation_at(next);
        require(mapping && mapping->kind == Allocation::Kind::mapped && mapping->start == next, Status::invalid_value);
        next += mapping->bytes;
        mappings.push_back(std::move(mapping));
    }
    require(mappings.back()->start + mappings.back()->bytes == start + bytes, Status::invalid_value);
    return mappings;
}

void change_access(State& state, Allocation& mapping, const abi::MemoryAccessDescriptor& access) {
    require(access.location.type == abi::MemoryLocationType::device, Status::not_supported);
    const int ordinal = access.location.id;
    require(ordinal >= 0 && static_cast<std::size_t>(ordinal) < state.devices.size(), Status::invalid_value);
    const Device& device = device_at(state, ordinal);
    const Device& home = device_at(state, mapping.device);
    require(&device == &home || (device.reachable_peers & device_bit(home.card)) != 0, Status::invalid_device);
    require(access.flags == abi::MemoryAccess::read_write || access.flags == abi::MemoryAccess::none, Status::not_supported);
    if (access.flags == abi::MemoryAccess::read_write) {
        mapping.accessible_from |= device_bit(device.ordinal);
    } else {
        mapping.accessible_from &= ~device_bit(device.ordinal);
    }
}

/// Identifies an open file independently of its descriptor.
using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> identity_of(int file_descriptor) {
    struct stat status {};
    if (fstat(file_descriptor, &status) != 0) {
        return std::nullopt;
    }
    return FileIdentity(status.st_dev, status.st_ino);
}

/// The memory that exported files refer to; expired pointers for freed memory. Guarded by the driver's lock.
std::map<FileIdentity, std::weak_ptr<PhysicalMemory>>& exported_memories() {
    static auto& memories = *new std::map<FileIdentity, std::weak_ptr<PhysicalMemory>>;
    return memories;
}

}  // namespace

namespace exports {

Status address_reserve(DevicePointer* pointer, std::size_t bytes, std::size_t alignment, DevicePointer, unsigned long long flags) {
    return handle_call(EntryPoint::address_reserve, [&] {
        require(pointer != nullptr && bytes > 0 && flags == 0, Status::invalid_value);
        require(bytes % host_page == 0 && (alignment == 0 || is_power_of_two(alignment)), Status::invalid_value);
        *pointer = reserve_addresses(bytes, std::max(alignment, granularity));
    });
}

Status address_free(DevicePointer pointer, std::size_t bytes) {
    return handle_call(EntryPoint::address_free, [&] {
        const Locked state;
        require(bytes > 0 && reservation_at(pointer) == bytes, Status::invalid_value);
        require(!is_anything_mapped(pointer, bytes), Status::invalid_value);
        free_reservation(pointer);
    });
}

Status memory_create(MemoryHandle* memory, std::size_t bytes, const PhysicalMemoryProperties* properties, unsigned long long flags) {
    return handle_call(EntryPoint::memory_create, [&] {
        require(memory != nullptr && flags == 0, Status::invalid_value);
        const Locked state;
        auto& device = device_of(*state, properties);
        require(bytes > 0 && bytes % granularity == 0, Status::invalid_value);
        auto created = std::make_shared<PhysicalMemory>();
        created->device = device.ordinal;
        created->bytes = bytes;
        created->handle_types = properties->requested_handle_types;
        created->backing = std::make_shared<Backing>(bytes);
        if (checks().initialisation) {
            created->initialised = std::make_shared<Backing>(bytes, std::byte{0});
        }
        created->handle = ++state->physical_memories_made;
        state->physical_memories.emplace(created->handle, created);
        Rollback rollback([&] { state->physical_memories.erase(created->handle); });
        take_memory(*state, device, bytes);
        rollback.keep();
        *memory = created->handle;
    });
}

Status memory_release(MemoryHandle memory) {
    return handle_call(EntryPoint::memory_release, [&] {
        const Locked state;
        const auto released = memory_of(*state, memory);
        --released->owners;
        release_unused(*state, *released);
    });
}

Status memory_map(DevicePointer pointer, std::size_t bytes, std::size_t offset, MemoryHandle memory, unsigned long long flags) {
    return handle_call(EntryPoint::memory_map, [&] {
        const Locked state;
        require(flags == 0 && offset == 0 && bytes > 0, Status::invalid_value);
        require(pointer % granularity == 0 && bytes % granularity == 0, Status::invalid_value);
        const auto source = memory_of(*state, memory);
        require(bytes <= source->bytes, Status::not_supported);
        require(is_reserved(pointer, bytes) && !is_anything_mapped(pointer, bytes), Status::invalid_value);
        const auto mapping = std::make_shared<Allocation>(Allocation::Kind::mapped, source->device, nullptr, bytes, source->backing);
        mapping->initialised = source->initialised;
        mapping->start = pointer;
        mapping->physical = source;
        map(mapping);
        ++source->mappings;
    });
}

Status memory_unmap(DevicePointer pointer, std::size_t bytes) {
    return handle_call(EntryPoint::memory_unmap, [&] {
        const Locked state;
        if (is_reserved(pointer, bytes) && !is_anything_mapped(pointer, bytes)) {
            return;
        }
        for (const auto& mapping : mappings_in(pointer, bytes)) {
            unmap(*mapping);
            --mapping->physical->mappings;
            release_unused(*state, *mapping->physical);
        }
    });
}

Status memory_set_access(DevicePointer pointer, std::size_t bytes, const MemoryAccessDescriptor* access, std::size_t count) {
    return handle_call(EntryPoint::memory_set_access, [&] {
        const Locked state;
        require(access != nullptr && count > 0, Status::invalid_value);
        for (const auto& mapping : mappings_in(pointer, bytes)) {
            for (std::size_t i = 0; i < count; ++i) {
                change_access(*state, *mapping, access[i]);
            }
        }
    });
}

Status memory_get_access(unsigned long long* access, const MemoryLocation* location, DevicePointer pointer) {
    return handle_call(EntryPoint::memory_get_access, [&] {
        const Locked state;
        require(access != nullptr && location != nullptr, Status::invalid_value);
        require(location->type == MemoryLocationType::device, Status::invalid_value);
        const auto& device = device_at(*state, location->id);
        const auto mapping = allocation_at(pointer);
        require(mapping && mapping->kind == Allocation::Kind::mapped, Status::invalid_value);
        const bool may_access = (mapping->accessible_from & device_bit(device.ordinal)) != 0;
        *access = static_cast<unsigned long long>(may_access ? MemoryAccess::read_write : MemoryAccess::none);
    });
}

Status memory_get_granularity(std::size_t* bytes, const PhysicalMemoryProperties* properties, AllocationGranularity kind) {
    return handle_call(EntryPoint::memory_get_granularity, [&] {
        const Locked state;
        require(bytes != nullptr, Status::invalid_value);
        require(kind == AllocationGranularity::minimum || kind == AllocationGranularity::recommended, Status::invalid_value);
        device_of(*state, properties);
        *bytes = granularity;
    });
}

// The file is empty: it identifies the memory within this process only.
Status memory_export(void* handle, MemoryHandle memory, MemoryHandleType type, unsigned long long flags) {
    return handle_call(EntryPoint::memory_export, [&] {
        require(handle != nullptr && flags == 0 && type == MemoryHandleType::posix_file_descriptor, Status::invalid_value);
        const Locked state;
        const auto exported = memory_of(*state, memory);
        require(exported->handle_types == type, Status::invalid_value);
        const int file_descriptor = memfd_create("cupool-sim memory", MFD_CLOEXEC);
        const auto identity = identity_of(file_descriptor);
        require(identity.has_value(), Status::operating_system);
        Rollback rollback([&] { close(file_descriptor); });
        exported_memories()[*identity] = exported;
        rollback.keep();
        *static_cast<int*>(handle) = file_descriptor;
    });
}

Status memory_import(MemoryHandle* memory, void* handle, MemoryHandleType type) {
    return handle_call(EntryPoint::memory_import, [&] {
        require(memory != nullptr && type == MemoryHandleType::posix_file_descriptor, Status::invalid_value);
        const Locked state;
        const auto identity = identity_of(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)));
        require(identity.has_value(), Status::invalid_value);
        const auto found = exported_memories().find(*identity);
        // A file of another process, or memory without other references.
        require(found != exported_memories().end(), Status::not_supported);
        const auto imported = found->second.lock();
        require(imported != nullptr, Status::not_supported);
        ++imported->owners;
        *memory = imported->handle;
    });
}

Status memory_get_properties(PhysicalMemoryProperties* properties, MemoryHandle memory) {
    return handle_call(EntryPoint::memory_get_properties, [&] {
        require(properties != nullptr, Status::invalid_value);
        const Locked state;
        const auto known = memory_of(*state, memory);
        *properties = {};
        properties->type = MemoryAllocationType::pinned;
        properties->requested_handle_types = known->handle_types;
        properties->location = {MemoryLocationType::device, known->device};
    });
}

}  // namespace exports
}  // namespace cupool::simulator
