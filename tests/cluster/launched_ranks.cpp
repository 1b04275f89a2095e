#include "launched_ranks.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace cupool::test {

namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& name) {
    const char* const path = std::getenv("PATH");
    std::string rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        if (::access((rest.substr(0, colon) + '/' + name).c_str(), X_OK) == 0) return true;
        rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    }
    return false;
}

std::vector<MpiLauncher> known_launchers() {
    const std::string plugins = CUPOOL_MPI_PLUGINS;
    return {
        {"Open MPI", plugins + "/libcupool-openmpi.so", {"mpirun.openmpi", "--oversubscribe"}, {"--enable-recovery"}},
        {"MPICH", plugins + "/libcupool-mpich.so", {"mpirun.mpich"}, {}},
    };
}

bool is_there(const MpiLauncher& launcher) { return fs::exists(launcher.plugin) && is_program(launcher.command[0]); }

std::string content(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A new directory, which is removed.
class Directory {
public:
    Directory() {
        std::string name = (fs::temp_directory_path() / "cupool-ranks-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory for the ranks' results");
        path = name;
    }
    ~Directory() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    fs::path path;
};

std::map<int, std::string> results_in(const fs::path& directory, int ranks) {
    std::map<int, std::string> results;
    for (int rank = 0; rank < ranks; ++rank) {
        const fs::path file = directory / ("rank." + std::to_string(rank));
        if (fs::exists(file)) results[rank] = content(file);
    }
    return results;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Starts a program in a session of its own, with its output in a file.
pid_t start(std::vector<std::string> words, const std::vector<std::string>& variables, const fs::path& output) {
    std::vector<std::string> environment(variables);
    for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t process = -1;
    const int error =
        ::posix_spawnp(&process, words[0].c_str(), &actions, &attributes, pointers_to(words).data(), pointers_to(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0) throw std::runtime_error(words[0] + " does not start");
    return process;
}

/// The processes whose command line has this word: launchers start ranks in process groups of their own.
std::vector<pid_t> processes_with(const std::string& word) {
    std::vector<pid_t> found;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos || std::stoi(name) == ::getpid()) continue;
        if (content(entry.path() / "cmdline").find(word) != std::string::npos) found.push_back(std::stoi(name));
    }
    return found;
}

void kill_all_with(const std::string& word) {
    for (const pid_t process : processes_with(word)) ::kill(process, SIGKILL);
}

/// How many there are, after they had the time to end.
std::size_t left_over_with(const std::string& word) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!processes_with(word).empty() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return processes_with(word).size();
}

}  // namespace

std::vector<MpiLauncher> launchers() {
    std::vector<MpiLauncher> found;
    for (const MpiLauncher& launcher : known_launchers()) {
        if (is_there(launcher)) found.push_back(launcher);
    }
    return found;
}

std::string missing_launchers() {
    std::string missing;
    for (const MpiLauncher& launcher : known_launchers()) {
        if (!is_there(launcher)) missing += "no " + launcher.command[0] + " or no " + launcher.plugin + "; ";
    }
    return missing;
}

RanksResult run_ranks(const MpiLauncher& launcher, int ranks, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& variables, std::size_t awaited) {
    const Directory directory;
    std::vector<std::string> words = launcher.command;
    for (const std::string& word : {std::string("-n"), std::to_string(ranks), std::string(CUPOOL_MPI_PROGRAM)}) words.push_back(word);
    words.push_back(arguments[0]);
    words.push_back(directory.path.string());
    words.insert(words.end(), arguments.begin() + 1, arguments.end());
    std::vector<std::string> environment(variables);
    environment.insert(environment.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});

    const pid_t process = start(words, environment, directory.path / "output");
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    RanksResult result;
    int status = 0;
    bool has_ended = false;
    while (!has_ended && std::chrono::steady_clock::now() < end && results_in(directory.path, ranks).size() < awaited) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        has_ended = ::waitpid(process, &status, WNOHANG) == process;
    }
    if (!has_ended) {
        kill_all_with(directory.path.string());
        ::waitpid(process, &status, 0);
    } else {
        if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
        result.left_over = left_over_with(directory.path.string());
    }
    kill_all_with(directory.path.string());
    result.told = results_in(directory.path, ranks);
    result.output = content(directory.path / "output");
    return result;
}

}  // namespace cupool::test
