#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace cupool::test {

/// A file in memory, for code that reads files by their path.
class MemoryFile {
public:
    explicit MemoryFile(std::span<const std::uint8_t> bytes) : descriptor_(memfd_create("fuzzed", MFD_CLOEXEC)) {
        const auto written = write(descriptor_, bytes.data(), bytes.size());
        if (written != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("no memory for a file");
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

}  // namespace cupool::test
