#include <limits>
#include <type_traits>

#include "opcode_cases.hpp"

namespace cupool::ptx::test {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// A sum or product modulo 2^bits, out of 128-bit arithmetic.
template <class T>
std::uint64_t low(Wide value) {
    return static_cast<std::make_unsigned_t<T>>(value);
}

template <class T>
struct TypeName;
template <>
struct TypeName<std::uint16_t> {
    static constexpr const char* name = "u16";
    static constexpr char letter = 'h', wide = 'w';
};
template <>
struct TypeName<std::int16_t> {
    static constexpr const char* name = "s16";
    static constexpr char letter = 'h', wide = 'w';
};
template <>
struct TypeName<std::uint32_t> {
    static constexpr const char* name = "u32";
    static constexpr char letter = 'w', wide = 'l';
};
template <>
struct TypeName<std::int32_t> {
    static constexpr const char* name = "s32";
    static constexpr char letter = 'w', wide = 'l';
};
template <>
struct TypeName<std::uint64_t> {
    static constexpr const char* name = "u64";
    static constexpr char letter = 'l';
    [[maybe_unused]] static constexpr char wide = '-';  // only for narrower types
};
template <>
struct TypeName<std::int64_t> {
    static constexpr const char* name = "s64";
    static constexpr char letter = 'l';
    [[maybe_unused]] static constexpr char wide = '-';  // only for narrower types
};

std::string case_name(std::string text) {
    for (char& c : text)
        if (c == '.') c = '_';
    return text;
}

// `opcode.type %d, %a, ...;` over operands of one type, with the expectation as a function of 128-bit values.
template <class T, class Expected>
void add(std::vector<OpcodeCase>& cases, const std::string& opcode, int sources, const Expected& expected) {
    const std::string full = opcode + "." + TypeName<T>::name;
    const char letter = TypeName<T>::letter;
    OpcodeCase one;
    one.name = case_name(full);
    one.instructions = full + " %d, %a" + (sources > 1 ? ", %b" : "") + (sources > 2 ? ", %c" : "") + ";";
    one.inputs = {letter, sources > 1 ? letter : '-', sources > 2 ? letter : '-'};
    one.outputs = {letter, '-'};
    one.expected = [expected](const Operands& o) {
        return Results{low<T>(expected(Wide{static_cast<T>(o.a)}, Wide{static_cast<T>(o.b)}, Wide{static_cast<T>(o.c)})), 0};
    };
    cases.push_back(std::move(one));
}

// The high half of a product: of its 2 * bits, wrapped, for 64-bit factors may need all of 128 bits unsigned.
template <class T>
Wide high(Wide a, Wide b) {
    if constexpr (sizeof(T) == 8 && !std::is_signed_v<T>)
        return static_cast<Wide>((static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)) >> 64);
    return (a * b) >> (8 * sizeof(T));
}

Wide clamp32(Wide value) {
    if (value > std::numeric_limits<std::int32_t>::max()) return std::numeric_limits<std::int32_t>::max();
    return value < std::numeric_limits<std::int32_t>::min() ? std::numeric_limits<std::int32_t>::min() : value;
}

template <class T>
void add_type(std::vector<OpcodeCase>& cases) {
    // Wrapping products of 64-bit factors: unsigned, lest 128 bits overflow.
    const auto times = [](Wide a, Wide b) { return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)); };
    const auto plus = [](Wide a, Wide b) { return static_cast<Wide>(static_cast<UnsignedWide>(a) + static_cast<UnsignedWide>(b)); };
    add<T>(cases, "add", 2, [](Wide a, Wide b, Wide) { return a + b; });
    add<T>(cases, "sub", 2, [](Wide a, Wide b, Wide) { return a - b; });
    add<T>(cases, "mul.lo", 2, [=](Wide a, Wide b, Wide) { return times(a, b); });
    add<T>(cases, "mul.hi", 2, [](Wide a, Wide b, Wide) { return high<T>(a, b); });
    add<T>(cases, "mad.lo", 3, [=](Wide a, Wide b, Wide c) { return plus(times(a, b), c); });
    add<T>(cases, "mad.hi", 3, [](Wide a, Wide b, Wide c) { return high<T>(a, b) + c; });
    add<T>(cases, "min", 2, [](Wide a, Wide b, Wide) { return a < b ? a : b; });
    add<T>(cases, "max", 2, [](Wide a, Wide b, Wide) { return a < b ? b : a; });
    add<T>(cases, "sad", 3, [](Wide a, Wide b, Wide c) { return c + (a < b ? b - a : a - b); });
    // The expectation for division by zero comes from the recorded results only.
    add<T>(cases, "div", 2, [](Wide a, Wide b, Wide) { return b == 0 ? Wide{-1} : a / b; });
    add<T>(cases, "rem", 2, [](Wide a, Wide b, Wide) { return b == 0 ? Wide{-1} : a % b; });
    if constexpr (std::is_signed_v<T>) {
        add<T>(cases, "abs", 1, [](Wide a, Wide, Wide) { return a < 0 ? -a : a; });
        add<T>(cases, "neg", 1, [](Wide a, Wide, Wide) { return -a; });
    }
    if constexpr (sizeof(T) < 8) {
        const char letter = TypeName<T>::letter;
        const char wide = TypeName<T>::wide;
        const std::string type = TypeName<T>::name;
        cases.push_back(
            {"mul_wide_" + type, "mul.wide." + type + " %d, %a, %b;", {letter, letter, '-'}, {wide, '-'}, {}, [](const Operands& o) {
                 const std::uint64_t product = static_cast<std::uint64_t>(Wide{static_cast<T>(o.a)} * static_cast<T>(o.b));
                 return Results{sizeof(T) == 2 ? product & 0xffffffff : product, 0};
             }});
        cases.push_back(
            {"mad_wide_" + type, "mad.wide." + type + " %d, %a, %b, %c;", {letter, letter, wide}, {wide, '-'}, {}, [](const Operands& o) {
                 const std::uint64_t sum = static_cast<std::uint64_t>(Wide{static_cast<T>(o.a)} * static_cast<T>(o.b)) + o.c;
                 return Results{sizeof(T) == 2 ? sum & 0xffffffff : sum, 0};
             }});
    }
}

// Two instructions linked by the flag compute a result of twice the width: d and e are its halves.
template <class T>
void add_carry_cases(std::vector<OpcodeCase>& cases) {
    const std::string type = TypeName<T>::name;
    const char letter = TypeName<T>::letter;
    constexpr unsigned bits = 8 * sizeof(T);
    const auto push = [&](const std::string& name, const std::string& text, auto expected) {
        cases.push_back({name + "_" + type, text, {letter, letter, letter}, {letter, letter}, {}, expected});
    };
    const auto whole = [](const Operands& o) { return (UnsignedWide{static_cast<T>(o.b)} << bits) | static_cast<T>(o.a); };
    const auto halves = [](UnsignedWide value) { return Results{static_cast<T>(value), static_cast<T>(value >> bits)}; };
    push("add_cc_addc", "add.cc." + type + " %d, %a, %c;\naddc." + type + " %e, %b, %c;", [=](const Operands& o) {
        const UnsignedWide c = static_cast<T>(o.c);
        return halves(whole(o) + ((c << bits) | c));
    });
    push("sub_cc_subc", "sub.cc." + type + " %d, %a, %c;\nsubc." + type + " %e, %b, %c;", [=](const Operands& o) {
        const UnsignedWide c = static_cast<T>(o.c);
        return halves(whole(o) - ((c << bits) | c));
    });
    // The flag after a chain of two, as 0 or 1.
    push("addc_cc",
         ".reg .b" + std::to_string(bits) + " t;\nadd.cc." + type + " t, %a, %c;\naddc.cc." + type + " %d, %b, %c;\naddc." + type +
             " %e, 0, 0;",
         [=](const Operands& o) {
             const UnsignedWide sum = UnsignedWide{static_cast<T>(o.a)} + static_cast<T>(o.c);
             return halves(UnsignedWide{static_cast<T>(o.b)} + static_cast<T>(o.c) + static_cast<T>(sum >> bits));
         });
    push("subc_cc",
         ".reg .b" + std::to_string(bits) + " t;\nsub.cc." + type + " t, %a, %c;\nsubc.cc." + type + " %d, %b, %c;\nsubc." + type +
             " %e, 0, 0;",
         [=](const Operands& o) {
             const bool borrow = static_cast<T>(o.a) < static_cast<T>(o.c);
             const Wide difference = Wide{static_cast<T>(o.b)} - static_cast<T>(o.c) - borrow;
             return Results{static_cast<T>(difference), static_cast<T>(difference < 0 ? -1 : 0)};
         });
    // One flag is shared by additions and subtractions. A subtraction adds the complement, so it sets the flag where nothing is borrowed.
    push("sub_cc_addc", "sub.cc." + type + " %d, %a, %c;\naddc." + type + " %e, %b, %c;", [=](const Operands& o) {
        const T a = static_cast<T>(o.a), c = static_cast<T>(o.c);
        return Results{static_cast<T>(a - c), static_cast<T>(static_cast<T>(o.b) + c + (a >= c))};
    });
    push("add_cc_subc", "add.cc." + type + " %d, %a, %c;\nsubc." + type + " %e, %b, %c;", [=](const Operands& o) {
        const T a = static_cast<T>(o.a), c = static_cast<T>(o.c), sum = static_cast<T>(a + c);
        return Results{sum, static_cast<T>(static_cast<T>(o.b) - c - (sum >= c))};
    });
    push("subc_cc_addc",
         ".reg .b" + std::to_string(bits) + " t;\nadd.cc." + type + " t, %a, %b;\nsubc.cc." + type + " %d, %b, %c;\naddc." + type +
             " %e, 0, 0;",
         [=](const Operands& o) {
             const T a = static_cast<T>(o.a), b = static_cast<T>(o.b), c = static_cast<T>(o.c);
             const bool is_carried = static_cast<T>(a + b) < a;
             const Wide difference = Wide{b} - c - !is_carried;
             return Results{static_cast<T>(difference), static_cast<T>(difference >= 0)};
         });
    push("mad_cc_subc", "mad.lo.cc." + type + " %d, %a, %b, %c;\nsubc." + type + " %e, %a, %b;", [=](const Operands& o) {
        const T a = static_cast<T>(o.a), b = static_cast<T>(o.b), c = static_cast<T>(o.c), sum = static_cast<T>(a * b + c);
        return Results{sum, static_cast<T>(a - b - (sum >= c))};
    });
    push("mad_cc_madc", "mad.lo.cc." + type + " %d, %a, %b, %c;\nmadc.hi." + type + " %e, %a, %b, %c;", [=](const Operands& o) {
        const UnsignedWide c = static_cast<T>(o.c);
        return halves(UnsignedWide{static_cast<T>(o.a)} * static_cast<T>(o.b) + ((c << bits) | c));
    });
    push("madc_lo_hi_cc",
         ".reg .b" + std::to_string(bits) + " t;\nadd.cc." + type + " t, %a, %b;\nmadc.lo.cc." + type + " t, %a, %c, %b;\nmadc.hi.cc." +
             type + " %d, %b, %c, %a;\naddc." + type + " %e, 0, 0;",
         [=](const Operands& o) {
             const UnsignedWide a = static_cast<T>(o.a), b = static_cast<T>(o.b), c = static_cast<T>(o.c);
             const UnsignedWide first = (a + b) >> bits;
             const UnsignedWide second = UnsignedWide{static_cast<T>(a * c)} + b + first;
             const UnsignedWide third = UnsignedWide{static_cast<T>((b * c) >> bits)} + a + (second >> bits);
             return halves(third);
         });
    push("mad_hi_cc", "mad.hi.cc." + type + " %d, %a, %b, %c;\naddc." + type + " %e, 0, 0;", [=](const Operands& o) {
        const UnsignedWide product = UnsignedWide{static_cast<T>(o.a)} * static_cast<T>(o.b);
        return halves(UnsignedWide{static_cast<T>(product >> bits)} + static_cast<T>(o.c));
    });
}

}  // namespace

void add_integer_cases(std::vector<OpcodeCase>& cases) {
    add_type<std::uint16_t>(cases);
    add_type<std::int16_t>(cases);
    add_type<std::uint32_t>(cases);
    add_type<std::int32_t>(cases);
    add_type<std::uint64_t>(cases);
    add_type<std::int64_t>(cases);
    add_carry_cases<std::uint32_t>(cases);
    add_carry_cases<std::uint64_t>(cases);

    add<std::int32_t>(cases, "add.sat", 2, [](Wide a, Wide b, Wide) { return clamp32(a + b); });
    add<std::int32_t>(cases, "sub.sat", 2, [](Wide a, Wide b, Wide) { return clamp32(a - b); });
    add<std::int32_t>(cases, "mad.hi.sat", 3, [](Wide a, Wide b, Wide c) { return clamp32(((a * b) >> 32) + c); });
    // The high half of a signed product differs; the flag does not.
    cases.push_back({"mad_hi_cc_s32", "mad.hi.cc.s32 %d, %a, %b, %c;\naddc.s32 %e, 0, 0;", "www", "ww", {}, [](const Operands& o) {
                         const Wide product = Wide{static_cast<std::int32_t>(o.a)} * static_cast<std::int32_t>(o.b);
                         const std::uint64_t sum =
                             std::uint64_t{static_cast<std::uint32_t>(product >> 32)} + static_cast<std::uint32_t>(o.c);
                         return Results{sum & 0xffffffff, sum >> 32};
                     }});

    for (const bool signed_a : {false, true}) {
        for (const bool signed_b : {false, true}) {
            const std::string types = std::string(signed_a ? "s32" : "u32") + "." + (signed_b ? "s32" : "u32");
            cases.push_back({case_name("dp4a." + types), "dp4a." + types + " %d, %a, %b, %c;", "www", "w-", {}, [=](const Operands& o) {
                                 std::uint64_t sum = o.c;
                                 for (unsigned i = 0; i < 4; ++i) {
                                     const auto x = static_cast<std::int64_t>(o.a >> (8 * i) & 0xff);
                                     const auto y = static_cast<std::int64_t>(o.b >> (8 * i) & 0xff);
                                     sum += static_cast<std::uint64_t>((signed_a && x > 127 ? x - 256 : x) *
                                                                       (signed_b && y > 127 ? y - 256 : y));
                                 }
                                 return Results{sum & 0xffffffff, 0};
                             }});
        }
    }
}

}  // namespace cupool::ptx::test
