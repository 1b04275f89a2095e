#include <cupool/driver/memory_pool.hpp>

namespace cupool {

namespace {

std::uint64_t get_attribute(MemoryPoolView pool, abi::MemoryPoolAttribute attribute, const SourceLocation& where) {
    std::uint64_t value = 0;
    detail::call_in<&EntryPoints::memory_pool_get_attribute>(pool.context(), where, pool.handle(), attribute, static_cast<void*>(&value));
    return value;
}

}  // namespace

MemoryPoolView MemoryPoolView::default_of(ContextView context, SourceLocation where) {
    if (!context.device().supports_memory_pools(where)) {
        return {};
    }
    abi::MemoryPool handle = nullptr;
    detail::call<&EntryPoints::device_get_default_memory_pool>(context.driver(), context.ordinal(), where, &handle,
                                                               context.device().handle());
    return MemoryPoolView(context, handle);
}

std::uint64_t MemoryPoolView::release_threshold(SourceLocation where) const {
    return get_attribute(*this, abi::MemoryPoolAttribute::release_threshold, where);
}

void MemoryPoolView::set_release_threshold(std::uint64_t bytes, SourceLocation where) const {
    detail::call_in<&EntryPoints::memory_pool_set_attribute>(context_, where, handle_, abi::MemoryPoolAttribute::release_threshold,
                                                             static_cast<void*>(&bytes));
}

std::uint64_t MemoryPoolView::used(SourceLocation where) const {
    return get_attribute(*this, abi::MemoryPoolAttribute::used_memory_current, where);
}

std::uint64_t MemoryPoolView::reserved(SourceLocation where) const {
    return get_attribute(*this, abi::MemoryPoolAttribute::reserved_memory_current, where);
}

void MemoryPoolView::trim_to(std::size_t bytes_to_keep, SourceLocation where) const {
    detail::call_in<&EntryPoints::memory_pool_trim_to>(context_, where, handle_, bytes_to_keep);
}

void MemoryPoolView::allow_access(int ordinal, abi::MemoryAccess access, SourceLocation where) const {
    const abi::MemoryAccessDescriptor descriptor{{abi::MemoryLocationType::device, ordinal}, access};
    detail::call_in<&EntryPoints::memory_pool_set_access>(context_, where, handle_, &descriptor, std::size_t{1});
}

MemoryPool::MemoryPool(ContextView context, SourceLocation where) : context_(context.share()) {
    if (!context.device().supports_memory_pools(where)) {
        ErrorDetails details;
        details.category = ErrorCategory::unsupported;
        details.device = context.ordinal();
        details.message = "the device, or its driver of CUDA " + cuda_version_text(context.driver().version()) +
                          ", has no memory pools (they came with CUDA 11.2); use plain allocation";
        throw Error(std::move(details), where);
    }
    abi::MemoryPoolProperties properties{};
    properties.allocation_type = abi::MemoryAllocationType::pinned;
    properties.handle_types = abi::MemoryHandleType::none;
    properties.location = {abi::MemoryLocationType::device, context.ordinal()};
    detail::call_in<&EntryPoints::memory_pool_create>(context, where, &handle_, static_cast<const abi::MemoryPoolProperties*>(&properties));
}

void MemoryPool::release() noexcept {
    if (handle_ != nullptr) {
        detail::destroy_in<&EntryPoints::memory_pool_destroy>(context_.get(), handle_);
    }
}

}  // namespace cupool
