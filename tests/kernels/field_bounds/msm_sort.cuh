#pragma once

// Stands in for kernels/src/msm_sort.cuh, of which msm_pairs.cuh takes these names alone.

#include "device.cuh"
#include "msm_layout.hpp"

namespace cupool::device {

using detail::carried_bit;
using detail::MsmPlan;
using detail::no_term;

inline constexpr std::uint32_t sign_bit = 1u << 31;
inline constexpr std::uint32_t lone_bit = 1u << 31;

}  // namespace cupool::device
