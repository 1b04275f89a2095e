#include "api/handle_call.hpp"

/// \file
/// IPC memory and events are not simulated, since each process has its own simulated machine.

namespace cupool::simulator::exports {

Status ipc_get_memory_handle(IpcMemoryHandle*, DevicePointer) {
    return handle_call(EntryPoint::ipc_get_memory_handle, [] { fail(Status::not_supported); });
}

Status ipc_open_memory_handle(DevicePointer*, IpcMemoryHandle, unsigned) {
    return handle_call(EntryPoint::ipc_open_memory_handle, [] { fail(Status::not_supported); });
}

Status ipc_close_memory_handle(DevicePointer) {
    return handle_call(EntryPoint::ipc_close_memory_handle, [] { fail(Status::not_supported); });
}

Status ipc_get_event_handle(IpcEventHandle*, Event) {
    return handle_call(EntryPoint::ipc_get_event_handle, [] { fail(Status::not_supported); });
}

Status ipc_open_event_handle(Event*, IpcEventHandle) {
    return handle_call(EntryPoint::ipc_open_event_handle, [] { fail(Status::not_supported); });
}

Status memory_pool_export(void*, MemoryPool, MemoryHandleType, unsigned long long) {
    return handle_call(EntryPoint::memory_pool_export, [] { fail(Status::not_supported); });
}

Status memory_pool_import(MemoryPool*, void*, MemoryHandleType, unsigned long long) {
    return handle_call(EntryPoint::memory_pool_import, [] { fail(Status::not_supported); });
}

Status memory_pool_export_pointer(MemoryPoolPointerExport*, DevicePointer) {
    return handle_call(EntryPoint::memory_pool_export_pointer, [] { fail(Status::not_supported); });
}

Status memory_pool_import_pointer(DevicePointer*, MemoryPool, MemoryPoolPointerExport*) {
    return handle_call(EntryPoint::memory_pool_import_pointer, [] { fail(Status::not_supported); });
}

}  // namespace cupool::simulator::exports
