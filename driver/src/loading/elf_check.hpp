#pragma once

#include <string>

namespace cupool::detail {

/// What is wrong with a shared library's file, found without loading it; empty where nothing is.
///
/// dlopen maps a file and then reads the mapping, so a file cut short kills the process by SIGBUS. Every loadable segment must lie within
/// it. Also says whether it is for this machine at all. Never waits: what is no regular file is a fault, and is not opened. (Layouts:
/// System V ABI, "Object Files" and "Program Loading".)
std::string find_elf_fault(const std::string& path);

}  // namespace cupool::detail
