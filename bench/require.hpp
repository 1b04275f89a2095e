#pragma once

#include <stdexcept>

/// Throws if a result is wrong, so that the program fails: the time of a wrong result means nothing.
inline void require(bool holds, const char* otherwise) {
    if (!holds) throw std::runtime_error(otherwise);
}
