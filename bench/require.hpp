#pragma once

#include <stdexcept>

/// Throws where a benchmark has computed something wrong, so that the program fails: the figures of a wrong result mean nothing.
inline void require(bool holds, const char* otherwise) {
    if (!holds) throw std::runtime_error(otherwise);
}
