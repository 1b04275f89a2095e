#include "program/suggestion.hpp"

#include "catch.hpp"

using cupool::tools::nearest_word;

TEST_CASE("a mistyped word is compared with the known ones") {
    const std::vector<std::string> known = {"topo", "bw", "selftest", "--json", "--csv"};
    CHECK(nearest_word("tpo", known) == "topo");
    CHECK(nearest_word("--jsno", known) == "--json");
    CHECK(nearest_word("slftst", known) == "selftest");
    CHECK(nearest_word("wb", known) == "bw");
    CHECK(nearest_word("surplus", known).empty());
    CHECK(nearest_word("", known).empty());
    CHECK(nearest_word(std::string(100000, 'x'), known).empty());
}
