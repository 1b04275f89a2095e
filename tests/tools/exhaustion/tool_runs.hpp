// Short runs of the tools, and what they come to where nothing fails.
#pragma once

#include <string>
#include <vector>

#include "files.hpp"
#include "process.hpp"

namespace cupool::test {

struct ToolRun {
    std::string name;
    std::string program;
    std::vector<std::string> arguments;
    std::vector<std::string> variables;
    bool is_long = false;  ///< takes tens of milliseconds and more
};

/// The runs of both tools, with the simulated driver and without one; their input files lie in `directory`.
std::vector<ToolRun> tool_runs(const TemporaryDirectory& directory, const std::string& simulator);

/// What is the same in every right output of one run: all but times and, where it is a job's result, where it was computed.
std::string answer_in(const std::string& output);

}  // namespace cupool::test
