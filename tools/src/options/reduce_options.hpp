#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cupool/kernels/reduce.hpp>
#include <string>
#include <type_traits>

namespace cupool::tools {

/// A reduction by the names of the command line.
struct ReduceOptions {
    std::string type;
    std::string operation;
    bool wide = false;         ///< the result type is Wide<T>
    bool compensated = false;  ///< as ReduceConfig::compensated

    /// Whether the operation is argmin or argmax.
    bool is_arg_operation() const { return arg_operation_from_name(operation).has_value(); }
    /// \pre !is_arg_operation(), and the names passed the checks of add_reduce_options()
    ReduceOperation reduce_operation() const { return *reduce_operation_from_name(operation); }
    /// \pre is_arg_operation()
    ArgOperation arg_operation() const { return *arg_operation_from_name(operation); }

    /// \throws UsageError if type, operation and result type do not fit together
    void require_consistent() const;
};

/// Adds --type, --op, --wide and --compensated to a command; the first two are required unless the options have defaults.
void add_reduce_options(CLI::App& command, ReduceOptions& options);

/// Calls `function.template operator()<T>()` with the C++ type of that name and returns its result.
/// \pre the name passed the check of add_reduce_options()
template <class Function>
auto with_element_type(const std::string& name, const Function& function) {
    if (name == "i8") return function.template operator()<std::int8_t>();
    if (name == "u8") return function.template operator()<std::uint8_t>();
    if (name == "i16") return function.template operator()<std::int16_t>();
    if (name == "u16") return function.template operator()<std::uint16_t>();
    if (name == "i32") return function.template operator()<std::int32_t>();
    if (name == "u32") return function.template operator()<std::uint32_t>();
    if (name == "i64") return function.template operator()<std::int64_t>();
    if (name == "u64") return function.template operator()<std::uint64_t>();
    if (name == "f16") return function.template operator()<Float16>();
    if (name == "bf16") return function.template operator()<BFloat16>();
    if (name == "f32") return function.template operator()<float>();
    return function.template operator()<double>();
}

/// Calls `function.template operator()<T, R>()` with the types of elements and result and returns
/// its result.
template <class Function>
auto with_reduce_types(const ReduceOptions& options, const Function& function) {
    return with_element_type(options.type, [&]<class T>() {
        return options.wide ? function.template operator()<T, Wide<T>>() : function.template operator()<T, T>();
    });
}

template <class T>
inline constexpr bool is_16_bit_float = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// The exact value of an element or a result as a built-in arithmetic type.
template <class T>
auto number_of(T value) {
    if constexpr (is_16_bit_float<T>) {
        return static_cast<float>(value);
    } else {
        return value;
    }
}

}  // namespace cupool::tools
