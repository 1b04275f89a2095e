#pragma once

/// \file
/// Location, kind and access of the memory of pools and of physical memory.

namespace cupool::abi {

/// CUmemLocationType.
enum class MemoryLocationType : int { invalid = 0, device = 1 };

/// CUmemLocation.
struct MemoryLocation {
    MemoryLocationType type;
    int id;
};

/// CUmemAllocationType.
enum class MemoryAllocationType : int { invalid = 0, pinned = 1 };

/// CUmemAllocationHandleType.
enum class MemoryHandleType : int { none = 0, posix_file_descriptor = 1 };

/// CUmemAccess_flags.
enum class MemoryAccess : int { none = 0, read = 1, read_write = 3 };

/// CUmemAccessDesc.
struct MemoryAccessDescriptor {
    MemoryLocation location;
    MemoryAccess flags;
};

}  // namespace cupool::abi
