#pragma once

// NVIDIA's cuda.h, and what compares our own declarations with it at compile time.

#include <cuda.h>

#include <cstddef>
#include <cupool/driver/abi.hpp>
#include <type_traits>

#define CUPOOL_NUMBER(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #ours);
#define CUPOOL_LAYOUT(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs), #ours);
#define CUPOOL_MEMBER(ours, our_member, theirs, their_member)                                                                     \
    static_assert(                                                                                                                \
        offsetof(ours, our_member) == offsetof(theirs, their_member) && sizeof(ours::our_member) == sizeof(theirs::their_member), \
        #ours "::" #our_member);

namespace cupool::abi {

/// Whether two types are the same to the caller of a C function.
template <class Ours, class Theirs>
constexpr bool is_compatible() {
    if constexpr (std::is_same_v<Ours, Theirs>) {
        return true;
    } else if constexpr (std::is_const_v<Ours> || std::is_const_v<Theirs>) {
        return std::is_const_v<Ours> == std::is_const_v<Theirs> && is_compatible<std::remove_const_t<Ours>, std::remove_const_t<Theirs>>();
    } else if constexpr (std::is_function_v<std::remove_pointer_t<Ours>> || std::is_void_v<Ours> || std::is_void_v<Theirs>) {
        return false;
    } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
        return is_compatible<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>();
    } else {
        return std::is_enum_v<Ours> == std::is_enum_v<Theirs> && std::is_integral_v<Ours> == std::is_integral_v<Theirs> &&
               std::is_class_v<Ours> == std::is_class_v<Theirs> && sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
               (!std::is_integral_v<Ours> || std::is_signed_v<Ours> == std::is_signed_v<Theirs>);
    }
}

}  // namespace cupool::abi
