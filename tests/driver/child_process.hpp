#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cupool::test {

struct Finished {
    int exit_code;       ///< minus the signal's number where one ended it
    std::string output;  ///< stdout and stderr together
};

/// Runs cupool_driver_child to its end.
Finished run_child(const std::vector<std::string>& arguments, const std::vector<std::pair<std::string, std::string>>& environment = {});

}  // namespace cupool::test
