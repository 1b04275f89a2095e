#pragma once

/// \file
/// Marks the functions that both the host compiler and the device compiler take. Needs no CUDA header: clang and nvcc know the attributes.

#if defined(__CUDA__) || defined(__CUDACC__)
#define CUPOOL_HOST_DEVICE __attribute__((host, device, always_inline)) inline
/// For what is rarely reached: on a device it stands once, as a function, which keeps the driver's JIT time low.
#define CUPOOL_HOST_DEVICE_RARE __attribute__((host, device, noinline))
#else
#define CUPOOL_HOST_DEVICE inline
#define CUPOOL_HOST_DEVICE_RARE inline
#endif
