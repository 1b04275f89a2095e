#include "memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cupool/driver/error.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "message_bytes.hpp"

namespace cupool::detail {

namespace {

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

[[noreturn]] void throw_failed_call(const char* call, std::size_t bytes, int error) {
    const bool is_lack = error == ENOMEM || error == ENOSPC || error == EDQUOT;
    throw Error(is_lack ? ErrorCategory::out_of_memory : ErrorCategory::io,
                std::string(call) + " failed for " + std::to_string(bytes) +
                    " bytes of memory shared with worker processes: " + std::generic_category().message(error));
}

void allocate(const FileDescriptor& file, std::size_t bytes) {
    int error = 0;
    do {
        error = ::fallocate(file.number(), 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
    } while (error == EINTR);
    if (error != 0) throw_failed_call("fallocate", bytes, error);
}

void seal(const FileDescriptor& file, std::size_t bytes) {
    if (::fcntl(file.number(), F_ADD_SEALS, seals) != 0) throw_failed_call("fcntl(F_ADD_SEALS)", bytes, errno);
}

void require_sealed(const FileDescriptor& file, std::uint64_t bytes) {
    if (!file) throw_malformed("it should come with memory, and does not");
    const int present = ::fcntl(file.number(), F_GET_SEALS);
    if (present < 0 || (present & F_SEAL_SHRINK) == 0) throw_malformed("its memory is not sealed");
    struct stat status {};
    if (::fstat(file.number(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) != bytes) {
        throw_malformed("its memory does not have the " + std::to_string(bytes) + " bytes that it says");
    }
}

}  // namespace

FileDescriptor sealed_memory_file(std::size_t bytes) {
    FileDescriptor file(::memfd_create("cupool", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) throw_failed_call("memfd_create", bytes, errno);
    if (bytes > 0) allocate(file, bytes);
    seal(file, bytes);
    return file;
}

FileDescriptor sealed_copy_of(std::span<const std::byte> content) {
    FileDescriptor file = sealed_memory_file(content.size());
    while (!content.empty()) {
        const ssize_t written = ::write(file.number(), content.data(), content.size());
        if (written > 0) content = content.subspan(static_cast<std::size_t>(written));
        if (written < 0 && errno != EINTR) throw_failed_call("write", content.size(), errno);
    }
    return file;
}

std::vector<std::byte> content_of(const FileDescriptor& file, std::uint64_t bytes) {
    require_sealed(file, bytes);
    std::vector<std::byte> content(static_cast<std::size_t>(bytes));
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t read = ::pread(file.number(), content.data() + done, content.size() - done, static_cast<off_t>(done));
        if (read > 0) done += static_cast<std::size_t>(read);
        if (read == 0) throw_malformed("its memory ends early");
        if (read < 0 && errno != EINTR) throw_failed_call("pread", content.size(), errno);
    }
    return content;
}

FileMapping::FileMapping(const FileDescriptor& file, std::uint64_t bytes) {
    require_sealed(file, bytes);
    if (bytes == 0) return;
    void* const address = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (address == MAP_FAILED) throw_failed_call("mmap", static_cast<std::size_t>(bytes), errno);
    bytes_ = {static_cast<std::byte*>(address), static_cast<std::size_t>(bytes)};
}

FileMapping::FileMapping(FileMapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

FileMapping& FileMapping::operator=(FileMapping&& other) noexcept {
    if (this != &other) {
        unmap();
        bytes_ = std::exchange(other.bytes_, {});
    }
    return *this;
}

void FileMapping::unmap() noexcept {
    if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
    bytes_ = {};
}

}  // namespace cupool::detail
