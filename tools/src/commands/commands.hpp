#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "program/outcome.hpp"

namespace cupool::tools {

/// Each function adds a command to the tool. If the command line names the command, it runs and
/// stores its text for stdout in `output`, or its whole outcome.
/// \{
void add_msm_command(CLI::App& app, std::string& output);
void add_kzg_commit_command(CLI::App& app, std::string& output);
void add_reduce_command(CLI::App& app, std::string& output);
void add_ntt_command(CLI::App& app, std::string& output);
void add_poseidon_command(CLI::App& app, std::string& output);
void add_color_command(CLI::App& app, Outcome& outcome);
void add_bench_command(CLI::App& app, std::string& output);
/// \}

}  // namespace cupool::tools
