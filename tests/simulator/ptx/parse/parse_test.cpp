#include <algorithm>
#include <stdexcept>

#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

// A kernel around instructions, its first line the header's line 4.
std::string kernel(const std::string& body) { return header + ".visible .entry k()\n{\n" + body + "\n}\n"; }

ParseError error_of(const std::string& text) {
    try {
        Program::parse(text);
    } catch (const ParseError& error) {
        return error;
    }
    FAIL("parsed: " << text);
    return {ParseError::Kind::malformed, 0, "", ""};
}

struct Refusal {
    std::string text;
    ParseError::Kind kind;
    int line;
    std::string token;
};

}  // namespace

TEST_CASE("What the interpreter does not run is refused with its line and opcode", "[ptx][parse]") {
    using Kind = ParseError::Kind;
    const std::string registers = ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p; .reg .f32 %f<4>;\n";
    const Refusal refusals[] = {
        {kernel(registers + "add.u32 %r1, %r2, %rd1;"), Kind::malformed, 7, "add.u32"},
        {kernel(registers + "add.u32 %r1, %r2;"), Kind::malformed, 7, "add.u32"},
        {kernel(registers + "add.u32 1, %r2, %r3;"), Kind::malformed, 7, "add.u32"},
        {kernel(registers + "ld.global.u32 %r1, [%r2];"), Kind::malformed, 7, "ld.global.u32"},
        {kernel(registers + "ld.global.v2.u32 {%r1,%r2,%r3}, [%rd2];"), Kind::malformed, 7, "ld.global.v2.u32"},
        {kernel(registers + "bra nowhere;"), Kind::malformed, 7, "nowhere"},
        {kernel(registers + "mov.u32 %r1, %r9;"), Kind::malformed, 7, "%r9"},
        {kernel(registers + "mov.u32 %r1, %nosuch;"), Kind::malformed, 7, "%nosuch"},
        {kernel(registers + "@%r1 mov.u32 %r1, 0;"), Kind::malformed, 7, "%r1"},
        {kernel(registers + "mov.u32 %r1, 0x1ffffffffffffffff;"), Kind::malformed, 7, "0x1ffffffffffffffff"},
        {kernel(registers + "mov.u32 %r1, 08;"), Kind::malformed, 7, "08"},
        {kernel(".reg .u32 a; .reg .u32 a;"), Kind::malformed, 6, "a"},
        {kernel("x: x: ret;"), Kind::malformed, 6, "x"},
        {kernel("call unknown;"), Kind::malformed, 6, "unknown"},
        {header + ".extern .func elsewhere();\n.entry k() { call elsewhere, (); }", Kind::malformed, 5, "call"},
        {header + ".extern .global .u32 elsewhere;", Kind::unsupported, 4, ".u32"},
        {header + ".tex .u64 t;", Kind::unsupported, 4, ".tex"},
        {header + ".global .u32 x;\n.global .u32 x;", Kind::malformed, 5, "x"},
        {header + ".global .u32 x[2] = {1, 2, 3};", Kind::malformed, 4, "3"},
        {header + ".const .b8 big[65537];", Kind::malformed, 4, "big"},
        {header + ".entry k() {} .entry k() {}", Kind::malformed, 4, "k"},
        {header + "/* no end", Kind::malformed, 4, "/*"},
        {header + "\x01", Kind::malformed, 4, "\x01"},
        {"", Kind::malformed, 1, ""},
        {".version 6.2\n.target sm_75\n.address_size 64\n", Kind::unsupported_version, 1, "6.2"},
        {".version 6.3\n.target sm_75\n.address_size 32\n", Kind::unsupported, 3, "32"},
        {".version 6.3\n", Kind::malformed, 2, ""},
    };
    for (const Refusal& refusal : refusals) {
        INFO(refusal.text);
        const ParseError error = error_of(refusal.text);
        CHECK(error.kind() == refusal.kind);
        CHECK(error.line() == refusal.line);
        CHECK(error.token() == refusal.token);
        CHECK(error.log().find("line " + std::to_string(refusal.line)) != std::string::npos);
        CHECK(error.log().find("fatal") != std::string::npos);
    }
}

TEST_CASE("A kernel that contains what the interpreter does not run is refused, and no other one", "[ptx][parse]") {
    struct Refused {
        std::string text;
        int line;
        std::string token;
        std::string reason = "not supported";
    };
    const std::string registers = ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p; .reg .f32 %f<4>;\n";
    const std::string function = header + ".func f() { .reg .f16 %h; ret; }\n";
    const Refused kernels[] = {
        {kernel("wmma.load.a.sync %r1;"), 6, "wmma.load.a.sync"},
        {kernel(registers + "mov.u32 %r1, 1;\n  tex.2d.v4.f32 {%f0,%f1,%f2,%f3}, %r1;"), 8, "tex.2d.v4.f32"},
        {kernel(registers + "add.rn.u32 %r1, %r1, %r2;"), 7, "add.rn.u32"},
        {kernel(registers + "setp.lt.b32 %p, %r1, %r2;"), 7, "setp.lt.b32"},
        {kernel(registers + "cvt.sat.u64.u32 %rd1, %r2;"), 7, "cvt.sat.u64.u32"},
        {kernel(registers + "atom.global.cas.b32 %r1, [%rd1], %r2;"), 7, "atom.global.cas.b32"},
        {kernel(registers + "atom.global.add.b32 %r1, [%rd1], %r2;"), 7, "atom.global.add.b32"},
        {kernel(registers + "st.const.u32 [%rd1], %r1;"), 7, "st.const.u32"},
        {kernel(".reg .f16 %h;"), 6, ".f16"},
        {header + ".extern .func vprintf(.param .b64 a);\n" + ".entry k() { .param .b64 p; call vprintf, (p); }", 5, "call",
         "printf is not simulated"},
        {kernel(registers + "mapa.u64 %rd1, %rd2, 0;"), 7, "mapa.u64", "a cluster of blocks is not simulated"},
        {kernel(registers + "{ barrier.cluster.arrive; }"), 7, "barrier.cluster.arrive", "a cluster of blocks is not simulated"},
        {kernel(registers + "mov.u32 %r1, %cluster_ctarank;"), 7, "%cluster_ctarank", "a cluster of blocks is not simulated"},
        {kernel(registers + "p: .callprototype ()_ ();"), 7, ".callprototype", "function pointers"},
        {header + ".extern .func cudaLaunchDeviceV2();\n.entry k() { call cudaLaunchDeviceV2, (); }", 5, "call", "dynamic parallelism"},
        {function + ".func g() { call f, (); ret; }\n.entry k() { call g, (); }", 4, ".f16"},
    };
    for (const Refused& refused : kernels) {
        INFO(refused.text);
        const Program program = Program::parse(refused.text + "\n.entry other() { ret; }");
        const std::string& refusal = program.entries().at(*program.find_entry("k")).refusal;
        CHECK(refusal.find("line " + std::to_string(refused.line) + ";") != std::string::npos);
        CHECK(refusal.find("'" + refused.token + "'") != std::string::npos);
        CHECK(refusal.find(refused.reason) != std::string::npos);
        CHECK(program.entries().at(*program.find_entry("other")).refusal.empty());
    }
}

TEST_CASE("Text ends at its NUL, and comments, debug lines and pragmas say nothing", "[ptx][parse]") {
    const std::string text =
        "// first\n.version 8.7 /* many\nlines */\n.target sm_90, debug\n.address_size 64\n.file 1 \"a b.cu\", 1, 2\n" +
        std::string(".visible .entry k() .maxntid 128, 2, 1 .minnctapersm 2\n{ .pragma \"nounroll\"; .loc 1 2 3\nret; }\n") +
        ".section .debug_info { .b32 1, 2 }\n";
    const Program program = Program::parse(text + '\0' + "rubbish");
    CHECK(program.version_major() == 8);
    CHECK(program.version_minor() == 7);
    CHECK(program.target() == "sm_90");
    REQUIRE(program.find_entry("k"));
    CHECK(program.entries()[0].max_threads == std::array<std::uint32_t, 3>{128, 2, 1});
    CHECK_FALSE(program.find_entry("K"));
}

TEST_CASE("A load may name up to three cache modifiers behind .nc", "[ptx][parse]") {
    for (const std::string modifiers : {"nc", "ca.nc", "nc.L1::evict_last", "nc.L1::evict_last.L2::evict_last.L2::256B"}) {
        INFO(modifiers);
        const std::string load = "ld.global." + modifiers + ".u32 %r, [%rd];";
        CHECK_NOTHROW(Program::parse(header + ".entry k() { .reg .b32 %r; .reg .b64 %rd; mov.u64 %rd, 0; " + load + " }"));
    }
}

TEST_CASE("A line may be of any length", "[ptx][parse]") {
    constexpr std::size_t line_bytes = 1 << 20;
    const std::string entry = ".visible .entry k() { ret; }";
    const Program program = Program::parse(header + entry + std::string(line_bytes - entry.size(), ' ') + '\n' + "// end");
    CHECK(program.entries().size() == 1);
}

TEST_CASE("Parameters, shared and local memory are laid out as the PTX ISA says", "[ptx][parse]") {
    const Program program = Program::parse(
        header + ".shared .align 8 .b8 used[12];\n.shared .b8 unused[4096];\n.extern .shared .align 16 .b8 dynamic[];\n" +
        ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .align 16 .b8 c[20], .param .u16 d)\n" +
        "{ .local .align 8 .b8 depot[24]; .reg .b64 %rd; .reg .b32 %r; mov.u64 %rd, depot; mov.u32 %r, used; mov.u32 %r, dynamic; }\n");
    const Entry& entry = program.entries().at(0);
    REQUIRE(entry.parameters.size() == 4);
    const std::uint32_t offsets[] = {0, 8, 16, 36};
    const std::uint32_t sizes[] = {1, 8, 20, 2};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(entry.parameters[i].offset == offsets[i]);
        CHECK(entry.parameters[i].size == sizes[i]);
    }
    CHECK(entry.parameter_bytes == 38);
    CHECK(entry.shared_bytes == 16);  // 12, and up to where dynamic memory may begin
    CHECK(entry.local_bytes >= 24);
}

TEST_CASE("An entry may have 227 KiB of static shared memory and no byte more", "[ptx][parse]") {
    const auto shared = [](const std::string& first, const std::string& second) {
        return header + ".shared .align 8 .b8 first[" + first + "];\n.shared .align 8 .b8 second[" + second +
               "];\n.shared .b8 unused[100];\n" + ".visible .entry k() { .reg .b32 %r; mov.u32 %r, first; mov.u32 %r, second; }\n";
    };
    CHECK(Program::parse(shared("12", "232432")).entries().at(0).shared_bytes == 232448);
    try {
        Program::parse(shared("12", "232433"));
        FAIL("a byte too many is taken");
    } catch (const ParseError& error) {
        CHECK(error.kind() == ParseError::Kind::malformed);
        CHECK_THAT(error.what(), cupool::test::contains_text("Entry function 'k' uses too much shared data (0x38c01 bytes, 0x38c00 max)"));
    }
}

TEST_CASE("Variables have their size, alignment, initial bytes and relocations", "[ptx][parse]") {
    const Program program =
        Program::parse(header + ".visible .global .align 16 .u32 table[2][3] = {{1, 2}, {-1, 0x10, 5}};\n.const .f32 half = 0f3F000000;\n" +
                       ".global .f64 pi = 3.25;\n.global .b8 text[] = {72, 105, 0};\n.global .u64 links[2] = {table, generic(half)+4};\n" +
                       ".global .v2 .f32 pair;\n.entry k() {}\n");
    const auto variable = [&](const char* name) -> const Variable& { return program.variables().at(program.find_variable(name).value()); };
    const auto word = [](const Variable& v, std::size_t offset) {
        std::uint32_t value = 0;
        std::memcpy(&value, v.initial.data() + offset, 4);
        return value;
    };
    CHECK(variable("table").size == 24);
    CHECK(variable("table").alignment == 16);
    CHECK(variable("table").visible);
    CHECK(word(variable("table"), 4) == 2);
    CHECK(word(variable("table"), 12) == 0xffffffff);
    CHECK(word(variable("table"), 16) == 0x10);
    CHECK(variable("half").constant);
    CHECK(word(variable("half"), 0) == 0x3f000000);
    CHECK(word(variable("pi"), 4) == 0x400a0000);
    CHECK(variable("text").size == 3);
    CHECK(variable("pair").size == 8);
    CHECK(variable("pair").initial.empty());
    REQUIRE(variable("links").relocations.size() == 2);
    CHECK(variable("links").relocations[0].variable == program.find_variable("table"));
    CHECK(variable("links").relocations[1].offset == 8);
    CHECK(variable("links").relocations[1].addend == 4);
}

TEST_CASE("Names mean the innermost declaration", "[ptx][parse]") {
    Memory memory;
    Loaded loaded(
        memory,
        header +
            ".visible .entry k(.param .u64 out) {\n.reg .b64 %rd; .reg .b32 t; .reg .b32 sum<3>;\nld.param.u64 %rd, [out];\nmov.u32 t, 1;\n"
            "{ .reg .b32 t; mov.u32 t, 20; bra skip; mov.u32 t, 21; skip: mov.u32 sum1, t; }\n"
            "{ .reg .b32 t; mov.u32 t, 300; bra skip; mov.u32 t, 301; skip: add.u32 sum1, sum1, t; bra end; }\n"
            "mov.u32 sum1, 0;\nend: add.u32 sum1, sum1, t; st.global.u32 [%rd], sum1; }\n");
    const std::uint64_t out = memory.allocate(4);
    REQUIRE(loaded.run("k", {}, {}, out));
    CHECK(memory.download<std::uint32_t>(out, 1)[0] == 321);
}

TEST_CASE("A launch that does not fit its entry is an exception, not a run", "[ptx]") {
    const Program program = Program::parse(header + ".entry k(.param .u64 a) {}");
    Memory memory;
    const std::vector<std::byte> parameters(8);
    Launch launch;
    launch.parameters = parameters;
    CHECK(execute(program, launch, memory));
    for (const auto& break_it :
         std::vector<void (*)(Launch&)>{[](Launch& l) { l.entry = 1; }, [](Launch& l) { l.block = {1025}; },
                                        [](Launch& l) { l.grid.y = 0; }, [](Launch& l) { l.parameters = l.parameters.subspan(1); }}) {
        Launch broken = launch;
        break_it(broken);
        CHECK_THROWS_AS(execute(program, broken, memory), std::invalid_argument);
    }
}

}  // namespace cupool::ptx::test
