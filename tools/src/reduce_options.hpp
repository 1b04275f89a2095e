#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cupool/kernels/reduce.hpp>
#include <string>

namespace cupool::tools {

/// What is to be reduced and how, by the names that the command line uses.
struct ReduceOptions {
    std::string type;
    std::string operation;

    /// \pre the names passed the checks of add_reduce_options()
    ReduceOperation reduce_operation() const { return *reduce_operation_from_name(operation); }
};

/// Adds --type and --op to a command; required unless the options have defaults.
void add_reduce_options(CLI::App& command, ReduceOptions& options);

/// Calls `function.template operator()<T>()` with the C++ type of that name, and returns what it returns.
/// \pre the name passed the check of add_reduce_options()
template <class Function>
auto with_element_type(const std::string& name, const Function& function) {
    if (name == "i32") return function.template operator()<std::int32_t>();
    if (name == "u32") return function.template operator()<std::uint32_t>();
    if (name == "i64") return function.template operator()<std::int64_t>();
    if (name == "u64") return function.template operator()<std::uint64_t>();
    if (name == "f32") return function.template operator()<float>();
    return function.template operator()<double>();
}

}  // namespace cupool::tools
