#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace cupool::detail {

/// Memory that messages are sent from or received in. Requests of MPI keep it: when a rank is lost, it must outlive the call that used it.
class MessageMemory {
public:
    MessageMemory() = default;
    /// \param owner  keeps the bytes
    MessageMemory(std::span<std::byte> bytes, std::shared_ptr<void> owner) : bytes_(bytes), owner_(std::move(owner)) {}

    /// Ordinary memory with this content.
    static MessageMemory of(std::vector<std::byte> content) {
        auto owner = std::make_shared<std::vector<std::byte>>(std::move(content));
        const std::span<std::byte> bytes(*owner);
        return {bytes, std::move(owner)};
    }
    /// Ordinary memory, zeroed.
    static MessageMemory of_size(std::size_t bytes) { return of(std::vector<std::byte>(bytes)); }

    std::span<std::byte> bytes() const noexcept { return bytes_; }
    /// A part of the same memory.
    MessageMemory part(std::size_t offset, std::size_t bytes) const { return {bytes_.subspan(offset, bytes), owner_}; }

private:
    std::span<std::byte> bytes_;
    std::shared_ptr<void> owner_;
};

}  // namespace cupool::detail
