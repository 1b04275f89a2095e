#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/pool/shared_array.hpp>

#include "memory_file.hpp"

namespace cupool::detail {

/// A number that names one thing of this process to its workers: memory, or a setup.
std::uint64_t next_shared_id() noexcept;

/// Memory that worker processes can map. Immutable but for its bytes.
class SharedMemory {
public:
    /// \throws Error out_of_memory, io
    explicit SharedMemory(std::size_t bytes);

    std::uint64_t id() const noexcept { return id_; }
    const FileDescriptor& file() const noexcept { return file_; }
    std::span<std::byte> bytes() const noexcept { return mapping_.bytes(); }

private:
    std::uint64_t id_;
    FileDescriptor file_;
    FileMapping mapping_;
};

}  // namespace cupool::detail
