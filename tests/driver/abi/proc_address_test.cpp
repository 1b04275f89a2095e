// The declarations of <cupool/driver/abi/proc_address.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(ProcAddressQueryResult::success, CU_GET_PROC_ADDRESS_SUCCESS)
CUPOOL_NUMBER(ProcAddressQueryResult::symbol_not_found, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
CUPOOL_NUMBER(ProcAddressQueryResult::version_not_sufficient, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)
// clang-format on

}  // namespace cupool::abi
