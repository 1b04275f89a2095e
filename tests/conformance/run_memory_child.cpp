#include <spawn.h>
#include <sys/wait.h>

#include "catch.hpp"
#include "memory_child.hpp"

extern char** environ;

namespace cupool::test {

int run_memory_child(std::vector<std::string> arguments, int descriptor) {
    std::vector<char*> words;
    arguments.insert(arguments.begin(), CUPOOL_MEMORY_CHILD);
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    if (descriptor >= 0) ::posix_spawn_file_actions_adddup2(&actions, descriptor, 3);
    pid_t process = 0;
    REQUIRE(::posix_spawn(&process, CUPOOL_MEMORY_CHILD, &actions, nullptr, words.data(), environ) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    ::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace cupool::test
