// Answers the system calls of processes that failing_system_calls.cpp submits to it: one of them fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace cupool::test {

class SystemCallSupervisor {
public:
    /// Waits for one process at the socket `path`, which it makes. \param failing  the call to fail, of the process and those that it
    /// starts together, counted from 1 by failable_calls; 0: none
    SystemCallSupervisor(std::string path, std::uint64_t failing);
    /// \pre the process has ended
    ~SystemCallSupervisor();
    SystemCallSupervisor(const SystemCallSupervisor&) = delete;
    SystemCallSupervisor& operator=(const SystemCallSupervisor&) = delete;

    /// Waits until all supervised processes have ended. \return how many of their calls may fail
    std::uint64_t finish();
    /// The number of the call that failed; -1: none did. \pre finish()
    int failed() const { return failed_; }

private:
    void serve();
    void answer(int listener);

    std::string path_;
    std::uint64_t failing_;
    std::uint64_t calls_ = 0;
    int failed_ = -1;
    int socket_;
    std::thread thread_;
};

}  // namespace cupool::test
