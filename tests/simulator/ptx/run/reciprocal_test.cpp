// The approximate reciprocals equal those of an H100 under driver 580.159.04 in every bit.
#include "ptx/run/reciprocals.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
double from_upper(std::uint32_t upper, std::uint32_t lower = 0) { return std::bit_cast<double>(std::uint64_t{upper} << 32 | lower); }
std::uint32_t upper_bits(double value) { return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32); }

// FNV-1a by words.
template <class Answer>
std::uint64_t hash_of(std::uint32_t first, std::uint32_t step, const Answer& answer) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::uint32_t i = 0; i < 1 << 20; i += step) hash = (hash ^ answer(first + i)) * 0x100000001b3;
    return hash;
}

}  // namespace

TEST_CASE("Reciprocals of all significands are a GPU's", "[ptx][float]") {
    const auto reciprocal = [](std::uint32_t upper) { return upper_bits(unit_reciprocal(from_upper(upper))); };
    const auto root = [](std::uint32_t upper) { return upper_bits(unit_reciprocal_square_root(from_upper(upper))); };
    CHECK(hash_of(0x3ff00000, 1, reciprocal) == 0x01eacab14f00177e);
    CHECK(hash_of(0x00100000, 1, reciprocal) == 0x612959d3ad00177e);
    CHECK(hash_of(0x3ff00000, 1, root) == 0x29bfe404480c12da);
    CHECK(hash_of(0x40000000, 1, root) == 0xa65f4ce15a0d87c8);
    // Of f32 the last 2^20 significands before 2 and 4, of 2^23.
    const auto reciprocal32 = [](std::uint32_t bits) { return bits_of(unit_reciprocal(from_bits(bits))); };
    const auto root32 = [](std::uint32_t bits) { return bits_of(unit_reciprocal_square_root(from_bits(bits))); };
    CHECK(hash_of(0x3ff00000, 7, reciprocal32) == 0x147c51cc9ca8aa14);
    CHECK(hash_of(0x3ff00000, 7, root32) == 0xf4e9d3940ebe69ce);
    CHECK(hash_of(0x40700000, 7, root32) == 0x11606c2129c9097d);
}

TEST_CASE("Reciprocals of infinities, NaNs, zeros and subnormal numbers are a GPU's", "[ptx][float]") {
    struct Case {
        std::uint32_t of, reciprocal, root;
    };
    // Upper halves; the lower one is 5 and makes no NaN of an infinity.
    const Case cases[] = {
        {0x00000000, 0x7ff00000, 0x7ff00000}, {0x00012345, 0x7ff00000, 0x7ff00000}, {0x80000001, 0xfff00000, 0xfff00000},
        {0x7fc00000, 0x00200000, 0x2006a09e}, {0x7fd00000, 0x00100000, 0x20000000}, {0x7fd00001, 0x00000000, 0x1ffffffe},
        {0x7fe00000, 0x00000000, 0x1ff6a09e}, {0x7ff00000, 0x00000000, 0x00000000}, {0x7ff00001, 0x7fffffff, 0x7fffffff},
        {0xfff00000, 0x80000000, 0x7fffffff}, {0xbff12345, 0xbfede022, 0x7fffffff}, {0xfff80000, 0x7fffffff, 0x7fffffff},
    };
    for (const Case& one : cases) {
        INFO(std::hex << one.of);
        CHECK(std::bit_cast<std::uint64_t>(unit_reciprocal(from_upper(one.of, 5))) == std::uint64_t{one.reciprocal} << 32);
        CHECK(std::bit_cast<std::uint64_t>(unit_reciprocal_square_root(from_upper(one.of, 5))) == std::uint64_t{one.root} << 32);
    }
}

TEST_CASE("Approximate instructions use the reciprocals as the driver's compiler does", "[ptx][float]") {
    const auto run32 = [](const std::string& opcode, float a, float b) {
        Memory memory;
        Loaded loaded(memory, header +
                                  ".visible .entry k(.param .u64 p) { .reg .b64 %rd<2>; .reg .f32 %f<4>; ld.param.u64 %rd1, [p];\n"
                                  "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];\n" +
                                  opcode + " %f3, %f1" + (opcode[0] == 'd' ? ", %f2" : "") + "; st.global.f32 [%rd1], %f3; }\n");
        const std::uint64_t address = memory.upload(std::vector<float>{a, b});
        REQUIRE(loaded.run("k", {}, {1}, address));
        return memory.download<float>(address, 1)[0];
    };
    const float third = unit_reciprocal(3.0f);
    CHECK(bits_of(third) == 0x3eaaaaab);
    CHECK(run32("rcp.approx.f32", 3, 0) == third);
    CHECK(run32("rcp.approx.f32", 0x3p-130f, 0) == 0x1p24f * unit_reciprocal(0x3p-106f));
    CHECK(run32("rcp.approx.f32", 0x3p126f, 0) == third * 0x1p-126f);
    CHECK(run32("rcp.approx.ftz.f32", 0x3p126f, 0) == 0);
    CHECK(run32("rsqrt.approx.f32", 0x3p-130f, 0) == unit_reciprocal_square_root(3.0f) * 0x1p65f);
    CHECK(std::isinf(run32("rsqrt.approx.ftz.f32", 0x3p-130f, 0)));
    CHECK(run32("div.approx.f32", 7, 3) == 7 * third);
    CHECK(run32("div.approx.f32", 0x1p100f, 0x3p126f) == 0);
    CHECK(run32("div.full.f32", 0x1p100f, 0x3p126f) == third * 0x1p-26f);
    CHECK(run32("div.full.ftz.f32", 0x1p100f, 0x3p126f) == third * 0x1p-26f);

    const auto root64 = [](const std::string& opcode, double a) {
        Memory memory;
        Loaded loaded(memory, header +
                                  ".visible .entry k(.param .u64 p) { .reg .b64 %rd<2>; .reg .f64 %f<3>; ld.param.u64 %rd1, [p];\n"
                                  "ld.global.f64 %f1, [%rd1]; " +
                                  opcode + " %f2, %f1; st.global.f64 [%rd1], %f2; }\n");
        const std::uint64_t address = memory.upload(std::vector<double>{a});
        REQUIRE(loaded.run("k", {}, {1}, address));
        return memory.download<double>(address, 1)[0];
    };
    CHECK(root64("rsqrt.approx.ftz.f64", 2) == from_upper(0x3fe6a09e));
    for (const double a : {2.0, 3.0, 1e-300, 0x1.5p-1070})
        CHECK_THAT(root64("rsqrt.approx.f64", a), Catch::Matchers::WithinULP(1 / std::sqrt(a), 1));
    CHECK(root64("rsqrt.approx.f64", 0x1.5p-1070) == root64("rsqrt.approx.f64", 0x1.5p-1016) * 0x1p27);
    CHECK(std::bit_cast<std::uint64_t>(root64("rsqrt.approx.f64", -1)) == 0xfff8000000000000);
    CHECK(std::bit_cast<std::uint64_t>(root64("rsqrt.approx.f64", from_upper(0x7ff00000, 5))) == 0x7ff8000000000005);
}

}  // namespace cupool::ptx::test
