#include <random>

#include "catch.hpp"
#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

// A module with most kinds of statement in it.
const std::string sample =
    header +
    ".const .align 8 .f64 c[2] = {1.5, 0d3FF0000000000000};\n.global .u64 link = generic(c)+8;\n.extern .shared .align 16 .b8 dyn[];\n"
    ".func (.param .b32 out) f(.param .b32 a, .reg .u64 b);\n"
    ".func (.param .b32 out) f(.param .b32 a, .reg .u64 b) { .reg .b32 %r<4>; .local .align 4 .b8 d[8]; ld.param.u32 %r1, [a]; "
    "st.local.u32 [d+4], %r1; st.param.b32 [out+0], %r1; ret.uni; }\n"
    ".visible .entry k(.param .u64 p0, .param .align 8 .b8 p1[24]) .maxntid 32, 1, 1\n{\n .reg .pred %p<5>; .reg .b32 %r<20>; .reg .f32 "
    "%f<5>; .reg .b64 %rd<9>;\n"
    " ld.param.u64 %rd1, [p0]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;\n"
    " ld.global.nc.v2.u32 {%r2, %r3}, [%rd4+-8]; setp.lt.and.u32 %p1|%p2, %r2, 0x10, !%p0; @!%p1 bra $L_1;\n"
    " { .reg .b32 t; add.cc.u32 t, %r2, %r3; addc.u32 %r4, t, 0; }\n $L_1: madc.hi.cc.u32 %r5, %r4, %r3, -1;\n"
    " { .param .b32 q; .param .b32 r; st.param.b32 [q], %r5; call.uni (r), f, (q, %rd4); ld.param.b32 %r6, [r]; }\n"
    " ts: .branchtargets $L_1, $L_2; @%p1 brx.idx %r6, ts;\n shfl.sync.bfly.b32 %r7|%p3, %r6, 1, 31, -1; lop3.b32 %r8, %r7, %r6, %r5, "
    "0x96;\n"
    " $L_2: atom.shared.add.u32 %r9, [dyn+4], %r8; bar.sync 0; fma.rn.ftz.f32 %f1, %f2, 0f3F800000, 0.5; mov.b64 {%r1, _}, %rd4; "
    "st.global.u32 [%rd4], %r9; ret;\n}\n";

// Parsing ends in a program or in a ParseError, and a program that parses runs to some outcome.
void feed(const std::string& text) {
    Memory memory;
    try {
        Loaded loaded(memory, text);
        if (!loaded.program.find_entry("k") || loaded.program.entries()[*loaded.program.find_entry("k")].parameters.size() != 2) return;
        loaded.limits.warp_instructions = 2000;
        loaded.dynamic_shared_bytes = 64;
        struct Block {
            std::uint64_t words[3];
        };
        loaded.run("k", {2}, {48}, memory.allocate(512) + 64, Block{});
    } catch (const ParseError& error) {
        CHECK_FALSE(error.log().empty());
    } catch (const std::invalid_argument&) {
    }
}

}  // namespace

TEST_CASE("The sample itself parses and runs", "[ptx][fuzz]") { CHECK_NOTHROW(Program::parse(sample)); }

TEST_CASE("No text breaks the parser", "[ptx][fuzz]") {
    std::mt19937 random(7);
    const auto below = [&](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random); };
    for (std::size_t end = 0; end < sample.size(); end += 3) feed(sample.substr(0, end));
    const std::string fragments[] = {"{",    "}",      "(",    ")",  ";",  ",",           ".",           "[",      "]",
                                     "@",    "!",      "|",    "-",  "+",  "%r1",         "%rd1",        "%p1",    ".u32",
                                     ".b64", ".param", ".reg", "0x", "<",  "99999999999", "_",           "call",   "ld",
                                     "mov",  ".v4",    "$L_1", ":",  "\"", "/*",          ".align 4096", "%tid.x", "{{{{{{{{{{{{{{{{",
                                     "\x80", "0f",     ".f64", "k",  "f",  "c",           "dyn"};
    for (int i = 0; i < 6000; ++i) {
        std::string text = sample;
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
            const std::size_t place = header.size() + below(text.size() - header.size());
            switch (below(4)) {
                case 0: text[place] = static_cast<char>(below(256)); break;
                case 1: text.erase(place, 1 + below(12)); break;
                case 2: text.insert(place, fragments[below(std::size(fragments))]); break;
                default: text.insert(place, sample.substr(below(sample.size()), below(40)));
            }
            if (text.size() <= header.size()) break;
        }
        feed(text);
    }
    feed(header + std::string(100000, '{'));
    feed(header + ".entry k() " + std::string(100000, '{'));
    feed(header + ".global .u32 x[1] = " + std::string(100000, '{'));
    feed(header + ".entry k() { .reg .u32 %r<4294967295>; mov.u32 %r4294967294, 1; }");
    feed(header + ".global .b8 x[1099511627776][1099511627776];");
}

}  // namespace cupool::ptx::test
