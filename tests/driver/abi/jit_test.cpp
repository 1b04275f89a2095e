// The declarations of <cupool/driver/abi/jit.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(JitOption::max_registers, CU_JIT_MAX_REGISTERS)
CUPOOL_NUMBER(JitOption::info_log_buffer, CU_JIT_INFO_LOG_BUFFER)
CUPOOL_NUMBER(JitOption::info_log_buffer_size_bytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
CUPOOL_NUMBER(JitOption::error_log_buffer, CU_JIT_ERROR_LOG_BUFFER)
CUPOOL_NUMBER(JitOption::error_log_buffer_size_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
CUPOOL_NUMBER(JitOption::optimization_level, CU_JIT_OPTIMIZATION_LEVEL)
CUPOOL_NUMBER(JitOption::log_verbose, CU_JIT_LOG_VERBOSE)
CUPOOL_NUMBER(JitOption::cache_mode, CU_JIT_CACHE_MODE)
CUPOOL_NUMBER(JitOption::threads_per_block, CU_JIT_THREADS_PER_BLOCK)
CUPOOL_NUMBER(JitOption::wall_time, CU_JIT_WALL_TIME)
CUPOOL_NUMBER(JitOption::target_from_context, CU_JIT_TARGET_FROM_CUCONTEXT)
CUPOOL_NUMBER(JitOption::target, CU_JIT_TARGET)
CUPOOL_NUMBER(JitOption::fallback_strategy, CU_JIT_FALLBACK_STRATEGY)
CUPOOL_NUMBER(JitOption::generate_debug_info, CU_JIT_GENERATE_DEBUG_INFO)
CUPOOL_NUMBER(JitOption::generate_line_info, CU_JIT_GENERATE_LINE_INFO)
CUPOOL_NUMBER(JitOption::position_independent_code, CU_JIT_POSITION_INDEPENDENT_CODE)
CUPOOL_NUMBER(JitOption::min_blocks_per_multiprocessor, CU_JIT_MIN_CTA_PER_SM)
CUPOOL_NUMBER(JitOption::max_threads_per_block, CU_JIT_MAX_THREADS_PER_BLOCK)
CUPOOL_NUMBER(JitOption::override_directive_values, CU_JIT_OVERRIDE_DIRECTIVE_VALUES)
CUPOOL_NUMBER(JitOption::split_compile, CU_JIT_SPLIT_COMPILE)
CUPOOL_NUMBER(LinkInput::cubin, CU_JIT_INPUT_CUBIN)
CUPOOL_NUMBER(LinkInput::ptx, CU_JIT_INPUT_PTX)
CUPOOL_NUMBER(LinkInput::fat_binary, CU_JIT_INPUT_FATBINARY)
CUPOOL_NUMBER(LinkInput::object, CU_JIT_INPUT_OBJECT)
CUPOOL_NUMBER(LinkInput::library, CU_JIT_INPUT_LIBRARY)
CUPOOL_NUMBER(JitFallback::prefer_ptx, CU_PREFER_PTX)
CUPOOL_NUMBER(JitFallback::prefer_binary, CU_PREFER_BINARY)
CUPOOL_NUMBER(JitCacheMode::none, CU_JIT_CACHE_OPTION_NONE)
CUPOOL_NUMBER(JitCacheMode::global_level_only, CU_JIT_CACHE_OPTION_CG)
CUPOOL_NUMBER(JitCacheMode::all_levels, CU_JIT_CACHE_OPTION_CA)
// clang-format on

}  // namespace cupool::abi
