#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

namespace cupool::tools {

/// Requires that an option is a number of seconds in this range. NaN, which CLI::Range lets through, is refused.
inline void require_seconds(CLI::Option& option, double least, double most) {
    option.check(CLI::Range(least, most).description(""))->check([](const std::string& text) {
        return std::isfinite(std::strtod(text.c_str(), nullptr)) ? std::string() : '"' + text + "\" is no number of seconds";
    });
    option.type_name("SECONDS");
}

}  // namespace cupool::tools
