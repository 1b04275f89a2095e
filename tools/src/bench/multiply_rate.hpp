#pragma once

/// \file
/// How fast GPUs multiply, for lower bounds of times.

#include <cupool/pool/device_pool.hpp>
#include <optional>
#include <span>

namespace cupool::tools {

/// Slots of the integer multiply pipes, of 32 bits, that a product and a square modulo a prime of 254 or 255 bits take: products of limbs,
/// half of those of a product for its reduction.
inline constexpr double product_slots_of_four_limbs = 264;
inline constexpr double square_slots_of_four_limbs = 208;

/// What a device can do if it keeps all multiply pipes busy: 64 slots a clock and multiprocessor. nullopt if it does not have compute
/// capability 9.0, on which the figures were measured.
std::optional<double> multiply_slots_a_millisecond(const Device& device);

/// The time of so many slots on some devices of a pool together, in milliseconds; nullopt for none, and for devices of another capability.
/// \param ordinals  of the devices
std::optional<double> multiply_milliseconds(double slots, const DevicePool& pool, std::span<const int> ordinals);

}  // namespace cupool::tools
