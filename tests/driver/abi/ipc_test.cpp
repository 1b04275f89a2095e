// The declarations of <cupool/driver/abi/ipc.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(IpcMemoryFlags::lazy_enable_peer_access, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
// clang-format on

CUPOOL_LAYOUT(IpcMemoryHandle, CUipcMemHandle)

CUPOOL_LAYOUT(IpcEventHandle, CUipcEventHandle)

}  // namespace cupool::abi
