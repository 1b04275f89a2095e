#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cupool::detail {

/// Calls function(i) for every i below `count` on up to `threads` threads, including the calling one, and returns
/// when all are done. A thread that becomes free takes the next i. After an exception no further call begins, and the
/// exception of the lowest i that threw is rethrown: as calls begin in rising order, it is the same in every run.
template <class Function>
void parallel_for(std::size_t count, unsigned threads, const Function& function) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::size_t failed = count;
    std::exception_ptr failure;
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                function(i);
            } catch (...) {
                next = count;
                const std::lock_guard lock(mutex);
                if (i < failed) {
                    failed = i;
                    failure = std::current_exception();
                }
            }
        }
    };

    const std::size_t helper_count = std::min<std::size_t>(threads, count) - (count > 0 ? 1 : 0);
    std::vector<std::thread> helpers;
    helpers.reserve(helper_count);
    try {
        while (helpers.size() < helper_count) helpers.emplace_back(work);
    } catch (const std::exception&) {
        // The system gives no more threads: the existing ones do the work.
    }
    work();
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

/// Calls function(begin, end) for consecutive ranges of at most `block` indices that cover [0, count), on up to `threads` threads.
template <class Function>
void parallel_for_blocks(std::size_t count, std::size_t block, unsigned threads, const Function& function) {
    parallel_for((count + block - 1) / block, threads, [&](std::size_t i) { function(i * block, std::min(count, (i + 1) * block)); });
}

}  // namespace cupool::detail
