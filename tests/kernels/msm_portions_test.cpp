#include "msm_portions.hpp"

#include "catch.hpp"

using namespace cupool::detail;

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
    const auto portions = cut_into_portions({.msm_count = 1, .term_count = 1 << 24, .most_terms = 1 << 30, .most_msms = 1, .growth = 0});
    CHECK(portions.size() == 1);
    CHECK(cover(portions, 1, 1 << 24));
}

TEST_CASE("portions of what must be brought grow, and the first is small") {
    const std::size_t terms = 1 << 24;
    for (const double growth : {1.0, 1.55, 2.5, 4.6, 9.2}) {
        const auto portions =
            cut_into_portions({.msm_count = 2, .term_count = terms, .most_terms = 1 << 30, .most_msms = 1, .growth = growth});
        CAPTURE(growth, portions.size());
        CHECK(cover(portions, 2, terms));
        CHECK(portions.back().term_count == terms);  // the second MSM's copies hide behind the first one's work
        CHECK(portions[0].term_count >= terms / 12);
        CHECK(portions[0].term_count <= terms / 5);
        for (std::size_t i = 0; i + 3 < portions.size(); ++i)
            CHECK(static_cast<double>(portions[i + 1].term_count) ==
                  Approx(static_cast<double>(portions[i].term_count) * growth).epsilon(0.001));
    }
}

TEST_CASE("the smallest portions are of one term") {
    const auto portions = cut_into_portions({.msm_count = 1, .term_count = 5000, .most_terms = 1, .most_msms = 1, .growth = 9});
    CHECK(portions.size() == 5000);
    CHECK(cover(portions, 1, 5000));
}

TEST_CASE("few terms are not worth several portions") {
    CHECK(cut_into_portions({.msm_count = 1, .term_count = 1 << 19, .most_terms = 1 << 30, .most_msms = 1, .growth = 4.6}).size() == 1);
}

TEST_CASE("portions keep within what memory allows") {
    for (const double growth : {0.0, 1.55}) {
        const auto portions =
            cut_into_portions({.msm_count = 3, .term_count = 10'000'000, .most_terms = 1'000'003, .most_msms = 1, .growth = growth});
        CHECK(cover(portions, 3, 10'000'000));
        for (const MsmPortion& portion : portions) CHECK(portion.term_count <= 1'000'003);
    }
}

TEST_CASE("small MSMs are summed several at a time") {
    const auto portions = cut_into_portions({.msm_count = 10, .term_count = 100, .most_terms = 450, .most_msms = 50, .growth = 1});
    REQUIRE(portions.size() == 3);
    CHECK(portions[0].msm_count == 4);
    CHECK(portions[2].msm_count == 2);
    CHECK(cover(portions, 10, 100));
    CHECK(cut_into_portions({.msm_count = 10, .term_count = 100, .most_terms = 4500, .most_msms = 3, .growth = 0}).size() == 4);
}
