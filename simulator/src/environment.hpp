#pragma once

#include <cstdlib>

namespace cupool::simulator {

/// A number that the environment may set.
inline int environment_number(const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') {
        return otherwise;
    }
    return std::atoi(text);
}

}  // namespace cupool::simulator
