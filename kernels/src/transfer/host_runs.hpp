#pragma once

#include <cstddef>
#include <cupool/driver/stream.hpp>
#include <span>

namespace cupool::detail {

/// Runs of host memory, of equal size and at equal distances: copied, they follow each other.
struct HostRuns {
    HostRuns(std::span<const std::byte> run) : first(run) {}  // NOLINT(google-explicit-constructor): one run of all
    /// \param distance  from the beginning of one run to that of the next, in bytes
    HostRuns(std::span<const std::byte> run, std::size_t runs, std::size_t distance) : first(run), count(runs), stride(distance) {}

    std::size_t size_bytes() const { return count * first.size(); }
    std::span<const std::byte> run(std::size_t index) const { return {first.data() + index * stride, first.size()}; }
    /// Copies the bytes from number `begin` on, counted over all runs, as many as `to` takes.
    void gather(std::span<std::byte> to, std::size_t begin) const;

    std::span<const std::byte> first;
    std::size_t count = 1;
    std::size_t stride = 0;
};

/// Copies each run with a call of the driver. Ordered on the stream, and host memory is read, as by cupool::copy_async().
void copy_runs_async(abi::DevicePointer to, const HostRuns& from, StreamView stream);

}  // namespace cupool::detail
