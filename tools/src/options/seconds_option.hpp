#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace cupool::tools {

/// Requires that an option is a number of seconds in this range, which NaN is not.
inline void require_seconds(CLI::Option& option, double least, double most) {
    option.check([least, most](const std::string& text) {
        char* end = nullptr;
        const double seconds = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == '\0' && seconds >= least && seconds <= most) return std::string();
        char range[64];
        std::snprintf(range, sizeof range, "%.12g to %.12g", least, most);
        return text + " is no number of seconds from " + range;
    });
    option.type_name("SECONDS");
}

}  // namespace cupool::tools
