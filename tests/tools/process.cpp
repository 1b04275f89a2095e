#include "process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "files.hpp"

namespace cupool::test {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// The test's environment with some variables set anew.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
    auto environment = variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const auto name = text.substr(0, text.find('=') + 1);
        bool replaced = false;
        for (const auto& variable : variables) replaced = replaced || variable.compare(0, name.size(), name) == 0;
        if (!replaced) environment.push_back(text);
    }
    return environment;
}

}  // namespace

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments, const std::string& input,
                          const std::vector<std::string>& variables) {
    const TemporaryDirectory directory;
    const auto in = directory.write("in", input);
    const auto out = directory.path("out");
    const auto err = directory.path("err");

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
    std::vector<std::string> command = {program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    auto environment = environment_with(variables);
    pid_t child = 0;
    const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers_to(command).data(), pointers_to(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("cannot run " + program);
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
}

}  // namespace cupool::test
