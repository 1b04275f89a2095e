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
#include <string_view>

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

/// Reads until the process ends, or says too much. \return whether that was in time
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

/// How the process ended; empty where well, or where nobody can tell since the program collects its children otherwise.
std::string wait_for_end(pid_t process) {
    int status = 0;
    pid_t ended = 0;
    do {
        ended = ::waitpid(process, &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended != process) {
        return {};
    }
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
    std::string said;
    const bool in_time = read_in_time(output.reader(), said, Clock::now() + patience);
    if (!in_time) {
        ::kill(process, SIGKILL);
    }
    const std::string end = wait_for_end(process);
    if (!in_time) {
        return "is corrupt: a process that loaded it to try it did not come to an end";
    }
    if (end.empty() && said != sign_of_life) {
        return "is corrupt, or " + command[0] + " does not try libraries: it ended without having come through";
    }
    return end;
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
