#pragma once

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// How an implementation leaves with an answer other than success. Never crosses the C interface: see answer().
struct Failure {
    abi::Result result;
};

[[noreturn]] inline void fail(abi::Result result) { throw Failure{result}; }

inline void require(bool condition, abi::Result otherwise) {
    if (!condition) {
        fail(otherwise);
    }
}

}  // namespace cupool::simulator
