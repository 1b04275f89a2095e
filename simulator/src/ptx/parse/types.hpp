#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cupool::ptx {

/// Fundamental types of registers and instructions.
enum class Type : std::uint8_t { none, b8, b16, b32, b64, u8, u16, u32, u64, s8, s16, s32, s64, f32, f64, pred };

using TypeSet = std::uint32_t;

constexpr TypeSet set_of(Type type) { return TypeSet{1} << static_cast<unsigned>(type); }

template <class... Types>
constexpr TypeSet set_of(Type first, Types... rest) {
    return set_of(first) | set_of(rest...);
}

constexpr bool contains(TypeSet set, Type type) { return (set & set_of(type)) != 0; }

constexpr unsigned bits_of(Type type) {
    switch (type) {
        case Type::b8:
        case Type::u8:
        case Type::s8: return 8;
        case Type::b16:
        case Type::u16:
        case Type::s16: return 16;
        case Type::b32:
        case Type::u32:
        case Type::s32:
        case Type::f32: return 32;
        case Type::b64:
        case Type::u64:
        case Type::s64:
        case Type::f64: return 64;
        case Type::pred: return 1;
        case Type::none: break;
    }
    return 0;
}

constexpr bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

constexpr bool is_signed(Type type) { return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64; }

/// State spaces; `generic` is a generic address.
enum class Space : std::uint8_t { generic, global, constant, shared, local, parameter };

constexpr std::string_view to_string(Space space) {
    switch (space) {
        case Space::generic: return "generic";
        case Space::global: return "global";
        case Space::constant: return "const";
        case Space::shared: return "shared";
        case Space::local: return "local";
        case Space::parameter: return "param";
    }
    return "unknown";
}

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

inline constexpr unsigned warp_size = 32;

}  // namespace cupool::ptx
