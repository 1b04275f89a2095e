#include "msm/local_operands.hpp"

#include "default_stream_order.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

/// Copies rows of bytes from another device, one after the other. \return where they begin
abi::DevicePointer LocalOperands::copy_from(int owner, abi::DevicePointer there, const StridedRange& bytes) {
    const std::size_t from = pool_.index_of(owner);
    const std::size_t size = bytes.row_count * bytes.row_size;
    const DeviceBuffer<std::byte>& buffer = buffers_.emplace_back(size, context_);
    const abi::DevicePointer here = buffer.span().pointer();
    owners_.insert(from);
    wait_for_default_stream(context_, pool_.member(from).context());
    const StridedRange copies = bytes.is_contiguous() ? StridedRange{0, 1, size, size} : bytes;
    for (std::size_t i = 0; i < copies.row_count; ++i) {
        pool_.peers().copy_async(member_, here + i * copies.row_size, from, there + i * copies.stride, copies.row_size, context_.stream(),
                                 SourceLocation::current());
    }
    pool_.member(from).bytes += size;
    bytes_ += size;
    return here;
}

void LocalOperands::wait() noexcept {
    if (owners_.empty()) return;
    const SynchronizeOnExit wait_for_copies(context_.stream());
    for (const std::size_t owner : owners_) pool_.peers().await_staged(owner, member_);
}

}  // namespace cupool::detail
