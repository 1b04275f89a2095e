#include "round_robin.hpp"

#include <map>
#include <numeric>
#include <thread>

#include "catch.hpp"

using cupool::detail::RoundRobin;

namespace {

/// 0, 1 and so on.
std::vector<int> members(std::size_t count) {
    std::vector<int> list(count);
    std::iota(list.begin(), list.end(), 0);
    return list;
}

}  // namespace

TEST_CASE("turns stay even where the counter starts anew", "[round_robin]") {
    const std::size_t count = GENERATE(1, 2, 3, 5, 7, 8, 255, 256, 257, 1000);
    RoundRobin turns(members(count));
    CHECK(turns.lap() % count == 0);
    CAPTURE(count, turns.lap());
    for (std::size_t i = 0; i < 3 * turns.lap() + 10; ++i) {
        REQUIRE(turns.next() == static_cast<int>(i % count));
        REQUIRE(turns.ticket() <= turns.lap());  // what is drawn at a lap's end takes the lap off
    }
    CHECK(turns.ticket() == 10);
}

TEST_CASE("turns stay even while threads are held up that are to bring the counter back", "[round_robin]") {
    const std::size_t count = GENERATE(1, 3, 8, 300);
    const std::uint64_t lap = RoundRobin(members(count)).lap();
    const std::uint64_t held_up = GENERATE(0, 1, 5);
    for (const std::uint64_t before : {lap - 1, lap, lap + 1}) {
        const std::uint64_t first = held_up * lap + before;
        RoundRobin turns(members(count), first);
        CAPTURE(count, first);
        for (std::uint64_t i = 0; i < 2 * lap + 10; ++i) {
            REQUIRE(turns.next() == static_cast<int>((first + i) % count));
            REQUIRE(turns.ticket() <= first + lap);  // no further ahead than it was
        }
    }
}

TEST_CASE("turns stay even where many threads pass the counter's end together, and it comes back", "[round_robin]") {
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
    CHECK(turns.ticket() <= turns.lap());
    CHECK(turns.ticket() % turns.lap() == 4 * draws % turns.lap());
}
