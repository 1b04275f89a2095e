#include <cupool/driver/pinned_buffer.hpp>

namespace cupool::detail {

PinnedAllocation::PinnedAllocation(std::size_t bytes, ContextView context, PinnedOptions options, const SourceLocation& where)
    : context_(context.share(where)) {
    if (bytes != 0) {
        auto flags =
            static_cast<unsigned>(abi::HostAllocationFlags::portable) | static_cast<unsigned>(abi::HostAllocationFlags::device_map);
        if (options.is_write_combined) flags |= static_cast<unsigned>(abi::HostAllocationFlags::write_combined);
        call_in<&EntryPoints::host_allocate>(context, where, &pointer_, bytes, flags);
    }
}

PinnedAllocation::PinnedAllocation(PinnedAllocation&& other) noexcept
    : context_(std::move(other.context_)), pointer_(std::exchange(other.pointer_, nullptr)), uses_(std::move(other.uses_)) {}

PinnedAllocation& PinnedAllocation::operator=(PinnedAllocation&& other) noexcept {
    if (this != &other) {
        release();
        context_ = std::move(other.context_);
        pointer_ = std::exchange(other.pointer_, nullptr);
        uses_ = std::move(other.uses_);
    }
    return *this;
}

void PinnedAllocation::release() noexcept {
    if (pointer_ != nullptr) {
        uses_.synchronize_and_free<&EntryPoints::host_free>(context_.get(), pointer_);
    }
}

}  // namespace cupool::detail
