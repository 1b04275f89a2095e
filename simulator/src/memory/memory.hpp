#pragma once

#include <cstddef>

#include <cupool/driver/abi.hpp>

#include "memory/address_space.hpp"

namespace cupool::simulator {

struct Device;
struct State;

/// Ends an allocation and returns its memory to its device.
void release_memory(State& state, Allocation& allocation);

/// Takes `bytes` of the device's memory, trimming its pools if necessary. Fails with out_of_memory.
void take_memory(State& state, Device& device, std::uint64_t bytes);

/// Returns memory that take_memory() took.
void return_memory(Device& device, std::uint64_t bytes);

/// Allocates and maps memory on the current context's device. Fails with out_of_memory.
abi::DevicePointer allocate_plain(State& state, std::size_t bytes);

/// The status of a call that is given an address without an allocation.
abi::Status unknown_address_status(State& state);

/// The allocation that begins at `pointer` and may be freed. Fails with unknown_address_status() or invalid_value.
std::shared_ptr<Allocation> freeable_at(State& state, abi::DevicePointer pointer);

/// Records that a free was called; the free itself may happen later.
void note_free_called(State& state, Allocation& allocation);

/// The region at an address passed to a driver call; it must lie in one live allocation. Fails with invalid_value.
Region region_of(abi::DevicePointer start, std::size_t bytes);

}  // namespace cupool::simulator
