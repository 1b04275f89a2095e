#include "opcode_cases.hpp"

#include <algorithm>
#include <random>

#include "machine.hpp"

namespace cupool::ptx::test {
namespace {

using Numbers = std::vector<std::uint64_t>;

// Zeros, ones, signs, carries; for floats also subnormals, infinities and NaNs of both signs, and halves that rounding must decide.
const Numbers edges16{0, 1, 2, 7, 15, 16, 17, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
const Numbers edges32{0,          1,          2,          5,          31,         32,         33,
                      0x7f,       0xff,       0x8000,     0xffff,     0x10000,    0x12345678, 0x7ffffffe,
                      0x7fffffff, 0x80000000, 0x80000001, 0xdeadbeef, 0xffff0000, 0xfffffffe, 0xffffffff};
const Numbers edges64{0,
                      1,
                      3,
                      63,
                      64,
                      0x7fffffff,
                      0x80000000,
                      0xffffffff,
                      0x1'0000'0000,
                      0x1234'5678'9abc'def0,
                      0x7fff'ffff'ffff'fffe,
                      0x7fff'ffff'ffff'ffff,
                      0x8000'0000'0000'0000,
                      0x8000'0000'0000'0001,
                      0xffff'ffff'0000'0000,
                      0xffff'ffff'ffff'fffe,
                      0xffff'ffff'ffff'ffff};
const Numbers edges_f32{0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000,
                        0x3f7fffff, 0x3f800001, 0x4b000001, 0x4b800000, 0xcb7fffff, 0x00000001, 0x80000001, 0x007fffff,
                        0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fffffff, 0x7fc00001,
                        0xffc12345, 0x7f812345, 0x4f000000, 0x4effffff, 0xcf000000, 0x4f7fffff, 0x4f800000, 0x5f000000,
                        0xdf000000, 0x42fe0000, 0x42ff0000, 0xc3000000, 0x1f800000, 0x33800000, 0xb3800001};
const Numbers edges_f64{
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0x3ff8000000000000,
    0x4004000000000000, 0xc004000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x4330000000000001, 0x0000000000000001,
    0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000001234, 0x7ff4000000005678, 0x41dfffffffc00000, 0x41e0000000000000,
    0xc1e0000000200000, 0x41efffffffe00000, 0x43e0000000000000, 0xc3e0000000000000, 0x43efffffffffffff, 0x47efffffe0000000,
    0x47effffff0000000, 0x36a0000000000000, 0x3690000000000001, 0x3810000000000000, 0x380fffffc0000000, 0x1ff0000000000000};

const Numbers& edges_of(char kind) {
    static const Numbers bits{0, 1};
    switch (kind) {
        case 'h': return edges16;
        case 'w': return edges32;
        case 'l': return edges64;
        case 'f': return edges_f32;
        case 'd': return edges_f64;
        default: return bits;
    }
}

std::uint64_t random_of(char kind, std::mt19937_64& random) {
    const std::uint64_t bits = random();
    // Half of the floats have similar exponents, so that sums round.
    if (kind == 'f') return (bits & 1) != 0 ? bits >> 32 : (bits >> 32 & 0x807fffff) | (0x3f800000 + (bits >> 8 & 31) * 0x800000);
    if (kind == 'd')
        return (bits & 1) != 0 ? random() : (random() & 0x800fffffffffffff) | (0x3ff0000000000000 + (bits >> 8 & 63) * 0x10000000000000);
    return bits;
}

std::string declare(char kind, const std::string& name) {
    switch (kind) {
        case 'h': return ".reg .b16 " + name + ";\n";
        case 'w': return ".reg .b32 " + name + ";\n";
        case 'l': return ".reg .b64 " + name + ";\n";
        case 'f': return ".reg .f32 " + name + ";\n";
        case 'd': return ".reg .f64 " + name + ";\n";
        case 'p': return ".reg .pred " + name + ";\n";
        default: return "";
    }
}

std::string load(char kind, const std::string& name, int place) {
    const std::string address = "[%in+" + std::to_string(8 * place) + "];\n";
    switch (kind) {
        case 'h': return "ld.global.u16 " + name + ", " + address;
        case 'w':
        case 'f': return "ld.global." + std::string(kind == 'f' ? "f32 " : "u32 ") + name + ", " + address;
        case 'l':
        case 'd': return "ld.global." + std::string(kind == 'd' ? "f64 " : "u64 ") + name + ", " + address;
        case 'p': return "ld.global.u32 %word, " + address + "and.b32 %word, %word, 1;\nsetp.ne.u32 " + name + ", %word, 0;\n";
        default: return "";
    }
}

std::string store(char kind, const std::string& name, int place) {
    const std::string address = "[%out+" + std::to_string(8 * place) + "], ";
    switch (kind) {
        case 'h': return "cvt.u64.u16 %long, " + name + ";\nst.global.u64 " + address + "%long;\n";
        case 'w': return "cvt.u64.u32 %long, " + name + ";\nst.global.u64 " + address + "%long;\n";
        case 'f': return "mov.b32 %word, " + name + ";\ncvt.u64.u32 %long, %word;\nst.global.u64 " + address + "%long;\n";
        case 'l':
        case 'd': return "st.global." + std::string(kind == 'd' ? "f64 " : "u64 ") + address + name + ";\n";
        case 'p': return "selp.u64 %long, 1, 0, " + name + ";\nst.global.u64 " + address + "%long;\n";
        default: return "st.global.u64 " + address + "0;\n";
    }
}

}  // namespace

std::vector<Operands> operands_for(const std::string& inputs) {
    std::mt19937_64 random(2026);
    std::vector<Operands> all;
    const char kinds[3] = {inputs[0], inputs[1], inputs[2]};
    const auto count = std::count_if(inputs.begin(), inputs.end(), [](char kind) { return kind != '-'; });
    // For three operands all combinations of edges would be too many; every second one suffices.
    const std::size_t step = count == 3 ? 2 : 1;
    const auto edge_count = [&](int i) { return kinds[i] == '-' ? std::size_t{1} : edges_of(kinds[i]).size(); };
    for (std::size_t a = 0; a < edge_count(0); a += step)
        for (std::size_t b = 0; b < edge_count(1); b += step)
            for (std::size_t c = 0; c < edge_count(2); c += kinds[2] == 'p' ? 1 : step)
                all.push_back(
                    {edges_of(kinds[0])[a], kinds[1] == '-' ? 0 : edges_of(kinds[1])[b], kinds[2] == '-' ? 0 : edges_of(kinds[2])[c]});
    // Adds combinations of NaNs, which are rare so far.
    const Numbers nans_f32{0, 0x3f800000, 0x7f800000, 0x7fc00001, 0xffc12345, 0x7f812345};
    const Numbers nans_f64{0, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0xfff8000000001234, 0x7ff4000000005678};
    if (inputs == "fff" || inputs == "ddd") {
        const Numbers& nans = inputs == "fff" ? nans_f32 : nans_f64;
        for (const std::uint64_t a : nans)
            for (const std::uint64_t b : nans)
                for (const std::uint64_t c : nans) all.push_back({a, b, c});
    }
    for (int i = 0; i < 256 || all.size() % 32 != 0; ++i)
        all.push_back({random_of(kinds[0], random), random_of(kinds[1], random), random_of(kinds[2], random)});
    return all;
}

const std::vector<OpcodeCase>& opcode_cases() {
    static const std::vector<OpcodeCase> cases = [] {
        std::vector<OpcodeCase> all;
        add_integer_cases(all);
        add_bit_cases(all);
        add_choice_cases(all);
        add_float_cases(all);
        add_conversion_cases(all);
        add_warp_cases(all);
        for (OpcodeCase& one : all)
            if (one.operands.empty()) one.operands = operands_for(one.inputs);
        return all;
    }();
    return cases;
}

std::string opcode_module() {
    // A version and target that support every form, on a GPU too.
    std::string text = ".version 7.6\n.target sm_80\n.address_size 64\n";
    for (const OpcodeCase& one : opcode_cases()) {
        text += ".visible .entry " + one.name + "(.param .u64 operands, .param .u64 results)\n{\n";
        text += ".reg .b64 %in, %out, %long;\n.reg .b32 %word, %block;\n";
        for (int i = 0; i < 3; ++i) text += declare(one.inputs[i], std::string("%") + "abc"[i]);
        for (int i = 0; i < 2; ++i) text += declare(one.outputs[i], std::string("%") + "de"[i]);
        text += "ld.param.u64 %in, [operands];\nld.param.u64 %out, [results];\n";
        text += "mov.u32 %word, %ntid.x;\nmov.u32 %block, %ctaid.x;\nmul.lo.u32 %block, %block, %word;\nmov.u32 %word, %tid.x;\n";
        text += "add.u32 %word, %word, %block;\n";
        text += "mul.wide.u32 %long, %word, 24;\nadd.u64 %in, %in, %long;\nmul.wide.u32 %long, %word, 16;\nadd.u64 %out, %out, %long;\n";
        for (int i = 0; i < 3; ++i) text += load(one.inputs[i], std::string("%") + "abc"[i], i);
        text += "{\n" + one.instructions + "\n}\n";
        for (int i = 0; i < 2; ++i) text += store(one.outputs[i], std::string("%") + "de"[i], i);
        text += "ret;\n}\n";
    }
    return text;
}

std::uint64_t hash_of(const std::vector<Results>& results) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const Results& one : results) {
        for (const std::uint64_t word : {one.d, one.e}) {
            for (unsigned shift = 0; shift < 64; shift += 8) hash = (hash ^ (word >> shift & 0xff)) * 0x100000001b3;
        }
    }
    return hash;
}

}  // namespace cupool::ptx::test
