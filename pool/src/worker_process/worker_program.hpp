#pragma once

#include <cupool/pool/worker_pool.hpp>
#include <string>

#include "child_process.hpp"

namespace cupool::detail {

/// The program that the options' workers run. \throws Error invalid_argument where there is none
std::string worker_program(const WorkerOptions& options, const SourceLocation& where);

/// \param program        what worker_program() gave
/// \param role           one of the roles in worker_registry.hpp
/// \param visible_device  the worker's CUDA_VISIBLE_DEVICES; empty: this process's
ChildProcessStart worker_start(const std::string& program, const WorkerOptions& options, const char* role,
                               const std::string& visible_device);

/// The entry of CUDA_VISIBLE_DEVICES that shows a device of this process to another. \throws Error invalid_device where this process's
/// variable has no such entry
std::string visible_entry(int ordinal, const SourceLocation& where);

}  // namespace cupool::detail
