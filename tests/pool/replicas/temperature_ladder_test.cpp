#include <cmath>
#include <cupool/pool/temperature_ladder.hpp>
#include <limits>
#include <utility>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

TEST_CASE("a geometric ladder has equal ratios", "[replicas]") {
    const std::vector<double> ladder = geometric_ladder(1, 1.2, 8);
    REQUIRE(ladder.size() == 8);
    CHECK(ladder[0] == 1);
    for (std::size_t i = 1; i < ladder.size(); ++i) CHECK(std::abs(ladder[i] / ladder[i - 1] - 1.2) < 1e-12);
    CHECK(geometric_ladder(3, 2, 1) == std::vector<double>{3});
    CHECK(geometric_ladder(3, 2, 0).empty());
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();
    for (const std::pair<double, double>& given : {std::pair(0.0, 2.0), {-1.0, 2.0}, {nan, 2.0}, {1.0, 1.0}, {1.0, nan}, {1.0, infinity}}) {
        CHECK(error_of([&] { (void)geometric_ladder(given.first, given.second, 3); }).category() == ErrorCategory::invalid_argument);
    }
    CHECK(error_of([] { (void)geometric_ladder(1, 1e300, 3); }).category() == ErrorCategory::invalid_argument);
}

TEST_CASE("feedback of acceptances widens pairs that exchange often and narrows others", "[replicas]") {
    const std::vector<double> ladder{1, 2, 4};
    const std::vector<double> adapted = ladder_for_acceptance(ladder, std::vector<double>{0.8, 0.05}, 0.3);
    REQUIRE(adapted.size() == 3);
    CHECK(adapted[0] == 1);
    CHECK(adapted[1] == 4);  // twice the distance at most
    CHECK(adapted[2] / adapted[1] < 2);
    CHECK(adapted[2] / adapted[1] > std::sqrt(2.0) - 1e-12);
    // Acceptances at the target change nothing, and acceptances of 0 and 1 are no trouble.
    const std::vector<double> same = ladder_for_acceptance(ladder, std::vector<double>{0.3, 0.3}, 0.3);
    CHECK(std::abs(same[2] - 4) < 1e-12);
    CHECK(ladder_for_acceptance(ladder, std::vector<double>{0, 1}, 0.3).size() == 3);

    CHECK(error_of([&] { (void)ladder_for_acceptance(ladder, std::vector<double>{0.3}, 0.3); }).category() ==
          ErrorCategory::invalid_argument);
    CHECK(error_of([&] {
              (void)ladder_for_acceptance(ladder, std::vector<double>{0.3, 1.1}, 0.3);
          }).category() == ErrorCategory::invalid_argument);
    for (const double target : {0.0, 1.0, std::nan("")}) {
        CHECK(error_of([&] {
                  (void)ladder_for_acceptance(ladder, std::vector<double>{0.3, 0.3}, target);
              }).category() == ErrorCategory::invalid_argument);
    }
}

TEST_CASE("feedback of round trips puts temperatures where replicas diffuse slowly", "[replicas]") {
    const std::vector<double> ladder{1, 2, 3, 4, 5};
    // The fraction falls between 2 and 3 only: that is the bottleneck.
    const std::vector<double> adapted = ladder_for_round_trips(ladder, std::vector<double>{1, 0.98, 0.02, 0.01, 0});
    REQUIRE(adapted.size() == 5);
    CHECK(adapted.front() == 1);
    CHECK(adapted.back() == 5);
    int inside = 0;
    for (std::size_t i = 1; i < adapted.size(); ++i) {
        CHECK(adapted[i] > adapted[i - 1]);
        if (adapted[i] > 2 && adapted[i] < 3) ++inside;
    }
    CHECK(inside == 3);
    // An even fall changes nothing; noise is smoothed.
    const std::vector<double> even = ladder_for_round_trips(ladder, std::vector<double>{1, 0.75, 0.5, 0.25, 0});
    for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(even[i] - ladder[i]) < 1e-9);
    const std::vector<double> noisy = ladder_for_round_trips(ladder, std::vector<double>{0.9, 1, 0.4, 0.5, 0});
    for (std::size_t i = 1; i < 5; ++i) CHECK(noisy[i] > noisy[i - 1]);
    CHECK(error_of([&] {
              (void)ladder_for_round_trips(std::vector<double>{1, 2}, std::vector<double>{1, 0});
          }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { (void)ladder_for_round_trips(ladder, std::vector<double>{1, 0}); }).category() == ErrorCategory::invalid_argument);
}
