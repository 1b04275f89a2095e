#include "device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "answer.hpp"
#include "driver_state.hpp"
#include "fault_plan.hpp"
#include "machine.hpp"
#include "memory_pool.hpp"
#include "state.hpp"
#include "visible_devices.hpp"

namespace cupool::simulator {
namespace {

using abi::DeviceAttribute;

abi::Uuid uuid_of(int card) {
    abi::Uuid uuid{{0xc0, 0x0f, 0x00, 0x1d, 0x51, 0x3d, 0x4c, 0x0d, 0x80}};
    uuid.bytes[15] = static_cast<unsigned char>(card);
    return uuid;
}

// Of CUdevice_attribute in CUDA 13, about.
constexpr int last_attribute = 148;

constexpr int pci_bus_of(int card) { return 0x10 + card; }

// Figures that the kind does not set are an H200's.
int attribute_of(const Device& device, DeviceAttribute attribute) {
    switch (attribute) {
        case DeviceAttribute::max_threads_per_block:
        case DeviceAttribute::max_block_dim_x:
        case DeviceAttribute::max_block_dim_y: return 1024;
        case DeviceAttribute::max_block_dim_z: return 64;
        case DeviceAttribute::max_grid_dim_x: return 2'147'483'647;
        case DeviceAttribute::max_grid_dim_y:
        case DeviceAttribute::max_grid_dim_z: return 65535;
        case DeviceAttribute::max_shared_memory_per_block: return 49152;
        case DeviceAttribute::warp_size: return 32;
        case DeviceAttribute::max_registers_per_block: return 65536;
        case DeviceAttribute::clock_rate_khz: return device.kind.clock_khz;
        case DeviceAttribute::multiprocessor_count: return device.kind.multiprocessor_count;
        case DeviceAttribute::integrated: return 0;
        case DeviceAttribute::compute_mode: return device.kind.compute_mode;
        case DeviceAttribute::ecc_enabled: return 1;
        case DeviceAttribute::pci_bus_id: return pci_bus_of(device.card);
        case DeviceAttribute::pci_device_id:
        case DeviceAttribute::pci_domain_id: return 0;
        case DeviceAttribute::memory_clock_rate_khz: return 3'201'000;
        case DeviceAttribute::memory_bus_width_bits: return 6016;
        case DeviceAttribute::l2_cache_bytes: return 62'914'560;
        case DeviceAttribute::max_threads_per_multiprocessor: return 2048;
        case DeviceAttribute::unified_addressing: return 1;
        case DeviceAttribute::compute_capability_major: return device.kind.compute_capability_major;
        case DeviceAttribute::compute_capability_minor: return device.kind.compute_capability_minor;
        case DeviceAttribute::max_shared_memory_per_multiprocessor: return 233'472;
        case DeviceAttribute::managed_memory: return 0;
        case DeviceAttribute::max_shared_memory_per_block_optin: return 232'448;
        case DeviceAttribute::cooperative_launch: return 1;
        case DeviceAttribute::cluster_launch: return device.kind.compute_capability_major >= 9 ? 1 : 0;
        case DeviceAttribute::memory_pools_supported: return device.kind.memory_pools_supported;
    }
    const bool exists = static_cast<int>(attribute) >= 1 && static_cast<int>(attribute) <= last_attribute;
    fail(exists ? abi::Result::not_supported : abi::Result::invalid_value);
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
    require(ordinal >= 0 && static_cast<std::size_t>(ordinal) < state.devices.size(), abi::Result::invalid_device);
    return *state.devices[static_cast<std::size_t>(ordinal)];
}

namespace exports {

Result init(unsigned flags) {
    return answer(EntryPoint::init, [&] {
        require(flags == 0, Result::invalid_value);
        const Locked state;
        if (is_initialised()) {
            return;
        }
        require_understood_environment();
        state->devices = visible_devices(state->cards);
        require(!state->devices.empty(), Result::no_device);
        for (const auto& device : state->devices) {
            create_default_pool(*state, *device);
        }
        for (const PlannedFault& fault : fault_plan()) {
            withhold_memory(*state, fault);
        }
        set_initialised(true);
    });
}

Result driver_get_version(int* version) {
    return answer(EntryPoint::driver_get_version, [&] {
        require(version != nullptr, Result::invalid_value);
        *version = driver_version();
    });
}

Result device_get_count(int* count) {
    return answer(EntryPoint::device_get_count, [&] {
        require(count != nullptr, Result::invalid_value);
        *count = static_cast<int>(Locked()->devices.size());
    });
}

Result device_get(Device* device, int ordinal) {
    return answer(EntryPoint::device_get, [&] {
        require(device != nullptr, Result::invalid_value);
        const Locked state;
        *device = device_at(*state, ordinal).ordinal;
    });
}

Result device_get_name(char* name, int length, Device device) {
    return answer(EntryPoint::device_get_name, device, [&] {
        require(name != nullptr && length > 0, Result::invalid_value);
        const Locked state;
        std::snprintf(name, static_cast<std::size_t>(length), "%s", device_at(*state, device).name.c_str());
    });
}

Result device_get_uuid(Uuid* uuid, Device device) {
    return answer(EntryPoint::device_get_uuid, device, [&] {
        require(uuid != nullptr, Result::invalid_value);
        const Locked state;
        *uuid = device_at(*state, device).uuid;
    });
}

Result device_total_memory(std::size_t* bytes, Device device) {
    return answer(EntryPoint::device_total_memory, device, [&] {
        require(bytes != nullptr, Result::invalid_value);
        const Locked state;
        *bytes = device_at(*state, device).kind.memory_bytes;
    });
}

Result device_get_attribute(int* value, DeviceAttribute attribute, Device device) {
    return answer(EntryPoint::device_get_attribute, device, [&] {
        require(value != nullptr, Result::invalid_value);
        const Locked state;
        *value = attribute_of(device_at(*state, device), attribute);
    });
}

Result device_get_pci_bus_id(char* id, int length, Device device) {
    return answer(EntryPoint::device_get_pci_bus_id, device, [&] {
        require(id != nullptr && length > static_cast<int>(std::strlen("0000:00:00.0")), Result::invalid_value);
        const Locked state;
        const int bus = pci_bus_of(device_at(*state, device).card);
        std::snprintf(id, static_cast<std::size_t>(length), "0000:%02X:00.0", static_cast<unsigned>(bus));
    });
}

Result device_can_access_peer(int* can_access, Device device, Device peer) {
    return answer(EntryPoint::device_can_access_peer, device, [&] {
        require(can_access != nullptr, Result::invalid_value);
        const Locked state;
        const auto& from = device_at(*state, device);
        const auto& to = device_at(*state, peer);
        *can_access = device != peer && (from.reachable_peers & device_bit(to.card)) != 0 ? 1 : 0;
    });
}

Result device_get_default_memory_pool(MemoryPool* pool, Device device) {
    return answer(EntryPoint::device_get_default_memory_pool, device, [&] {
        require(pool != nullptr, Result::invalid_value);
        const Locked state;
        const auto& owner = device_at(*state, device);
        require(owner.default_pool != nullptr, Result::not_supported);
        *pool = owner.default_pool->handle;
    });
}

}  // namespace exports
}  // namespace cupool::simulator
