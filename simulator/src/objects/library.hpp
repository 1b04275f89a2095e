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

/// Code that belongs to no context: each context in which a kernel of it is asked for gets a module of its own.
struct Library {
    using Handle = abi::CodeLibrary;
    static constexpr unsigned char handle_tag = 11;

    Handle handle = nullptr;
    ptx::Program program;
    std::map<abi::Context, abi::Module> modules{};
    /// By entry index, in their order.
    std::vector<abi::LibraryKernel> kernels{};
};

struct LibraryKernel {
    using Handle = abi::LibraryKernel;
    static constexpr unsigned char handle_tag = 12;

    Handle handle = nullptr;
    Library* library = nullptr;
    std::size_t entry_index = 0;
};

/// What a launch is given: a function, or a kernel of a library, which becomes that context's function.
/// Fails with invalid_handle.
std::shared_ptr<Function> launched_function(State& state, abi::Function handle, Context& context);

}  // namespace cupool::simulator
