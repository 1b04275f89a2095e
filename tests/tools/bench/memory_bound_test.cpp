#include "bench/memory_bound.hpp"

#include <vector>

#include "catch.hpp"

using namespace cupool::tools;

TEST_CASE("a plain read takes time, by any number of threads and of any length") {
    const std::vector<std::byte> bytes((std::size_t{3} << 20) + 17);
    for (const unsigned threads : {1, 2, 9}) {
        for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{255}, bytes.size()})
            CHECK(plain_read_milliseconds(std::span(bytes).first(length), threads) > 0);
    }
    CHECK(median_plain_read_milliseconds(bytes, 2, 3) > 0);
}
