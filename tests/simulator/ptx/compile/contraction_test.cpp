// Contraction of products and sums of f64 and f32 as in ptxas 13.0, and the order in which a GPU then examines NaN operands.
#include <bit>
#include <cmath>

#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

// Their product is not representable as a double: only a fused operation keeps its lowest bit.
constexpr double a = 1 + 0x1p-30;
constexpr double b = 1 + 0x1p-29;
constexpr double c = -(1 + 0x1p-29 + 0x1p-30);
constexpr double d = 3 + 0x1p-40;
constexpr double fused = 0x1p-59;  // a * b + c

// %a to %d hold the four numbers; the result is in %x and %y.
std::vector<double> run(const std::string& instructions, bool contract = true, std::vector<double> inputs = {a, b, c, d}) {
    Memory memory;
    const std::string text = header + R"(.visible .entry k(.param .u64 input, .param .u64 output)
{
    .reg .f64 %a, %b, %c, %d, %x, %y, %p, %q;
    .reg .b64 %in, %out;
    .reg .pred %yes;
    .reg .b32 %thread;
    ld.param.u64 %in, [input];
    ld.param.u64 %out, [output];
    ld.global.f64 %a, [%in];
    ld.global.f64 %b, [%in+8];
    ld.global.f64 %c, [%in+16];
    ld.global.f64 %d, [%in+24];
    mov.u32 %thread, %tid.x;
    setp.eq.u32 %yes, %thread, 0;
    mov.f64 %x, 0d0000000000000000;
    mov.f64 %y, 0d0000000000000000;
)" + instructions + R"(
    st.global.f64 [%out], %x;
    st.global.f64 [%out+8], %y;
    ret;
}
)";
    Loaded loaded(memory, Program::parse(text, contract));
    loaded.checks.initialisation = true;
    const std::uint64_t input = memory.upload(inputs);
    const std::uint64_t output = memory.allocate(16);
    const Outcome outcome = loaded.run("k", {1}, {1}, input, output);
    INFO(instructions << outcome.report);
    REQUIRE(outcome);
    return memory.download<double>(output, 2);
}

double first(const std::string& instructions) { return run(instructions)[0]; }

std::uint64_t nan_of(const std::string& instructions, std::vector<double> inputs) {
    return std::bit_cast<std::uint64_t>(run(instructions, true, std::move(inputs))[0]);
}

}  // namespace

TEST_CASE("A product and a sum without a rounding become one operation", "[ptx][contraction]") {
    CHECK(first("mul.f64 %p, %a, %b; add.f64 %x, %p, %c;") == fused);
    CHECK(first("mul.f64 %p, %a, %b; add.f64 %x, %c, %p;") == fused);
    CHECK(first("mul.f64 %p, %a, %b; neg.f64 %q, %c; sub.f64 %x, %p, %q;") == fused);
    CHECK(first("mul.f64 %p, %a, %b; neg.f64 %q, %c; sub.f64 %x, %q, %p;") == -fused);
    CHECK(first("mul.f64 %p, %a, %b; neg.f64 %p, %p; sub.f64 %x, %p, %c;") == -fused);
    CHECK(first("mul.f64 %p, %a, %b; neg.f64 %p, %p; sub.f64 %x, %c, %p;") == fused);
    CHECK(first("mul.f64 %p, %a, %b; mov.f64 %q, %p; add.f64 %x, %q, %c;") == fused);
    CHECK(first("mul.f64 %p, %a, %b; @%yes add.f64 %x, %p, %c;") == fused);
    CHECK(first("mul.f64 %x, %a, %b; mov.f64 %a, %d; mov.f64 %b, %d; add.f64 %x, %x, %c;") == fused);
    const std::vector<double> twice = run("mul.f64 %p, %a, %b; add.f64 %x, %p, %c; add.f64 %y, %c, %p;");
    CHECK(twice == std::vector<double>{fused, fused});
    // A dead reader does not count.
    CHECK(first("mul.f64 %p, %a, %b; mul.rn.f64 %q, %p, %p; add.f64 %x, %p, %c;") == fused);
}

TEST_CASE("What stays a product and a sum", "[ptx][contraction]") {
    for (const char* instructions : {
             "mul.rn.f64 %p, %a, %b; add.f64 %x, %p, %c;",
             "mul.f64 %p, %a, %b; add.rn.f64 %x, %p, %c;",
             "mul.f64 %p, %a, %b; add.f64 %x, %p, %c; mov.f64 %y, %p;",
             "mul.f64 %p, %a, %b; add.f64 %x, %p, %c; add.rn.f64 %y, %p, %d;",
             "mul.f64 %p, %a, %b; abs.f64 %p, %p; add.f64 %x, %p, %c;",
             "mov.f64 %p, %d; @%yes mul.f64 %p, %a, %b; add.f64 %x, %p, %c;",
             "mul.f64 %x, %a, %b; @%yes add.f64 %x, %x, %c;",
             "mul.f64 %p, %a, %b; div.rn.f64 %y, %c, %d; add.f64 %x, %p, %c;",
             "mul.f64 %p, %a, %b; rem.u32 %thread, %thread, 3; add.f64 %x, %p, %c;",
             "mul.f64 %p, %a, %b; bar.sync 0; @!%yes bra END; add.f64 %x, %p, %c; END:",
             "mul.f64 %p, %a, %b; add.f64 %x, %p, %c; @%yes bra LEFT; mul.rn.f64 %p, %d, %d; mov.f64 %y, %p; bra END;"
             "LEFT: @!%yes mul.rn.f64 %p, %d, %d; mov.f64 %y, %p; END:",
         })
        CHECK(first(instructions) == 0);
    CHECK(run("mul.f64 %p, %a, %b; add.f64 %x, %p, %c;", false)[0] == 0);
}

TEST_CASE("A sum of two products takes the one that only it reads, otherwise the first", "[ptx][contraction]") {
    const double p = a * b;
    const double q = c * d;
    CHECK(first("mul.f64 %p, %a, %b; mul.f64 %q, %c, %d; add.f64 %x, %p, %q;") == std::fma(a, b, q));
    CHECK(first("mul.f64 %p, %a, %b; mul.f64 %q, %c, %d; add.f64 %x, %q, %p;") == std::fma(c, d, p));
    CHECK(first("mul.f64 %p, %a, %b; mul.f64 %q, %c, %d; add.f64 %x, %p, %q; mov.f64 %y, %p;") == std::fma(c, d, p));
    const std::vector<double> shared = run("mul.f64 %p, %a, %b; mul.f64 %q, %c, %d; add.f64 %x, %q, %p; add.f64 %y, %q, %a;");
    CHECK(shared == std::vector<double>{std::fma(a, b, q), q + a});
}

TEST_CASE("Code that control never reaches loads, and changes nothing before it", "[ptx][contraction]") {
    const std::string contracted = "mul.f64 %p, %a, %b; add.f64 %x, %p, %c; st.global.f64 [%out], %x; ret; ";
    CHECK(first(contracted + "add.f64 %x, %y, %p; st.global.f64 [%in], %x;") == fused);
    CHECK(first(contracted + ".reg .f32 %f<4>; mul.f32 %f1, %f2, %f3; add.f32 %f1, %f1, %f0; st.global.f32 [%in], %f1;") == fused);
    CHECK(first(contracted + "L: neg.f64 %p, %p; add.f64 %x, %p, %y; bra L;") == fused);
    CHECK(
        first(
            "bra HERE; BACK: add.f64 %y, %p, %d; HERE: mul.f64 %p, %a, %b; add.f64 %x, %p, %c; @!%yes bra HERE; bra END; bra BACK; END:") ==
        fused);
}

TEST_CASE("Thousands of sums of one product load at once", "[ptx][contraction]") {
    std::string sums = "mul.f64 %p, %a, %b; neg.f64 %q, %p; ";
    for (int i = 0; i < 8000; ++i) sums += "add.f64 %x, %p, %c; st.global.f64 [%out], %x; sub.f64 %y, %c, %q; st.global.f64 [%out], %y; ";
    CHECK(run(sums) == std::vector<double>{fused, fused});
}

TEST_CASE("Thousands of readers of a long chain of signs load at once", "[ptx][contraction]") {
    std::string signs = ".reg .f64 %s<40001>; mov.f64 %s0, %a; ";
    for (int i = 0; i < 40000; ++i) {
        const std::string next = "%s" + std::to_string(i + 1);
        signs += "neg.f64 " + next + ", %s" + std::to_string(i) + "; add.rn.f64 %x, %x, " + next + "; ";
    }
    CHECK(first(signs) == 0);
}

TEST_CASE("A function of thousands of blocks is contracted unless too many registers pass between them", "[ptx][contraction]") {
    constexpr int blocks = 3000;
    const auto number = [](int i) { return std::to_string(i); };
    std::string apart = ".reg .f64 %s<" + number(blocks) + ">; ";
    for (int i = 0; i < blocks; ++i) {
        apart +=
            "mul.f64 %p, %a, %b; add.f64 %s" + number(i) + ", %p, %c; mov.f64 %x, %s" + number(i) + "; @!%yes bra L" + number(i) + "; ";
        apart += "mov.f64 %y, %x; L" + number(i) + ": ";
    }
    CHECK(run(apart) == std::vector<double>{fused, fused});

    std::string passed = ".reg .f64 %s<" + number(blocks) + ">; mul.f64 %p, %a, %b; add.f64 %x, %p, %c; ";
    for (int i = 0; i < blocks; ++i) passed += "mov.f64 %s" + number(i) + ", %x; ";
    for (int i = 0; i < blocks; ++i) passed += "@!%yes bra L" + number(i) + "; mov.f64 %y, %s" + number(i) + "; L" + number(i) + ": ";
    CHECK(run(passed) == std::vector<double>{0, 0});
}

TEST_CASE("Of two NaNs of f64 the one whose register was written last comes out of a sum or product", "[ptx][contraction]") {
    const auto early = std::bit_cast<double>(std::uint64_t{0x7ff8'0000'0000'0001});
    const auto later = std::bit_cast<double>(std::uint64_t{0xfff8'0000'0000'0002});
    for (const char* instructions : {"add.rn.f64 %x, %a, %b;", "add.rn.f64 %x, %b, %a;", "sub.rn.f64 %x, %b, %a;", "mul.rz.f64 %x, %b, %a;",
                                     "max.f64 %x, %b, %a;", "fma.rn.f64 %x, %b, %a, %c;", "neg.f64 %p, %a; add.rn.f64 %x, %b, %p;"})
        CHECK(nan_of(instructions, {early, later, c, d}) == 0xfff8'0000'0000'0002);
    CHECK(nan_of("add.rn.f64 %p, %a, %c; add.rn.f64 %x, %p, %b;", {early, later, c, d}) == 0x7ff8'0000'0000'0001);
    // The minimum of a value and itself is that value: a signalling NaN stays one.
    CHECK(nan_of("min.f64 %x, %a, %a;", {std::bit_cast<double>(std::uint64_t{0x7ff0'0000'0000'0001}), b, c, d}) == 0x7ff0'0000'0000'0001);
}

}  // namespace cupool::ptx::test
