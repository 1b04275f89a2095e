#include "round_robin.hpp"

#include <map>
#include <thread>

#include "catch.hpp"

using cupool::detail::RoundRobin;

TEST_CASE("turns stay even where the counter starts anew", "[round_robin]") {
    for (const std::size_t members : {3u, 5u, 7u, 8u}) {
        std::vector<int> list(members);
        for (std::size_t i = 0; i < members; ++i) list[i] = static_cast<int>(i);
        RoundRobin turns(list, RoundRobin::last_ticket - 20);
        const int first = turns.next();
        for (std::size_t i = 1; i < 60; ++i) {
            CAPTURE(members, i);
            CHECK(turns.next() == static_cast<int>((static_cast<std::size_t>(first) + i) % members));
        }
    }
}

TEST_CASE("turns stay even where many threads pass the counter's end together", "[round_robin]") {
    RoundRobin turns({0, 1, 2}, RoundRobin::last_ticket / 3 * 3 - 900);
    std::vector<std::map<int, int>> taken(4);
    std::vector<std::thread> threads;
    for (auto& own : taken) {
        threads.emplace_back([&own, &turns] {
            for (int i = 0; i < 600; ++i) ++own[turns.next()];
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::map<int, int> all;
    for (const auto& own : taken) {
        for (const auto& [member, times] : own) all[member] += times;
    }
    CHECK(all == std::map<int, int>{{0, 800}, {1, 800}, {2, 800}});
}
