#pragma once

// Stands in for kernels/src/msm/device/stages/stage2_sort.cuh, of which stage3_pairs.cuh takes these names alone.

#include "support/device.cuh"
#include "msm/device/kernel_params.hpp"

namespace cupool::device {

using detail::carried_bit;
using detail::MsmKernelParams;
using detail::no_term;

inline constexpr std::uint32_t sign_bit = 1u << 31;
inline constexpr std::uint32_t unpaired_bit = 1u << 31;

}  // namespace cupool::device
