#include <cupool/driver/pinned_buffer.hpp>

namespace cupool::detail {

PinnedAllocation::PinnedAllocation(std::size_t bytes, ContextView context, PinnedOptions options, const SourceLocation& where)
    : PageLockedMemory(context, where) {
    if (bytes != 0) {
        auto flags =
            static_cast<unsigned>(abi::HostAllocationFlags::portable) | static_cast<unsigned>(abi::HostAllocationFlags::device_map);
        if (options.is_write_combined) flags |= static_cast<unsigned>(abi::HostAllocationFlags::write_combined);
        void* memory = nullptr;
        call_in<&EntryPoints::host_allocate>(context, where, &memory, bytes, flags);
        take(memory);
    }
}

}  // namespace cupool::detail
