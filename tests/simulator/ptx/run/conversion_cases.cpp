#include <utility>

#include "exact_float.hpp"
#include "opcode_cases.hpp"

namespace cupool::ptx::test {
namespace {

__extension__ using Wide = __int128;

struct IntegerType {
    const char* name;
    unsigned bits;
    bool is_signed;

    char letter() const { return bits <= 16 ? 'h' : bits == 32 ? 'w' : 'l'; }
    unsigned register_bits() const { return bits <= 16 ? 16 : bits; }
    Wide least() const { return is_signed ? -(Wide{1} << (bits - 1)) : 0; }
    Wide most() const { return (Wide{1} << (is_signed ? bits - 1 : bits)) - 1; }
    Wide value(std::uint64_t raw) const {
        const Wide low = raw & static_cast<std::uint64_t>((Wide{1} << bits) - 1);
        return is_signed && low > most() ? low - (Wide{1} << bits) : low;
    }
    // The value extended to its register.
    std::uint64_t in_register(Wide number) const {
        return static_cast<std::uint64_t>(value(static_cast<std::uint64_t>(number))) &
               static_cast<std::uint64_t>((Wide{1} << register_bits()) - 1);
    }
};

const IntegerType integers[] = {{"u8", 8, false},   {"s8", 8, true},   {"u16", 16, false}, {"s16", 16, true},
                                {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

const std::pair<const char*, Mode> modes[] = {{"rn", Mode::nearest}, {"rz", Mode::zero}, {"rm", Mode::down}, {"rp", Mode::up}};

std::string named(std::string text) {
    for (char& c : text)
        if (c == '.') c = '_';
    return text;
}

void add_integer_conversions(std::vector<OpcodeCase>& cases) {
    for (const IntegerType& to : integers) {
        for (const IntegerType& from : integers) {
            for (const bool sat : {false, true}) {
                if (sat && to.least() <= from.least() && to.most() >= from.most()) continue;  // no such form: nothing could saturate
                const std::string form = std::string(sat ? "cvt.sat." : "cvt.") + to.name + "." + from.name;
                cases.push_back({named(form), form + " %d, %a;", {from.letter(), '-', '-'}, {to.letter(), '-'}, {}, [=](const Operands& o) {
                                     Wide number = from.value(o.a);
                                     if (sat) number = number < to.least() ? to.least() : number > to.most() ? to.most() : number;
                                     return Results{to.in_register(number), 0};
                                 }});
            }
        }
    }
}

struct FloatType {
    const char* name;
    Format format;
    char letter;

    std::uint64_t narrowed(std::uint64_t bits) const { return format.precision == 24 ? bits & 0xffffffff : bits; }
    std::uint64_t flushed(std::uint64_t bits) const { return format.is_subnormal(bits) ? bits & format.sign() : bits; }
    std::uint64_t one() const { return format.precision == 24 ? 0x3f800000 : 0x3ff0'0000'0000'0000; }
    std::uint64_t saturated(std::uint64_t bits) const {
        return format.is_nan(bits) || format.is_negative(bits) ? 0 : bits > one() ? one() : bits;
    }
};

const FloatType floats[] = {{"f32", single, 'f'}, {"f64", double_precision, 'd'}};

// Rounded to an integer of 128 bits, including values that no integer type of PTX holds.
Wide whole(Exact value, Mode mode) {
    if (value.exponent >= 0) {
        if (width(value.significand) + value.exponent > 100) return value.negative ? -(Wide{1} << 100) : Wide{1} << 100;
        const Wide number = static_cast<Wide>(value.significand << value.exponent);
        return value.negative ? -number : number;
    }
    shift_right(value, -value.exponent - 1);
    const bool half = (value.significand & 1) != 0;
    const bool rest = value.sticky;
    value.significand >>= 1;
    if (rounds_up(mode, value.negative, (value.significand & 1) != 0, half, rest)) ++value.significand;
    return value.negative ? -static_cast<Wide>(value.significand) : static_cast<Wide>(value.significand);
}

void add_float_to_integer(std::vector<OpcodeCase>& cases) {
    for (const FloatType& from : floats) {
        for (const IntegerType& to : integers) {
            for (const auto& [mode_name, mode] : modes) {
                for (const bool ftz : {false, true}) {
                    if (ftz && from.letter == 'd') continue;
                    const std::string form = std::string("cvt.") + mode_name + (ftz ? "i.ftz." : "i.") + to.name + "." + from.name;
                    cases.push_back(
                        {named(form),
                         form + " %d, %a;",
                         {from.letter, '-', '-'},
                         {to.letter(), '-'},
                         {},
                         [=, mode = mode](const Operands& o) {
                             std::uint64_t bits = from.narrowed(o.a);
                             if (ftz) bits = from.flushed(bits);
                             const Format f = from.format;
                             if (f.is_nan(bits))
                                 return Results{from.letter == 'f' && to.bits < 64 ? 0 : to.in_register(Wide{1} << (to.bits - 1)), 0};
                             const Wide past = Wide{1} << 100;
                             Wide number = f.is_infinite(bits) ? (f.is_negative(bits) ? -past : past) : whole(unpack(f, bits), mode);
                             number = number < to.least() ? to.least() : number > to.most() ? to.most() : number;
                             return Results{to.in_register(number), 0};
                         }});
                }
            }
        }
    }
}

void add_integer_to_float(std::vector<OpcodeCase>& cases) {
    for (const FloatType& to : floats) {
        for (const IntegerType& from : integers) {
            for (const auto& [mode_name, mode] : modes) {
                const std::string form = std::string("cvt.") + mode_name + "." + to.name + "." + from.name;
                cases.push_back(
                    {named(form), form + " %d, %a;", {from.letter(), '-', '-'}, {to.letter, '-'}, {}, [=, mode = mode](const Operands& o) {
                         const Wide number = from.value(o.a);
                         const Exact exact{number < 0, static_cast<Significand>(number < 0 ? -number : number), 0, false};
                         return Results{round_to(to.format, exact, mode), 0};
                     }});
            }
        }
    }
    cases.push_back({"cvt_rn_sat_f32_s32", "cvt.rn.sat.f32.s32 %d, %a;", "w--", "f-", {}, [](const Operands& o) {
                         return Results{static_cast<std::int32_t>(o.a) >= 1 ? 0x3f800000u : 0u, 0};
                     }});
}

// A NaN keeps its sign and the part of its payload that fits.
std::uint64_t narrowed_nan(std::uint64_t bits) { return (bits >> 63) << 31 | single.infinity() | 0x400000 | (bits >> 29 & 0x7fffff); }

std::uint64_t widened_nan(std::uint64_t bits) {
    return (bits >> 31) << 63 | double_precision.infinity() | std::uint64_t{1} << 51 | (bits & 0x7fffff) << 29;
}

void add_float_to_float(std::vector<OpcodeCase>& cases) {
    const FloatType& f32 = floats[0];
    const FloatType& f64 = floats[1];
    for (const auto& [mode_name, mode] : modes) {
        for (const bool ftz : {false, true}) {
            for (const bool sat : {false, true}) {
                const std::string form = std::string("cvt.") + mode_name + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + ".f32.f64";
                cases.push_back({named(form), form + " %d, %a;", "d--", "f-", {}, [=, mode = mode](const Operands& o) {
                                     if (f64.format.is_nan(o.a)) return Results{sat ? 0 : narrowed_nan(o.a), 0};
                                     std::uint64_t bits = f64.format.is_infinite(o.a)
                                                              ? single.infinity() | (f64.format.is_negative(o.a) ? single.sign() : 0)
                                                              : round_to(single, unpack(double_precision, o.a), mode);
                                     if (ftz) bits = f32.flushed(bits);
                                     return Results{sat ? f32.saturated(bits) : bits, 0};
                                 }});
            }
        }
        // Rounding to an integer within the same type.
        for (const FloatType& type : floats) {
            const std::string form = std::string("cvt.") + mode_name + "i." + type.name + "." + type.name;
            cases.push_back(
                {named(form), form + " %d, %a;", {type.letter, '-', '-'}, {type.letter, '-'}, {}, [=, mode = mode](const Operands& o) {
                     const std::uint64_t bits = type.narrowed(o.a);
                     const Format f = type.format;
                     if (f.is_nan(bits)) return Results{f.quiet(bits), 0};
                     const Exact exact = unpack(f, bits);
                     if (f.is_infinite(bits) || exact.exponent >= 0) return Results{bits, 0};
                     const Wide number = whole(exact, mode);
                     return Results{
                         round_to(f, {f.is_negative(bits), static_cast<Significand>(number < 0 ? -number : number), 0, false}, mode), 0};
                 }});
        }
    }
    for (const bool ftz : {false, true}) {
        const std::string form = std::string("cvt.") + (ftz ? "ftz." : "") + "f64.f32";
        cases.push_back({named(form), form + " %d, %a;", "f--", "d-", {}, [=](const Operands& o) {
                             std::uint64_t bits = f32.narrowed(o.a);
                             if (ftz) bits = f32.flushed(bits);
                             if (single.is_nan(bits)) return Results{widened_nan(ftz ? single.new_nan() : bits), 0};
                             if (single.is_infinite(bits))
                                 return Results{double_precision.infinity() | (single.is_negative(bits) ? double_precision.sign() : 0), 0};
                             return Results{round_to(double_precision, unpack(single, bits), Mode::nearest), 0};
                         }});
    }
    cases.push_back({"cvt_sat_f32_f32", "cvt.sat.f32.f32 %d, %a;", "f--", "f-", {}, [=](const Operands& o) {
                         return Results{f32.saturated(f32.narrowed(o.a)), 0};
                     }});
}

// Registers wider than the types: the result is extended, the source truncated.
void add_wider_registers(std::vector<OpcodeCase>& cases) {
    cases.push_back({"cvt_s8_s32_wide", "cvt.s8.s32 %d, %a;", "w--", "w-", {}, [](const Operands& o) {
                         return Results{static_cast<std::uint32_t>(static_cast<std::int8_t>(o.a)), 0};
                     }});
    cases.push_back({"cvt_u32_u8_wide", "cvt.u32.u8 %d, %a;", "l--", "l-", {}, [](const Operands& o) { return Results{o.a & 0xff, 0}; }});
    cases.push_back({"cvt_s64_s16_wide", "cvt.s64.s16 %d, %a;", "l--", "l-", {}, [](const Operands& o) {
                         return Results{static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(o.a)}), 0};
                     }});
}

}  // namespace

void add_conversion_cases(std::vector<OpcodeCase>& cases) {
    add_integer_conversions(cases);
    add_float_to_integer(cases);
    add_integer_to_float(cases);
    add_float_to_float(cases);
    add_wider_registers(cases);
}

}  // namespace cupool::ptx::test
