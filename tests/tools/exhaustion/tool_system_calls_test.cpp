// The Nth system call of a tool fails, counted from main() over all its processes and threads. Each time the tool has done its work, or
// ends with one of its exit codes and says why. Likewise where its user may have few threads or none besides the first.
//
// CUPOOL_FAULT_MATRIX=whole takes all N of the long runs, too; CUPOOL_FAULT_SEED=NUMBER draws others.

#include <unistd.h>
#include <cstdlib>

#include <filesystem>
#include <iostream>

#include "catch.hpp"
#include "fault_places.hpp"
#include "sanitizers.hpp"
#include "system_call_errors.hpp"
#include "system_call_supervisor.hpp"
#include "tool_runs.hpp"

using namespace cupool::test;

namespace {

/// What the preloaded library ends a process with where the kernel does not let it do its work.
constexpr int not_possible = 125;

ProcessResult run_preloaded(const ToolRun& run, const std::string& variable) {
    auto variables = run.variables;
    variables.push_back(std::string("LD_PRELOAD=") + FAILING_SYSTEM_CALLS);
    variables.push_back(variable);
    return run_process(run.program, run.arguments, {}, variables);
}

struct Supervised {
    ProcessResult result;
    std::uint64_t calls;
    int failed;  ///< the system call's number
};

Supervised run_supervised(const TemporaryDirectory& directory, const ToolRun& run, std::uint64_t failing) {
    const std::string socket = directory.path("supervisor");
    SystemCallSupervisor supervisor(socket, failing);
    const ProcessResult result = run_preloaded(run, std::string(supervisor_variable) + '=' + socket);
    const std::uint64_t calls = supervisor.finish();
    return {result, calls, supervisor.failed()};
}

/// The exit codes of docs/tools.md but 2, wrong usage.
bool is_failure_that_says_why(const ProcessResult& result) {
    const bool is_known = result.exit_code == 1 || result.exit_code == 3 || (result.exit_code >= 10 && result.exit_code <= 18);
    return is_known && !(result.out.empty() && result.err.empty());
}

bool is_right(const ProcessResult& result, const ProcessResult& expected) {
    return result.exit_code == expected.exit_code && answer_in(result.out) == answer_in(expected.out);
}

}  // namespace

TEST_CASE("a tool of whose system calls any one fails has done its work or says why not") {
    if (is_sanitized) CUPOOL_SKIP("skipped: a sanitizer's own system calls may not fail");
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    const TemporaryDirectory directory;
    for (const ToolRun& run : tool_runs(directory, simulator)) {
        const Supervised whole = run_supervised(directory, run, 0);
        if (whole.result.exit_code == not_possible) CUPOOL_SKIP("skipped: this kernel has no seccomp notifications, or denies them");
        INFO(run.name << ", seed " << fault_seed());
        REQUIRE(whole.result.exit_code >= 0);
        REQUIRE(whole.calls > 0);
        const auto places = fault_places(whole.calls, run.is_long ? 60 : 400);
        for (const std::uint64_t nth : places) {
            const Supervised one = run_supervised(directory, run, nth);
            INFO("call " << nth << " of " << whole.calls << ", system call " << one.failed << ": exit code " << one.result.exit_code
                         << " (-1: a signal), stderr: " << one.result.err << "stdout: " << one.result.out);
            CHECK((is_right(one.result, whole.result) || is_failure_that_says_why(one.result)));
        }
        std::cout << run.name << ": " << places.size() << " of " << whole.calls << " system calls" << std::endl;
    }
}

TEST_CASE("a tool whose user may have few threads has done its work or says why not") {
    if (is_sanitized) CUPOOL_SKIP("skipped: a sanitizer brings threads of its own");
    if (::geteuid() != 0) CUPOOL_SKIP("skipped: it takes root to become another user");
    const char* const simulator = std::getenv("CUPOOL_SIM_LIBRARY");
    if (simulator == nullptr) CUPOOL_SKIP("skipped: CUPOOL_SIM_LIBRARY is not set");
    const TemporaryDirectory directory;
    std::filesystem::permissions(directory.path(""), std::filesystem::perms::others_exec, std::filesystem::perm_options::add);
    for (const ToolRun& run : tool_runs(directory, simulator)) {
        const ProcessResult expected = run_process(run.program, run.arguments, {}, run.variables);
        for (int threads = 1; threads <= 8; ++threads) {
            const ProcessResult result = run_preloaded(run, std::string(thread_limit_variable) + '=' + std::to_string(threads));
            INFO(run.name << ", " << threads << " threads: exit code " << result.exit_code << " (-1: a signal), stderr: " << result.err);
            REQUIRE(result.exit_code != not_possible);
            CHECK((is_right(result, expected) || is_failure_that_says_why(result)));
        }
    }
}
