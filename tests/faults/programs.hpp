#pragma once

#include <span>

#include "world.hpp"

namespace cupool::test {

/// A small job over the public API on a machine of two devices, whose right answer is known.
struct Program {
    const char* name;
    /// Runs it. \return whether the answer is right. \throws Error where it failed, and std::logic_error where it broke a promise in
    /// failing
    bool (*run)(World& world);
    /// About how many times as long as the shortest ones it takes.
    unsigned cost = 1;
    /// Whether only the whole matrix has it.
    bool on_demand = false;
    /// Whether it reports failures in words of its own, which name the call but have a category of their own.
    bool explains = false;
    /// Whether work of one device uses another's memory for long: it can be awaited only with the contexts of both.
    bool crosses_devices = false;
};

/// All of them.
std::span<const Program> programs();

}  // namespace cupool::test
