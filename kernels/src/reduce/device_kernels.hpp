#pragma once

/// \file
/// The reduction kernels: which of them a type and operation take, and with what.

#include <cstdint>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/kernels/reduce.hpp>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>

#include "support/shipped_code.hpp"

namespace cupool::detail {

/// Element types whose kernels are a module, and another for the middle dimension: integers of one size share theirs.
enum class ReduceModuleName { u8, u16, u32, u64, f16, bf16, f32, f64 };

template <class T>
constexpr ReduceModuleName reduce_module_of() {
    if constexpr (std::is_same_v<T, Float16>) return ReduceModuleName::f16;
    if constexpr (std::is_same_v<T, BFloat16>) return ReduceModuleName::bf16;
    if constexpr (std::is_same_v<T, float>) return ReduceModuleName::f32;
    if constexpr (std::is_same_v<T, double>) return ReduceModuleName::f64;
    if constexpr (sizeof(T) == 1) return ReduceModuleName::u8;
    if constexpr (sizeof(T) == 2) return ReduceModuleName::u16;
    if constexpr (sizeof(T) == 4) return ReduceModuleName::u32;
    return ReduceModuleName::u64;
}

/// What a kernel accumulates, and the mask of element bits that it inverts: see accumulation.cuh.
struct ReduceArithmetic {
    ReduceModuleName module;
    const char* policy;  ///< of kernel names: sum, wide_sum, product, minimum or index
    std::uint64_t flip;
    unsigned element_bytes;
    unsigned accumulator_bytes;
};

template <class T>
constexpr std::uint64_t sign_bit = std::uint64_t{1} << (8 * sizeof(T) - 1);
template <class T>
constexpr std::uint64_t all_bits = sign_bit<T> | (sign_bit<T> - 1);
template <class T>
constexpr bool is_float_element = std::is_floating_point_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// \pre `operation` is no product of floats
template <class T, class R>
ReduceArithmetic reduce_arithmetic(ReduceOperation operation, bool compensated) {
    constexpr ReduceModuleName module = reduce_module_of<T>();
    constexpr unsigned bytes = sizeof(T);
    if constexpr (is_float_element<T>) {
        constexpr unsigned accumulator = bytes == 8 ? 8 : 4;
        if (operation != ReduceOperation::sum) {
            // Floats in shorter accumulators than their own size there are none; 16-bit floats are floats when their sign is flipped.
            constexpr std::uint64_t sign = bytes == 8 ? sign_bit<std::uint64_t> : sign_bit<std::uint32_t>;
            return {module, "minimum", operation == ReduceOperation::max ? sign : 0, bytes, accumulator};
        }
        const bool is_wide = bytes > 2 && (compensated || sizeof(R) > bytes);
        return {module, is_wide ? "wide_sum" : "sum", 0, bytes, is_wide ? 2 * accumulator : accumulator};
    } else {
        constexpr std::uint64_t sign = std::is_signed_v<T> ? sign_bit<T> : 0;
        constexpr std::uint64_t extended_sign = sizeof(R) > bytes ? sign : 0;
        constexpr unsigned key = bytes == 8 ? 8 : 4;
        switch (operation) {
            case ReduceOperation::sum: return {module, "sum", extended_sign, bytes, 8};
            case ReduceOperation::product: return {module, "product", extended_sign, bytes, 8};
            case ReduceOperation::min: return {module, "minimum", sign, bytes, key};
            case ReduceOperation::max: break;
        }
        return {module, "minimum", sign ^ all_bits<T>, bytes, key};
    }
}

template <class T>
ReduceArithmetic arg_reduce_arithmetic(ArgOperation operation) {
    const std::uint64_t sign = is_float_element<T> || std::is_unsigned_v<T> ? 0 : sign_bit<T>;
    return {reduce_module_of<T>(), "index", operation == ArgOperation::min ? sign : sign ^ all_bits<T>, sizeof(T), 16};
}

/// A kernel, and how many of its blocks of reduce_lanes threads the device holds at once. With more blocks in a grid whose blocks all
/// have the same work, the last ones run on a device that is mostly idle.
struct ReduceKernel : UntypedKernel {
    explicit ReduceKernel(const UntypedKernel& kernel);

    unsigned resident_blocks;
};

/// The reduction kernels in one context. Modules and kernels are loaded when they are first asked for. Safe from any thread.
class ReduceKernels {
public:
    explicit ReduceKernels(ContextView context) : context_(context) {}

    /// \param shape  of kernel names: whole, ..., middle or middle_values
    ReduceKernel get(const ReduceArithmetic& arithmetic, const std::string& shape);

private:
    ContextView context_;
    std::mutex mutex_;
    std::map<const ShippedCode*, Module> modules_;
    std::map<std::pair<const ShippedCode*, std::string>, ReduceKernel> kernels_;
};

}  // namespace cupool::detail
