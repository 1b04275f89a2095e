#pragma once

/// \file
/// The module of a caller's operation: its text, the function that our kernel calls, and the kernel.

#include <cupool/driver/kernel.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/kernels/reduce_by_function.hpp>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace cupool::detail {

/// PTX that combines the operation's text with ours. \throws Error invalid_argument: see PtxOperation
std::string function_module_text(const PtxOperation& operation);

/// The modules of callers' operations in one context. Safe from any thread.
class FunctionModules {
public:
    explicit FunctionModules(ContextView context) : context_(context) {}

    /// \throws Error jit_failure, and what function_module_text() throws
    UntypedKernel kernel(const PtxOperation& operation);

private:
    struct Loaded {
        Module module;
        UntypedKernel kernel;
    };

    ContextView context_;
    std::mutex mutex_;
    std::map<std::tuple<std::string, std::string, std::size_t>, Loaded> modules_;
};

}  // namespace cupool::detail
