#pragma once

/// \file
/// The results of cuGetProcAddress.

namespace cupool::abi {

/// CUdriverProcAddressQueryResult.
enum class ProcAddressQueryResult : int { success = 0, symbol_not_found = 1, version_not_sufficient = 2 };

}  // namespace cupool::abi
