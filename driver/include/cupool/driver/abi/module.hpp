#pragma once

/// \file
/// How modules and libraries load.

namespace cupool::abi {

/// CUmoduleLoadingMode.
enum class ModuleLoadingMode : int { eager = 1, lazy = 2 };

/// CUlibraryOption; cupool passes none.
enum class LibraryOption : int { host_universal_function_and_data_table = 0, binary_is_preserved = 1 };

}  // namespace cupool::abi
