#pragma once

#include <cstdint>
#include <cupool/driver/abi.hpp>

namespace cupool::detail {

inline abi::MemoryLocation location_of(int ordinal) { return {abi::MemoryLocationType::device, ordinal}; }

/// The kind of handle by which other processes can import memory.
inline abi::MemoryHandleType handle_type_of(bool is_shareable) {
    return is_shareable ? abi::MemoryHandleType::posix_file_descriptor : abi::MemoryHandleType::none;
}

/// A file descriptor in the form of an import: the driver expects the descriptor itself in place of
/// a pointer to a handle.
inline void* shared_handle_of(int file_descriptor) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(file_descriptor)); }

}  // namespace cupool::detail
