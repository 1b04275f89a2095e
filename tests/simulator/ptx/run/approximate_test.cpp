#include <cmath>

#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {

TEST_CASE("Approximate functions are at least as close as the PTX ISA promises", "[ptx][float]") {
    struct Function {
        const char* opcode;
        double (*exact)(double);
    };
    const Function functions[] = {
        {"rcp.approx.f32", [](double x) { return 1 / x; }},
        {"sqrt.approx.f32", [](double x) { return std::sqrt(x); }},
        {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }},
        {"sin.approx.f32", [](double x) { return std::sin(x); }},
        {"cos.approx.f32", [](double x) { return std::cos(x); }},
        {"lg2.approx.f32", [](double x) { return std::log2(x); }},
        {"ex2.approx.ftz.f32", [](double x) { return std::exp2(x); }},
        {"tanh.approx.f32", [](double x) { return std::tanh(x); }},
    };
    for (const Function& function : functions) {
        Memory memory;
        Loaded loaded(memory, header +
                                  ".visible .entry k(.param .u64 a) { .reg .b64 %rd<3>; .reg .f32 %f<3>; .reg .b32 %r; ld.param.u64 %rd1, "
                                  "[a]; mov.u32 %r, %tid.x;\n" +
                                  "mul.wide.u32 %rd2, %r, 4; add.u64 %rd1, %rd1, %rd2; ld.global.f32 %f1, [%rd1]; " + function.opcode +
                                  " %f2, %f1; st.global.f32 [%rd1], %f2; }\n");
        std::vector<float> inputs;
        for (int i = 1; i <= 64; ++i) inputs.push_back(static_cast<float>(i) * 0.0497f);
        const std::uint64_t a = memory.upload(inputs);
        REQUIRE(loaded.run("k", {}, {64}, a));
        const std::vector<float> results = memory.download<float>(a, 64);
        for (std::size_t i = 0; i < 64; ++i) {
            INFO(function.opcode << " of " << inputs[i]);
            CHECK(std::fabs(results[i] - function.exact(inputs[i])) <= 1.0e-6 * std::max(1.0, std::fabs(function.exact(inputs[i]))));
        }
    }
}

}  // namespace cupool::ptx::test
