#pragma once

#include <string>
#include <vector>

#include "programs.hpp"

namespace cupool::test {

/// One failure of one call of one program.
struct Cell {
    const Program* program;
    const char* entry_point;  ///< by base name
    std::uint64_t nth;        ///< of the program's calls of it, from 1
    int answer;
    CupoolSimFaultDuration duration;
};

/// "msm bn254: cuLaunchKernel, call 3, answers 700 once"
std::string to_string(const Cell& cell);

/// The driver calls that a program makes when nothing fails. \throws std::runtime_error where it does not succeed
std::vector<const char*> calls_of(const Program& program);

/// Runs a program with that failure, and again. \return which promises were broken, a line each; empty where all were kept
std::string run(const Cell& cell);

}  // namespace cupool::test
