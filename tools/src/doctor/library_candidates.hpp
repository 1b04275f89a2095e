#pragma once

#include <string>
#include <vector>

#include "doctor/host_files.hpp"

namespace cupool::tools {

/// The files that the dynamic loader would find for a library, in its order, then those in other
/// known folders. \param library_path  the variable LD_LIBRARY_PATH
std::vector<LibraryCandidate> find_library_candidates(const HostFiles& files, const std::string& name, const std::string& library_path);

/// What the header of a library file says: "x86-64", "aarch64", "x86", "arm", "ppc64le", or "empty",
/// "truncated", "no ELF".
std::string elf_kind(const HostFiles& files, const std::string& path);

/// The architecture of this program, as elf_kind() names it.
std::string own_architecture();

}  // namespace cupool::tools
