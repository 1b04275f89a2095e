#pragma once

/// \file
/// The part of libcuda's binary interface that cupool uses: handles, numbers and layouts. The
/// headers of `abi/` divide it by concept.
///
/// The handle types are the opaque global struct tags that NVIDIA's cuda.h uses, so a translation
/// unit can include both headers. Numbers and layouts are those of the CUDA Driver API
/// documentation; where the build finds a cuda.h, the tests in `tests/driver/abi` compare every one
/// of them with it.

#include <cupool/driver/abi/context.hpp>
#include <cupool/driver/abi/copy.hpp>
#include <cupool/driver/abi/device.hpp>
#include <cupool/driver/abi/device_resource.hpp>
#include <cupool/driver/abi/graph.hpp>
#include <cupool/driver/abi/handles.hpp>
#include <cupool/driver/abi/ipc.hpp>
#include <cupool/driver/abi/jit.hpp>
#include <cupool/driver/abi/kernel.hpp>
#include <cupool/driver/abi/managed_memory.hpp>
#include <cupool/driver/abi/memory.hpp>
#include <cupool/driver/abi/memory_location.hpp>
#include <cupool/driver/abi/memory_pool.hpp>
#include <cupool/driver/abi/module.hpp>
#include <cupool/driver/abi/proc_address.hpp>
#include <cupool/driver/abi/status.hpp>
#include <cupool/driver/abi/stream_and_event.hpp>
#include <cupool/driver/abi/virtual_memory.hpp>

/// Our own declarations of libcuda's C interface. Nothing in this namespace calls the driver.
namespace cupool::abi {}
