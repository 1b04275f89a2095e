#include "program/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

extern char** environ;

namespace cupool::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience_with_killed{1};
constexpr std::size_t longest_output = std::size_t{16} << 20;

class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) error_ = errno;
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int error() const { return error_; }
    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }
    void close_writer() { close_end(1); }

private:
    void close_end(std::size_t index) {
        if (ends_.at(index) >= 0) ::close(ends_.at(index));
        ends_.at(index) = -1;
    }

    std::array<int, 2> ends_ = {-1, -1};
    int error_ = 0;
};

/// \return 0, or the number of the error
int start(pid_t& process, std::vector<std::string>& command, const Pipe& output) {
    std::vector<char*> arguments;
    for (auto& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (const int error = ::posix_spawn_file_actions_init(&actions); error != 0) return error;
    int error = ::posix_spawn_file_actions_adddup2(&actions, output.writer(), STDOUT_FILENO);
    if (error == 0) error = ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0) error = ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (error == 0) error = ::posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

/// Waits for output until the deadline, but never long: the child may end without closing its end.
void read_some(int from, std::string& text, Clock::time_point deadline) {
    constexpr std::int64_t longest_wait = 20;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{from, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, longest_wait))) <= 0) return;
    std::array<char, 4096> buffer{};
    const auto count = ::read(from, buffer.data(), buffer.size());
    if (count > 0 && text.size() < longest_output) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the end of the pipe: the child is about to end
}

/// Whether the process has ended. Where the system has discarded its status, because SIGCHLD is ignored, that counts as 0.
bool has_ended(pid_t process, int& status) {
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    return ended == process || (ended < 0 && errno != EINTR);
}

void kill_and_wait(pid_t process) {
    ::kill(process, SIGKILL);
    const auto deadline = Clock::now() + patience_with_killed;
    for (int status = 0; !has_ended(process, status) && Clock::now() < deadline;) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void read_rest(int from, std::string& text) {
    ::fcntl(from, F_SETFL, O_NONBLOCK);
    std::array<char, 4096> buffer{};
    for (ssize_t count = 1; count > 0 && text.size() < longest_output;) {
        count = ::read(from, buffer.data(), buffer.size());
        text.append(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    }
}

}  // namespace

ChildResult run_child(std::vector<std::string> command, std::chrono::milliseconds limit) {
    ChildResult result;
    const auto deadline = Clock::now() + limit;
    Pipe output;
    if (output.error() != 0) {
        result.number = output.error();
        return result;
    }
    pid_t process = 0;
    result.number = start(process, command, output);
    if (result.number != 0) return result;
    output.close_writer();
    int status = 0;
    while (!has_ended(process, status)) {
        if (Clock::now() >= deadline) {
            kill_and_wait(process);
            read_rest(output.reader(), result.output);
            result.end = ChildResult::End::timed_out;
            return result;
        }
        read_some(output.reader(), result.output, deadline);
    }
    read_rest(output.reader(), result.output);
    result.end = WIFSIGNALED(status) ? ChildResult::End::signalled : ChildResult::End::exited;
    result.number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

std::string signal_name(int number) {
    switch (number) {
        case SIGSEGV: return "SIGSEGV";
        case SIGBUS: return "SIGBUS";
        case SIGILL: return "SIGILL";
        case SIGFPE: return "SIGFPE";
        case SIGABRT: return "SIGABRT";
        case SIGTRAP: return "SIGTRAP";
        case SIGSYS: return "SIGSYS";
        case SIGKILL: return "SIGKILL";
        default: return "signal " + std::to_string(number);
    }
}

}  // namespace cupool::tools
