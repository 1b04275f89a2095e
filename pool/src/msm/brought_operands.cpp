#include "msm/brought_operands.hpp"

#include "default_stream_order.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool {

/// Copies runs of bytes, one behind the other. \return where they begin
abi::DevicePointer DevicePool::State::BroughtOperands::bring(int owner, abi::DevicePointer there, const detail::ArrayRuns& bytes) {
    const std::size_t from = state_.index_of(owner);
    const std::size_t size = bytes.count * bytes.run;
    const DeviceBuffer<std::byte>& buffer = buffers_.emplace_back(size, context_);
    const abi::DevicePointer here = buffer.span().pointer();
    owners_.insert(from);
    detail::wait_for_default_stream(context_, state_.member(from).context());
    const detail::ArrayRuns copies = bytes.are_contiguous() ? detail::ArrayRuns{0, 1, size, size} : bytes;
    for (std::size_t i = 0; i < copies.count; ++i) {
        state_.peers().copy_async(member_, here + i * copies.run, from, there + i * copies.stride, copies.run, context_.stream(),
                                  SourceLocation::current());
    }
    state_.member(from).bytes += size;
    bytes_ += size;
    return here;
}

void DevicePool::State::BroughtOperands::wait() noexcept {
    if (owners_.empty()) return;
    const detail::SynchronizeOnExit wait_for_copies(context_.stream());
    for (const std::size_t owner : owners_) state_.peers().await_staged(owner, member_);
}

}  // namespace cupool
