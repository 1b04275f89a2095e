#pragma once

/// \file
/// Separate addresses and physical memory, for arrays that grow in place or lie on several devices:
///
///     const std::size_t unit = allocation_granularity(context);
///     AddressRange range(context, 16 * unit);          // addresses, no memory
///     PhysicalMemory memory(context, unit);            // memory, no address
///     MemoryMapping mapping(range, 0, memory);         // there
///     mapping.allow_access(context.ordinal());         // and usable by that device's work
///
/// All sizes and offsets are in bytes and multiples of the granularity. The destructor of a mapping
/// waits for the work of the context of its memory; the program must wait for work of other
/// contexts that uses the mapping. Different objects may be used by different threads at the same
/// time.

#include <cstddef>
#include <cupool/driver/context.hpp>
#include <cupool/driver/device_span.hpp>
#include <memory>

namespace cupool {

/// The number of bytes of which sizes of physical memory on the context's device must be multiples.
std::size_t allocation_granularity(ContextView context, abi::AllocationGranularity kind = abi::AllocationGranularity::minimum,
                                   SourceLocation where = SourceLocation::current());

/// A reserved range of addresses. Move-only. It is released after this object and all mappings in
/// the range are gone.
class AddressRange {
public:
    /// \param alignment  of the beginning, in bytes; 0 means the default of the driver
    /// \throws Error invalid_argument (the size is 0 or not a multiple), out_of_memory (no such
    /// range is free)
    AddressRange(ContextView context, std::size_t bytes, std::size_t alignment = 0, SourceLocation where = SourceLocation::current());
    AddressRange(AddressRange&&) noexcept = default;
    AddressRange& operator=(AddressRange&&) noexcept = default;

    /// The address at which it begins.
    abi::DevicePointer pointer(SourceLocation where = SourceLocation::current()) const;
    /// The size in bytes.
    std::size_t size_bytes(SourceLocation where = SourceLocation::current()) const;

private:
    friend class MemoryMapping;
    struct State;

    const State& state(const SourceLocation& where) const;

    std::shared_ptr<const State> state_;
};

/// Options of PhysicalMemory.
struct PhysicalMemoryOptions {
    /// Whether other processes can import it: see PhysicalMemory::export_file_descriptor().
    bool is_shareable = false;
};

/// Memory of the context's device without an address. Move-only. It is freed after this object and
/// all its mappings are gone.
class PhysicalMemory {
public:
    /// \throws Error out_of_memory, invalid_argument (the size is 0 or not a multiple)
    PhysicalMemory(ContextView context, std::size_t bytes, PhysicalMemoryOptions options = {},
                   SourceLocation where = SourceLocation::current());
    /// Imports memory that another process, or this one, has exported; it lives until all owners
    /// have released it.
    /// \param bytes  the size of the memory, which the driver does not report
    /// \throws Error wrong_context if it belongs to another device than the context,
    /// invalid_argument if the descriptor is not one of memory
    static PhysicalMemory import_file_descriptor(ContextView context, int file_descriptor, std::size_t bytes,
                                                 SourceLocation where = SourceLocation::current());
    ~PhysicalMemory() { release(); }
    PhysicalMemory(PhysicalMemory&& other) noexcept;
    PhysicalMemory& operator=(PhysicalMemory&& other) noexcept;

    /// The handle of the driver.
    abi::MemoryHandle handle() const noexcept { return handle_; }
    /// The number of bytes.
    std::size_t size_bytes() const noexcept { return bytes_; }
    /// The ordinal of its device.
    int device(SourceLocation where = SourceLocation::current()) const;

    /// A file descriptor by which another process can import the memory; the caller closes it. The
    /// memory must be shareable (PhysicalMemoryOptions).
    /// \throws Error unsupported, invalid_argument (the memory is not shareable)
    int export_file_descriptor(SourceLocation where = SourceLocation::current()) const;

private:
    friend class MemoryMapping;

    PhysicalMemory(detail::Shared<const detail::ContextState> context, abi::MemoryHandle handle, std::size_t bytes) noexcept
        : context_(std::move(context)), handle_(handle), bytes_(bytes) {}

    void release() noexcept;

    detail::Shared<const detail::ContextState> context_;
    abi::MemoryHandle handle_ = 0;
    std::size_t bytes_ = 0;
};

/// Physical memory that is mapped to an address; the destructor unmaps it. Move-only. A device may
/// use it only after allow_access().
class MemoryMapping {
public:
    /// Maps all of the memory. \param offset  in the range \throws Error invalid_argument if the
    /// memory does not fit there, or another mapping exists there
    MemoryMapping(const AddressRange& range, std::size_t offset, const PhysicalMemory& memory,
                  SourceLocation where = SourceLocation::current());
    ~MemoryMapping() { release(); }
    MemoryMapping(MemoryMapping&& other) noexcept;
    MemoryMapping& operator=(MemoryMapping&& other) noexcept;

    /// The address of the mapping.
    abi::DevicePointer pointer() const noexcept { return pointer_; }
    /// The number of bytes.
    std::size_t size_bytes() const noexcept { return bytes_; }
    /// A view of as many elements as fit, for work of the memory's device.
    template <class T>
    DeviceSpan<T> span() const noexcept {
        return {pointer_, bytes_ / sizeof(T), device_};
    }

    /// Sets which access kernels of a device have to the memory. \throws Error invalid_argument (no
    /// such device), invalid_device (it cannot access the memory)
    void allow_access(int ordinal, abi::MemoryAccess access = abi::MemoryAccess::read_write,
                      SourceLocation where = SourceLocation::current()) const;
    /// The access that kernels of a device have to the memory.
    abi::MemoryAccess access(int ordinal, SourceLocation where = SourceLocation::current()) const;

private:
    const Driver& driver(const SourceLocation& where) const;
    void release() noexcept;

    std::shared_ptr<const AddressRange::State> range_;
    detail::Shared<const detail::ContextState> memory_context_;
    abi::DevicePointer pointer_ = 0;
    std::size_t bytes_ = 0;
    int device_ = detail::no_ordinal;
};

}  // namespace cupool
