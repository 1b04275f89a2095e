#pragma once

#include <cstdint>
#include <cupool/driver/module.hpp>

namespace cupool::tools {

/// A kernel that copies: the multiprocessors read and write, instead of a copy engine. Keeps its
/// context alive.
class CopyKernel {
public:
    /// Loads the kernel. \throws Error any failure of the driver
    explicit CopyKernel(ContextView context);

    /// Queues a copy between any memory that the device can access. \param bytes  a multiple of 16
    void launch(abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, StreamView stream) const;

private:
    Module module_;
    Kernel<abi::DevicePointer, abi::DevicePointer, std::uint64_t> kernel_;
};

}  // namespace cupool::tools
