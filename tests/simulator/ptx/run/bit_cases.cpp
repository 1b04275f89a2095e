#include <algorithm>
#include <array>
#include <bit>

#include "opcode_cases.hpp"

namespace cupool::ptx::test {
namespace {

constexpr unsigned bits_of(char letter) { return letter == 'h' ? 16 : letter == 'w' ? 32 : 64; }

constexpr std::uint64_t ones(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

std::uint64_t bit(std::uint64_t value, unsigned position) { return value >> position & 1; }

// Computes the output bit by bit.
template <class Bit>
std::uint64_t assemble(unsigned bits, const Bit& bit_at) {
    std::uint64_t result = 0;
    for (unsigned i = 0; i < bits; ++i) result |= std::uint64_t{bit_at(i) != 0} << i;
    return result;
}

void add_logic(std::vector<OpcodeCase>& cases, char letter) {
    const unsigned bits = bits_of(letter);
    const std::string type = "b" + std::to_string(bits);
    const auto push = [&](const std::string& opcode, int sources, auto expected) {
        cases.push_back({opcode + "_" + type,
                         opcode + "." + type + " %d, %a" + (sources == 2 ? ", %b;" : ";"),
                         {letter, sources == 2 ? letter : '-', '-'},
                         {letter, '-'},
                         {},
                         [=](const Operands& o) {
                             return Results{expected(o.a, o.b) & ones(bits), 0};
                         }});
    };
    push("and", 2, [](std::uint64_t a, std::uint64_t b) { return a & b; });
    push("or", 2, [](std::uint64_t a, std::uint64_t b) { return a | b; });
    push("xor", 2, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
    push("not", 1, [](std::uint64_t a, std::uint64_t) { return ~a; });
    push("cnot", 1, [bits](std::uint64_t a, std::uint64_t) { return std::uint64_t{(a & ones(bits)) == 0}; });

    const auto push_shift = [&](const std::string& opcode, auto bit_at) {
        cases.push_back({opcode + "_" + std::to_string(bits),
                         opcode + std::to_string(bits) + " %d, %a, %b;",
                         {letter, 'w', '-'},
                         {letter, '-'},
                         {},
                         [=](const Operands& o) {
                             const std::uint64_t amount = o.b & 0xffffffff;
                             return Results{assemble(bits, [&](unsigned i) { return bit_at(o.a, i, amount); }), 0};
                         }});
        std::string& name = cases.back().name;
        for (char& c : name)
            if (c == '.') c = '_';
    };
    push_shift("shl.b", [](std::uint64_t a, unsigned i, std::uint64_t n) { return n <= i ? bit(a, static_cast<unsigned>(i - n)) : 0; });
    for (const char* opcode : {"shr.b", "shr.u"})
        push_shift(opcode, [bits](std::uint64_t a, unsigned i, std::uint64_t n) {
            return i + n < bits ? bit(a, static_cast<unsigned>(i + n)) : 0;
        });
    push_shift("shr.s", [bits](std::uint64_t a, unsigned i, std::uint64_t n) {
        return bit(a, i + n < bits ? static_cast<unsigned>(i + n) : bits - 1);
    });
}

void add_counts(std::vector<OpcodeCase>& cases, char letter) {
    const unsigned bits = bits_of(letter);
    const std::string width = std::to_string(bits);
    const auto push = [&](const std::string& name, const std::string& opcode, char output, auto expected) {
        cases.push_back({name + width, opcode + width + " %d, %a;", {letter, '-', '-'}, {output, '-'}, {}, [=](const Operands& o) {
                             return Results{expected(o.a & ones(bits)), 0};
                         }});
    };
    push("popc_b", "popc.b", 'w', [](std::uint64_t a) { return static_cast<std::uint64_t>(std::popcount(a)); });
    push("clz_b", "clz.b", 'w', [bits](std::uint64_t a) {
        std::uint64_t count = 0;
        while (count < bits && bit(a, static_cast<unsigned>(bits - 1 - count)) == 0) ++count;
        return count;
    });
    push("brev_b", "brev.b", letter, [bits](std::uint64_t a) { return assemble(bits, [&](unsigned i) { return bit(a, bits - 1 - i); }); });
    const auto top_bit = [bits](std::uint64_t a, bool is_signed, bool as_shift) -> std::uint64_t {
        if (is_signed && bit(a, bits - 1) != 0) a = ~a & ones(bits);
        for (unsigned i = bits; i-- > 0;)
            if (bit(a, i) != 0) return as_shift ? bits - 1 - i : i;
        return 0xffffffff;
    };
    for (const bool is_signed : {false, true}) {
        for (const bool as_shift : {false, true}) {
            push(std::string(as_shift ? "bfind_shiftamt_" : "bfind_") + (is_signed ? "s" : "u"),
                 std::string(as_shift ? "bfind.shiftamt." : "bfind.") + (is_signed ? "s" : "u"), 'w',
                 [=](std::uint64_t a) { return top_bit(a, is_signed, as_shift); });
        }
    }
}

// Positions and lengths from 0 to past the width, and above 255, where the widths behave differently.
std::vector<Operands> field_operands(bool position_in_b) {
    std::vector<Operands> operands;
    for (const std::uint64_t value :
         {0x0ull, ~0ull, 0x8000000080000000ull, 0x123456789abcdef0ull, 0x7fff7fff7fff7fffull, 0x5555aaaa5555aaaaull}) {
        for (const std::uint64_t position : {0, 1, 7, 16, 31, 32, 33, 63, 64, 65, 255, 256, 263}) {
            for (const std::uint64_t length : {0, 1, 8, 16, 31, 32, 33, 63, 64, 65, 255, 256, 264}) {
                if (position_in_b)
                    operands.push_back({value, position, length});
                else
                    operands.push_back({value, ~value * 3, position | length << 16});
            }
        }
    }
    while (operands.size() % 32 != 0) operands.push_back({});
    return operands;
}

void add_fields(std::vector<OpcodeCase>& cases, char letter) {
    const unsigned bits = bits_of(letter);
    const std::string width = std::to_string(bits);
    const auto bound = [bits](std::uint64_t value) { return bits == 64 ? value : value & 255; };
    for (const bool is_signed : {false, true}) {
        const std::string type = (is_signed ? "s" : "u") + width;
        cases.push_back({"bfe_" + type,
                         "bfe." + type + " %d, %a, %b, %c;",
                         {letter, 'w', 'w'},
                         {letter, '-'},
                         field_operands(true),
                         [=](const Operands& o) {
                             const std::uint64_t position = bound(o.b), length = bound(o.c);
                             const std::uint64_t last = std::min<std::uint64_t>(position + length - 1, bits - 1);
                             const std::uint64_t sign = !is_signed || length == 0 ? 0 : bit(o.a, static_cast<unsigned>(last));
                             return Results{assemble(bits,
                                                     [&](unsigned i) {
                                                         return i < length && position + i < bits
                                                                    ? bit(o.a, static_cast<unsigned>(position + i))
                                                                    : sign;
                                                     }),
                                            0};
                         }});
    }
    // Position and length travel in one operand.
    cases.push_back({"bfi_b" + width,
                     ".reg .b32 position, length;\nand.b32 position, %c, 0xffff;\nshr.u32 length, %c, 16;\nbfi.b" + width +
                         " %d, %a, %b, position, length;",
                     {letter, letter, 'w'},
                     {letter, '-'},
                     field_operands(false),
                     [=](const Operands& o) {
                         const std::uint64_t position = bound(o.c & 0xffff), length = bound(o.c >> 16);
                         return Results{assemble(bits,
                                                 [&](unsigned i) {
                                                     const bool inside = i >= position && i < position + length;
                                                     return inside ? bit(o.a, static_cast<unsigned>(i - position)) : bit(o.b, i);
                                                 }),
                                        0};
                     }});
}

std::uint64_t permuted(const Operands& o, std::uint64_t selector) {
    const std::uint64_t bytes = (o.b & 0xffffffff) << 32 | (o.a & 0xffffffff);
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const std::uint64_t nibble = selector >> (4 * i) & 15;
        std::uint64_t byte = bytes >> (8 * (nibble & 7)) & 0xff;
        if ((nibble & 8) != 0) byte = byte >= 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

void add_permutations(std::vector<OpcodeCase>& cases) {
    cases.push_back({"prmt_b32", "prmt.b32 %d, %a, %b, %c;", "www", "w-", {}, [](const Operands& o) {
                         return Results{permuted(o, o.c), 0};
                     }});
    // "PTX ISA", prmt: source bytes of each mode, from the most significant down.
    const std::pair<const char*, std::array<unsigned, 4>> modes[] = {
        {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}}, {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}},
        {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}}, {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
    };
    for (const auto& [mode, tables] : modes) {
        cases.push_back({std::string("prmt_b32_") + mode,
                         std::string("prmt.b32.") + mode + " %d, %a, %b, %c;",
                         "www",
                         "w-",
                         {},
                         [tables = tables](const Operands& o) {
                             return Results{permuted(o, tables[o.c & 3]), 0};
                         }});
    }
    for (const bool right : {false, true}) {
        for (const bool wrap : {false, true}) {
            const std::string opcode = std::string("shf.") + (right ? "r" : "l") + (wrap ? ".wrap" : ".clamp");
            cases.push_back(
                {std::string("shf_") + (right ? "r" : "l") + (wrap ? "_wrap" : "_clamp"),
                 opcode + ".b32 %d, %a, %b, %c;",
                 "www",
                 "w-",
                 {},
                 [=](const Operands& o) {
                     const std::uint64_t given = o.c & 0xffffffff;
                     const std::uint64_t amount = wrap ? given & 31 : std::min<std::uint64_t>(given, 32);
                     const std::uint64_t both = (o.b & 0xffffffff) << 32 | (o.a & 0xffffffff);
                     return Results{
                         assemble(32, [&](unsigned i) { return bit(both, static_cast<unsigned>(right ? i + amount : 32 + i - amount)); }),
                         0};
                 }});
        }
    }
    for (const bool wrap : {false, true}) {
        const std::string mode = wrap ? "wrap" : "clamp";
        cases.push_back({"bmsk_" + mode, "bmsk." + mode + ".b32 %d, %a, %b;", "ww-", "w-", {}, [wrap](const Operands& o) {
                             const std::uint64_t position = wrap ? o.a & 31 : o.a, length = wrap ? o.b & 31 : o.b;
                             return Results{assemble(32, [&](unsigned i) { return i >= position && i - position < length; }), 0};
                         }});
    }
    for (const unsigned table : {0x00u, 0x01u, 0x1bu, 0x80u, 0x96u, 0xcau, 0xe8u, 0xffu}) {
        cases.push_back({"lop3_" + std::to_string(table),
                         "lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";",
                         "www",
                         "w-",
                         {},
                         [table](const Operands& o) {
                             return Results{
                                 assemble(32, [&](unsigned i) { return table >> (bit(o.a, i) * 4 + bit(o.b, i) * 2 + bit(o.c, i)) & 1; }),
                                 0};
                         }});
    }
}

void add_moves(std::vector<OpcodeCase>& cases) {
    cases.push_back({"mov_pack_b64", "mov.b64 %d, {%a, %b};", "ww-", "l-", {}, [](const Operands& o) {
                         return Results{(o.a & 0xffffffff) | o.b << 32, 0};
                     }});
    cases.push_back({"mov_pack_b32", "mov.b32 %d, {%a, %b};", "hh-", "w-", {}, [](const Operands& o) {
                         return Results{(o.a & 0xffff) | (o.b & 0xffff) << 16, 0};
                     }});
    cases.push_back({"mov_pack_4_b64", "mov.b64 %d, {%a, %b, %c, %a};", "hhh", "l-", {}, [](const Operands& o) {
                         return Results{(o.a & 0xffff) | (o.b & 0xffff) << 16 | (o.c & 0xffff) << 32 | o.a << 48, 0};
                     }});
    cases.push_back({"mov_unpack_b64", "mov.b64 {%d, %e}, %a;", "l--", "ww", {}, [](const Operands& o) {
                         return Results{o.a & 0xffffffff, o.a >> 32};
                     }});
    cases.push_back({"mov_unpack_b32", "mov.b32 {%d, %e}, %a;", "w--", "hh", {}, [](const Operands& o) {
                         return Results{o.a & 0xffff, o.a >> 16 & 0xffff};
                     }});
    cases.push_back({"mov_unpack_sink", "mov.b64 {_, %d}, %a;", "l--", "w-", {}, [](const Operands& o) { return Results{o.a >> 32, 0}; }});
}

}  // namespace

void add_bit_cases(std::vector<OpcodeCase>& cases) {
    for (const char letter : {'h', 'w', 'l'}) add_logic(cases, letter);
    for (const char letter : {'w', 'l'}) {
        add_counts(cases, letter);
        add_fields(cases, letter);
    }
    add_permutations(cases);
    add_moves(cases);
}

}  // namespace cupool::ptx::test
