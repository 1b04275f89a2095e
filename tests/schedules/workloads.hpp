// Small programs in which all kinds of the pool's threads take part.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "forked_child.hpp"

namespace cupool::test {

struct Workload {
    std::string name;
    /// \param subject  where the program sets what a child that is forked meanwhile asks, and null behind it
    /// \throws std::exception, saying what went wrong
    std::function<void(ForkSubject*& subject)> run;
};

const std::vector<Workload>& workloads();

}  // namespace cupool::test
