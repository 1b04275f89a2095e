// Small changes of PTX text, each of which ought to be noticed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cupool::test {

/// One instruction of a module, changed.
struct Mutation {
    std::size_t line = 0;  ///< counted from 1
    std::string function;  ///< the entry or function it lies in
    std::string before;    ///< the line without its indentation
    std::string after;     ///< empty: deleted
};

std::string to_string(const Mutation& mutation);

/// The text with the change made; lines keep their numbers.
std::string apply(const Mutation& mutation, std::string_view text);

/// Each barrier of threads, deleted: bar.sync and its kin, bar.warp.sync, fences and membars.
std::vector<Mutation> without_barriers(std::string_view text);

/// Each arithmetic instruction with another opcode, condition or half of a product, without taking a carry or handing one on, or with its
/// alternatives exchanged. What has no effect stays as it is: a carry that nothing takes, or that there never is, and the half of a product
/// with 0.
std::vector<Mutation> with_other_arithmetic(std::string_view text);

}  // namespace cupool::test
