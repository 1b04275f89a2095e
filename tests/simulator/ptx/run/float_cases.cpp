#include <initializer_list>
#include <utility>

#include "exact_float.hpp"
#include "opcode_cases.hpp"

namespace cupool::ptx::test {
namespace {

const std::pair<const char*, Mode> modes[] = {{"rn", Mode::nearest}, {"rz", Mode::zero}, {"rm", Mode::down}, {"rp", Mode::up}};

struct Variant {
    Format format;
    bool ftz = false;
    bool sat = false;

    std::uint64_t narrowed(std::uint64_t bits) const { return format.precision == 24 ? bits & 0xffffffff : bits; }
    std::uint64_t input(std::uint64_t bits) const {
        bits = narrowed(bits);
        return ftz && format.is_subnormal(bits) ? bits & format.sign() : bits;
    }
    std::uint64_t one() const { return format.precision == 24 ? 0x3f800000 : 0x3ff0'0000'0000'0000; }
    std::uint64_t output(std::uint64_t bits) const {
        if (format.is_nan(bits)) return sat ? 0 : bits;
        if (ftz && format.is_subnormal(bits)) bits &= format.sign();
        if (!sat) return bits;
        if (format.is_negative(bits)) return 0;
        return bits > one() ? one() : bits;
    }
    std::string suffix() const { return std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "") + (format.precision == 24 ? ".f32" : ".f64"); }
    char letter() const { return format.precision == 24 ? 'f' : 'd'; }
};

// The last NaN in the list of operands is the result; the order for each operation was observed on an H200.
bool pick_nan(Format f, std::initializer_list<std::uint64_t> operands, std::uint64_t& nan) {
    bool found = false;
    for (const std::uint64_t operand : operands) {
        if (!f.is_nan(operand)) continue;
        nan = f.quiet(operand);
        found = true;
    }
    return found;
}

std::uint64_t add(Format f, std::uint64_t a, std::uint64_t b, Mode mode) {
    std::uint64_t nan = 0;
    if (pick_nan(f, {a, b}, nan)) return nan;
    if (f.is_infinite(a)) return f.is_infinite(b) && a != b ? f.new_nan() : a;
    if (f.is_infinite(b)) return b;
    return round_to(f, sum(unpack(f, a), unpack(f, b), mode), mode);
}

// A result that is subnormal before rounding is flushed, even if rounding would make it normal.
std::uint64_t rounded(Format f, const Exact& exact, Mode mode, bool ftz) {
    const std::uint64_t result = round_to(f, exact, mode);
    const bool tiny = f.is_subnormal(round_to(f, exact, Mode::zero));
    return ftz && tiny ? result & f.sign() : result;
}

std::uint64_t multiply(Format f, std::uint64_t a, std::uint64_t b, Mode mode, bool ftz) {
    std::uint64_t nan = 0;
    if (pick_nan(f, {a, b}, nan)) return nan;
    const std::uint64_t sign = (a ^ b) & f.sign();
    if (f.is_infinite(a) || f.is_infinite(b)) return f.is_zero(a) || f.is_zero(b) ? f.new_nan() : sign | f.infinity();
    return rounded(f, product(unpack(f, a), unpack(f, b)), mode, ftz);
}

std::uint64_t multiply_add(Format f, std::uint64_t a, std::uint64_t b, std::uint64_t c, Mode mode, bool ftz) {
    std::uint64_t nan = 0;
    if (pick_nan(f, {a, c, b}, nan)) return nan;
    const std::uint64_t sign = (a ^ b) & f.sign();
    if (f.is_infinite(a) || f.is_infinite(b)) {
        if (f.is_zero(a) || f.is_zero(b)) return f.new_nan();
        return f.is_infinite(c) && (c & f.sign()) != sign ? f.new_nan() : sign | f.infinity();
    }
    if (f.is_infinite(c)) return c;
    return rounded(f, sum(product(unpack(f, a), unpack(f, b)), unpack(f, c), mode), mode, ftz);
}

std::uint64_t divide(Format f, std::uint64_t a, std::uint64_t b, Mode mode, bool ftz) {
    std::uint64_t nan = 0;
    if (pick_nan(f, {b, a}, nan)) return nan;
    const std::uint64_t sign = (a ^ b) & f.sign();
    if (f.is_infinite(a)) return f.is_infinite(b) ? f.new_nan() : sign | f.infinity();
    if (f.is_infinite(b)) return sign;
    if (f.is_zero(b)) return f.is_zero(a) ? f.new_nan() : sign | f.infinity();
    return rounded(f, quotient(unpack(f, a), unpack(f, b)), mode, ftz);
}

std::uint64_t root(Format f, std::uint64_t a, Mode mode) {
    if (f.is_nan(a)) return f.quiet(a);
    if (f.is_negative(a) && !f.is_zero(a)) return f.new_nan();
    if (f.is_infinite(a)) return a;
    return round_to(f, square_root(unpack(f, a)), mode);
}

// Numbers in their order, -0 below +0.
std::int64_t ordered(Format f, std::uint64_t bits) {
    const auto magnitude = static_cast<std::int64_t>(f.magnitude(bits));
    return f.is_negative(bits) ? -magnitude - 1 : magnitude;
}

std::uint64_t extreme(Format f, std::uint64_t a, std::uint64_t b, bool larger) {
    if (f.is_nan(a)) return f.is_nan(b) ? f.quiet(b) : b;
    if (f.is_nan(b)) return a;
    return (ordered(f, a) < ordered(f, b)) == larger ? b : a;
}

std::string named(std::string text) {
    for (char& c : text)
        if (c == '.') c = '_';
    return text;
}

template <class Operation>
void push(std::vector<OpcodeCase>& cases, const Variant& variant, const std::string& opcode, int sources, const Operation& operation) {
    const char letter = variant.letter();
    const std::string full = opcode + variant.suffix();
    cases.push_back(
        {named(full),
         full + " %d, %a" + (sources > 1 ? ", %b" : "") + (sources > 2 ? ", %c" : "") + ";",
         {letter, sources > 1 ? letter : '-', sources > 2 ? letter : '-'},
         {letter, '-'},
         {},
         [=](const Operands& o) {
             return Results{variant.output(operation(variant.format, variant.input(o.a), variant.input(o.b), variant.input(o.c))), 0};
         }});
}

void add_rounded(std::vector<OpcodeCase>& cases, const Variant& variant) {
    const bool ftz = variant.ftz;
    for (const auto& [name, mode] : modes) {
        const std::string rounding = std::string(".") + name;
        using Bits = std::uint64_t;
        push(cases, variant, "add" + rounding, 2, [mode = mode](Format f, Bits a, Bits b, Bits) { return add(f, a, b, mode); });
        push(cases, variant, "sub" + rounding, 2,
             [mode = mode](Format f, Bits a, Bits b, Bits) { return add(f, a, f.is_nan(b) ? b : b ^ f.sign(), mode); });
        push(cases, variant, "mul" + rounding, 2,
             [mode = mode, ftz](Format f, Bits a, Bits b, Bits) { return multiply(f, a, b, mode, ftz); });
        push(cases, variant, "fma" + rounding, 3,
             [mode = mode, ftz](Format f, Bits a, Bits b, Bits c) { return multiply_add(f, a, b, c, mode, ftz); });
        if (variant.sat) continue;
        push(cases, variant, "div" + rounding, 2,
             [mode = mode, ftz](Format f, Bits a, Bits b, Bits) { return divide(f, a, b, mode, ftz); });
        push(cases, variant, "rcp" + rounding, 1,
             [mode = mode, ftz, one = variant.one()](Format f, Bits a, Bits, Bits) { return divide(f, one, a, mode, ftz); });
        push(cases, variant, "sqrt" + rounding, 1, [mode = mode](Format f, Bits a, Bits, Bits) { return root(f, a, mode); });
    }
}

void add_plain(std::vector<OpcodeCase>& cases, const Variant& variant) {
    using Bits = std::uint64_t;
    push(cases, variant, "min", 2, [](Format f, Bits a, Bits b, Bits) { return extreme(f, a, b, false); });
    push(cases, variant, "max", 2, [](Format f, Bits a, Bits b, Bits) { return extreme(f, a, b, true); });
    push(cases, variant, "add", 2, [](Format f, Bits a, Bits b, Bits) { return add(f, a, b, Mode::nearest); });
}

void add_properties(std::vector<OpcodeCase>& cases, const Variant& variant) {
    const char letter = variant.letter();
    const Format f = variant.format;
    const auto push_property = [&](const std::string& name, auto holds) {
        cases.push_back({named("testp." + name + variant.suffix()),
                         "testp." + name + variant.suffix() + " %d, %a;",
                         {letter, '-', '-'},
                         "p-",
                         {},
                         [=](const Operands& o) {
                             return Results{holds(variant.narrowed(o.a)), 0};
                         }});
    };
    push_property("finite", [f](std::uint64_t a) { return f.magnitude(a) < f.infinity(); });
    push_property("infinite", [f](std::uint64_t a) { return f.is_infinite(a); });
    push_property("number", [f](std::uint64_t a) { return !f.is_nan(a); });
    push_property("notanumber", [f](std::uint64_t a) { return f.is_nan(a); });
    push_property("normal", [f](std::uint64_t a) { return f.magnitude(a) < f.infinity() && !f.is_subnormal(a); });
    push_property("subnormal", [f](std::uint64_t a) { return f.is_subnormal(a); });
    cases.push_back({named("copysign" + variant.suffix()),
                     "copysign" + variant.suffix() + " %d, %a, %b;",
                     {letter, letter, '-'},
                     {letter, '-'},
                     {},
                     [=](const Operands& o) {
                         return Results{(variant.narrowed(o.a) & f.sign()) | f.magnitude(variant.narrowed(o.b)), 0};
                     }});
}

}  // namespace

void add_float_cases(std::vector<OpcodeCase>& cases) {
    using Bits = std::uint64_t;
    const auto add_signs = [&](const Variant& variant) {
        push(cases, variant, "abs", 1, [](Format f, Bits a, Bits, Bits) { return f.is_nan(a) ? f.quiet(a) : f.magnitude(a); });
        push(cases, variant, "neg", 1, [](Format f, Bits a, Bits, Bits) { return f.is_nan(a) ? f.quiet(a) : a ^ f.sign(); });
    };
    for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) add_rounded(cases, {single, ftz, sat});
        add_plain(cases, {single, ftz});
        add_signs({single, ftz});
    }
    add_rounded(cases, {double_precision});
    add_plain(cases, {double_precision});
    add_signs({double_precision});
    add_properties(cases, {single});
    add_properties(cases, {double_precision});
}

}  // namespace cupool::ptx::test
