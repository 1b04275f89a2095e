#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/cluster/detail/rank_array.hpp>
#include <cupool/driver/device_context.hpp>
#include <cupool/pool/device_pool.hpp>
#include <optional>

#include "message_memory.hpp"

namespace cupool::detail {

/// The bytes of an operand that ranks send or receive: in host memory or on a device of the rank's pool.
///
/// Messages are received in memory that outlives a loss of a rank (see RankLink), and copied: a rank that does not know of the loss yet may
/// still write. They are sent from the operand itself in host memory, which others only read. Device memory is copied through page-locked
/// memory both ways. Copies run on the device's default stream and are awaited.
class TransferOperand {
public:
    TransferOperand() = default;
    /// \throws Error wrong_context (on a device outside of the pool), unsupported (on a device; the pool is the host)
    /// \param staged  counts the bytes that are copied between the device and page-locked memory
    TransferOperand(const DevicePool& pool, const RankArray& array, std::uint64_t& staged, const SourceLocation& where);

    std::size_t size() const noexcept { return size_; }
    bool is_on_device() const noexcept { return context_.has_value(); }
    TransferOperand part(std::size_t offset, std::size_t bytes) const;
    /// Whether both begin at the same address.
    bool is_same_memory(const TransferOperand& other) const noexcept;

    /// Memory for messages with chunks of the operand: page-locked for one on a device. \throws Error out_of_memory
    MessageMemory chunk_memory(std::size_t bytes) const;

    /// A part of the operand from an offset on, to be sent: the operand's own memory on the host, else `chunk`, which gets a copy of as
    /// many bytes.
    MessageMemory outgoing(std::size_t offset, const MessageMemory& chunk) const;
    /// Copies from the operand, from an offset on.
    void read(std::size_t offset, const MessageMemory& to) const;
    /// Copies to the operand, from an offset on.
    void write(std::size_t offset, const MessageMemory& from) const;

private:
    std::byte* host_ = nullptr;
    abi::DevicePointer device_ = 0;
    std::size_t size_ = 0;
    std::optional<DeviceContext> context_;
    std::uint64_t* staged_ = nullptr;
};

}  // namespace cupool::detail
