#include "scheduling/divide.hpp"

#include <limits>

#include "catch.hpp"

using namespace cupool::detail;

namespace {

std::vector<std::uint64_t> counts(const std::vector<cupool::Slice>& slices, std::uint64_t items) {
    std::vector<std::uint64_t> list;
    std::uint64_t offset = 0;
    for (const cupool::Slice& slice : slices) {
        CHECK(slice.offset == offset);
        offset += slice.count;
        list.push_back(slice.count);
    }
    CHECK(offset == items);
    return list;
}

}  // namespace

TEST_CASE("even slices", "[slices]") {
    CHECK(counts(divide_evenly(10, 4), 10) == std::vector<std::uint64_t>{3, 3, 2, 2});
    CHECK(counts(divide_evenly(2, 4), 2) == std::vector<std::uint64_t>{1, 1, 0, 0});
    CHECK(counts(divide_evenly(0, 2), 0) == std::vector<std::uint64_t>{0, 0});
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    CHECK(counts(divide_evenly(most, 2), most) == std::vector<std::uint64_t>{most / 2 + 1, most / 2});
}

TEST_CASE("slices by weight", "[slices]") {
    CHECK(counts(divide(100, {1, 3}), 100) == std::vector<std::uint64_t>{25, 75});
    CHECK(counts(divide(1, {1, 3}), 1) == std::vector<std::uint64_t>{0, 1});
    CHECK(counts(divide(7, {0.5, 0.5, 1}), 7) == std::vector<std::uint64_t>{2, 2, 3});
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    (void)counts(divide(most, {1.1, 2.2, 3.3}), most);
}
