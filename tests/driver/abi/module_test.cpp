// The declarations of <cupool/driver/abi/module.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(ModuleLoadingMode::eager, CU_MODULE_EAGER_LOADING)
CUPOOL_NUMBER(ModuleLoadingMode::lazy, CU_MODULE_LAZY_LOADING)
CUPOOL_NUMBER(LibraryOption::host_universal_function_and_data_table, CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE)
CUPOOL_NUMBER(LibraryOption::binary_is_preserved, CU_LIBRARY_BINARY_IS_PRESERVED)
// clang-format on

}  // namespace cupool::abi
