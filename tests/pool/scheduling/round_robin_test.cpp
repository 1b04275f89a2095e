#include "scheduling/round_robin.hpp"

#include <map>
#include <numeric>
#include <thread>

#include "catch.hpp"

using cupool::detail::RoundRobin;

namespace {

/// So many numbers, from `first` on.
std::vector<int> members(std::size_t count, int first = 0) {
    std::vector<int> list(count);
    std::iota(list.begin(), list.end(), first);
    return list;
}

}  // namespace

TEST_CASE("turns stay even where the counter wraps, which each round does", "[round_robin]") {
    const std::size_t count = GENERATE(1, 2, 3, 5, 6, 7, 8, 15, 16, 17, 300);
    const int first_member = GENERATE(0, 1, 20);
    // Before the first turn, and 2^53 and more after it, up to where the steps' rounding must not show yet.
    for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 53) + 1, ~std::uint64_t{0} / count - 1000}) {
        RoundRobin turns(members(count, first_member), first);
        CAPTURE(count, first_member, first);
        for (std::uint64_t i = 0; i < 3 * count + 10; ++i) {
            REQUIRE(turns.next() == first_member + static_cast<int>((first + i) % count));
        }
    }
}

TEST_CASE("turns are in the list's order, whatever its members", "[round_robin]") {
    std::vector<int> with_a_repeat = members(16);
    with_a_repeat.push_back(3);
    for (const std::vector<int>& list : {std::vector<int>{2, 0, 1}, {15, 0, 7, 3}, {16, 0, 7}, {-1, 5}, with_a_repeat}) {
        RoundRobin turns(list);
        CHECK(turns.members() == list);
        for (std::size_t i = 0; i < 3 * list.size(); ++i) CHECK(turns.next() == list[i % list.size()]);
    }
}

TEST_CASE("turns of many threads are even", "[round_robin]") {
    constexpr int draws = 30000;
    RoundRobin turns({0, 1, 2});
    std::vector<std::map<int, int>> taken(4);
    std::vector<std::thread> threads;
    for (auto& own : taken) {
        threads.emplace_back([&own, &turns] {
            for (int i = 0; i < draws; ++i) ++own[turns.next()];
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::map<int, int> all;
    for (const auto& own : taken) {
        for (const auto& [member, times] : own) all[member] += times;
    }
    CHECK(all == std::map<int, int>{{0, 4 * draws / 3}, {1, 4 * draws / 3}, {2, 4 * draws / 3}});
}
