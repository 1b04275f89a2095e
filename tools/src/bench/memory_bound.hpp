#pragma once

/// \file
/// Lower bounds for the times of reductions: how fast memory can be read.

#include <cstddef>
#include <cupool/pool/device_pool.hpp>
#include <optional>
#include <span>

namespace cupool::tools {

/// The time of one plain read of an array in host memory, in milliseconds, including the start of
/// its threads. Each thread takes the next MiB when it has finished one, reads with the widest AVX2
/// registers that the processor has, and prefetches.
double plain_read_milliseconds(std::span<const std::byte> bytes, unsigned threads);

/// The median of `runs` plain reads, after one that is not counted.
double median_plain_read_milliseconds(std::span<const std::byte> bytes, unsigned threads, int runs);

/// The time in which the memory of a device can deliver `bytes`, in milliseconds: two transfers a
/// clock over the width of its bus, by the attributes that the driver reports. nullopt if the driver
/// does not report them.
std::optional<double> device_read_milliseconds(std::size_t bytes, const Device& device);

}  // namespace cupool::tools
