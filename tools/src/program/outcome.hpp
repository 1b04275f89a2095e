#pragma once

#include <CLI/CLI.hpp>
#include <cupool/driver/error.hpp>
#include <functional>
#include <stdexcept>
#include <string>

namespace cupool::tools {

/// What the tools' exit codes mean; 10 to 18 are the values of cupool::Reason.
enum ExitCode { done = 0, failed = 1, usage = 2, bad_input = 3 };

/// What a tool that did not fail leaves behind.
struct Outcome {
    std::string output;  ///< for stdout
    int exit_code = ExitCode::done;
};

/// Options that contradict each other or the host.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A result that a second computation contradicts.
class CheckFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Makes naming one of an app's commands a must. (CLI11's own rule would not name the word that is no command.)
void require_command(CLI::App& app);

/// Parses a command line and runs the callbacks of its commands. \return the text that was asked for, where it was --help or --version,
/// else "" \throws UsageError, and whatever the callbacks throw
std::string parse_command_line(CLI::App& app, int argc, char** argv);

/// The exit code of a failed call: the reason where no GPU can be used, usage where a device was named that is not there, else failed.
int exit_code_of(const Error& error);

/// Runs a tool: writes its output to stdout, and turns every failure into one line on stderr, nothing on stdout, and an exit code.
int run_tool(const std::string& name, const std::function<Outcome()>& tool);

}  // namespace cupool::tools
