// Running a program and keeping what it said.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cupool::test {

struct ProcessResult {
    int exit_code = -1;  ///< -1 where a signal ended it
    std::string out;
    std::string err;
};

/// Runs a program to its end, with these arguments, standard input, and variables beside the test's own.
ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments, const std::string& input = {},
                          const std::vector<std::string>& variables = {});

}  // namespace cupool::test
