#pragma once

#include <cstddef>
#include <cupool/driver/context.hpp>
#include <iosfwd>
#include <string_view>

namespace cupool {

/// The kind of the memory.
enum class MemoryKind {
    unregistered,  ///< unknown to the driver: pageable host memory, or no memory at all
    host,          ///< page-locked: allocated or registered
    device,
    managed,
};

/// What the driver knows about a pointer. Of unregistered memory it knows only the kind.
struct PointerInfo {
    /// The kind of the memory.
    MemoryKind kind = MemoryKind::unregistered;
    int device = detail::no_ordinal;        ///< the device that holds it, or from which it was allocated
    abi::DevicePointer start = 0;           ///< the beginning of the allocation that contains the pointer
    std::size_t size_bytes = 0;             ///< the size of that allocation
    void* host_pointer = nullptr;           ///< its address on the host; null if the host cannot access it
    abi::DevicePointer device_pointer = 0;  ///< its address on devices
    abi::Context context = nullptr;         ///< its context; null for memory of pools, which has none
    abi::MemoryPool pool = nullptr;         ///< its pool; null for other memory, and before CUDA 11.3
};

/// Asks the driver of a context about any pointer, in one driver call. Thread-safe.
PointerInfo pointer_info(ContextView context, abi::DevicePointer pointer, SourceLocation where = SourceLocation::current());
PointerInfo pointer_info(ContextView context, const void* pointer, SourceLocation where = SourceLocation::current());

std::string_view to_string(MemoryKind kind) noexcept;
std::ostream& operator<<(std::ostream& out, MemoryKind kind);

}  // namespace cupool
