#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <cupool/driver/abi.hpp>

#include "ptx/ptx.hpp"

namespace cupool::simulator {

struct Allocation;
struct Context;
struct State;

struct Module {
    using Handle = abi::Module;
    static constexpr unsigned char handle_tag = 5;

    Handle handle = nullptr;
    Context* context = nullptr;
    ptx::Program program;
    /// The memory of each program variable, by variable index.
    std::vector<std::shared_ptr<Allocation>> variables;
    /// By entry index; created on first request.
    std::map<std::size_t, abi::Function> functions;
    /// Created by a library for one context; invisible to the program.
    bool is_of_library = false;
};

struct Function {
    using Handle = abi::Function;
    static constexpr unsigned char handle_tag = 6;

    Handle handle = nullptr;
    Module* module = nullptr;
    std::size_t entry_index = 0;
    std::uint32_t max_dynamic_shared_bytes = 0;
    int preferred_carveout = -1;
    bool non_portable_cluster_size = false;

    const ptx::Entry& entry() const { return module->program.entries()[entry_index]; }
};

/// Loads a program into a context.
std::shared_ptr<Module> load_module(State& state, Context& context, ptx::Program program);
/// Its context must be idle.
void unload_module(State& state, const Module& module);

/// The handle of a kernel of the module; the same on each call.
abi::Function function_handle(State& state, Module& module, std::size_t entry_index);

/// Implements cuFuncGetAttribute. Fails with invalid_value or not_supported.
int attribute_of(const Function& function, abi::FunctionAttribute attribute);
/// Implements cuFuncSetAttribute. Fails with invalid_value.
void set_attribute(Function& function, abi::FunctionAttribute attribute, int value);

/// Fails with invalid_handle.
std::shared_ptr<Function> function_of(State& state, abi::Function handle);

}  // namespace cupool::simulator
