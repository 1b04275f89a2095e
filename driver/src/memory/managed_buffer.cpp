#include <cupool/driver/managed_buffer.hpp>

namespace cupool::detail {

ManagedAllocation::ManagedAllocation(std::size_t bytes, ContextView context, const SourceLocation& where)
    : context_(context.share(where)), bytes_(bytes) {
    if (bytes != 0) {
        call_in<&EntryPoints::memory_allocate_managed>(context, where, &pointer_, bytes,
                                                       static_cast<unsigned>(abi::ManagedAttachment::global));
    }
}

ManagedAllocation::ManagedAllocation(ManagedAllocation&& other) noexcept
    : context_(std::move(other.context_)),
      pointer_(std::exchange(other.pointer_, 0)),
      bytes_(std::exchange(other.bytes_, 0)),
      uses_(std::move(other.uses_)) {}

ManagedAllocation& ManagedAllocation::operator=(ManagedAllocation&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        pointer_ = std::exchange(other.pointer_, 0);
        bytes_ = std::exchange(other.bytes_, 0);
        uses_ = std::move(other.uses_);
    }
    return *this;
}

void ManagedAllocation::prefetch(std::size_t offset, std::size_t bytes, abi::Device device, StreamView stream,
                                 const SourceLocation& where) const {
    call_in<&EntryPoints::memory_prefetch_async>(stream.context(), where, pointer_ + offset, bytes, device, stream.handle());
}

void ManagedAllocation::advise(abi::MemoryAdvice advice, abi::Device device, const SourceLocation& where) const {
    call_in<&EntryPoints::memory_advise>(context(), where, pointer_, bytes_, advice, device);
}

int ManagedAllocation::range_attribute(std::size_t offset, std::size_t bytes, abi::MemoryRangeAttribute attribute,
                                       const SourceLocation& where) const {
    int value = 0;
    call_in<&EntryPoints::memory_range_get_attribute>(context(), where, static_cast<void*>(&value), sizeof(value), attribute,
                                                      pointer_ + offset, bytes);
    return value;
}

void ManagedAllocation::release() noexcept {
    if (pointer_ != 0) {
        uses_.synchronize_and_free<&EntryPoints::memory_free>(context_.get(), pointer_);
    }
}

}  // namespace cupool::detail
