#include "library_trial.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <cupool/driver/library_trial.hpp>
#include <optional>
#include <string_view>
#include <thread>

#include "loader.hpp"

extern char** environ;

namespace cupool {

namespace detail {

namespace {

/// What a process prints that has come through.
constexpr std::string_view sign_of_life = "cupool has tried the library\n";

using Clock = std::chrono::steady_clock;

/// The two ends of a pipe; only what is handed to a child goes there.
class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_, O_CLOEXEC) != 0) {
            ends_[0] = ends_[1] = -1;
        }
    }
    ~Pipe() {
        close_end(ends_[0]);
        close_end(ends_[1]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    bool is_open() const { return ends_[0] >= 0; }
    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }
    void close_writer() { close_end(ends_[1]); }

private:
    static void close_end(int& end) {
        if (end >= 0) {
            ::close(end);
        }
        end = -1;
    }

    int ends_[2];
};

/// Starts the process, which prints into the pipe alone. \return 0, or the error's number
int start(pid_t& process, std::vector<std::string> words, const Pipe& output) {
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output.writer(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int error = ::posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

/// Reads until nothing can come any more, or too much has come. \return whether that was in time
bool read_in_time(int from, std::string& text, Clock::time_point deadline) {
    while (text.size() <= sign_of_life.size()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd waiting{from, POLLIN, 0};
        const int ready = left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            return false;
        }
        char buffer[64];
        const ssize_t count = ::read(from, buffer, sizeof(buffer));
        if (count == 0) {
            return true;
        }
        if (count > 0) {
            text.append(buffer, static_cast<std::size_t>(count));
        }
    }
    return true;
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

/// The status that the process ends with by the deadline, if it does; 0 where nobody can tell, since the program collects its children
/// otherwise. It is polled: nothing that works in every program tells of one child.
std::optional<int> wait_for_end(pid_t process, Clock::time_point deadline) {
    for (;;) {
        int status = 0;
        const pid_t ended = ::waitpid(process, &status, WNOHANG);
        if (ended == process) {
            return status;
        }
        if (ended < 0 && errno != EINTR) {
            return 0;
        }
        if (Clock::now() >= deadline) {
            return std::nullopt;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void end_at_once(pid_t process) {
    ::kill(process, SIGKILL);
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
}

/// What is wrong with ending so; empty where nothing is.
std::string fault_of_end(int status) {
    if (WIFSIGNALED(status)) {
        return "is corrupt: a process that loaded it to try it was ended by " + signal_name(WTERMSIG(status));
    }
    if (WEXITSTATUS(status) != 0) {
        return "is corrupt: a process that loaded it to try it ended with status " + std::to_string(WEXITSTATUS(status));
    }
    return {};
}

}  // namespace

std::string find_trial_fault(const std::vector<std::string>& command, const std::string& library, std::chrono::milliseconds patience) {
    const auto untried = [&](int error) {
        return "was not loaded, since it cannot be tried in a process of its own: " + command[0] + ": " + std::strerror(error);
    };
    Pipe output;
    if (!output.is_open()) {
        return untried(errno);
    }
    std::vector<std::string> words = command;
    words.push_back(library);
    pid_t process = 0;
    if (const int error = start(process, words, output); error != 0) {
        return untried(error);
    }
    output.close_writer();
    const Clock::time_point deadline = Clock::now() + patience;
    std::string said;
    const bool in_time = read_in_time(output.reader(), said, deadline);
    const bool said_too_much = said.size() > sign_of_life.size();
    const std::optional<int> status = in_time && !said_too_much ? wait_for_end(process, deadline) : std::nullopt;
    if (!status) {
        end_at_once(process);
    }
    if (!status && !said_too_much) {
        return "is corrupt: a process that loaded it to try it did not come to an end";
    }
    const std::string fault = status ? fault_of_end(*status) : std::string();
    if (fault.empty() && said != sign_of_life) {
        return "is corrupt, or " + command[0] + " does not try libraries: it ended without having come through";
    }
    return fault;
}

}  // namespace detail

int try_library(const std::string& path) {
    LoadOptions options;
    options.library_path = path;
    detail::load_library(options);
    std::fwrite(detail::sign_of_life.data(), 1, detail::sign_of_life.size(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace cupool
