#include "program/error_text.hpp"

#include <cupool/driver/log.hpp>

namespace cupool::tools {

std::string error_text(const Error& error) {
    detail::log(LogLevel::debug, error.what());
    return error.at({}).what();
}

}  // namespace cupool::tools
