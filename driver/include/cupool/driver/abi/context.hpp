#pragma once

/// \file
/// Flags, limits and affinity of contexts.

namespace cupool::abi {

/// CUctx_flags; a bit set, with at most one of the four scheduling policies.
enum class ContextFlags : unsigned {
    schedule_auto = 0,
    schedule_spin = 1,
    schedule_yield = 2,
    schedule_blocking = 4,
    map_host = 8,
    local_memory_resize_to_max = 16,
    synchronous_memory_operations = 128,
};

/// CUlimit, restricted to the limits that every driver knows.
enum class ContextLimit : int {
    stack_bytes = 0,
    printf_fifo_bytes = 1,
    malloc_heap_bytes = 2,
    device_runtime_pending_launches = 4,
    max_l2_fetch_granularity = 5,
    persisting_l2_cache_bytes = 6,
};

/// CUfunc_cache.
enum class CacheConfig : int { none = 0, prefer_shared = 1, prefer_l1 = 2, prefer_equal = 3 };

/// CUexecAffinityType.
enum class ExecutionAffinityType : int { multiprocessor_count = 0 };

/// CUexecAffinityParam.
struct ExecutionAffinity {
    ExecutionAffinityType type;
    unsigned multiprocessor_count;
};

}  // namespace cupool::abi
