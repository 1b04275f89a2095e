#include "ptx/run/arithmetic_includes.hpp"
#include "ptx/run/rounding_scope.hpp"

namespace cupool::ptx {
namespace {

/// Modifiers of cvt, as bits of Instruction::choice2.
enum ConversionFlags : std::uint8_t { flush_subnormals = 1, saturates = 2, to_integral = 4 };

template <class T>
T flushed(T value) {
    if constexpr (!std::is_same_v<T, float>) return value;
    return std::fabs(value) < std::numeric_limits<T>::min() ? std::copysign(T{0}, value) : value;
}

// Out of range: the nearest representable number. A NaN becomes the top bit alone, or 0 from f32 to at most 32 bits (as on an H200).
template <class D, class A>
D whole_number(A value) {
    if (value != value) {
        constexpr std::uint64_t top_bit = std::uint64_t{1} << (8 * sizeof(D) - 1);
        return sizeof(A) == 4 && sizeof(D) < 8 ? D{0} : static_cast<D>(top_bit);
    }
    const A whole = std::nearbyint(value);  // in the current rounding mode
    constexpr A least = static_cast<A>(std::numeric_limits<D>::min());
    // The maximum plus one: a power of two, which every float type represents.
    constexpr A past = static_cast<A>(std::uint64_t{1} << (std::numeric_limits<D>::digits - 1)) * 2;
    if (whole < least) return std::numeric_limits<D>::min();
    if (whole >= past) return std::numeric_limits<D>::max();
    return static_cast<D>(whole);
}

// A NaN keeps its sign and the part of its payload that fits, quieted; f32 to f32, or with flushing, gives the canonical NaN.
double widened_nan(float nan) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(nan);
    const std::uint64_t sign = std::uint64_t{bits >> 31} << 63;
    return quiet(std::bit_cast<double>(sign | 0x7ff0'0000'0000'0000 | std::uint64_t{bits & 0x007f'ffff} << 29));
}

float narrowed_nan(double nan) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(quiet(nan));
    const auto sign = static_cast<std::uint32_t>(bits >> 63) << 31;
    return std::bit_cast<float>(sign | 0x7f80'0000 | static_cast<std::uint32_t>(bits >> 29 & 0x007f'ffff));
}

template <class D, class A>
D converted_nan(A nan, std::uint8_t flags) {
    if constexpr (sizeof(D) < sizeof(A)) {
        return narrowed_nan(nan);
    } else if constexpr (sizeof(D) > sizeof(A)) {
        return widened_nan((flags & flush_subnormals) != 0 ? new_nan<A>() : nan);
    } else if constexpr (sizeof(D) == 8) {
        return quiet(nan);
    } else {
        return new_nan<D>();
    }
}

template <class D, class A>
D to_float(A value, std::uint8_t flags) {
    D result = 0;
    if constexpr (std::is_floating_point_v<A>) {
        result = static_cast<D>((flags & to_integral) != 0 ? std::nearbyint(value) : value);
        if (value != value) result = converted_nan<D>(value, flags);
    } else {
        result = static_cast<D>(value);
        // Conversions by sums of halves turn 0 into -0 when rounding down.
        if (value == 0) result = 0;
    }
    if ((flags & flush_subnormals) != 0) result = flushed(result);
    if ((flags & saturates) != 0) result = result > 1 ? D{1} : result > 0 ? result : D{0};
    return result;
}

template <class D, class A, class ToSlot, class FromSlot>
void convert(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const RoundingScope scope(instruction.choice);
    const std::uint8_t flags = instruction.choice2;
    const FromSlot* from = warp.slots<FromSlot>(instruction.operands[1]);
    ToSlot* to = warp.slots<ToSlot>(instruction.operands[0]);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        A value = 0;
        if constexpr (std::is_floating_point_v<A>) {
            value = std::bit_cast<A>(from[lane]);
            if ((flags & flush_subnormals) != 0) value = flushed(value);
        } else {
            value = static_cast<A>(from[lane]);
        }
        if constexpr (std::is_floating_point_v<D>) {
            to[lane] = std::bit_cast<ToSlot>(to_float<D>(value, flags));
        } else {
            to[lane] = static_cast<ToSlot>(whole_number<D>(value));
        }
    }
}

template <class Choose>
Handler for_any(Type type, const Choose& choose) {
    switch (type) {
        case Type::u8: return choose(std::uint8_t{});
        case Type::s8: return choose(std::int8_t{});
        case Type::u16: return choose(std::uint16_t{});
        case Type::s16: return choose(std::int16_t{});
        case Type::u32: return choose(std::uint32_t{});
        case Type::s32: return choose(std::int32_t{});
        case Type::u64: return choose(std::uint64_t{});
        case Type::s64: return choose(std::int64_t{});
        case Type::f32: return choose(float{});
        case Type::f64: return choose(double{});
        default: return nullptr;
    }
}

// Float registers have exactly the width of the type; integer registers may be wider.
template <class T, class Slot>
constexpr bool fits = std::is_floating_point_v<T> ? sizeof(Slot) == sizeof(T) : sizeof(Slot) >= sizeof(T);

template <class D, class A, class ToSlot, class FromSlot>
Handler checked() {
    if constexpr (fits<D, ToSlot> && fits<A, FromSlot>) {
        return convert<D, A, ToSlot, FromSlot>;
    } else {
        return nullptr;
    }
}

}  // namespace

Handler select_float_conversion(const Selection& selection) {
    if (selection.operation != Operation::convert) return nullptr;
    return for_any(selection.modifiers.type(), [&]<class D>(D) -> Handler {
        return for_any(selection.modifiers.source_type(), [&]<class A>(A) -> Handler {
            if constexpr (std::is_integral_v<D> && std::is_integral_v<A>) {
                return nullptr;
            } else {
                using Narrow = std::uint32_t;
                using Wide = std::uint64_t;
                if (selection.wide_destination) return selection.wide_source ? checked<D, A, Wide, Wide>() : checked<D, A, Wide, Narrow>();
                return selection.wide_source ? checked<D, A, Narrow, Wide>() : checked<D, A, Narrow, Narrow>();
            }
        });
    });
}

std::uint8_t conversion_flags(const Modifiers& modifiers) {
    std::uint8_t flags = 0;
    if (modifiers.has(Field::ftz)) flags |= flush_subnormals;
    if (modifiers.has(Field::saturate)) flags |= saturates;
    if (modifiers.has(Field::integral)) flags |= to_integral;
    return flags;
}

}  // namespace cupool::ptx
