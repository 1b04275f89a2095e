#pragma once

/// \file
/// NCCL, loaded at run time, for comparison. The benchmarks work without it and do not link it.

#include <cstddef>
#include <cupool/pool/device_pool.hpp>
#include <memory>
#include <vector>

namespace cupool::bench {

/// An NCCL communicator over all devices of a pool, on the default streams of the pool. Elements are
/// u32, reductions are sums. There is one array for each device, in the order of the pool. Calls
/// return when their work is queued; they throw std::runtime_error if NCCL reports an error.
class Nccl {
public:
    /// nullptr if the loader finds no libnccl.so.2 or its version is not 2. \throws std::runtime_error
    /// if NCCL cannot use the devices
    static std::unique_ptr<Nccl> find(const DevicePool& pool);
    ~Nccl();
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    int version() const { return version_; }  ///< as NCCL encodes it: 22703 is 2.27.3

    using Arrays = std::vector<abi::DevicePointer>;
    void all_reduce(const Arrays& inputs, const Arrays& outputs, std::size_t count) const;
    /// \param count  elements of an output; \p outputs[d] receives slice d of the sum
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
