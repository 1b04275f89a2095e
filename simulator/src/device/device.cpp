#include "device/device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "api/driver_state.hpp"
#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "device/device_attributes.hpp"
#include "device/machine.hpp"
#include "device/visible_devices.hpp"
#include "faults/fault_plan.hpp"
#include "memory/memory_pool.hpp"

namespace cupool::simulator {
namespace {

abi::Uuid uuid_of(int card) {
    abi::Uuid uuid{{0xc0, 0x0f, 0x00, 0x1d, 0x51, 0x3d, 0x4c, 0x0d, 0x80}};
    uuid.bytes[15] = static_cast<unsigned char>(card);
    return uuid;
}

// "0000:10:00.0"; domain and function are optional.
std::optional<int> bus_in(const char* id) {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    const bool understood =
        std::sscanf(id, "%x:%x:%x", &domain, &bus, &device) == 3 || (domain = 0, std::sscanf(id, "%x:%x", &bus, &device) == 2);
    if (!understood) {
        return std::nullopt;
    }
    return domain == 0 && device == 0 ? static_cast<int>(bus) : -1;
}

int peer_attribute_of(abi::PeerAttribute attribute, bool is_linked) {
    switch (attribute) {
        case abi::PeerAttribute::performance_rank:
        case abi::PeerAttribute::only_partial_native_atomics_supported: return 0;
        case abi::PeerAttribute::access_supported:
        case abi::PeerAttribute::native_atomics_supported:
        case abi::PeerAttribute::array_access_supported: return is_linked ? 1 : 0;
    }
    fail(abi::Status::invalid_value);
}

}  // namespace

CupoolSimDevice default_device_kind() { return {"NVIDIA H200", 150'754'820'096, 9, 0, 132, 1, 0, 1'980'000}; }

Device::Device(int card_number, const CupoolSimDevice& device_kind)
    : card(card_number),
      ordinal(card_number),
      kind(device_kind),
      name(device_kind.name == nullptr ? default_device_kind().name : device_kind.name),
      uuid(uuid_of(card_number)),
      primary_context(HandleTable<Context>::issue()) {
    kind.name = nullptr;
}

Device& device_at(State& state, abi::Device ordinal) {
    require(ordinal >= 0 && static_cast<std::size_t>(ordinal) < state.devices.size(), abi::Status::invalid_device);
    return *state.devices[static_cast<std::size_t>(ordinal)];
}

namespace exports {

Status init(unsigned flags) {
    return handle_call(EntryPoint::init, [&] {
        require(flags == 0, Status::invalid_value);
        const Locked state;
        if (is_initialised()) {
            return;
        }
        require_understood_environment();
        state->devices = visible_devices(state->cards);
        require(!state->devices.empty(), Status::no_device);
        for (const auto& device : state->devices) {
            create_default_pool(*state, *device);
        }
        for (const PlannedFault& fault : fault_plan()) {
            withhold_memory(*state, fault);
        }
        set_initialised(true);
    });
}

Status driver_get_version(int* version) {
    return handle_call(EntryPoint::driver_get_version, [&] {
        require(version != nullptr, Status::invalid_value);
        *version = driver_version();
    });
}

Status device_get_count(int* count) {
    return handle_call(EntryPoint::device_get_count, [&] {
        require(count != nullptr, Status::invalid_value);
        *count = static_cast<int>(Locked()->devices.size());
    });
}

Status device_get(Device* device, int ordinal) {
    return handle_call(EntryPoint::device_get, [&] {
        require(device != nullptr, Status::invalid_value);
        const Locked state;
        *device = device_at(*state, ordinal).ordinal;
    });
}

Status device_get_name(char* name, int length, Device device) {
    return handle_call(EntryPoint::device_get_name, device, [&] {
        require(name != nullptr && length > 0, Status::invalid_value);
        const Locked state;
        std::snprintf(name, static_cast<std::size_t>(length), "%s", device_at(*state, device).name.c_str());
    });
}

// No card is partitioned into MIG instances.
Status device_get_physical_uuid(Uuid* uuid, Device device) {
    return handle_call(EntryPoint::device_get_physical_uuid, device, [&] {
        require(uuid != nullptr, Status::invalid_value);
        const Locked state;
        *uuid = device_at(*state, device).uuid;
    });
}

Status device_get_uuid(Uuid* uuid, Device device) {
    return handle_call(EntryPoint::device_get_uuid, device, [&] {
        require(uuid != nullptr, Status::invalid_value);
        const Locked state;
        *uuid = device_at(*state, device).uuid;
    });
}

Status device_total_memory(std::size_t* bytes, Device device) {
    return handle_call(EntryPoint::device_total_memory, device, [&] {
        require(bytes != nullptr, Status::invalid_value);
        const Locked state;
        *bytes = device_at(*state, device).kind.memory_bytes;
    });
}

Status device_get_attribute(int* value, DeviceAttribute attribute, Device device) {
    return handle_call(EntryPoint::device_get_attribute, device, [&] {
        require(value != nullptr, Status::invalid_value);
        const Locked state;
        *value = attribute_of(device_at(*state, device), attribute);
    });
}

Status device_get_pci_bus_id(char* id, int length, Device device) {
    return handle_call(EntryPoint::device_get_pci_bus_id, device, [&] {
        require(id != nullptr && length > static_cast<int>(std::strlen("0000:00:00.0")), Status::invalid_value);
        const Locked state;
        const int bus = pci_bus_of(device_at(*state, device).card);
        std::snprintf(id, static_cast<std::size_t>(length), "0000:%02X:00.0", static_cast<unsigned>(bus));
    });
}

Status device_get_by_pci_bus_id(Device* device, const char* id) {
    return handle_call(EntryPoint::device_get_by_pci_bus_id, [&] {
        require(device != nullptr && id != nullptr, Status::invalid_value);
        const std::optional<int> bus = bus_in(id);
        require(bus.has_value(), Status::invalid_value);
        const Locked state;
        const auto& devices = state->devices;
        const auto found =
            std::find_if(devices.begin(), devices.end(), [&](const auto& candidate) { return pci_bus_of(candidate->card) == bus; });
        require(found != devices.end(), Status::invalid_device);
        *device = (*found)->ordinal;
    });
}

Status device_get_execution_affinity_support(int* is_supported, ExecutionAffinityType type, Device device) {
    return handle_call(EntryPoint::device_get_execution_affinity_support, device, [&] {
        require(is_supported != nullptr && type == ExecutionAffinityType::multiprocessor_count, Status::invalid_value);
        const Locked state;
        device_at(*state, device);
        *is_supported = 0;
    });
}

Status device_get_peer_attribute(int* value, PeerAttribute attribute, Device device, Device peer) {
    return handle_call(EntryPoint::device_get_peer_attribute, device, [&] {
        require(value != nullptr, Status::invalid_value);
        const Locked state;
        const auto& from = device_at(*state, device);
        const auto& to = device_at(*state, peer);
        require(&from != &to, Status::invalid_device);
        const bool is_linked = (from.reachable_peers & device_bit(to.card)) != 0;
        *value = peer_attribute_of(attribute, is_linked);
    });
}

Status device_can_access_peer(int* can_access, Device device, Device peer) {
    return handle_call(EntryPoint::device_can_access_peer, device, [&] {
        require(can_access != nullptr, Status::invalid_value);
        const Locked state;
        const auto& from = device_at(*state, device);
        const auto& to = device_at(*state, peer);
        *can_access = device != peer && (from.reachable_peers & device_bit(to.card)) != 0 ? 1 : 0;
    });
}

Status device_get_default_memory_pool(MemoryPool* pool, Device device) {
    return handle_call(EntryPoint::device_get_default_memory_pool, device, [&] {
        require(pool != nullptr, Status::invalid_value);
        const Locked state;
        const auto& owner = device_at(*state, device);
        require(owner.default_pool != nullptr, Status::not_supported);
        *pool = owner.default_pool->handle;
    });
}

}  // namespace exports
}  // namespace cupool::simulator
