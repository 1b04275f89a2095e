#include "msm/device/chunks.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "catch.hpp"

using namespace cupool::detail;
using namespace cupool::test;

namespace {

/// Whether the portions go over all terms of all MSMs, in order.
bool cover(const std::vector<MsmPortion>& portions, std::size_t msm_count, std::size_t term_count) {
    std::size_t msm = 0;
    std::size_t term = 0;
    for (const MsmPortion& portion : portions) {
        if (portion.first_msm != msm || portion.first_term != term || portion.term_count == 0) return false;
        term += portion.term_count;
        if (portion.is_last != (term == term_count)) return false;
        if (!portion.is_last) continue;
        msm += portion.msm_count;
        term = 0;
    }
    return msm == msm_count && term == 0;
}

}  // namespace

TEST_CASE("what lies on the device is summed in one portion") {
    const auto portions = cut_into_portions({.msm_count = 1, .term_count = 1 << 24, .most_terms = 1 << 30, .most_msms = 1});
    CHECK(portions.size() == 1);
    CHECK(cover(portions, 1, 1 << 24));
}

TEST_CASE("portions of what must be brought grow, and the first is small") {
    const std::size_t terms = 1 << 24;
    for (const PortionCost& cost : {PortionCost{1, 1, 1e6}, PortionCost{1, 1.5, 1e6}, PortionCost{1, 4.6, 1e6}, PortionCost{1, 9, 1e6}}) {
        const auto portions = cut_into_portions({.msm_count = 2, .term_count = terms, .most_terms = 1 << 30, .most_msms = 1, .cost = cost});
        CAPTURE(cost.sum, portions.size());
        CHECK(cover(portions, 2, terms));
        REQUIRE(portions.size() >= 3);
        CHECK(portions.back().term_count == terms);  // the second MSM's copies hide behind the first one's work
        CHECK(portions[0].term_count <= terms / 5);
        for (std::size_t i = 0; i + 3 < portions.size(); ++i) {
            CHECK(portions[i + 1].term_count >= portions[i].term_count);
            CHECK(static_cast<double>(portions[i + 2].term_count) / static_cast<double>(portions[i + 1].term_count) ==
                  Approx(static_cast<double>(portions[i + 1].term_count) / static_cast<double>(portions[i].term_count)).epsilon(0.01));
        }
    }
}

namespace {

/// The time in which portions are summed, each brought and handed on while the one before is summed, to the place of the one before that.
double pipeline_time(const std::vector<double>& portions, const PortionCost& cost) {
    std::vector<double> brought;
    std::vector<double> handed_on;
    std::vector<double> summed;
    for (std::size_t i = 0; i < portions.size(); ++i) {
        const double place_is_free = i < 2 ? 0 : summed[i - 2];
        const double feed_is_free = i < 1 ? 0 : brought[i - 1];
        brought.push_back(std::max(place_is_free, feed_is_free) + portions[i] * cost.copy);
        handed_on.push_back(std::max(brought[i], i < 1 ? 0 : handed_on[i - 1]) + portions[i] * cost.hand_on);
        summed.push_back(std::max(handed_on[i], i < 1 ? 0 : summed[i - 1]) + portions[i] * cost.sum + (i < 1 ? 0 : cost.start));
    }
    return summed.back();
}

}  // namespace

// By the same model, written once more: what is tried is the search.
TEST_CASE("no other portions take much less time") {
    std::mt19937_64 random(5);
    const auto between = [&random](double least, double most) { return std::uniform_real_distribution(least, most)(random); };
    for (int i = 0; i < 30; ++i) {
        const auto terms = static_cast<std::size_t>(between(1 << 20, 1 << 24));
        const PortionCost cost{1, between(0.5, 10), between(0, 0.1) * static_cast<double>(terms), between(0, 1)};
        std::vector<double> chosen;
        for (const MsmPortion& portion : cut_into_portions(
                 {.msm_count = 1, .term_count = terms, .most_terms = 1 << 30, .most_msms = 1, .cost = cost, .least_terms = 1}))
            chosen.push_back(static_cast<double>(portion.term_count));
        const double time = pipeline_time(chosen, cost);
        for (int other = 0; other < 2000; ++other) {
            std::vector<double> portions(std::uniform_int_distribution<std::size_t>(1, 6)(random));
            for (double& portion : portions) portion = between(0.01, 1);
            std::sort(portions.begin(), portions.end());
            const double sum = std::accumulate(portions.begin(), portions.end(), 0.0);
            for (double& portion : portions) portion *= static_cast<double>(terms) / sum;
            CAPTURE(cost.sum, cost.start, terms, chosen, portions);
            REQUIRE(time <= 1.03 * pipeline_time(portions, cost));
        }
    }
}

TEST_CASE("the smallest portions are of one term") {
    const auto portions = cut_into_portions({.msm_count = 1, .term_count = 5000, .most_terms = 1, .most_msms = 1, .cost = {1, 9, 0}});
    CHECK(portions.size() == 5000);
    CHECK(cover(portions, 1, 5000));
}

TEST_CASE("few terms are not worth several portions") {
    for (const auto& [terms, start] : {std::pair{1U << 18, 0.0}, {1U << 19, 1e6}}) {
        const PortionCost cost{1, 4.6, start};
        CHECK(cut_into_portions({.msm_count = 1, .term_count = terms, .most_terms = 1 << 30, .most_msms = 1, .cost = cost}).size() == 1);
    }
}

TEST_CASE("portions keep within what memory allows") {
    for (const PortionCost& cost : {PortionCost{}, PortionCost{1, 1.55, 0}}) {
        const auto portions =
            cut_into_portions({.msm_count = 3, .term_count = 10'000'000, .most_terms = 1'000'003, .most_msms = 1, .cost = cost});
        CHECK(cover(portions, 3, 10'000'000));
        for (const MsmPortion& portion : portions) CHECK(portion.term_count <= 1'000'003);
    }
}

TEST_CASE("small MSMs are summed several at a time") {
    const auto portions = cut_into_portions({.msm_count = 10, .term_count = 100, .most_terms = 450, .most_msms = 50, .cost = {1, 1, 0}});
    REQUIRE(portions.size() == 3);
    CHECK(portions[0].msm_count == 4);
    CHECK(portions[2].msm_count == 2);
    CHECK(cover(portions, 10, 100));
    CHECK(cut_into_portions({.msm_count = 10, .term_count = 100, .most_terms = 4500, .most_msms = 3}).size() == 4);
}
