#pragma once

#include <cstddef>

#include <cupool/driver/abi.hpp>

#include "memory/address_space.hpp"

namespace cupool::simulator {

struct Device;
struct State;

/// Ends an allocation and gives its memory back to its device.
void release_memory(State& state, Allocation& allocation);

/// Takes `bytes` of the device's memory, out of what its pools hoard if need be. Fails with out_of_memory.
void take_memory(State& state, Device& device, std::uint64_t bytes);

/// Gives back what was taken.
void return_memory(Device& device, std::uint64_t bytes);

/// Memory of the current context's device, charged and mapped. Fails with out_of_memory.
abi::DevicePointer allocate_plain(State& state, std::size_t bytes);

/// What a call answers that was given an address where nothing is.
abi::Status unknown_address_status(State& state);

/// The allocation that begins at `pointer` and that may be freed. Fails with what unknown_address_status() answers, or invalid_value.
std::shared_ptr<Allocation> freeable_at(State& state, abi::DevicePointer pointer);

/// A free has been called; it may happen later.
void note_free_called(State& state, Allocation& allocation);

/// The region at an address that a driver call was given: it must lie in one live allocation. Fails with invalid_value.
Region region_of(abi::DevicePointer start, std::size_t bytes);

}  // namespace cupool::simulator
