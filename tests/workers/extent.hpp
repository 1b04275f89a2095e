#pragma once

#include <cstdlib>

namespace cupool::test {

/// How often a test repeats something: what the variable says, or else the usual number.
inline int extent(const char* variable, int usual) {
    const char* const wanted = std::getenv(variable);
    return wanted == nullptr ? usual : std::atoi(wanted);
}

}  // namespace cupool::test
