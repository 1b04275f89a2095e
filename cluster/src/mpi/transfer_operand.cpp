#include "transfer_operand.hpp"

#include <algorithm>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <memory>

namespace cupool::detail {

TransferOperand::TransferOperand(const DevicePool& pool, const RankArray& array, std::uint64_t& staged, const SourceLocation& where)
    : host_(array.host), device_(array.device), size_(array.bytes), staged_(&staged) {
    if (array.ordinal == no_ordinal || array.bytes == 0) return;
    const std::string on_device = "an operand is on device " + std::to_string(array.ordinal);
    if (pool.is_host(where)) throw Error(ErrorCategory::unsupported, on_device + ", but the pool of this rank is the host", where);
    const std::vector<int>& devices = pool.devices(where);
    if (std::find(devices.begin(), devices.end(), array.ordinal) == devices.end())
        throw Error(ErrorCategory::wrong_context, on_device + ", which is not in the pool of this rank", where);
    context_ = pool.context(array.ordinal, where);
}

TransferOperand TransferOperand::part(std::size_t offset, std::size_t bytes) const {
    TransferOperand part = *this;
    if (is_on_device()) {
        part.device_ += offset;
    } else {
        part.host_ += offset;
    }
    part.size_ = bytes;
    return part;
}

bool TransferOperand::is_same_memory(const TransferOperand& other) const noexcept {
    return host_ == other.host_ && device_ == other.device_;
}

MessageMemory TransferOperand::chunk_memory(std::size_t bytes) const {
    if (!is_on_device() || bytes == 0) return MessageMemory::of_size(bytes);
    auto owner = std::make_shared<PinnedBuffer<std::byte>>(bytes, context_->context());
    const std::span<std::byte> span(*owner);
    return {span, std::move(owner)};
}

MessageMemory TransferOperand::outgoing(std::size_t offset, const MessageMemory& chunk) const {
    if (!is_on_device()) return {{host_ + offset, chunk.bytes().size()}, nullptr};
    read(offset, chunk);
    return chunk;
}

void TransferOperand::read(std::size_t offset, const MessageMemory& to) const {
    const std::span<std::byte> bytes = to.bytes();
    if (bytes.empty()) return;
    if (!is_on_device()) {
        std::memcpy(bytes.data(), host_ + offset, bytes.size());
        return;
    }
    copy(bytes, DeviceSpan<std::byte>(device_ + offset, bytes.size(), context_->device()), context_->stream());
    *staged_ += bytes.size();
}

void TransferOperand::write(std::size_t offset, const MessageMemory& from) const {
    const std::span<const std::byte> bytes = from.bytes();
    if (bytes.empty()) return;
    if (!is_on_device()) {
        std::memcpy(host_ + offset, bytes.data(), bytes.size());
        return;
    }
    copy(DeviceSpan<std::byte>(device_ + offset, bytes.size(), context_->device()), bytes, context_->stream());
    *staged_ += bytes.size();
}

}  // namespace cupool::detail
