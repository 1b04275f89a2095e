// The declarations of <cupool/driver/abi/handles.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

static_assert(is_compatible<DevicePointer, CUdeviceptr>());
static_assert(is_compatible<Device, CUdevice>());
static_assert(is_compatible<MemoryHandle, CUmemGenericAllocationHandle>());
static_assert(std::is_same_v<Context, CUcontext> && std::is_same_v<Module, CUmodule> && std::is_same_v<Function, CUfunction>);
static_assert(std::is_same_v<Stream, CUstream> && std::is_same_v<Event, CUevent> && std::is_same_v<MemoryPool, CUmemoryPool>);
static_assert(std::is_same_v<Graph, CUgraph> && std::is_same_v<GraphNode, CUgraphNode> && std::is_same_v<GraphExec, CUgraphExec>);
static_assert(std::is_same_v<UserObject, CUuserObject> && std::is_same_v<CodeLibrary, CUlibrary> &&
              std::is_same_v<LibraryKernel, CUkernel>);
static_assert(std::is_same_v<LinkState, CUlinkState> && std::is_same_v<GreenContext, CUgreenCtx>);
static_assert(std::is_same_v<ResourceDescription, CUdevResourceDesc> && std::is_same_v<Array, CUarray>);

}  // namespace cupool::abi
