// The numbers that driver/src/profiling/profiler_range.cpp passes to profilers, compared with the headers of NVTX.

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

static_assert(NVTX_ETID_CALLBACKS == 1 && NVTX_ETID_VERSIONINFO == 3);
static_assert(NVTX_CBID_CORE_RangePushA == 9 && NVTX_CBID_CORE_RangePop == 11);
static_assert(NVTX_CB_MODULE_CORE == 1 && NVTX_CBID_CORE_SIZE == 16);
static_assert(NVTX_CB_MODULE_CUDA == 2 && NVTX_CBID_CUDA_SIZE == 9);
static_assert(NVTX_CB_MODULE_OPENCL == 3 && NVTX_CBID_OPENCL_SIZE == 15);
static_assert(NVTX_CB_MODULE_CUDART == 4 && NVTX_CBID_CUDART_SIZE == 7);
static_assert(NVTX_CB_MODULE_CORE2 == 5 && NVTX_CBID_CORE2_SIZE == 16);
static_assert(NVTX_CB_MODULE_SYNC == 6 && NVTX_CBID_SYNC_SIZE == 7);
#endif
