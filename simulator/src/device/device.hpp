#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cupool/driver/abi.hpp>
#include <cupool/simulator/simulator.hpp>

namespace cupool::simulator {

struct MemoryPool;
struct State;

inline constexpr int max_devices = 64;

/// A set of device ordinals.
using DeviceSet = std::uint64_t;

constexpr DeviceSet device_bit(int ordinal) { return DeviceSet{1} << ordinal; }

struct Device {
    Device(int card_number, const CupoolSimDevice& device_kind);

    /// Index in the machine.
    int card;
    /// Index among the devices that the program sees.
    int ordinal;
    CupoolSimDevice kind;
    std::string name;
    abi::Uuid uuid;
    /// Status that opening a context on this device returns.
    abi::Status health = abi::Status::success;
    /// A bit for each card.
    DeviceSet reachable_peers = ~DeviceSet{0};
    /// A bit for each card: direct writes of this device to its memory are lost.
    DeviceSet lost_writes = 0;

    /// Allocated in whole blocks.
    std::uint64_t block_bytes = 0;
    /// Made unavailable by a fault plan.
    std::uint64_t withheld_bytes = 0;
    /// Small allocations, which share blocks.
    std::uint64_t small_bytes = 0;
    /// The handle stays the same when the primary context is released and retained again, as with real drivers.
    abi::Context primary_context;
    unsigned primary_retains = 0;
    unsigned primary_flags = 0;
    std::shared_ptr<MemoryPool> default_pool;

    std::uint64_t memory_used() const;
    std::uint64_t memory_free() const { return kind.memory_bytes - memory_used(); }
};

/// Limits the device's free memory to `bytes_left`.
void withhold_memory_beyond(Device& device, std::uint64_t bytes_left);

/// The properties of an H200.
CupoolSimDevice default_device_kind();

/// Fails with invalid_device.
Device& device_at(State& state, abi::Device ordinal);

}  // namespace cupool::simulator
