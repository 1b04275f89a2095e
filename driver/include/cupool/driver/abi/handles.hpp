#pragma once

/// \file
/// The handle types of libcuda: the same opaque global struct tags as in cuda.h.

#include <cstdint>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUmemPoolHandle_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
struct CUuserObject_st;
struct CUlib_st;
struct CUkern_st;
struct CUlinkState_st;
struct CUgreenCtx_st;
struct CUdevResourceDesc_st;
struct CUarray_st;

namespace cupool::abi {

using Device = int;
using DevicePointer = std::uint64_t;
using Context = CUctx_st*;
using Module = CUmod_st*;
using Function = CUfunc_st*;
using Stream = CUstream_st*;
using Event = CUevent_st*;
using MemoryPool = CUmemPoolHandle_st*;
using Graph = CUgraph_st*;
using GraphNode = CUgraphNode_st*;
using GraphExec = CUgraphExec_st*;
using UserObject = CUuserObject_st*;
using CodeLibrary = CUlib_st*;
using LibraryKernel = CUkern_st*;
using LinkState = CUlinkState_st*;
using GreenContext = CUgreenCtx_st*;
using ResourceDescription = CUdevResourceDesc_st*;
using Array = CUarray_st*;
/// Physical memory that is not mapped to an address.
using MemoryHandle = std::uint64_t;

}  // namespace cupool::abi
