#pragma once

/// \file
/// Copies of two and three dimensions.

#include <cstddef>
#include <cupool/driver/abi/handles.hpp>
#include <cupool/driver/abi/memory.hpp>

namespace cupool::abi {

/// One side of a Copy2D. `type` selects which of `host`, `device` and `array` counts.
struct CopyPlane2D {
    std::size_t x_bytes;
    std::size_t y;
    MemoryType type;
    void* host;
    DevicePointer device;
    Array array;
    std::size_t pitch_bytes;
};

/// CUDA_MEMCPY2D.
struct Copy2D {
    CopyPlane2D from;
    CopyPlane2D to;
    std::size_t width_bytes;
    std::size_t height;
};

/// CUDA_MEMCPY3D_v2 and CUDA_MEMCPY3D_PEER, which have the same layout.
struct Copy3D {
    /// The source or the target.
    struct Side {
        std::size_t x_bytes;
        std::size_t y;
        std::size_t z;
        std::size_t level;
        MemoryType type;
        void* host;
        DevicePointer device;
        Array array;
        Context context;  ///< only in a copy between contexts; otherwise null
        std::size_t pitch;
        std::size_t height;
    };

    Side source;
    Side target;
    std::size_t width_bytes;
    std::size_t height;
    std::size_t depth;
};

}  // namespace cupool::abi
