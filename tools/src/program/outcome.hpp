#pragma once

#include <CLI/CLI.hpp>
#include <cupool/driver/error.hpp>
#include <functional>
#include <stdexcept>
#include <string>

namespace cupool::tools {

/// The exit codes of the tools; 10 to 18 are the values of cupool::Reason.
enum ExitCode { done = 0, failed = 1, usage = 2, bad_input = 3 };

/// The result of a tool that did not fail.
struct Outcome {
    std::string output;  ///< for stdout
    int exit_code = ExitCode::done;
    std::string problem = {};  ///< a line for stderr, beside the output; empty: none
};

/// Options that contradict each other, or that this host cannot satisfy.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A result that a second computation contradicts.
class CheckFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Requires a command. (The rule of CLI11 does not name a word that is not a command.)
void require_command(CLI::App& app);

/// Parses a command line and runs the callbacks of its commands. \return the text of --help or
/// --version, else "" \throws UsageError, and whatever the callbacks throw
std::string parse_command_line(CLI::App& app, int argc, char** argv);

/// The exit code of a failed call: the reason if no GPU can be used, `usage` if the command line
/// names a device that does not exist, else `failed`.
int exit_code_of(const Error& error);

/// Runs a tool and writes its output to stdout. A failure becomes one line on stderr and an exit
/// code, with nothing on stdout.
int run_tool(const std::string& name, const std::function<Outcome()>& tool);

}  // namespace cupool::tools
