#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cupool::tools {

/// Each adds a command to the tool; when the command line names it, it runs and puts what is for stdout into `output`.
/// \{
void add_msm_command(CLI::App& app, std::string& output);
void add_kzg_commit_command(CLI::App& app, std::string& output);
void add_reduce_command(CLI::App& app, std::string& output);
void add_bench_command(CLI::App& app, std::string& output);
/// \}

}  // namespace cupool::tools
