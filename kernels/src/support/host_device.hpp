#pragma once

/// \file
/// Marks the functions that both the host compiler and the device compiler take. Needs no CUDA header: clang and nvcc know the attributes.

#if defined(__CUDA__) || defined(__CUDACC__)
#define CUPOOL_HOST_DEVICE __attribute__((host, device, always_inline)) inline
#else
#define CUPOOL_HOST_DEVICE inline
#endif
