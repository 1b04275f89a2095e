#include <cupool/driver/managed_buffer.hpp>

namespace cupool::detail {

ManagedAllocation::ManagedAllocation(std::size_t bytes, ContextView context, const SourceLocation& where)
    : AwaitedMemory(context, where), bytes_(bytes) {
    if (bytes != 0) {
        abi::DevicePointer memory = 0;
        call_in<&EntryPoints::memory_allocate_managed>(context, where, &memory, bytes,
                                                       static_cast<unsigned>(abi::ManagedAttachment::global));
        take(memory);
    }
}

void ManagedAllocation::prefetch(std::size_t offset, std::size_t bytes, abi::Device device, StreamView stream,
                                 const SourceLocation& where) const {
    call_in<&EntryPoints::memory_prefetch_async>(stream.context(), where, pointer() + offset, bytes, device, stream.handle());
}

void ManagedAllocation::advise(abi::MemoryAdvice advice, abi::Device device, const SourceLocation& where) const {
    call_in<&EntryPoints::memory_advise>(context(), where, pointer(), bytes_, advice, device);
}

int ManagedAllocation::range_attribute(std::size_t offset, std::size_t bytes, abi::MemoryRangeAttribute attribute,
                                       const SourceLocation& where) const {
    int value = 0;
    call_in<&EntryPoints::memory_range_get_attribute>(context(), where, static_cast<void*>(&value), sizeof(value), attribute,
                                                      pointer() + offset, bytes);
    return value;
}

}  // namespace cupool::detail
