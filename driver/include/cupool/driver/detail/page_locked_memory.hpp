#pragma once

#include <cstddef>
#include <cupool/driver/detail/awaited_memory.hpp>
#include <cupool/driver/device_span.hpp>

namespace cupool::detail {

/// The address of page-locked host memory on the device of a context. \throws Error
/// invalid_argument if the memory is not page-locked
abi::DevicePointer device_pointer_of(ContextView context, void* pointer, const SourceLocation& where);

/// Page-locked host memory that the destructor frees, or unregisters, by an entry point.
template <auto Free>
class PageLockedMemory : public AwaitedMemory<void*, Free> {
public:
    using AwaitedMemory<void*, Free>::AwaitedMemory;

    /// The memory as the device of the context accesses it. \param count  number of elements
    template <class T>
    DeviceSpan<T> device_span(std::size_t count, const SourceLocation& where) const {
        return {device_pointer_of(this->context(), this->pointer(), where), count, this->context().ordinal()};
    }
};

}  // namespace cupool::detail
