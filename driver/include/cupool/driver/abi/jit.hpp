#pragma once

/// \file
/// Options and inputs of the JIT compiler and linker.

namespace cupool::abi {

/// CUjit_option, restricted to those that cupool passes.
enum class JitOption : int {
    max_registers = 0,
    threads_per_block = 1,
    wall_time = 2,
    info_log_buffer = 3,
    info_log_buffer_size_bytes = 4,
    error_log_buffer = 5,
    error_log_buffer_size_bytes = 6,
    optimization_level = 7,
    target_from_context = 8,
    target = 9,
    fallback_strategy = 10,
    generate_debug_info = 11,
    log_verbose = 12,
    generate_line_info = 13,
    cache_mode = 14,
    position_independent_code = 30,
    min_blocks_per_multiprocessor = 31,
    max_threads_per_block = 32,
    override_directive_values = 33,
    split_compile = 34,
};

/// CUjit_fallback.
enum class JitFallback : int { prefer_ptx = 0, prefer_binary = 1 };

/// CUjit_cacheMode: how loads use the L1 cache.
enum class JitCacheMode : int { none = 0, global_level_only = 1, all_levels = 2 };

/// CUjitInputType.
enum class LinkInput : int { cubin = 0, ptx = 1, fat_binary = 2, object = 3, library = 4 };

}  // namespace cupool::abi
