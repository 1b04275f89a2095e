#pragma once

#include <string>

namespace cupool::detail {

/// Finds what is wrong with the file of a shared library without loading it; empty if nothing is.
///
/// dlopen maps a file and then reads the mapping, so a truncated file kills the process by SIGBUS.
/// Therefore every loadable segment must lie within the file. The check also covers the machine
/// type. It never blocks: it reports anything but a regular file as a fault and does not open it.
/// (Layouts: System V ABI, "Object Files" and "Program Loading".)
std::string find_elf_fault(const std::string& path);

}  // namespace cupool::detail
