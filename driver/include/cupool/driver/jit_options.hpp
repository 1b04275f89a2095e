#pragma once

#include <cupool/driver/abi.hpp>
#include <optional>

namespace cupool {

/// How the driver compiles PTX and links; as its own defaults where nothing is set. (The options of its that concern only the languages
/// that it no longer compiles, such as those on fast arithmetic, are left out: PTX says in each instruction what it wants.)
struct JitOptions {
    std::optional<int> max_registers;                  ///< a thread may use
    std::optional<int> threads_per_block;              ///< to compile for: no more registers than so many threads leave
    std::optional<int> min_blocks_per_multiprocessor;  ///< the same, for so many blocks at once; from CUDA 12.4
    std::optional<int> optimization_level;             ///< 0 to 4; the driver's default is 4
    std::optional<int> target;                         ///< compute capability times ten; the driver's default is the device's
    std::optional<abi::JitFallback> fallback;          ///< where there is no code for just that device
    std::optional<abi::JitCacheMode> cache_mode;       ///< what loads do with the first level of cache
    bool debug_info = false;                           ///< for debuggers
    bool line_info = false;                            ///< for profilers
    /// For code that is linked with other code later.
    bool position_independent_code = false;
    bool verbose = false;    ///< ask for register and memory use of each kernel in info_log()
    bool wall_time = false;  ///< ask how long it took: compile_milliseconds()
};

}  // namespace cupool
