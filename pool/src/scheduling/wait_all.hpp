#pragma once

#include <exception>
#include <future>
#include <vector>

namespace cupool::detail {

/// Waits for all futures. \throws the failure of the first one in the list that failed
inline void wait_all(std::vector<std::future<void>>& futures) {
    std::exception_ptr first;
    for (std::future<void>& future : futures) {
        try {
            future.get();
        } catch (...) {
            if (!first) first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(first);
}

}  // namespace cupool::detail
