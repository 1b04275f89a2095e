#include "checkpoint/checkpoint.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace cupool::detail {

namespace {

/// The beginning of a checkpoint; the number in it is the version of the format.
constexpr std::array<char, 16> magic{'c', 'u', 'p', 'o', 'o', 'l', ' ', 'c', 'h', 'e', 'c', 'k', 'p', 't', ' ', '1'};

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void throw_io(const std::filesystem::path& file, const std::string& what) {
    const std::string reason = std::generic_category().message(errno);
    throw Error(ErrorCategory::io, "the checkpoint " + file.string() + " cannot be " + what + ": " + reason);
}

bool write_all(std::FILE* file, std::span<const std::byte> bytes) {
    return bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
    return hash;
}

void CheckpointWriter::write(const std::filesystem::path& file) const {
    static std::atomic<unsigned> count{0};  // so that two that save to one path do not write into one file
    std::filesystem::path unfinished = file;
    unfinished += ".unfinished." + std::to_string(::getpid()) + "." + std::to_string(count++);
    File out(std::fopen(unfinished.c_str(), "wbx"));
    if (out == nullptr) throw_io(file, "written");
    const std::uint64_t hash = hash_of(bytes_);
    const bool is_written = write_all(out.get(), std::as_bytes(std::span(magic))) &&
                            write_all(out.get(), std::as_bytes(std::span(&hash, 1))) && write_all(out.get(), bytes_) &&
                            std::fflush(out.get()) == 0 && ::fsync(::fileno(out.get())) == 0;
    if (!is_written || std::fclose(out.release()) != 0 || std::rename(unfinished.c_str(), file.c_str()) != 0) {
        const int failure = errno;
        std::remove(unfinished.c_str());
        errno = failure;
        throw_io(file, "written");
    }
}

CheckpointReader::CheckpointReader(const std::filesystem::path& file, const std::string& kind) : file_(file) {
    const File in(std::fopen(file.c_str(), "rb"));
    if (in == nullptr) throw_io(file, "opened");
    std::array<char, magic.size()> found{};
    std::uint64_t hash = 0;
    const bool has_head =
        std::fread(found.data(), 1, found.size(), in.get()) == found.size() && std::fread(&hash, 1, sizeof hash, in.get()) == sizeof hash;
    if (std::ferror(in.get()) != 0) throw_io(file, "read");
    if (!has_head || !std::equal(magic.begin(), magic.end() - 1, found.begin())) refuse("is no checkpoint of cupool");
    if (found != magic) refuse("is of another version of cupool's format");
    std::array<std::byte, 1 << 16> part;
    for (std::size_t size = part.size(); size == part.size();) {
        size = std::fread(part.data(), 1, part.size(), in.get());
        bytes_.insert(bytes_.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(size));
    }
    if (std::ferror(in.get()) != 0) throw_io(file, "read");
    if (hash != hash_of(bytes_)) throw_damaged();
    std::string found_kind;
    (*this)(found_kind);
    if (found_kind != kind) refuse("is a checkpoint of " + found_kind + ", not of " + kind);
}

void CheckpointReader::throw_damaged() const { refuse("is a damaged checkpoint"); }

void CheckpointReader::refuse(const std::string& why) const { throw Error(ErrorCategory::invalid_argument, file_.string() + " " + why); }

}  // namespace cupool::detail
