#include "api/answer.hpp"

/// \file
/// Memory and events of other processes are not simulated: a simulated machine is one process's own.

namespace cupool::simulator::exports {

Status ipc_get_memory_handle(IpcMemoryHandle*, DevicePointer) {
    return answer(EntryPoint::ipc_get_memory_handle, [] { fail(Status::not_supported); });
}

Status ipc_open_memory_handle(DevicePointer*, IpcMemoryHandle, unsigned) {
    return answer(EntryPoint::ipc_open_memory_handle, [] { fail(Status::not_supported); });
}

Status ipc_close_memory_handle(DevicePointer) {
    return answer(EntryPoint::ipc_close_memory_handle, [] { fail(Status::not_supported); });
}

Status ipc_get_event_handle(IpcEventHandle*, Event) {
    return answer(EntryPoint::ipc_get_event_handle, [] { fail(Status::not_supported); });
}

Status ipc_open_event_handle(Event*, IpcEventHandle) {
    return answer(EntryPoint::ipc_open_event_handle, [] { fail(Status::not_supported); });
}

Status memory_pool_export(void*, MemoryPool, MemoryHandleType, unsigned long long) {
    return answer(EntryPoint::memory_pool_export, [] { fail(Status::not_supported); });
}

Status memory_pool_import(MemoryPool*, void*, MemoryHandleType, unsigned long long) {
    return answer(EntryPoint::memory_pool_import, [] { fail(Status::not_supported); });
}

Status memory_pool_export_pointer(MemoryPoolPointerExport*, DevicePointer) {
    return answer(EntryPoint::memory_pool_export_pointer, [] { fail(Status::not_supported); });
}

Status memory_pool_import_pointer(DevicePointer*, MemoryPool, MemoryPoolPointerExport*) {
    return answer(EntryPoint::memory_pool_import_pointer, [] { fail(Status::not_supported); });
}

}  // namespace cupool::simulator::exports
