#pragma once

/// \file
/// How fast memory can be read at best, to hold the times of reductions against.

#include <cstddef>
#include <cupool/pool/device_pool.hpp>
#include <optional>
#include <span>

namespace cupool::tools {

/// The milliseconds of one plain read of an array in host memory, by so many threads, started for it: each takes the next MiB when it is
/// done with one, reads by the widest registers of AVX2 where the processor has it, and asks for memory ahead.
double plain_read_milliseconds(std::span<const std::byte> bytes, unsigned threads);

/// The median of so many plain reads, after one to warm up.
double median_plain_read_milliseconds(std::span<const std::byte> bytes, unsigned threads, int runs);

/// The milliseconds in which a device's memory could deliver so many bytes: two transfers a clock over the width of its bus, as the driver
/// names them. Nothing where the driver names none.
std::optional<double> device_read_milliseconds(std::size_t bytes, const Device& device);

}  // namespace cupool::tools
