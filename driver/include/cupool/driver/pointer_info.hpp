#pragma once

#include <cstddef>
#include <cupool/driver/context.hpp>
#include <iosfwd>
#include <string_view>

namespace cupool {

/// Whose memory it is.
enum class MemoryKind {
    unregistered,  ///< nothing the driver knows: the program's own memory, or no memory at all
    host,          ///< page-locked: allocated or registered
    device,
    managed,
};

/// What the driver knows of a pointer. Of unregistered memory it knows nothing else.
struct PointerInfo {
    /// Whose memory it is.
    MemoryKind kind = MemoryKind::unregistered;
    int device = detail::no_ordinal;        ///< where it is, or where it was allocated from
    abi::DevicePointer start = 0;           ///< of the allocation that the pointer lies in
    std::size_t size_bytes = 0;             ///< of that allocation
    void* host_pointer = nullptr;           ///< what the host calls it by; null where the host cannot reach it
    abi::DevicePointer device_pointer = 0;  ///< what devices call it by
    abi::Context context = nullptr;         ///< null for memory of pools, which belongs to none
    abi::MemoryPool pool = nullptr;         ///< the pool it is from; null for all other memory, and before CUDA 11.3
};

/// Asks the driver of a context about a pointer, its own or any other. One call of the driver. Safe from any thread.
PointerInfo pointer_info(ContextView context, abi::DevicePointer pointer, SourceLocation where = SourceLocation::current());
PointerInfo pointer_info(ContextView context, const void* pointer, SourceLocation where = SourceLocation::current());

std::string_view to_string(MemoryKind kind) noexcept;
std::ostream& operator<<(std::ostream& out, MemoryKind kind);

}  // namespace cupool
