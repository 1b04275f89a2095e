#include <bit>
#include <cmath>

#include "opcode_cases.hpp"

namespace cupool::ptx::test {
namespace {

/// The order of two operands; floats may be unordered.
enum class Order { less, equal, greater, unordered };

bool holds(const std::string& comparison, Order order) {
    const bool unordered = order == Order::unordered;
    if (comparison == "num") return !unordered;
    if (comparison == "nan") return unordered;
    std::string plain = comparison;
    if (plain.size() == 3) {  // equ, ltu, ...: true of a NaN
        if (unordered) return true;
        plain.pop_back();
    }
    if (unordered) return false;
    if (plain == "eq") return order == Order::equal;
    if (plain == "ne") return order != Order::equal;
    if (plain == "lt" || plain == "lo") return order == Order::less;
    if (plain == "le" || plain == "ls") return order != Order::greater;
    if (plain == "gt" || plain == "hi") return order == Order::greater;
    return order != Order::less;  // ge, hs
}

template <class T>
Order order_of(T a, T b) {
    return a < b ? Order::less : a == b ? Order::equal : a > b ? Order::greater : Order::unordered;
}

float flushed(std::uint64_t bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    return std::bit_cast<float>((word & 0x7f800000) == 0 ? word & 0x80000000 : word);
}

Order order(const std::string& type, const Operands& o) {
    if (type == "f32")
        return order_of(std::bit_cast<float>(static_cast<std::uint32_t>(o.a)), std::bit_cast<float>(static_cast<std::uint32_t>(o.b)));
    if (type == "ftz.f32") return order_of(flushed(o.a), flushed(o.b));
    if (type == "f64") return order_of(std::bit_cast<double>(o.a), std::bit_cast<double>(o.b));
    const unsigned shift = type.ends_with("16") ? 48 : type.ends_with("32") ? 32 : 0;
    const std::uint64_t a = o.a << shift, b = o.b << shift;
    return type[0] == 's' ? order_of(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)) : order_of(a, b);
}

char letter_of(const std::string& type) {
    if (type.ends_with("f32")) return 'f';
    if (type == "f64") return 'd';
    return type.ends_with("16") ? 'h' : type.ends_with("32") ? 'w' : 'l';
}

std::string named(std::string text) {
    for (char& c : text)
        if (c == '.' || c == '|') c = '_';
    return text;
}

std::vector<std::string> comparisons_of(const std::string& type) {
    if (type[0] == 'b') return {"eq", "ne"};
    if (letter_of(type) == 'f' || letter_of(type) == 'd')
        return {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    if (type[0] == 'u') return {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
    return {"eq", "ne", "lt", "le", "gt", "ge"};
}

void add_comparisons(std::vector<OpcodeCase>& cases, const std::string& type) {
    const char letter = letter_of(type);
    for (const std::string& comparison : comparisons_of(type)) {
        const std::string form = comparison + "." + type;
        cases.push_back(
            {named("setp." + form), "setp." + form + " %d|%e, %a, %b;", {letter, letter, '-'}, "pp", {}, [=](const Operands& o) {
                 const bool result = holds(comparison, order(type, o));
                 return Results{result, !result};
             }});
        for (const std::string combine : {"and", "or", "xor"}) {
            const std::string combined = comparison + "." + combine + "." + type;
            const auto join = [combine](bool x, bool p) { return combine == "and" ? x && p : combine == "or" ? x || p : x != p; };
            cases.push_back({named("setp." + combined),
                             "setp." + combined + " %d|%e, %a, %b, !%c;",
                             {letter, letter, 'p'},
                             "pp",
                             {},
                             [=](const Operands& o) {
                                 const bool result = holds(comparison, order(type, o));
                                 const bool p = (o.c & 1) == 0;
                                 return Results{join(result, p), join(!result, p)};
                             }});
        }
    }
    // set has the same comparisons: a few of them, with both kinds of result.
    const std::string comparison = comparisons_of(type).back();
    const bool ftz = type == "ftz.f32";
    const std::string from = ftz ? "f32" : type;
    for (const std::string to : {"u32", "s32", "f32"}) {
        const std::string form = comparison + (ftz ? ".ftz." : ".") + to + "." + from;
        cases.push_back({named("set." + form),
                         "set." + form + " %d, %a, %b;",
                         {letter, letter, '-'},
                         {to == "f32" ? 'f' : 'w', '-'},
                         {},
                         [=](const Operands& o) {
                             return Results{holds(comparison, order(type, o)) ? (to == "f32" ? 0x3f800000u : 0xffffffffu) : 0u, 0};
                         }});
    }
    cases.push_back({named("set." + comparison + ".or." + type),
                     "set." + comparison + ".or" + (ftz ? ".ftz" : "") + ".u32." + from + " %d, %a, %b, %c;",
                     {letter, letter, 'p'},
                     "w-",
                     {},
                     [=](const Operands& o) {
                         return Results{holds(comparison, order(type, o)) || (o.c & 1) != 0 ? 0xffffffffu : 0u, 0};
                     }});
}

void add_selections(std::vector<OpcodeCase>& cases) {
    for (const std::string type : {"b16", "u32", "s64", "f32", "f64"}) {
        const char letter = letter_of(type);
        const std::uint64_t mask = letter == 'h' ? 0xffff : letter == 'w' || letter == 'f' ? 0xffffffff : ~std::uint64_t{0};
        cases.push_back(
            {"selp_" + type, "selp." + type + " %d, %a, %b, %c;", {letter, letter, 'p'}, {letter, '-'}, {}, [mask](const Operands& o) {
                 return Results{((o.c & 1) != 0 ? o.a : o.b) & mask, 0};
             }});
        cases.push_back({"slct_" + type + "_s32",
                         "slct." + type + ".s32 %d, %a, %b, %c;",
                         {letter, letter, 'w'},
                         {letter, '-'},
                         {},
                         [mask](const Operands& o) {
                             return Results{(static_cast<std::int32_t>(o.c) >= 0 ? o.a : o.b) & mask, 0};
                         }});
        cases.push_back({"slct_" + type + "_f32",
                         "slct." + type + ".f32 %d, %a, %b, %c;",
                         {letter, letter, 'f'},
                         {letter, '-'},
                         {},
                         [mask](const Operands& o) {
                             return Results{(std::bit_cast<float>(static_cast<std::uint32_t>(o.c)) >= 0 ? o.a : o.b) & mask, 0};
                         }});
    }
    cases.push_back({"slct_ftz_u32_f32", "slct.ftz.u32.f32 %d, %a, %b, %c;", "wwf", "w-", {}, [](const Operands& o) {
                         return Results{(flushed(o.c) >= 0 ? o.a : o.b) & 0xffffffff, 0};
                     }});
}

void add_predicates(std::vector<OpcodeCase>& cases) {
    const auto push = [&](const std::string& name, const std::string& text, auto expected) {
        cases.push_back({name, text, "pp-", "pp", {}, [=](const Operands& o) { return expected((o.a & 1) != 0, (o.b & 1) != 0); }});
    };
    push("pred_and_or", "and.pred %d, %a, %b;\nor.pred %e, %a, %b;", [](bool a, bool b) { return Results{a && b, a || b}; });
    push("pred_xor_not", "xor.pred %d, %a, %b;\nnot.pred %e, %a;", [](bool a, bool b) { return Results{a != b, !a}; });
    push("pred_mov", "mov.pred %d, %b;\nmov.pred %e, %a;\nmov.pred %e, 1;", [](bool, bool b) { return Results{b, true}; });
    // Guards: a skipped instruction leaves the register unchanged.
    push("pred_guard", "mov.pred %d, %a;\nmov.pred %e, %b;\n@%b mov.pred %d, 0;\n@!%b mov.pred %e, %a;", [](bool a, bool b) {
        return Results{a && !b, b || a};
    });
    cases.push_back({"guarded_add",
                     "mov.u32 %d, %a;\nmov.u64 %e, 7;\n@%c add.u32 %d, %a, %b;\n@!%c add.u64 %e, %e, 1;",
                     "wwp",
                     "wl",
                     {},
                     [](const Operands& o) {
                         const bool p = (o.c & 1) != 0;
                         return Results{(p ? o.a + o.b : o.a) & 0xffffffff, p ? 7u : 8u};
                     }});
}

}  // namespace

void add_choice_cases(std::vector<OpcodeCase>& cases) {
    for (const char* type : {"b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "ftz.f32", "f64"})
        add_comparisons(cases, type);
    add_selections(cases);
    add_predicates(cases);
}

}  // namespace cupool::ptx::test
