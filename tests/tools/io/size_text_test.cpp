#include "io/size_text.hpp"

#include "catch.hpp"

using cupool::tools::size_text;

TEST_CASE("sizes are printed in the largest unit of which there is one") {
    CHECK(size_text(0) == "0 bytes");
    CHECK(size_text(1) == "1 byte");
    CHECK(size_text(1023) == "1023 bytes");
    CHECK(size_text(1024) == "1.0 KiB");
    CHECK(size_text(1536) == "1.5 KiB");
    CHECK(size_text(std::uint64_t{1} << 20) == "1.0 MiB");
    CHECK(size_text(150754820096) == "140.4 GiB");
    CHECK(size_text(std::uint64_t{9000} << 30) == "9000.0 GiB");
}
