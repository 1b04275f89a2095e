// The declarations of <cupool/driver/abi/context.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(ContextFlags::schedule_auto, CU_CTX_SCHED_AUTO)
CUPOOL_NUMBER(ContextFlags::schedule_spin, CU_CTX_SCHED_SPIN)
CUPOOL_NUMBER(ContextFlags::schedule_yield, CU_CTX_SCHED_YIELD)
CUPOOL_NUMBER(ContextFlags::schedule_blocking, CU_CTX_SCHED_BLOCKING_SYNC)
CUPOOL_NUMBER(ContextFlags::map_host, CU_CTX_MAP_HOST)
CUPOOL_NUMBER(ContextFlags::local_memory_resize_to_max, CU_CTX_LMEM_RESIZE_TO_MAX)
CUPOOL_NUMBER(ContextFlags::synchronous_memory_operations, CU_CTX_SYNC_MEMOPS)
CUPOOL_NUMBER(ContextLimit::stack_bytes, CU_LIMIT_STACK_SIZE)
CUPOOL_NUMBER(ContextLimit::printf_fifo_bytes, CU_LIMIT_PRINTF_FIFO_SIZE)
CUPOOL_NUMBER(ContextLimit::malloc_heap_bytes, CU_LIMIT_MALLOC_HEAP_SIZE)
CUPOOL_NUMBER(ContextLimit::device_runtime_pending_launches, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT)
CUPOOL_NUMBER(ContextLimit::max_l2_fetch_granularity, CU_LIMIT_MAX_L2_FETCH_GRANULARITY)
CUPOOL_NUMBER(ContextLimit::persisting_l2_cache_bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
CUPOOL_NUMBER(CacheConfig::none, CU_FUNC_CACHE_PREFER_NONE)
CUPOOL_NUMBER(CacheConfig::prefer_shared, CU_FUNC_CACHE_PREFER_SHARED)
CUPOOL_NUMBER(CacheConfig::prefer_l1, CU_FUNC_CACHE_PREFER_L1)
CUPOOL_NUMBER(CacheConfig::prefer_equal, CU_FUNC_CACHE_PREFER_EQUAL)
CUPOOL_NUMBER(ExecutionAffinityType::multiprocessor_count, CU_EXEC_AFFINITY_TYPE_SM_COUNT)
// clang-format on

CUPOOL_LAYOUT(ExecutionAffinity, CUexecAffinityParam)
CUPOOL_MEMBER(ExecutionAffinity, type, CUexecAffinityParam, type)
CUPOOL_MEMBER(ExecutionAffinity, multiprocessor_count, CUexecAffinityParam, param.smCount.val)

}  // namespace cupool::abi
