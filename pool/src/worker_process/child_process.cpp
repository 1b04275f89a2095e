#include "child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <cupool/driver/error.hpp>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

namespace cupool::detail {

namespace {

/// How long a killed process may take to end: one that waits in the kernel, for instance for a GPU that hangs, may never do so.
constexpr std::chrono::seconds patience_with_killed{2};

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// What posix_spawn is to do in the child.
class SpawnSetup {
public:
    explicit SpawnSetup(int socket) {
        require(::posix_spawn_file_actions_init(&actions));
        require(::posix_spawnattr_init(&attributes));
        require(::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
        give_output();
        require(::posix_spawn_file_actions_adddup2(&actions, socket, child_socket));
        require(::posix_spawn_file_actions_addclosefrom_np(&actions, child_socket + 1));
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        require(::posix_spawnattr_setsigmask(&attributes, &none));
        require(::posix_spawnattr_setsigdefault(&attributes, &all));
        require(::posix_spawnattr_setpgroup(&attributes, 0));
        require(::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));
    }
    ~SpawnSetup() {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

private:
    /// Stderr to stderr and to stdout; where this process has none, as a daemon, both go nowhere.
    void give_output() {
        const bool has_stderr = ::fcntl(STDERR_FILENO, F_GETFD) >= 0;
        if (!has_stderr) require(::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0));
        require(::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDERR_FILENO));  // clears the close-on-exec flag
        require(::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO));
    }

    static void require(int error) {
        if (error != 0) throw Error(ErrorCategory::io, "a worker process cannot be prepared: " + std::generic_category().message(error));
    }
};

std::string text_of_status(int status) {
    if (WIFEXITED(status)) return "exited with status " + std::to_string(WEXITSTATUS(status));
    const int number = WTERMSIG(status);
    const char* const name = ::sigdescr_np(number);
    return "was killed by signal " + std::to_string(number) + (name != nullptr ? " (" + std::string(name) + ")" : "");
}

/// Whether a child has ended, or was collected by other code of this program. It stays a zombie, whose number nobody else gets.
bool is_ended(pid_t process) noexcept {
    siginfo_t info{};
    const int result = ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
    return result == 0 ? info.si_pid == process : errno == ECHILD;
}

bool wait_for_end(pid_t process, std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (auto pause = std::chrono::microseconds(50);;
         pause = std::min<std::chrono::microseconds>(pause * 2, std::chrono::milliseconds(5))) {
        if (is_ended(process)) return true;
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(pause);
    }
}

/// Collects the status of a process that has ended. Kills the processes that remain in its group.
std::string collect(pid_t process) {
    ::kill(-process, SIGKILL);
    int status = 0;
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    return ended == process ? text_of_status(status) : "ended (its status was collected by other code of this program)";
}

/// Kills a process and its group. \return whether it has ended and was reaped
bool kill_and_collect(pid_t process) {
    ::kill(-process, SIGKILL);
    if (!wait_for_end(process, patience_with_killed)) return false;
    (void)collect(process);
    return true;
}

}  // namespace

ChildProcess::ChildProcess(const ChildProcessStart& start, const FileDescriptor& socket) {
    // Above the numbers that the child gets, so that dup2() in the child clears the close-on-exec flag.
    const FileDescriptor given = socket.duplicate(child_socket + 1);
    const SpawnSetup setup(given.number());
    std::vector<std::string> words{start.program};
    words.insert(words.end(), start.arguments.begin(), start.arguments.end());
    std::vector<std::string> environment = start.environment;
    const int error = ::posix_spawn(&process_, start.program.c_str(), &setup.actions, &setup.attributes, pointers_to(words).data(),
                                    pointers_to(environment).data());
    if (error != 0) {
        process_ = -1;
        throw Error(ErrorCategory::io,
                    "the worker program " + start.program + " cannot be started: " + std::generic_category().message(error));
    }
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept : process_(std::exchange(other.process_, -1)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    std::swap(process_, other.process_);
    return *this;
}

ChildProcess::~ChildProcess() {
    if (is_running()) (void)kill_and_collect(process_);
}

bool ChildProcess::has_ended() const noexcept { return !is_running() || is_ended(process_); }

std::string ChildProcess::reap(std::chrono::milliseconds patience) {
    const pid_t process = std::exchange(process_, -1);
    if (wait_for_end(process, patience)) return collect(process);
    if (kill_and_collect(process)) return "did not end by itself and was killed by the pool";
    return "does not end although it was killed: it waits in the operating system's kernel";
}

std::optional<std::uint64_t> ChildProcess::resident_bytes() const {
    std::ifstream file("/proc/" + std::to_string(process_) + "/statm");
    std::uint64_t virtual_pages = 0;
    std::uint64_t resident_pages = 0;
    if (!(file >> virtual_pages >> resident_pages)) return std::nullopt;
    return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace cupool::detail
