#pragma once

/// \file
/// Device memory and events of another process on the same host. The exported object must outlive
/// all objects opened from its handle. A handle is plain bytes, which the program sends by any
/// means; a process cannot open its own handles.

#include <cstddef>
#include <cupool/driver/detail/owned_handle.hpp>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/event.hpp>
#include <memory>

namespace cupool {

/// A handle of a plain allocation, for other processes. Allocate it without a pool
/// (DeviceContext::with_memory_pool({})); the other process opens the whole allocation. \throws
/// Error invalid_argument if there is no such allocation at the pointer, unsupported
abi::IpcMemoryHandle ipc_handle(ContextView context, abi::DevicePointer pointer, SourceLocation where = SourceLocation::current());

/// A handle of an event with EventOptions::interprocess, for Event::open(). \throws Error
/// invalid_argument, unsupported
abi::IpcEventHandle ipc_handle(const Event& event, SourceLocation where = SourceLocation::current());

/// An allocation of another process that is open in this one. Move-only. Keeps its context alive.
class IpcMemory {
public:
    /// \param context  of the device that holds the memory, or of one that can access it
    /// \throws Error invalid_argument (no such handle), wrong_context (it is this process's own),
    /// unsupported
    IpcMemory(ContextView context, const abi::IpcMemoryHandle& handle, SourceLocation where = SourceLocation::current());

    /// The device address of the first element.
    abi::DevicePointer pointer() const noexcept { return handle_.get(); }
    /// A view of the first `count` elements. The program must know the size, which the handle does
    /// not contain.
    template <class T>
    DeviceSpan<T> span(std::size_t count, SourceLocation where = SourceLocation::current()) const {
        const ContextView context = handle_.context();
        detail::require_context(context, where);
        return {pointer(), count, context.ordinal()};
    }

private:
    detail::OwnedHandle<abi::DevicePointer, &EntryPoints::ipc_close_memory_handle> handle_;
};

}  // namespace cupool
