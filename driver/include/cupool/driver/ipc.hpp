#pragma once

/// \file
/// Device memory and events of another process of the host. What a handle names must outlive what has been opened from it. A handle is
/// plain bytes, to be sent however the program likes; a process cannot open its own.

#include <cstddef>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/event.hpp>
#include <memory>

namespace cupool {

/// A handle of a plain allocation, for other processes: allocate it without a pool (DeviceContext::with_memory_pool({})), and open it as
/// the whole allocation it is. \throws Error invalid_argument where there is none at the pointer, unsupported
abi::IpcMemoryHandle ipc_handle(ContextView context, abi::DevicePointer pointer, SourceLocation where = SourceLocation::current());

/// A handle of an event made with EventOptions::interprocess, which Event::open() takes. \throws Error invalid_argument, unsupported
abi::IpcEventHandle ipc_handle(const Event& event, SourceLocation where = SourceLocation::current());

/// An allocation of another process, open in this one. Move-only. Keeps its context alive.
class IpcMemory {
public:
    /// \param context  of the device that the memory is on, or of one that can access it
    /// \throws Error invalid_argument (no such handle), wrong_context (it is this process's own), unsupported
    IpcMemory(ContextView context, const abi::IpcMemoryHandle& handle, SourceLocation where = SourceLocation::current());
    ~IpcMemory() { release(); }
    IpcMemory(IpcMemory&& other) noexcept;
    IpcMemory& operator=(IpcMemory&& other) noexcept;

    /// Where it begins, for devices.
    abi::DevicePointer pointer() const noexcept { return pointer_; }
    /// Its first `count` elements, if it has as many: the handle does not tell.
    template <class T>
    DeviceSpan<T> span(std::size_t count, SourceLocation where = SourceLocation::current()) const {
        const ContextView context(context_.get());
        detail::require_context(context, where);
        return {pointer_, count, context.ordinal()};
    }

private:
    void release() noexcept;

    detail::Shared<const detail::ContextState> context_;
    abi::DevicePointer pointer_ = 0;
};

}  // namespace cupool
