#pragma once

/// \file
/// Addresses and physical memory apart, for arrays that grow in place or whose parts lie on several devices:
///
///     const std::size_t unit = allocation_granularity(context);
///     AddressRange range(context, 16 * unit);          // addresses, no memory
///     PhysicalMemory memory(context, unit);            // memory, no address
///     MemoryMapping mapping(range, 0, memory);         // there
///     mapping.allow_access(context.ordinal());         // and usable by that device's work
///
/// All sizes and offsets are in bytes and multiples of the granularity. A mapping that goes waits for the work of the context that its
/// memory was made in; work of others that uses it must have been awaited. Safe from any thread, as long as two do not use one object at
/// once.

#include <cstddef>
#include <cupool/driver/context.hpp>
#include <cupool/driver/device_span.hpp>
#include <memory>

namespace cupool {

/// What sizes of physical memory on the context's device must be multiples of, in bytes.
std::size_t allocation_granularity(ContextView context, abi::AllocationGranularity kind = abi::AllocationGranularity::minimum,
                                   SourceLocation where = SourceLocation::current());

/// Addresses set apart. Move-only. They are given back once this and every mapping there are gone.
class AddressRange {
public:
    /// \param alignment  of its start, in bytes; 0 means the driver's own
    /// \throws Error invalid_argument (a size that is 0 or no multiple), out_of_memory (no such range is free)
    AddressRange(ContextView context, std::size_t bytes, std::size_t alignment = 0, SourceLocation where = SourceLocation::current());
    AddressRange(AddressRange&&) noexcept = default;
    AddressRange& operator=(AddressRange&&) noexcept = default;

    /// Where it begins.
    abi::DevicePointer pointer(SourceLocation where = SourceLocation::current()) const;
    /// How many addresses there are.
    std::size_t size_bytes(SourceLocation where = SourceLocation::current()) const;

private:
    friend class MemoryMapping;
    struct State;

    const State& state(const SourceLocation& where) const;

    std::shared_ptr<const State> state_;
};

/// How PhysicalMemory is made.
struct PhysicalMemoryOptions {
    /// Whether other processes can import it: see PhysicalMemory::export_file_descriptor().
    bool is_shareable = false;
};

/// Memory of the context's device, without an address. Move-only. It is given back once this and every mapping of it are gone.
class PhysicalMemory {
public:
    /// \throws Error out_of_memory, invalid_argument (a size that is 0 or no multiple)
    PhysicalMemory(ContextView context, std::size_t bytes, PhysicalMemoryOptions options = {},
                   SourceLocation where = SourceLocation::current());
    /// Memory that another process, or this one, has exported; it lives until all have given it back.
    /// \param bytes  as it was made, which the driver does not tell
    /// \throws Error wrong_context where it is of another device than the context, invalid_argument where the descriptor is none of memory
    static PhysicalMemory import_file_descriptor(ContextView context, int file_descriptor, std::size_t bytes,
                                                 SourceLocation where = SourceLocation::current());
    ~PhysicalMemory() { release(); }
    PhysicalMemory(PhysicalMemory&& other) noexcept;
    PhysicalMemory& operator=(PhysicalMemory&& other) noexcept;

    /// The driver's own handle.
    abi::MemoryHandle handle() const noexcept { return handle_; }
    /// In bytes.
    std::size_t size_bytes() const noexcept { return bytes_; }
    /// The ordinal of its device.
    int device(SourceLocation where = SourceLocation::current()) const;

    /// A file descriptor that lets another process import the memory, which must have been made shareable; the caller closes it.
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

/// Physical memory at an address. Move-only; unmaps when it goes. No device may use it before it is allowed to.
class MemoryMapping {
public:
    /// Maps all of the memory. \param offset  into the range \throws Error invalid_argument where it does not fit there, or something is
    /// mapped there already
    MemoryMapping(const AddressRange& range, std::size_t offset, const PhysicalMemory& memory,
                  SourceLocation where = SourceLocation::current());
    ~MemoryMapping() { release(); }
    MemoryMapping(MemoryMapping&& other) noexcept;
    MemoryMapping& operator=(MemoryMapping&& other) noexcept;

    /// Where the memory is mapped.
    abi::DevicePointer pointer() const noexcept { return pointer_; }
    /// In bytes.
    std::size_t size_bytes() const noexcept { return bytes_; }
    /// As many elements as fit, for work of the memory's own device.
    template <class T>
    DeviceSpan<T> span() const noexcept {
        return {pointer_, bytes_ / sizeof(T), device_};
    }

    /// Lets a device's kernels use the memory there, or not any more. \throws Error invalid_argument (no such device), invalid_device (one
    /// that cannot reach it)
    void allow_access(int ordinal, abi::MemoryAccess access = abi::MemoryAccess::read_write,
                      SourceLocation where = SourceLocation::current()) const;
    /// What a device's kernels may do with the memory there.
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
