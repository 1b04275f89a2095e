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

    /// Its place in the machine.
    int card;
    /// Its place among those that the program sees.
    int ordinal;
    CupoolSimDevice kind;
    std::string name;
    abi::Uuid uuid;
    /// What opening a context here answers.
    abi::Status health = abi::Status::success;
    /// By card.
    DeviceSet reachable_peers = ~DeviceSet{0};
    /// By card: to whose memory this device's direct writes are lost.
    DeviceSet lost_writes = 0;

    /// Taken in whole blocks.
    std::uint64_t block_bytes = 0;
    /// Taken by a plan.
    std::uint64_t withheld_bytes = 0;
    /// Taken in small pieces, which share blocks.
    std::uint64_t small_bytes = 0;
    /// The same through all lives of the primary context, as drivers have it.
    abi::Context primary_context;
    unsigned primary_retains = 0;
    unsigned primary_flags = 0;
    std::shared_ptr<MemoryPool> default_pool;

    std::uint64_t memory_used() const;
    std::uint64_t memory_free() const { return kind.memory_bytes - memory_used(); }
};

/// Leaves the device no more free memory than that.
void withhold_memory_beyond(Device& device, std::uint64_t bytes_left);

/// An H200's figures.
CupoolSimDevice default_device_kind();

/// Fails with invalid_device.
Device& device_at(State& state, abi::Device ordinal);

}  // namespace cupool::simulator
