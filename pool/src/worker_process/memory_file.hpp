#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "file_descriptor.hpp"

namespace cupool::detail {

/// A file in memory of a fixed size, which is sealed: nobody can shrink it under a reader, to whom that would be SIGBUS. Its pages are
/// allocated here, so that a lack of memory is an error here. \throws Error out_of_memory, io
FileDescriptor sealed_memory_file(std::size_t bytes);

/// The same with a content. \throws Error out_of_memory, io
FileDescriptor sealed_copy_of(std::span<const std::byte> content);

/// What a sealed file holds, copied. \throws Error io where it is not sealed or does not have so many bytes
std::vector<std::byte> content_of(const FileDescriptor& file, std::uint64_t bytes);

/// Memory that processes share: a mapping of a sealed file. Move-only.
class FileMapping {
public:
    FileMapping() = default;
    /// \throws Error io where the file is not sealed or does not have so many bytes, out_of_memory
    FileMapping(const FileDescriptor& file, std::uint64_t bytes);
    FileMapping(FileMapping&& other) noexcept;
    FileMapping& operator=(FileMapping&& other) noexcept;
    ~FileMapping() { unmap(); }

    std::span<std::byte> bytes() const noexcept { return bytes_; }

private:
    void unmap() noexcept;

    std::span<std::byte> bytes_;
};

}  // namespace cupool::detail
