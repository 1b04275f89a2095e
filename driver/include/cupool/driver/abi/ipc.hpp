#pragma once

/// \file
/// Handles by which other processes open memory and events.

namespace cupool::abi {

/// CUipcMem_flags.
enum class IpcMemoryFlags : unsigned { lazy_enable_peer_access = 1 };

/// CUipcMemHandle.
struct IpcMemoryHandle {
    char reserved[64];
};

/// CUipcEventHandle.
struct IpcEventHandle {
    char reserved[64];
};

}  // namespace cupool::abi
