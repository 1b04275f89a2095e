#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../simulator/ptx/machine.hpp"
#include "ptx/ptx.hpp"

namespace cupool::ptx::test {

/// Memory that a fuzzed module may ask for, of any one kind: drivers refuse more.
inline constexpr std::uint64_t max_fuzzed_bytes = 1 << 20;

/// Runs an entry in two small blocks for a few steps, without and with checks and a seed. Every word of its parameters that can be an
/// address leads to a small buffer.
inline void run_briefly(Loaded& loaded, Memory& memory, std::size_t index) {
    const Entry& entry = loaded.program.entries()[index];
    if (!entry.refusal.empty()) return;
    if (std::max({entry.parameter_bytes, entry.shared_bytes, entry.local_bytes}) > max_fuzzed_bytes) return;
    const std::uint64_t address = memory.allocate(512) + 64;
    std::vector<std::byte> parameters(entry.parameter_bytes);
    for (const Parameter& parameter : entry.parameters) {
        if (parameter.size == sizeof address) std::memcpy(parameters.data() + parameter.offset, &address, sizeof address);
    }
    Launch launch;
    launch.entry = index;
    launch.grid = {2};
    launch.block = {48};
    launch.dynamic_shared_bytes = 64;
    launch.parameters = parameters;
    launch.variable_addresses = loaded.addresses;
    Limits limits;
    limits.warp_instructions = 2000;
    limits.device_stack_bytes = 4096;
    for (const bool checked : {false, true}) {
        launch.checks = {checked, checked};
        launch.seed = checked ? 1 : 0;
        const Outcome outcome = execute(loaded.program, launch, memory, limits);
        if (!outcome && outcome.report.empty()) throw std::logic_error("a fault without a report");
    }
}

/// What a fuzzer does with a text: loads it and runs its first entries. Whatever the text, that ends in a ParseError with a log, or in
/// outcomes.
inline void load_and_run(std::string_view text) {
    constexpr std::size_t max_entries = 4;
    std::optional<Program> program;
    try {
        program = Program::parse(text);
    } catch (const ParseError& error) {
        if (error.log().empty()) throw std::logic_error("a refusal without a log");
        return;
    }
    std::uint64_t bytes = 0;
    for (const Variable& variable : program->variables()) bytes += std::min(variable.size, max_fuzzed_bytes);
    if (bytes >= max_fuzzed_bytes) return;
    Memory memory;
    Loaded loaded(memory, *program);
    for (std::size_t i = 0; i < std::min(max_entries, program->entries().size()); ++i) run_briefly(loaded, memory, i);
}

}  // namespace cupool::ptx::test
