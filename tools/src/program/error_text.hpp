#pragma once

#include <cupool/driver/error.hpp>
#include <string>

namespace cupool::tools {

/// What an error says, on one line, without its location in the source of a tool, which tells nothing
/// to a user. The location is logged (CUPOOL_LOG=debug).
std::string error_text(const Error& error);

}  // namespace cupool::tools
