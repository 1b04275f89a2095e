#pragma once

/// \file
/// Applies a macro to every element type of reductions, or to every pair of an element and a result type.

#define CUPOOL_FOR_EACH_REDUCE_ELEMENT(macro)                                                                                \
    macro(std::int8_t) macro(std::uint8_t) macro(std::int16_t) macro(std::uint16_t) macro(std::int32_t) macro(std::uint32_t) \
        macro(std::int64_t) macro(std::uint64_t) macro(Float16) macro(BFloat16) macro(float) macro(double)

#define CUPOOL_FOR_EACH_REDUCE_RESULT(macro)                                                                                              \
    macro(std::int8_t, std::int8_t) macro(std::int8_t, std::int64_t) macro(std::uint8_t, std::uint8_t) macro(std::uint8_t, std::uint64_t) \
        macro(std::int16_t, std::int16_t) macro(std::int16_t, std::int64_t) macro(std::uint16_t, std::uint16_t)                           \
            macro(std::uint16_t, std::uint64_t) macro(std::int32_t, std::int32_t) macro(std::int32_t, std::int64_t)                       \
                macro(std::uint32_t, std::uint32_t) macro(std::uint32_t, std::uint64_t) macro(std::int64_t, std::int64_t)                 \
                    macro(std::uint64_t, std::uint64_t) macro(Float16, Float16) macro(Float16, float) macro(BFloat16, BFloat16)           \
                        macro(BFloat16, float) macro(float, float) macro(float, double) macro(double, double)
