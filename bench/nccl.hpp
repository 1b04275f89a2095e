#pragma once

/// \file
/// NCCL, found at run time, to measure collectives beside it. The benchmarks neither need it nor are linked with it.

#include <cstddef>
#include <cupool/pool/device_pool.hpp>
#include <memory>
#include <vector>

namespace cupool::bench {

/// A communicator of NCCL's over all devices of a pool, on the pool's default streams. Elements are u32, reductions sums. The arrays are
/// one a device, in the pool's order. Calls return when their work is queued, and throw std::runtime_error where NCCL answers an error.
class Nccl {
public:
    /// Nothing where the loader finds no libnccl.so.2 or its version is not 2. \throws std::runtime_error where it cannot use the devices
    static std::unique_ptr<Nccl> find(const DevicePool& pool);
    ~Nccl();
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    int version() const { return version_; }  ///< as NCCL counts: 22703 is 2.27.3

    using Arrays = std::vector<abi::DevicePointer>;
    void all_reduce(const Arrays& inputs, const Arrays& outputs, std::size_t count) const;
    /// \param count  elements of an output, \p outputs[d] being slice d of the sum
    void reduce_scatter(const Arrays& inputs, const Arrays& outputs, std::size_t count) const;
    /// \param count  elements of an input
    void all_gather(const Arrays& inputs, const Arrays& outputs, std::size_t count) const;
    /// From the first device.
    void broadcast(abi::DevicePointer source, const Arrays& outputs, std::size_t count) const;

private:
    struct Functions;
    Nccl(const DevicePool& pool, std::unique_ptr<Functions> functions, int version);
    void require(int result) const;
    template <class Call>
    void group(const Call& call) const;

    DevicePool pool_;
    std::unique_ptr<Functions> functions_;
    int version_;
    std::vector<void*> communicators_;
};

}  // namespace cupool::bench
