#pragma once

#include <cupool/driver/kernel.hpp>

namespace cupool::detail {

inline abi::KernelNodeParameters kernel_node_parameters(const UntypedKernel& kernel, const LaunchShape& shape, void** parameters) {
    return {kernel.handle(), shape.grid.x,  shape.grid.y,  shape.grid.z,
            shape.block.x,   shape.block.y, shape.block.z, shape.dynamic_shared_bytes,
            parameters,      nullptr};
}

}  // namespace cupool::detail
