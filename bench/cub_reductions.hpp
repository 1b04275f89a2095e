#pragma once

/// \file
/// CUB's reductions of device memory, for comparison. Compiled by nvcc; see reduce_beside_cub.cpp.

#include <cstddef>
#include <cstdint>
#include <functional>

/// A reduction of CUB with its memory allocated. run() copies the result to `result` in host memory
/// and returns when it has arrived.
struct CubReduction {
    std::function<void(void* result)> run;
};

/// Whether the CUDA runtime finds a device.
bool has_cub_device();

/// \param type  i8 to i64, u8 to u64, f16, bf16, f32 or f64 \param operation  sum, min, max or argmax
/// \return an object without run() if CUB or this program has no such reduction
CubReduction cub_reduction(const char* type, const char* operation, std::uint64_t input, std::size_t count);

/// Sums `segments` segments of `length` elements into device memory; returns when it has finished.
CubReduction cub_segmented_sum(const char* type, std::uint64_t input, std::size_t segments, std::size_t length, std::uint64_t results);
