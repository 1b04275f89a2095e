#include "child_process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

extern char** environ;

namespace cupool::test {

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
    std::vector<char*> pointers;
    for (std::string& string : strings) pointers.push_back(string.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& additions) {
    std::vector<std::string> merged;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        bool replaced = false;
        for (const auto& [name, value] : additions) replaced = replaced || text.rfind(name + "=", 0) == 0;
        if (!replaced) merged.push_back(text);
    }
    for (const auto& [name, value] : additions) merged.push_back(name + "=" + value);
    return merged;
}

}  // namespace

Finished run_child(const std::vector<std::string>& arguments, const std::vector<std::pair<std::string, std::string>>& environment) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    std::vector<std::string> words{CUPOOL_DRIVER_CHILD};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = merged_environment(environment);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    ::posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t process = 0;
    const int spawned =
        ::posix_spawn(&process, CUPOOL_DRIVER_CHILD, &actions, nullptr, pointers_to(words).data(), pointers_to(variables).data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (spawned != 0) {
        ::close(ends[0]);
        throw std::runtime_error("posix_spawn");
    }
    Finished finished{};
    char buffer[4096];
    for (ssize_t count; (count = ::read(ends[0], buffer, sizeof(buffer))) > 0;)
        finished.output.append(buffer, static_cast<std::size_t>(count));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(process, &status, 0);
    finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return finished;
}

}  // namespace cupool::test
