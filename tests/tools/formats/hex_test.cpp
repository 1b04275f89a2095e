#include "formats/hex.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"
#include "faults.hpp"
#include "formats/limbs.hpp"

using namespace cupool;
using namespace cupool::tools;
using cupool::test::require_fault;

TEST_CASE("a hexadecimal number is read most significant digit first") {
    const Limbs<4> number{{0x0123456789abcdef, 0xfedc, 0, 0}};
    CHECK(parse_hex<4>("fedc0123456789abcdef", {}) == number);
    CHECK(parse_hex<4>("0xFEDC0123456789ABCDEF", {}) == number);
    CHECK(parse_hex<4>("0X00000fedc0123456789abcdef", {}) == number);
    CHECK(parse_hex<4>("0", {}) == Limbs<4>{});
    CHECK(parse_hex<4>("1" + std::string(63, '0'), {}) == Limbs<4>{{0, 0, 0, std::uint64_t{1} << 60}});
}

TEST_CASE("what is no hexadecimal number is refused where it goes wrong") {
    require_fault([] { parse_hex<4>("", {3, 7}); }, InputFault::length, "line 3, column 7");
    require_fault([] { parse_hex<4>("0x", {3, 7}); }, InputFault::length, "line 3, column 9");
    require_fault([] { parse_hex<4>("12g4", {3, 7}); }, InputFault::digit, "line 3, column 9");
    require_fault([] { parse_hex<4>("0x12 4", {3, 7}); }, InputFault::digit, "line 3, column 11");
    require_fault([] { parse_hex<4>(std::string_view("1\0", 2), {1, 1}); }, InputFault::digit, "line 1, column 2");
    require_fault([] { parse_hex<4>("-1", {1, 1}); }, InputFault::digit, "line 1, column 1");
    require_fault([] { parse_hex<4>(std::string(65, '0'), {1, 1}); }, InputFault::length, "line 1, column 1");
    require_fault([] { parse_hex<6>(std::string(97, 'f'), {1, 1}); }, InputFault::length, "line 1, column 1");
}

TEST_CASE("a string of bytes has just its length") {
    CHECK(parse_hex_bytes("0x00ff7A", 3, {}) == std::vector<std::uint8_t>{0x00, 0xff, 0x7a});
    require_fault([] { parse_hex_bytes("00ff7", 3, {2, 1}); }, InputFault::length, "line 2, column 1");
    require_fault([] { parse_hex_bytes("00ff7abb", 3, {2, 1}); }, InputFault::length, "line 2, column 1");
    require_fault([] { parse_hex_bytes("0x00fz7a", 3, {2, 1}); }, InputFault::digit, "line 2, column 6");
}

TEST_CASE("numbers survive printing and parsing, and both byte orders") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        Limbs<6> number;
        for (auto& limb : number.limbs) limb = random();
        CHECK(parse_hex<6>(to_hex(number), {}) == number);
        auto bytes = to_big_endian(number);
        CHECK(from_big_endian<6>(bytes) == number);
        std::reverse(bytes.begin(), bytes.end());
        CHECK(from_little_endian<6>(bytes) == number);
    }
    CHECK(to_hex(Limbs<4>{{0xab}}) == "0x" + std::string(62, '0') + "ab");
}

TEST_CASE("numbers compare by their highest limb that differs") {
    CHECK(is_less(Limbs<4>{{1, 0, 0, 0}}, Limbs<4>{{0, 1, 0, 0}}));
    CHECK_FALSE(is_less(Limbs<4>{{2, 1, 0, 0}}, Limbs<4>{{1, 1, 0, 0}}));
    CHECK_FALSE(is_less(Limbs<4>{{2, 1, 0, 3}}, Limbs<4>{{2, 1, 0, 3}}));
}
