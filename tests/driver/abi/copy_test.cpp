// The declarations of <cupool/driver/abi/copy.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

CUPOOL_LAYOUT(Copy3D, CUDA_MEMCPY3D_v2)
CUPOOL_LAYOUT(Copy3D, CUDA_MEMCPY3D_PEER)
#define CUPOOL_COPY_SIDE(our_side, theirs, their_side)                                                                     \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, x_bytes) == offsetof(theirs, their_side##XInBytes)); \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, y) == offsetof(theirs, their_side##Y));              \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, z) == offsetof(theirs, their_side##Z));              \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, level) == offsetof(theirs, their_side##LOD));        \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, type) == offsetof(theirs, their_side##MemoryType));  \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, host) == offsetof(theirs, their_side##Host));        \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, device) == offsetof(theirs, their_side##Device));    \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, array) == offsetof(theirs, their_side##Array));      \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, pitch) == offsetof(theirs, their_side##Pitch));      \
    static_assert(offsetof(Copy3D, our_side) + offsetof(Copy3D::Side, height) == offsetof(theirs, their_side##Height));
CUPOOL_COPY_SIDE(source, CUDA_MEMCPY3D_v2, src)
CUPOOL_COPY_SIDE(target, CUDA_MEMCPY3D_v2, dst)
CUPOOL_COPY_SIDE(source, CUDA_MEMCPY3D_PEER, src)
CUPOOL_COPY_SIDE(target, CUDA_MEMCPY3D_PEER, dst)
static_assert(offsetof(Copy3D, source) + offsetof(Copy3D::Side, context) == offsetof(CUDA_MEMCPY3D_PEER, srcContext));
static_assert(offsetof(Copy3D, target) + offsetof(Copy3D::Side, context) == offsetof(CUDA_MEMCPY3D_PEER, dstContext));
CUPOOL_MEMBER(Copy3D, width_bytes, CUDA_MEMCPY3D_v2, WidthInBytes)
CUPOOL_MEMBER(Copy3D, height, CUDA_MEMCPY3D_v2, Height)
CUPOOL_MEMBER(Copy3D, depth, CUDA_MEMCPY3D_v2, Depth)
CUPOOL_MEMBER(Copy3D, width_bytes, CUDA_MEMCPY3D_PEER, WidthInBytes)
CUPOOL_MEMBER(Copy3D, height, CUDA_MEMCPY3D_PEER, Height)
CUPOOL_MEMBER(Copy3D, depth, CUDA_MEMCPY3D_PEER, Depth)

CUPOOL_LAYOUT(Copy2D, CUDA_MEMCPY2D)
static_assert(offsetof(Copy2D, from.x_bytes) == offsetof(CUDA_MEMCPY2D, srcXInBytes), "Copy2D::from.x_bytes");
static_assert(offsetof(Copy2D, from.y) == offsetof(CUDA_MEMCPY2D, srcY), "Copy2D::from.y");
static_assert(offsetof(Copy2D, from.type) == offsetof(CUDA_MEMCPY2D, srcMemoryType), "Copy2D::from.type");
static_assert(offsetof(Copy2D, from.host) == offsetof(CUDA_MEMCPY2D, srcHost), "Copy2D::from.host");
static_assert(offsetof(Copy2D, from.device) == offsetof(CUDA_MEMCPY2D, srcDevice), "Copy2D::from.device");
static_assert(offsetof(Copy2D, from.array) == offsetof(CUDA_MEMCPY2D, srcArray), "Copy2D::from.array");
static_assert(offsetof(Copy2D, from.pitch_bytes) == offsetof(CUDA_MEMCPY2D, srcPitch), "Copy2D::from.pitch_bytes");
static_assert(offsetof(Copy2D, to.x_bytes) == offsetof(CUDA_MEMCPY2D, dstXInBytes), "Copy2D::to.x_bytes");
static_assert(offsetof(Copy2D, to.y) == offsetof(CUDA_MEMCPY2D, dstY), "Copy2D::to.y");
static_assert(offsetof(Copy2D, to.type) == offsetof(CUDA_MEMCPY2D, dstMemoryType), "Copy2D::to.type");
static_assert(offsetof(Copy2D, to.host) == offsetof(CUDA_MEMCPY2D, dstHost), "Copy2D::to.host");
static_assert(offsetof(Copy2D, to.device) == offsetof(CUDA_MEMCPY2D, dstDevice), "Copy2D::to.device");
static_assert(offsetof(Copy2D, to.array) == offsetof(CUDA_MEMCPY2D, dstArray), "Copy2D::to.array");
static_assert(offsetof(Copy2D, to.pitch_bytes) == offsetof(CUDA_MEMCPY2D, dstPitch), "Copy2D::to.pitch_bytes");
CUPOOL_MEMBER(Copy2D, width_bytes, CUDA_MEMCPY2D, WidthInBytes)
CUPOOL_MEMBER(Copy2D, height, CUDA_MEMCPY2D, Height)

}  // namespace cupool::abi
