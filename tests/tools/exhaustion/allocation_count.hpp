// What a test and the processes that it starves have in common: a file, mapped by all of them.
#pragma once

#include <atomic>
#include <cstdint>

namespace cupool::test {

/// The variable that names the file to failing_malloc.cpp.
inline constexpr const char* allocation_count_variable = "CUPOOL_TEST_ALLOCATION_COUNT";

struct AllocationCount {
    std::atomic<std::uint64_t> first_refused;  ///< this allocation and all after it fail, counted from 1; 0: none does
    std::atomic<std::uint64_t> made;           ///< by all processes together
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace cupool::test
