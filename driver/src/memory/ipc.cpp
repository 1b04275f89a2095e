#include <cupool/driver/ipc.hpp>
#include <utility>

namespace cupool {

using detail::call_in;

abi::IpcMemoryHandle ipc_handle(ContextView context, abi::DevicePointer pointer, SourceLocation where) {
    abi::IpcMemoryHandle handle{};
    call_in<&EntryPoints::ipc_get_memory_handle>(context, where, &handle, pointer);
    return handle;
}

abi::IpcEventHandle ipc_handle(const Event& event, SourceLocation where) {
    abi::IpcEventHandle handle{};
    call_in<&EntryPoints::ipc_get_event_handle>(event.context(), where, &handle, event.handle());
    return handle;
}

Event Event::open(ContextView context, const abi::IpcEventHandle& handle, SourceLocation where) {
    detail::Shared<const detail::ContextState> owner = context.share(where);
    abi::Event event = nullptr;
    call_in<&EntryPoints::ipc_open_event_handle>(context, where, &event, handle);
    return Event(std::move(owner), event);
}

IpcMemory::IpcMemory(ContextView context, const abi::IpcMemoryHandle& handle, SourceLocation where) : context_(context.share(where)) {
    call_in<&EntryPoints::ipc_open_memory_handle>(context, where, &pointer_, handle,
                                                  static_cast<unsigned>(abi::IpcMemoryFlags::lazy_enable_peer_access));
}

IpcMemory::IpcMemory(IpcMemory&& other) noexcept : context_(std::move(other.context_)), pointer_(std::exchange(other.pointer_, 0)) {}

IpcMemory& IpcMemory::operator=(IpcMemory&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        pointer_ = std::exchange(other.pointer_, 0);
    }
    return *this;
}

void IpcMemory::release() noexcept {
    if (pointer_ != 0) {
        detail::destroy_in<&EntryPoints::ipc_close_memory_handle>(context_.get(), pointer_);
    }
}

}  // namespace cupool
