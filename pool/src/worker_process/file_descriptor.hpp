#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cupool/driver/error.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace cupool::detail {

/// Owns a file descriptor. Move-only.
class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) noexcept : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        if (this != &other) {
            close();
            number_ = std::exchange(other.number_, -1);
        }
        return *this;
    }
    ~FileDescriptor() { close(); }

    int number() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }

    /// Another descriptor of the same file, of at least this number. \throws Error io
    FileDescriptor duplicate(int least = 0) const {
        FileDescriptor copy(::fcntl(number_, F_DUPFD_CLOEXEC, least));
        if (!copy) {
            throw Error(ErrorCategory::io,
                        "a file descriptor for a worker process cannot be duplicated: " + std::generic_category().message(errno));
        }
        return copy;
    }

    /// The same file under a number that is none of stdin, stdout and stderr, which a program may have closed. \throws Error io
    FileDescriptor above_standard() && {
        if (number_ > STDERR_FILENO || number_ < 0) return std::move(*this);
        return duplicate(STDERR_FILENO + 1);
    }

    void close() noexcept {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }

private:
    int number_ = -1;
};

}  // namespace cupool::detail
