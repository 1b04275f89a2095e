#include "loading/library_trial.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <cupool/driver/driver.hpp>
#include <cupool/driver/library_trial.hpp>
#include <cupool/driver/probe.hpp>
#include <optional>
#include <string_view>
#include <thread>

extern char** environ;

namespace cupool {

namespace detail {

namespace {

/// The report of a process that tries a library, in this order.
constexpr std::string_view sign_of_beginning = "cupool begins to try the library\n";
constexpr std::string_view sign_of_loading = "cupool has loaded the library\n";
constexpr std::string_view sign_of_life = "cupool has tried the library\n";
constexpr std::size_t longest_report = sign_of_beginning.size() + sign_of_loading.size() + sign_of_life.size();

/// How long to wait for the end of a killed process: one that is blocked in the kernel, for example
/// by a hanging GPU, may never end.
constexpr std::chrono::seconds patience_with_killed{1};

/// The two ends of a pipe, which children do not inherit unless told to. Reads do not block.
class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_, O_CLOEXEC) == 0 && ::fcntl(ends_[0], F_SETFL, O_NONBLOCK) == 0) return;
        error_ = errno;
        close_ends();
    }
    ~Pipe() { close_ends(); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    /// The errno of a failed creation; 0 if the pipe exists.
    int error() const { return error_; }
    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }

private:
    void close_ends() {
        for (int& end : ends_) {
            if (end >= 0) ::close(end);
            end = -1;
        }
    }

    int error_ = 0;
    int ends_[2] = {-1, -1};
};

/// Starts the process. Its stdout is the pipe, which try_library() reserves for its report; all
/// other output is discarded.
/// \return 0, or the number of the error
int start(pid_t& process, std::vector<std::string> words, const Pipe& output) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (const int error = ::posix_spawn_file_actions_init(&actions); error != 0) return error;
    // The pipe comes first: if this process has closed its stdin or stderr, the end of the pipe has
    // that number.
    int error = ::posix_spawn_file_actions_adddup2(&actions, output.writer(), STDOUT_FILENO);
    if (error == 0) error = ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0) error = ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (error == 0) error = ::posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

/// Reads the content of the pipe, but not much more than a whole report.
void read_what_is_there(int from, std::string& text) {
    char buffer[64];
    for (ssize_t count = 1; count > 0 && text.size() <= longest_report;) {
        count = ::read(from, buffer, sizeof(buffer));
        text.append(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
    }
}

/// The exit status of a process, if it has ended; 0 if the status is lost because the program waits
/// for its children elsewhere.
std::optional<int> status_of_ended(pid_t process) {
    int status = 0;
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    if (ended == process) return status;
    return ended < 0 && errno != EINTR ? std::optional<int>(0) : std::nullopt;
}

struct Course {
    std::optional<int> status;  ///< nullopt if the process has not ended
    std::string report;
};

/// Follows a process until it ends, reports too much, or the deadline passes. It does not wait for
/// the end of the pipe, which a process started by the library may keep open. It polls, because no
/// notification about one child works in every program.
Course follow(pid_t process, const Pipe& output, TrialClock::time_point deadline) {
    Course course;
    for (;;) {
        course.status = status_of_ended(process);  // before reading: the whole report of an ended process is in the pipe
        read_what_is_there(output.reader(), course.report);
        if (course.status || course.report.size() > longest_report || TrialClock::now() >= deadline) return course;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
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

void end_at_once(pid_t process) {
    ::kill(process, SIGKILL);
    const TrialClock::time_point deadline = TrialClock::now() + patience_with_killed;
    while (!status_of_ended(process) && TrialClock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Describes how a process ended.
std::string describe_end(std::optional<int> status) {
    if (!status) return "did not come to an end";
    if (WIFSIGNALED(*status)) return "was ended by " + signal_name(WTERMSIG(*status));
    if (WEXITSTATUS(*status) != 0) return "ended with status " + std::to_string(WEXITSTATUS(*status));
    return "ended without having come through";
}

/// What is wrong with the library or with the trial; empty if nothing is.
std::string find_fault(const Course& course, const std::string& program) {
    const std::string end = describe_end(course.status);
    std::string expected(sign_of_beginning);
    if (!course.report.starts_with(expected)) return "was not tried, and so not loaded: " + program + " does not try libraries: it " + end;
    if (course.report == expected) return "cannot be used: a process that tried it " + end + " while it loaded it";
    expected += sign_of_loading;
    if (course.report == expected)
        return "cannot be used: a process that tried it " + end + " while it called cuInit and listed the devices";
    expected += sign_of_life;
    if (course.report == expected && course.status == 0) return {};
    return "cannot be used: a process that tried it " + end + " after it had listed the devices";
}

}  // namespace

std::string find_trial_fault(const std::vector<std::string>& command, const std::string& library, TrialClock::time_point deadline) {
    const auto untried = [](const std::string& why) { return "was not tried, and so not loaded: " + why; };
    if (TrialClock::now() >= deadline) return untried("the time for trials was used up by other libraries");
    const Pipe output;
    if (output.error() != 0) return untried(std::string("no pipe: ") + std::strerror(output.error()));
    std::vector<std::string> words = command;
    words.push_back(library);
    pid_t process = 0;
    if (const int error = start(process, words, output); error != 0) {
        const bool has_null_device = ::access("/dev/null", R_OK | W_OK) == 0;
        return untried((has_null_device ? command[0] : "/dev/null") + ": " + std::strerror(error));
    }
    const Course course = follow(process, output, deadline);
    if (!course.status) end_at_once(process);
    return find_fault(course, command[0]);
}

}  // namespace detail

namespace {

bool report(int to, std::string_view sign) { return ::write(to, sign.data(), sign.size()) == static_cast<ssize_t>(sign.size()); }

}  // namespace

int try_library(const std::string& path) {
    // Output of the library goes to stderr, which the parent discards: only this function writes to
    // the report.
    const int reports = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (reports < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || !report(reports, detail::sign_of_beginning)) return 1;
    LoadOptions options;
    options.library_path = path;
    static_cast<void>(Driver::try_open(options));
    const bool is_loading_reported = report(reports, detail::sign_of_loading);
    probe(options);
    return is_loading_reported && report(reports, detail::sign_of_life) ? 0 : 1;
}

}  // namespace cupool
