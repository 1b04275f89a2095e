#include <cupool/driver/detail/page_locked_memory.hpp>

namespace cupool::detail {

abi::DevicePointer device_pointer_of(ContextView context, void* pointer, const SourceLocation& where) {
    abi::DevicePointer device_pointer = 0;
    call_in<&EntryPoints::host_get_device_pointer>(context, where, &device_pointer, pointer, 0U);
    return device_pointer;
}

}  // namespace cupool::detail
