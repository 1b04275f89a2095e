#include "checks/coloring_check.hpp"

#include "catch.hpp"
#include "program/outcome.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::contains_text;

namespace {

const DimacsGraph path{3, {{0, 1}, {1, 2}}};

/// What the check has against a colouring of the path in two colours; "" if nothing.
std::string fault_of(const Coloring& coloring) {
    try {
        check_coloring(path, 2, coloring);
        return {};
    } catch (const CheckFailed& failure) {
        return failure.what();
    }
}

}  // namespace

TEST_CASE("a colouring is held against the edges that its graph's file lists") {
    CHECK(fault_of({{0, 1, 0}, 0}).empty());
    CHECK(fault_of({{0, 1, 1}, 1}).empty());
    CHECK(fault_of({{1, 1, 1}, 2}).empty());
    CHECK_THAT(fault_of({{0, 1, 1}, 0}), contains_text("it has 1 conflicts, but says 0"));
    CHECK_THAT(fault_of({{0, 1, 0}, 1}), contains_text("it has 0 conflicts, but says 1"));
    CHECK_THAT(fault_of({{0, 2, 0}, 0}), contains_text("it has colour 2, but there are 2"));
    CHECK_THAT(fault_of({{0, 1}, 0}), contains_text("it colours 2 of 3 vertices"));
    CHECK_THAT(fault_of({{0, 1, 0, 1}, 0}), contains_text("it colours 4 of 3 vertices"));
}
