#include <cupool/driver/memory_pool.hpp>

#include "memory/device_memory.hpp"

namespace cupool {

namespace {

constexpr int first_version_with_max_size = 12020;

[[noreturn]] void throw_unsupported(ContextView context, const std::string& what, const SourceLocation& where) {
    ErrorDetails details;
    details.category = ErrorCategory::unsupported;
    details.device = context.ordinal();
    details.message = what;
    throw Error(std::move(details), where);
}

std::uint64_t get_attribute(MemoryPoolView pool, abi::MemoryPoolAttribute attribute, const SourceLocation& where) {
    std::uint64_t value = 0;
    detail::call_in<&EntryPoints::memory_pool_get_attribute>(pool.context(), where, pool.handle(), attribute, static_cast<void*>(&value));
    return value;
}

void set_attribute(MemoryPoolView pool, abi::MemoryPoolAttribute attribute, void* value, const SourceLocation& where) {
    detail::call_in<&EntryPoints::memory_pool_set_attribute>(pool.context(), where, pool.handle(), attribute, value);
}

bool get_flag(MemoryPoolView pool, abi::MemoryPoolAttribute attribute, const SourceLocation& where) {
    int value = 0;
    detail::call_in<&EntryPoints::memory_pool_get_attribute>(pool.context(), where, pool.handle(), attribute, static_cast<void*>(&value));
    return value != 0;
}

void set_flag(MemoryPoolView pool, abi::MemoryPoolAttribute attribute, bool flag, const SourceLocation& where) {
    int value = flag ? 1 : 0;
    set_attribute(pool, attribute, &value, where);
}

}  // namespace

MemoryPoolView MemoryPoolView::default_of(ContextView context, SourceLocation where) {
    detail::require_context(context, where);
    if (!context.device().supports_memory_pools(where)) return {};
    abi::MemoryPool handle = nullptr;
    detail::call<&EntryPoints::device_get_default_memory_pool>(context.driver(), context.ordinal(), where, &handle,
                                                               context.device().handle());
    return MemoryPoolView(context, handle);
}

std::uint64_t MemoryPoolView::release_threshold(SourceLocation where) const {
    return get_attribute(*this, abi::MemoryPoolAttribute::release_threshold, where);
}

void MemoryPoolView::set_release_threshold(std::uint64_t bytes, SourceLocation where) const {
    set_attribute(*this, abi::MemoryPoolAttribute::release_threshold, &bytes, where);
}

std::uint64_t MemoryPoolView::used(SourceLocation where) const {
    return get_attribute(*this, abi::MemoryPoolAttribute::used_memory_current, where);
}

std::uint64_t MemoryPoolView::reserved(SourceLocation where) const {
    return get_attribute(*this, abi::MemoryPoolAttribute::reserved_memory_current, where);
}

std::uint64_t MemoryPoolView::used_high(SourceLocation where) const {
    return get_attribute(*this, abi::MemoryPoolAttribute::used_memory_high, where);
}

std::uint64_t MemoryPoolView::reserved_high(SourceLocation where) const {
    return get_attribute(*this, abi::MemoryPoolAttribute::reserved_memory_high, where);
}

void MemoryPoolView::reset_high_marks(SourceLocation where) const {
    std::uint64_t zero = 0;
    set_attribute(*this, abi::MemoryPoolAttribute::used_memory_high, &zero, where);
    set_attribute(*this, abi::MemoryPoolAttribute::reserved_memory_high, &zero, where);
}

ReusePolicy MemoryPoolView::reuse_policy(SourceLocation where) const {
    return {.follows_event_dependencies = get_flag(*this, abi::MemoryPoolAttribute::reuse_follow_event_dependencies, where),
            .is_opportunistic = get_flag(*this, abi::MemoryPoolAttribute::reuse_allow_opportunistic, where),
            .inserts_internal_dependencies = get_flag(*this, abi::MemoryPoolAttribute::reuse_allow_internal_dependencies, where)};
}

void MemoryPoolView::set_reuse_policy(ReusePolicy policy, SourceLocation where) const {
    set_flag(*this, abi::MemoryPoolAttribute::reuse_follow_event_dependencies, policy.follows_event_dependencies, where);
    set_flag(*this, abi::MemoryPoolAttribute::reuse_allow_opportunistic, policy.is_opportunistic, where);
    set_flag(*this, abi::MemoryPoolAttribute::reuse_allow_internal_dependencies, policy.inserts_internal_dependencies, where);
}

void MemoryPoolView::trim_to(std::size_t bytes_to_keep, SourceLocation where) const {
    detail::call_in<&EntryPoints::memory_pool_trim_to>(context_, where, handle_, bytes_to_keep);
}

void MemoryPoolView::allow_access(int ordinal, abi::MemoryAccess access, SourceLocation where) const {
    const abi::MemoryAccessDescriptor descriptor{detail::location_of(ordinal), access};
    detail::call_in<&EntryPoints::memory_pool_set_access>(context_, where, handle_, &descriptor, std::size_t{1});
}

abi::MemoryAccess MemoryPoolView::access(int ordinal, SourceLocation where) const {
    abi::MemoryLocation location = detail::location_of(ordinal);
    auto access = abi::MemoryAccess::none;
    detail::call_in<&EntryPoints::memory_pool_get_access>(context_, where, &access, handle_, &location);
    return access;
}

int MemoryPoolView::export_file_descriptor(SourceLocation where) const {
    int file_descriptor = -1;
    detail::call_in<&EntryPoints::memory_pool_export>(context_, where, static_cast<void*>(&file_descriptor), handle_,
                                                      abi::MemoryHandleType::posix_file_descriptor, 0ULL);
    return file_descriptor;
}

MemoryPool::MemoryPool(ContextView context, MemoryPoolOptions options, SourceLocation where) : handle_(context.share(where)) {
    const std::string version = cuda_version_text(context.driver().version());
    if (!context.device().supports_memory_pools(where)) {
        throw_unsupported(
            context,
            "the device, or its driver of CUDA " + version + ", has no memory pools (they came with CUDA 11.2); use plain allocation",
            where);
    }
    if (options.max_bytes != 0 && context.driver().version() < first_version_with_max_size)
        throw_unsupported(context, "a memory pool's maximum size needs a driver of CUDA 12.2; this one is of CUDA " + version, where);
    abi::MemoryPoolProperties properties{};
    properties.allocation_type = abi::MemoryAllocationType::pinned;
    properties.handle_types = detail::handle_type_of(options.is_shareable);
    properties.max_size = options.max_bytes;
    properties.location = detail::location_of(context.ordinal());
    abi::MemoryPool handle = nullptr;
    detail::call_in<&EntryPoints::memory_pool_create>(context, where, &handle, static_cast<const abi::MemoryPoolProperties*>(&properties));
    handle_.take(handle);
}

MemoryPool MemoryPool::import_file_descriptor(ContextView context, int file_descriptor, SourceLocation where) {
    detail::Shared<const detail::ContextState> owner = context.share(where);
    abi::MemoryPool handle = nullptr;
    void* const shared = detail::shared_handle_of(file_descriptor);
    detail::call_in<&EntryPoints::memory_pool_import>(context, where, &handle, shared, abi::MemoryHandleType::posix_file_descriptor, 0ULL);
    return MemoryPool(std::move(owner), handle);
}

abi::MemoryPoolPointerExport export_pointer(ContextView context, abi::DevicePointer pointer, SourceLocation where) {
    abi::MemoryPoolPointerExport exported{};
    detail::call_in<&EntryPoints::memory_pool_export_pointer>(context, where, &exported, pointer);
    return exported;
}

ImportedMemory::ImportedMemory(MemoryPoolView pool, const abi::MemoryPoolPointerExport& exported, StreamView stream, SourceLocation where)
    : context_(pool.context().share(where)), stream_(stream) {
    abi::MemoryPoolPointerExport data = exported;
    detail::call_in<&EntryPoints::memory_pool_import_pointer>(pool.context(), where, &pointer_, pool.handle(), &data);
}

ImportedMemory::ImportedMemory(ImportedMemory&& other) noexcept
    : context_(std::move(other.context_)), stream_(other.stream_), pointer_(std::exchange(other.pointer_, 0)) {}

ImportedMemory& ImportedMemory::operator=(ImportedMemory&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        stream_ = other.stream_;
        pointer_ = std::exchange(other.pointer_, 0);
    }
    return *this;
}

void ImportedMemory::release() noexcept {
    if (pointer_ == 0 || detail::must_leak()) return;
    try {
        // Leak without it: the handle of a default stream refers to the current context.
        const CurrentContext current(context_.get(), SourceLocation{});
        detail::call_from_destructor<&EntryPoints::memory_free_async>(context_->driver(), context_->device().ordinal(), pointer_,
                                                                      stream_.handle());
    } catch (...) {
        detail::log_current_exception();
    }
}

}  // namespace cupool
