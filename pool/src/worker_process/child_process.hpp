#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "file_descriptor.hpp"

namespace cupool::detail {

/// How a process is started.
struct ChildProcessStart {
    std::string program;                   ///< path of the executable
    std::vector<std::string> arguments;    ///< after the program's own name
    std::vector<std::string> environment;  ///< all of it, as NAME=VALUE
};

/// The descriptor number by which a child knows the socket that it is given.
inline constexpr int child_socket = 3;

/// A process that this one has started in a process group of its own, so that a terminal's signals do not reach it, and so that what it
/// starts itself is killed with it. It gets stdin from
/// /dev/null, stdout and stderr to our stderr, the socket, and no other descriptor. The destructor kills and reaps it. Move-only, not
/// thread-safe.
class ChildProcess {
public:
    ChildProcess() = default;
    /// \throws Error io, naming program and cause
    ChildProcess(const ChildProcessStart& start, const FileDescriptor& socket);
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ~ChildProcess();

    bool is_running() const noexcept { return process_ > 0; }
    /// Whether the process has ended; it is not reaped yet.
    bool has_ended() const noexcept;
    pid_t id() const noexcept { return process_; }

    /// Waits until the process has ended, and kills it if it has not by then. \return how it ended: "exited with status 3", "was killed by
    /// signal 11 (Segmentation fault)"
    std::string reap(std::chrono::milliseconds patience);

    /// Resident memory in bytes, as the system counts it now; nothing where it does not tell.
    std::optional<std::uint64_t> resident_bytes() const;

private:
    pid_t process_ = -1;
};

}  // namespace cupool::detail
