#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace cupool::test {

/// A checkpoint of this process, removed at the end.
class CheckpointFile {
public:
    CheckpointFile() : path_(std::filesystem::temp_directory_path() / ("cupool-checkpoint-" + std::to_string(::getpid()))) {}
    ~CheckpointFile() { std::filesystem::remove(path_); }
    CheckpointFile(const CheckpointFile&) = delete;
    CheckpointFile& operator=(const CheckpointFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string bytes() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }
    /// Writes bytes with the hash that makes them pass for whole: 64-bit FNV-1a of what follows the magic and the hash.
    void write_with_right_hash(std::string bytes) const {
        std::uint64_t hash = 0xcbf29ce484222325;
        for (std::size_t i = content; i < bytes.size(); ++i) hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3;
        std::memcpy(bytes.data() + content - sizeof hash, &hash, sizeof hash);
        write(bytes);
    }

    static constexpr std::size_t content = 24;  ///< where it begins in a file

private:
    std::filesystem::path path_;
};

}  // namespace cupool::test
