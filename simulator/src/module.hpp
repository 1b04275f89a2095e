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
    /// Of every program variable, in their order.
    std::vector<std::shared_ptr<Allocation>> variables;
    /// By entry index; issued when first asked for.
    std::map<std::size_t, abi::Function> functions;
};

struct Function {
    using Handle = abi::Function;
    static constexpr unsigned char handle_tag = 6;

    Handle handle = nullptr;
    Module* module = nullptr;
    std::size_t entry_index = 0;
    std::uint32_t most_dynamic_shared_bytes = 0;

    const ptx::Entry& entry() const { return module->program.entries()[entry_index]; }
};

/// Fails with invalid_handle.
std::shared_ptr<Function> function_of(State& state, abi::Function handle);

}  // namespace cupool::simulator
