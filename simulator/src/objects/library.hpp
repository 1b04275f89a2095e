#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <cupool/driver/abi.hpp>

#include "ptx/ptx.hpp"

namespace cupool::simulator {

struct Context;
struct Function;
struct State;

/// Context-independent code: each context in which one of its kernels is requested gets its own module.
struct Library {
    using Handle = abi::CodeLibrary;
    static constexpr unsigned char handle_tag = 11;

    Handle handle = nullptr;
    ptx::Program program;
    std::map<abi::Context, abi::Module> modules{};
    /// By entry index.
    std::vector<abi::LibraryKernel> kernels{};
};

struct LibraryKernel {
    using Handle = abi::LibraryKernel;
    static constexpr unsigned char handle_tag = 12;

    Handle handle = nullptr;
    Library* library = nullptr;
    std::size_t entry_index = 0;
};

/// Resolves the handle passed to a launch: that of a function, or of a library's kernel, for which it returns the context's function. Fails
/// with invalid_handle.
std::shared_ptr<Function> launched_function(State& state, abi::Function handle, Context& context);

}  // namespace cupool::simulator
