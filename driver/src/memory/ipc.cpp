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

IpcMemory::IpcMemory(ContextView context, const abi::IpcMemoryHandle& handle, SourceLocation where) : handle_(context.share(where)) {
    abi::DevicePointer pointer = 0;
    call_in<&EntryPoints::ipc_open_memory_handle>(context, where, &pointer, handle,
                                                  static_cast<unsigned>(abi::IpcMemoryFlags::lazy_enable_peer_access));
    handle_.take(pointer);
}

}  // namespace cupool
