#pragma once

#include <chrono>
#include <cupool/driver/error.hpp>
#include <string>
#include <variant>
#include <vector>

#include "channel.hpp"
#include "child_process.hpp"

namespace cupool::detail {

/// What a short-lived process finds: for each device, in order, the entry of CUDA_VISIBLE_DEVICES that shows it to a worker; or why no
/// device can be used. So this process does not initialise CUDA. \throws Error io where the process cannot be started or does not answer
std::variant<std::vector<std::string>, Error> take_census(const ChildProcessStart& start, std::chrono::milliseconds deadline);

/// The other side of it, in that process. \return the message that it answers
Message census_message();

}  // namespace cupool::detail
