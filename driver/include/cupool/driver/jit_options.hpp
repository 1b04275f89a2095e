#pragma once

#include <cupool/driver/abi.hpp>
#include <optional>

namespace cupool {

/// How the driver compiles PTX and links. Options that are not set keep the driver's defaults.
/// (Options that affect only languages other than PTX, such as those for fast arithmetic, are left
/// out: each PTX instruction states its own rounding.)
struct JitOptions {
    std::optional<int> max_registers;                  ///< the most registers of a thread
    std::optional<int> threads_per_block;              ///< compile for blocks of this size: a limit for registers
    std::optional<int> min_blocks_per_multiprocessor;  ///< compile for this many blocks at once; from CUDA 12.4
    std::optional<int> optimization_level;             ///< 0 to 4; the driver's default is 4
    std::optional<int> target;                         ///< compute capability times ten; the driver's default is the device's
    std::optional<abi::JitFallback> fallback;          ///< what to do without code for exactly that device
    std::optional<abi::JitCacheMode> cache_mode;       ///< how loads use the L1 cache
    bool debug_info = false;                           ///< for debuggers
    bool line_info = false;                            ///< for profilers
    /// For code that will be linked with other code.
    bool position_independent_code = false;
    bool verbose = false;    ///< report register and memory use of each kernel in info_log()
    bool wall_time = false;  ///< measure the time: compile_milliseconds()
};

}  // namespace cupool
