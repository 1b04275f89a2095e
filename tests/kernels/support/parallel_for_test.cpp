#include "support/parallel_for.hpp"

#include <stdexcept>
#include <string>

#include "catch.hpp"

using cupool::detail::parallel_for;
using cupool::detail::parallel_for_blocks;

TEST_CASE("parallel_for calls for every index once", "[kernels]") {
    for (const std::size_t count : {0, 1, 2, 5, 1000}) {
        for (const unsigned threads : {1, 2, 3, 7, 40}) {
            std::vector<std::atomic<int>> calls(count);
            parallel_for(count, threads, [&](std::size_t i) { ++calls[i]; });
            CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& times) { return times == 1; }));
        }
    }
}

TEST_CASE("parallel_for_blocks covers the range in blocks", "[kernels]") {
    for (const std::size_t count : {0, 1, 9, 10, 11, 95}) {
        std::vector<std::atomic<int>> calls(count);
        parallel_for_blocks(count, 10, 3, [&](std::size_t begin, std::size_t end) {
            if (begin % 10 != 0 || end <= begin || end > begin + 10) throw std::logic_error("a block of another shape");
            for (std::size_t i = begin; i < end; ++i) ++calls[i];
        });
        CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& times) { return times == 1; }));
    }
}

TEST_CASE("parallel_for rethrows an exception and begins nothing after it", "[kernels]") {
    for (const unsigned threads : {1, 2, 7}) {
        std::atomic<int> calls{0};
        const auto fail = [&](std::size_t i) {
            ++calls;
            if (i >= 50) throw std::runtime_error(std::to_string(i));
        };
        CHECK_THROWS_WITH(parallel_for(100000, threads, fail), "50");
        CHECK(calls < 100000);
    }
}

TEST_CASE("parallel_for rethrows the exception of the lowest index, also where a higher one comes first", "[kernels]") {
    std::atomic<bool> later_failed{false};
    const auto fail = [&](std::size_t i) {
        while (i == 0 && !later_failed) std::this_thread::yield();
        later_failed = true;
        throw std::runtime_error(std::to_string(i));
    };
    CHECK_THROWS_WITH(parallel_for(2, 2, fail), "0");
}
