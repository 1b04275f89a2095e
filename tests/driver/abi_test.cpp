// Holds cupool's own declarations of libcuda's interface against NVIDIA's cuda.h; compiled only where one is found.

#include <cuda.h>
#include <cudaProfiler.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include <cstddef>
#include <cupool/driver/entry_points.hpp>
#include <cupool/driver/error.hpp>
#include <string_view>
#include <type_traits>

#include "catch.hpp"

// cudaTypedefs.h has it, for the toolkit's own eyes only.
using PFN_cuGraphInstantiate_v11000 = CUresult (*)(CUgraphExec*, CUgraph, CUgraphNode*, char*, size_t);

namespace cupool::abi {

namespace {

/// Whether two types are the same to the caller of a C function.
template <class Ours, class Theirs>
constexpr bool is_compatible() {
    if constexpr (std::is_same_v<Ours, Theirs>) {
        return true;
    } else if constexpr (std::is_const_v<Ours> || std::is_const_v<Theirs>) {
        return std::is_const_v<Ours> == std::is_const_v<Theirs> && is_compatible<std::remove_const_t<Ours>, std::remove_const_t<Theirs>>();
    } else if constexpr (std::is_function_v<std::remove_pointer_t<Ours>> || std::is_void_v<Ours> || std::is_void_v<Theirs>) {
        return false;
    } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
        return is_compatible<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>();
    } else {
        return std::is_enum_v<Ours> == std::is_enum_v<Theirs> && std::is_integral_v<Ours> == std::is_integral_v<Theirs> &&
               std::is_class_v<Ours> == std::is_class_v<Theirs> && sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
               (!std::is_integral_v<Ours> || std::is_signed_v<Ours> == std::is_signed_v<Theirs>);
    }
}

template <class Ours, class Theirs>
struct SameSignature : std::false_type {};

template <class... Ours, class... Theirs>
requires(sizeof...(Ours) == sizeof...(Theirs)) struct SameSignature<Result (*)(Ours...), CUresult (*)(Theirs...)>
    : std::bool_constant<(is_compatible<Ours, Theirs>() && ...)> {
};

/// Whether a PFN_* name is that of the row: PFN_<base>_v<version>.
constexpr bool names_row(std::string_view type, const EntryPointInfo& row) {
    const std::string_view base = row.base;
    if (type.substr(0, 4) != "PFN_" || type.substr(4, base.size()) != base || type.substr(4 + base.size(), 2) != "_v") {
        return false;
    }
    int version = 0;
    for (const char digit : type.substr(6 + base.size())) {
        version = version * 10 + (digit - '0');
    }
    return version == row.version;
}

#define CUPOOL_SIGNATURE(member, type)                                                 \
    static_assert(SameSignature<decltype(EntryPoints::member), type>::value, #member); \
    static_assert(names_row(#type, entry_point_info<&EntryPoints::member>), #member);  \
    constexpr int member##_is_held = 1;

// clang-format off
CUPOOL_SIGNATURE(init, PFN_cuInit_v2000)
CUPOOL_SIGNATURE(driver_get_version, PFN_cuDriverGetVersion_v2020)
CUPOOL_SIGNATURE(get_error_name, PFN_cuGetErrorName_v6000)
CUPOOL_SIGNATURE(get_error_string, PFN_cuGetErrorString_v6000)
CUPOOL_SIGNATURE(device_get_count, PFN_cuDeviceGetCount_v2000)
CUPOOL_SIGNATURE(device_get, PFN_cuDeviceGet_v2000)
CUPOOL_SIGNATURE(device_get_name, PFN_cuDeviceGetName_v2000)
CUPOOL_SIGNATURE(device_get_uuid, PFN_cuDeviceGetUuid_v11040)
CUPOOL_SIGNATURE(device_total_memory, PFN_cuDeviceTotalMem_v3020)
CUPOOL_SIGNATURE(device_get_attribute, PFN_cuDeviceGetAttribute_v2000)
CUPOOL_SIGNATURE(device_get_pci_bus_id, PFN_cuDeviceGetPCIBusId_v4010)
CUPOOL_SIGNATURE(device_can_access_peer, PFN_cuDeviceCanAccessPeer_v4000)
CUPOOL_SIGNATURE(device_get_default_memory_pool, PFN_cuDeviceGetDefaultMemPool_v11020)
CUPOOL_SIGNATURE(primary_context_retain, PFN_cuDevicePrimaryCtxRetain_v7000)
CUPOOL_SIGNATURE(primary_context_release, PFN_cuDevicePrimaryCtxRelease_v11000)
CUPOOL_SIGNATURE(primary_context_get_state, PFN_cuDevicePrimaryCtxGetState_v7000)
CUPOOL_SIGNATURE(context_create, PFN_cuCtxCreate_v3020)
CUPOOL_SIGNATURE(context_destroy, PFN_cuCtxDestroy_v4000)
CUPOOL_SIGNATURE(context_push_current, PFN_cuCtxPushCurrent_v4000)
CUPOOL_SIGNATURE(context_pop_current, PFN_cuCtxPopCurrent_v4000)
CUPOOL_SIGNATURE(context_get_current, PFN_cuCtxGetCurrent_v4000)
CUPOOL_SIGNATURE(context_set_current, PFN_cuCtxSetCurrent_v4000)
CUPOOL_SIGNATURE(context_get_device, PFN_cuCtxGetDevice_v2000)
CUPOOL_SIGNATURE(context_synchronize, PFN_cuCtxSynchronize_v2000)
CUPOOL_SIGNATURE(context_get_stream_priority_range, PFN_cuCtxGetStreamPriorityRange_v5050)
CUPOOL_SIGNATURE(context_enable_peer_access, PFN_cuCtxEnablePeerAccess_v4000)
CUPOOL_SIGNATURE(context_disable_peer_access, PFN_cuCtxDisablePeerAccess_v4000)
CUPOOL_SIGNATURE(primary_context_set_flags, PFN_cuDevicePrimaryCtxSetFlags_v11000)
CUPOOL_SIGNATURE(primary_context_reset, PFN_cuDevicePrimaryCtxReset_v11000)
CUPOOL_SIGNATURE(context_get_flags, PFN_cuCtxGetFlags_v7000)
CUPOOL_SIGNATURE(context_set_flags, PFN_cuCtxSetFlags_v12010)
CUPOOL_SIGNATURE(context_get_limit, PFN_cuCtxGetLimit_v3010)
CUPOOL_SIGNATURE(context_set_limit, PFN_cuCtxSetLimit_v3010)
CUPOOL_SIGNATURE(context_get_cache_config, PFN_cuCtxGetCacheConfig_v3020)
CUPOOL_SIGNATURE(context_set_cache_config, PFN_cuCtxSetCacheConfig_v3020)
CUPOOL_SIGNATURE(context_get_id, PFN_cuCtxGetId_v12000)
CUPOOL_SIGNATURE(context_get_api_version, PFN_cuCtxGetApiVersion_v3020)
CUPOOL_SIGNATURE(device_get_resource, PFN_cuDeviceGetDevResource_v12040)
CUPOOL_SIGNATURE(resource_split_by_count, PFN_cuDevSmResourceSplitByCount_v12040)
CUPOOL_SIGNATURE(resource_generate_description, PFN_cuDevResourceGenerateDesc_v12040)
CUPOOL_SIGNATURE(green_context_create, PFN_cuGreenCtxCreate_v12040)
CUPOOL_SIGNATURE(green_context_destroy, PFN_cuGreenCtxDestroy_v12040)
CUPOOL_SIGNATURE(green_context_get_resource, PFN_cuGreenCtxGetDevResource_v12040)
CUPOOL_SIGNATURE(context_from_green_context, PFN_cuCtxFromGreenCtx_v12040)
CUPOOL_SIGNATURE(green_context_stream_create, PFN_cuGreenCtxStreamCreate_v12050)
CUPOOL_SIGNATURE(memory_get_info, PFN_cuMemGetInfo_v3020)
CUPOOL_SIGNATURE(memory_allocate, PFN_cuMemAlloc_v3020)
CUPOOL_SIGNATURE(memory_free, PFN_cuMemFree_v3020)
CUPOOL_SIGNATURE(host_allocate, PFN_cuMemHostAlloc_v2020)
CUPOOL_SIGNATURE(host_free, PFN_cuMemFreeHost_v2000)
CUPOOL_SIGNATURE(copy_host_to_device, PFN_cuMemcpyHtoD_v3020)
CUPOOL_SIGNATURE(copy_device_to_host, PFN_cuMemcpyDtoH_v3020)
CUPOOL_SIGNATURE(copy_device_to_device, PFN_cuMemcpyDtoD_v3020)
CUPOOL_SIGNATURE(copy_host_to_device_async, PFN_cuMemcpyHtoDAsync_v3020)
CUPOOL_SIGNATURE(copy_device_to_host_async, PFN_cuMemcpyDtoHAsync_v3020)
CUPOOL_SIGNATURE(copy_device_to_device_async, PFN_cuMemcpyDtoDAsync_v3020)
CUPOOL_SIGNATURE(copy_peer_async, PFN_cuMemcpyPeerAsync_v4000)
CUPOOL_SIGNATURE(set_bytes_async, PFN_cuMemsetD8Async_v3020)
CUPOOL_SIGNATURE(set_words_async, PFN_cuMemsetD32Async_v3020)
CUPOOL_SIGNATURE(pointer_get_attribute, PFN_cuPointerGetAttribute_v4000)
CUPOOL_SIGNATURE(memory_pool_create, PFN_cuMemPoolCreate_v11020)
CUPOOL_SIGNATURE(memory_pool_destroy, PFN_cuMemPoolDestroy_v11020)
CUPOOL_SIGNATURE(memory_pool_set_attribute, PFN_cuMemPoolSetAttribute_v11020)
CUPOOL_SIGNATURE(memory_pool_get_attribute, PFN_cuMemPoolGetAttribute_v11020)
CUPOOL_SIGNATURE(memory_pool_trim_to, PFN_cuMemPoolTrimTo_v11020)
CUPOOL_SIGNATURE(memory_pool_set_access, PFN_cuMemPoolSetAccess_v11020)
CUPOOL_SIGNATURE(memory_allocate_async, PFN_cuMemAllocAsync_v11020)
CUPOOL_SIGNATURE(memory_allocate_from_pool_async, PFN_cuMemAllocFromPoolAsync_v11020)
CUPOOL_SIGNATURE(memory_free_async, PFN_cuMemFreeAsync_v11020)
CUPOOL_SIGNATURE(stream_create, PFN_cuStreamCreateWithPriority_v5050)
CUPOOL_SIGNATURE(stream_destroy, PFN_cuStreamDestroy_v4000)
CUPOOL_SIGNATURE(stream_synchronize, PFN_cuStreamSynchronize_v2000)
CUPOOL_SIGNATURE(stream_query, PFN_cuStreamQuery_v2000)
CUPOOL_SIGNATURE(stream_wait_event, PFN_cuStreamWaitEvent_v3020)
CUPOOL_SIGNATURE(stream_launch_host_function, PFN_cuLaunchHostFunc_v10000)
CUPOOL_SIGNATURE(event_create, PFN_cuEventCreate_v2000)
CUPOOL_SIGNATURE(event_destroy, PFN_cuEventDestroy_v4000)
CUPOOL_SIGNATURE(event_record, PFN_cuEventRecord_v2000)
CUPOOL_SIGNATURE(event_query, PFN_cuEventQuery_v2000)
CUPOOL_SIGNATURE(event_synchronize, PFN_cuEventSynchronize_v2000)
CUPOOL_SIGNATURE(event_elapsed_time, PFN_cuEventElapsedTime_v2000)
CUPOOL_SIGNATURE(stream_get_priority, PFN_cuStreamGetPriority_v5050)
CUPOOL_SIGNATURE(stream_get_flags, PFN_cuStreamGetFlags_v5050)
CUPOOL_SIGNATURE(stream_get_context, PFN_cuStreamGetCtx_v9020)
CUPOOL_SIGNATURE(stream_get_id, PFN_cuStreamGetId_v12000)
CUPOOL_SIGNATURE(stream_wait_value_32, PFN_cuStreamWaitValue32_v11070)
CUPOOL_SIGNATURE(stream_write_value_32, PFN_cuStreamWriteValue32_v11070)
CUPOOL_SIGNATURE(stream_wait_value_64, PFN_cuStreamWaitValue64_v11070)
CUPOOL_SIGNATURE(stream_write_value_64, PFN_cuStreamWriteValue64_v11070)
CUPOOL_SIGNATURE(event_record_with_flags, PFN_cuEventRecordWithFlags_v11010)
CUPOOL_SIGNATURE(stream_begin_capture, PFN_cuStreamBeginCapture_v10010)
CUPOOL_SIGNATURE(stream_end_capture, PFN_cuStreamEndCapture_v10000)
CUPOOL_SIGNATURE(stream_is_capturing, PFN_cuStreamIsCapturing_v10000)
CUPOOL_SIGNATURE(stream_get_capture_info, PFN_cuStreamGetCaptureInfo_v11030)
CUPOOL_SIGNATURE(thread_exchange_capture_mode, PFN_cuThreadExchangeStreamCaptureMode_v10010)
CUPOOL_SIGNATURE(graph_create, PFN_cuGraphCreate_v10000)
CUPOOL_SIGNATURE(graph_destroy, PFN_cuGraphDestroy_v10000)
CUPOOL_SIGNATURE(graph_add_kernel_node, PFN_cuGraphAddKernelNode_v10000)
CUPOOL_SIGNATURE(graph_add_copy_node, PFN_cuGraphAddMemcpyNode_v10000)
CUPOOL_SIGNATURE(graph_add_set_node, PFN_cuGraphAddMemsetNode_v10000)
CUPOOL_SIGNATURE(graph_add_host_node, PFN_cuGraphAddHostNode_v10000)
CUPOOL_SIGNATURE(graph_add_child_node, PFN_cuGraphAddChildGraphNode_v10000)
CUPOOL_SIGNATURE(graph_add_empty_node, PFN_cuGraphAddEmptyNode_v10000)
CUPOOL_SIGNATURE(graph_add_event_record_node, PFN_cuGraphAddEventRecordNode_v11010)
CUPOOL_SIGNATURE(graph_add_event_wait_node, PFN_cuGraphAddEventWaitNode_v11010)
CUPOOL_SIGNATURE(graph_get_nodes, PFN_cuGraphGetNodes_v10000)
CUPOOL_SIGNATURE(graph_node_get_type, PFN_cuGraphNodeGetType_v10000)
CUPOOL_SIGNATURE(graph_node_get_dependencies, PFN_cuGraphNodeGetDependencies_v10000)
CUPOOL_SIGNATURE(graph_instantiate, PFN_cuGraphInstantiate_v11000)
CUPOOL_SIGNATURE(graph_exec_destroy, PFN_cuGraphExecDestroy_v10000)
CUPOOL_SIGNATURE(graph_exec_update, PFN_cuGraphExecUpdate_v10020)
CUPOOL_SIGNATURE(graph_exec_set_kernel_node, PFN_cuGraphExecKernelNodeSetParams_v10010)
CUPOOL_SIGNATURE(graph_upload, PFN_cuGraphUpload_v11010)
CUPOOL_SIGNATURE(graph_launch, PFN_cuGraphLaunch_v10000)
CUPOOL_SIGNATURE(user_object_create, PFN_cuUserObjectCreate_v11030)
CUPOOL_SIGNATURE(user_object_release, PFN_cuUserObjectRelease_v11030)
CUPOOL_SIGNATURE(graph_retain_user_object, PFN_cuGraphRetainUserObject_v11030)
CUPOOL_SIGNATURE(module_load_data, PFN_cuModuleLoadDataEx_v2010)
CUPOOL_SIGNATURE(module_unload, PFN_cuModuleUnload_v2000)
CUPOOL_SIGNATURE(module_get_function, PFN_cuModuleGetFunction_v2000)
CUPOOL_SIGNATURE(module_get_global, PFN_cuModuleGetGlobal_v3020)
CUPOOL_SIGNATURE(function_get_attribute, PFN_cuFuncGetAttribute_v2020)
CUPOOL_SIGNATURE(function_set_attribute, PFN_cuFuncSetAttribute_v9000)
CUPOOL_SIGNATURE(occupancy_max_active_blocks, PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050)
CUPOOL_SIGNATURE(launch_kernel, PFN_cuLaunchKernel_v4000)
CUPOOL_SIGNATURE(launch_cooperative_kernel, PFN_cuLaunchCooperativeKernel_v9000)
CUPOOL_SIGNATURE(launch_kernel_ex, PFN_cuLaunchKernelEx_v11060)
CUPOOL_SIGNATURE(function_get_parameter_info, PFN_cuFuncGetParamInfo_v12040)
CUPOOL_SIGNATURE(function_get_name, PFN_cuFuncGetName_v12030)
CUPOOL_SIGNATURE(function_get_module, PFN_cuFuncGetModule_v11000)
CUPOOL_SIGNATURE(function_set_cache_config, PFN_cuFuncSetCacheConfig_v3000)
CUPOOL_SIGNATURE(occupancy_potential_block_size, PFN_cuOccupancyMaxPotentialBlockSize_v6050)
CUPOOL_SIGNATURE(occupancy_available_dynamic_shared, PFN_cuOccupancyAvailableDynamicSMemPerBlock_v10020)
CUPOOL_SIGNATURE(occupancy_max_active_clusters, PFN_cuOccupancyMaxActiveClusters_v11070)
CUPOOL_SIGNATURE(module_get_loading_mode, PFN_cuModuleGetLoadingMode_v11070)
CUPOOL_SIGNATURE(module_get_function_count, PFN_cuModuleGetFunctionCount_v12040)
CUPOOL_SIGNATURE(module_enumerate_functions, PFN_cuModuleEnumerateFunctions_v12040)
CUPOOL_SIGNATURE(library_load_data, PFN_cuLibraryLoadData_v12000)
CUPOOL_SIGNATURE(library_unload, PFN_cuLibraryUnload_v12000)
CUPOOL_SIGNATURE(library_get_kernel, PFN_cuLibraryGetKernel_v12000)
CUPOOL_SIGNATURE(library_get_global, PFN_cuLibraryGetGlobal_v12000)
CUPOOL_SIGNATURE(library_get_kernel_count, PFN_cuLibraryGetKernelCount_v12040)
CUPOOL_SIGNATURE(library_enumerate_kernels, PFN_cuLibraryEnumerateKernels_v12040)
CUPOOL_SIGNATURE(library_kernel_get_function, PFN_cuKernelGetFunction_v12000)
CUPOOL_SIGNATURE(library_kernel_get_name, PFN_cuKernelGetName_v12030)
CUPOOL_SIGNATURE(library_kernel_get_attribute, PFN_cuKernelGetAttribute_v12000)
CUPOOL_SIGNATURE(library_kernel_set_attribute, PFN_cuKernelSetAttribute_v12000)
CUPOOL_SIGNATURE(link_create, PFN_cuLinkCreate_v6050)
CUPOOL_SIGNATURE(link_add_data, PFN_cuLinkAddData_v6050)
CUPOOL_SIGNATURE(link_complete, PFN_cuLinkComplete_v5050)
CUPOOL_SIGNATURE(link_destroy, PFN_cuLinkDestroy_v5050)
CUPOOL_SIGNATURE(profiler_start, PFN_cuProfilerStart_v4000)
CUPOOL_SIGNATURE(profiler_stop, PFN_cuProfilerStop_v4000)
// clang-format on

// Every row stands above: a missing one is an undeclared name here.
constexpr int held = 0
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) +member##_is_held
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    ;
static_assert(held == std::size(all_entry_points));

#define CUPOOL_NUMBER(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #ours);

// clang-format off
CUPOOL_NUMBER(Result::success, CUDA_SUCCESS)
CUPOOL_NUMBER(Result::invalid_value, CUDA_ERROR_INVALID_VALUE)
CUPOOL_NUMBER(Result::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY)
CUPOOL_NUMBER(Result::not_initialized, CUDA_ERROR_NOT_INITIALIZED)
CUPOOL_NUMBER(Result::deinitialized, CUDA_ERROR_DEINITIALIZED)
CUPOOL_NUMBER(Result::stub_library, CUDA_ERROR_STUB_LIBRARY)
CUPOOL_NUMBER(Result::device_unavailable, CUDA_ERROR_DEVICE_UNAVAILABLE)
CUPOOL_NUMBER(Result::no_device, CUDA_ERROR_NO_DEVICE)
CUPOOL_NUMBER(Result::invalid_device, CUDA_ERROR_INVALID_DEVICE)
CUPOOL_NUMBER(Result::invalid_image, CUDA_ERROR_INVALID_IMAGE)
CUPOOL_NUMBER(Result::invalid_context, CUDA_ERROR_INVALID_CONTEXT)
CUPOOL_NUMBER(Result::no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU)
CUPOOL_NUMBER(Result::ecc_uncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE)
CUPOOL_NUMBER(Result::unsupported_limit, CUDA_ERROR_UNSUPPORTED_LIMIT)
CUPOOL_NUMBER(Result::peer_access_unsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
CUPOOL_NUMBER(Result::invalid_ptx, CUDA_ERROR_INVALID_PTX)
CUPOOL_NUMBER(Result::unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
CUPOOL_NUMBER(Result::invalid_source, CUDA_ERROR_INVALID_SOURCE)
CUPOOL_NUMBER(Result::file_not_found, CUDA_ERROR_FILE_NOT_FOUND)
CUPOOL_NUMBER(Result::shared_object_init_failed, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)
CUPOOL_NUMBER(Result::operating_system, CUDA_ERROR_OPERATING_SYSTEM)
CUPOOL_NUMBER(Result::invalid_handle, CUDA_ERROR_INVALID_HANDLE)
CUPOOL_NUMBER(Result::illegal_state, CUDA_ERROR_ILLEGAL_STATE)
CUPOOL_NUMBER(Result::not_found, CUDA_ERROR_NOT_FOUND)
CUPOOL_NUMBER(Result::not_ready, CUDA_ERROR_NOT_READY)
CUPOOL_NUMBER(Result::illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS)
CUPOOL_NUMBER(Result::launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
CUPOOL_NUMBER(Result::launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT)
CUPOOL_NUMBER(Result::peer_access_already_enabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
CUPOOL_NUMBER(Result::peer_access_not_enabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
CUPOOL_NUMBER(Result::primary_context_active, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE)
CUPOOL_NUMBER(Result::context_is_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED)
CUPOOL_NUMBER(Result::assert_failed, CUDA_ERROR_ASSERT)
CUPOOL_NUMBER(Result::host_memory_already_registered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
CUPOOL_NUMBER(Result::illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION)
CUPOOL_NUMBER(Result::misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS)
CUPOOL_NUMBER(Result::launch_failed, CUDA_ERROR_LAUNCH_FAILED)
CUPOOL_NUMBER(Result::not_permitted, CUDA_ERROR_NOT_PERMITTED)
CUPOOL_NUMBER(Result::not_supported, CUDA_ERROR_NOT_SUPPORTED)
CUPOOL_NUMBER(Result::system_not_ready, CUDA_ERROR_SYSTEM_NOT_READY)
CUPOOL_NUMBER(Result::system_driver_mismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
CUPOOL_NUMBER(Result::compat_not_supported_on_device, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
CUPOOL_NUMBER(Result::unknown, CUDA_ERROR_UNKNOWN)
CUPOOL_NUMBER(DeviceAttribute::max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
CUPOOL_NUMBER(DeviceAttribute::max_block_dim_x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)
CUPOOL_NUMBER(DeviceAttribute::max_block_dim_y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)
CUPOOL_NUMBER(DeviceAttribute::max_block_dim_z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)
CUPOOL_NUMBER(DeviceAttribute::max_grid_dim_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)
CUPOOL_NUMBER(DeviceAttribute::max_grid_dim_y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)
CUPOOL_NUMBER(DeviceAttribute::max_grid_dim_z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)
CUPOOL_NUMBER(DeviceAttribute::max_shared_memory_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
CUPOOL_NUMBER(DeviceAttribute::warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE)
CUPOOL_NUMBER(DeviceAttribute::max_registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)
CUPOOL_NUMBER(DeviceAttribute::clock_rate_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
CUPOOL_NUMBER(DeviceAttribute::multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
CUPOOL_NUMBER(DeviceAttribute::integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED)
CUPOOL_NUMBER(DeviceAttribute::compute_mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)
CUPOOL_NUMBER(DeviceAttribute::ecc_enabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED)
CUPOOL_NUMBER(DeviceAttribute::pci_bus_id, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
CUPOOL_NUMBER(DeviceAttribute::pci_device_id, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
CUPOOL_NUMBER(DeviceAttribute::memory_clock_rate_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)
CUPOOL_NUMBER(DeviceAttribute::memory_bus_width_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::l2_cache_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
CUPOOL_NUMBER(DeviceAttribute::max_threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
CUPOOL_NUMBER(DeviceAttribute::unified_addressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)
CUPOOL_NUMBER(DeviceAttribute::pci_domain_id, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
CUPOOL_NUMBER(DeviceAttribute::compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
CUPOOL_NUMBER(DeviceAttribute::compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
CUPOOL_NUMBER(DeviceAttribute::max_shared_memory_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
CUPOOL_NUMBER(DeviceAttribute::managed_memory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)
CUPOOL_NUMBER(DeviceAttribute::max_shared_memory_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
CUPOOL_NUMBER(DeviceAttribute::memory_pools_supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
CUPOOL_NUMBER(ComputeMode::standard, CU_COMPUTEMODE_DEFAULT)
CUPOOL_NUMBER(ComputeMode::prohibited, CU_COMPUTEMODE_PROHIBITED)
CUPOOL_NUMBER(ComputeMode::exclusive_process, CU_COMPUTEMODE_EXCLUSIVE_PROCESS)
CUPOOL_NUMBER(ContextFlags::schedule_auto, CU_CTX_SCHED_AUTO)
CUPOOL_NUMBER(ContextFlags::schedule_spin, CU_CTX_SCHED_SPIN)
CUPOOL_NUMBER(ContextFlags::schedule_yield, CU_CTX_SCHED_YIELD)
CUPOOL_NUMBER(ContextFlags::schedule_blocking, CU_CTX_SCHED_BLOCKING_SYNC)
CUPOOL_NUMBER(StreamFlags::blocking, CU_STREAM_DEFAULT)
CUPOOL_NUMBER(StreamFlags::non_blocking, CU_STREAM_NON_BLOCKING)
CUPOOL_NUMBER(EventFlags::timing, CU_EVENT_DEFAULT)
CUPOOL_NUMBER(EventFlags::blocking_sync, CU_EVENT_BLOCKING_SYNC)
CUPOOL_NUMBER(EventFlags::disable_timing, CU_EVENT_DISABLE_TIMING)
CUPOOL_NUMBER(HostAllocationFlags::portable, CU_MEMHOSTALLOC_PORTABLE)
CUPOOL_NUMBER(HostAllocationFlags::device_map, CU_MEMHOSTALLOC_DEVICEMAP)
CUPOOL_NUMBER(HostAllocationFlags::write_combined, CU_MEMHOSTALLOC_WRITECOMBINED)
CUPOOL_NUMBER(PointerAttribute::context, CU_POINTER_ATTRIBUTE_CONTEXT)
CUPOOL_NUMBER(PointerAttribute::memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
CUPOOL_NUMBER(PointerAttribute::device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
CUPOOL_NUMBER(PointerAttribute::range_start_address, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
CUPOOL_NUMBER(PointerAttribute::range_size, CU_POINTER_ATTRIBUTE_RANGE_SIZE)
CUPOOL_NUMBER(MemoryType::host, CU_MEMORYTYPE_HOST)
CUPOOL_NUMBER(MemoryType::device, CU_MEMORYTYPE_DEVICE)
CUPOOL_NUMBER(MemoryType::array, CU_MEMORYTYPE_ARRAY)
CUPOOL_NUMBER(MemoryType::unified, CU_MEMORYTYPE_UNIFIED)
CUPOOL_NUMBER(MemoryPoolAttribute::reuse_follow_event_dependencies, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES)
CUPOOL_NUMBER(MemoryPoolAttribute::reuse_allow_opportunistic, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC)
CUPOOL_NUMBER(MemoryPoolAttribute::reuse_allow_internal_dependencies, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
CUPOOL_NUMBER(MemoryPoolAttribute::release_threshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
CUPOOL_NUMBER(MemoryPoolAttribute::reserved_memory_current, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
CUPOOL_NUMBER(MemoryPoolAttribute::reserved_memory_high, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)
CUPOOL_NUMBER(MemoryPoolAttribute::used_memory_current, CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
CUPOOL_NUMBER(MemoryPoolAttribute::used_memory_high, CU_MEMPOOL_ATTR_USED_MEM_HIGH)
CUPOOL_NUMBER(FunctionAttribute::max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
CUPOOL_NUMBER(FunctionAttribute::shared_size_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
CUPOOL_NUMBER(FunctionAttribute::const_size_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)
CUPOOL_NUMBER(FunctionAttribute::local_size_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
CUPOOL_NUMBER(FunctionAttribute::register_count, CU_FUNC_ATTRIBUTE_NUM_REGS)
CUPOOL_NUMBER(FunctionAttribute::ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION)
CUPOOL_NUMBER(FunctionAttribute::binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION)
CUPOOL_NUMBER(FunctionAttribute::max_dynamic_shared_size_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
CUPOOL_NUMBER(JitOption::max_registers, CU_JIT_MAX_REGISTERS)
CUPOOL_NUMBER(JitOption::info_log_buffer, CU_JIT_INFO_LOG_BUFFER)
CUPOOL_NUMBER(JitOption::info_log_buffer_size_bytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
CUPOOL_NUMBER(JitOption::error_log_buffer, CU_JIT_ERROR_LOG_BUFFER)
CUPOOL_NUMBER(JitOption::error_log_buffer_size_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
CUPOOL_NUMBER(JitOption::optimization_level, CU_JIT_OPTIMIZATION_LEVEL)
CUPOOL_NUMBER(JitOption::log_verbose, CU_JIT_LOG_VERBOSE)
CUPOOL_NUMBER(JitOption::cache_mode, CU_JIT_CACHE_MODE)
CUPOOL_NUMBER(Result::cooperative_launch_too_large, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
CUPOOL_NUMBER(Result::stream_capture_unsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
CUPOOL_NUMBER(Result::stream_capture_invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
CUPOOL_NUMBER(Result::stream_capture_merge, CUDA_ERROR_STREAM_CAPTURE_MERGE)
CUPOOL_NUMBER(Result::stream_capture_unmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)
CUPOOL_NUMBER(Result::stream_capture_unjoined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
CUPOOL_NUMBER(Result::stream_capture_isolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
CUPOOL_NUMBER(Result::stream_capture_implicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
CUPOOL_NUMBER(Result::captured_event, CUDA_ERROR_CAPTURED_EVENT)
CUPOOL_NUMBER(Result::stream_capture_wrong_thread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
CUPOOL_NUMBER(Result::graph_exec_update_failure, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
CUPOOL_NUMBER(Result::invalid_cluster_size, CUDA_ERROR_INVALID_CLUSTER_SIZE)
CUPOOL_NUMBER(Result::invalid_resource_type, CUDA_ERROR_INVALID_RESOURCE_TYPE)
CUPOOL_NUMBER(Result::invalid_resource_configuration, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION)
CUPOOL_NUMBER(DeviceAttribute::cooperative_launch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)
CUPOOL_NUMBER(DeviceAttribute::cluster_launch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)
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
CUPOOL_NUMBER(ResourceType::invalid, CU_DEV_RESOURCE_TYPE_INVALID)
CUPOOL_NUMBER(ResourceType::multiprocessors, CU_DEV_RESOURCE_TYPE_SM)
CUPOOL_NUMBER(EventRecordFlags::none, CU_EVENT_RECORD_DEFAULT)
CUPOOL_NUMBER(EventRecordFlags::external, CU_EVENT_RECORD_EXTERNAL)
CUPOOL_NUMBER(WaitCondition::greater_or_equal, CU_STREAM_WAIT_VALUE_GEQ)
CUPOOL_NUMBER(WaitCondition::equal, CU_STREAM_WAIT_VALUE_EQ)
CUPOOL_NUMBER(WaitCondition::any_bit, CU_STREAM_WAIT_VALUE_AND)
CUPOOL_NUMBER(WaitCondition::not_all_bits, CU_STREAM_WAIT_VALUE_NOR)
CUPOOL_NUMBER(CaptureMode::global, CU_STREAM_CAPTURE_MODE_GLOBAL)
CUPOOL_NUMBER(CaptureMode::this_thread, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
CUPOOL_NUMBER(CaptureMode::relaxed, CU_STREAM_CAPTURE_MODE_RELAXED)
CUPOOL_NUMBER(CaptureStatus::none, CU_STREAM_CAPTURE_STATUS_NONE)
CUPOOL_NUMBER(CaptureStatus::active, CU_STREAM_CAPTURE_STATUS_ACTIVE)
CUPOOL_NUMBER(CaptureStatus::invalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED)
CUPOOL_NUMBER(GraphNodeType::kernel, CU_GRAPH_NODE_TYPE_KERNEL)
CUPOOL_NUMBER(GraphNodeType::copy, CU_GRAPH_NODE_TYPE_MEMCPY)
CUPOOL_NUMBER(GraphNodeType::set, CU_GRAPH_NODE_TYPE_MEMSET)
CUPOOL_NUMBER(GraphNodeType::host_function, CU_GRAPH_NODE_TYPE_HOST)
CUPOOL_NUMBER(GraphNodeType::child_graph, CU_GRAPH_NODE_TYPE_GRAPH)
CUPOOL_NUMBER(GraphNodeType::empty, CU_GRAPH_NODE_TYPE_EMPTY)
CUPOOL_NUMBER(GraphNodeType::event_wait, CU_GRAPH_NODE_TYPE_WAIT_EVENT)
CUPOOL_NUMBER(GraphNodeType::event_record, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
CUPOOL_NUMBER(GraphNodeType::external_semaphore_signal, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL)
CUPOOL_NUMBER(GraphNodeType::external_semaphore_wait, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT)
CUPOOL_NUMBER(GraphNodeType::memory_allocation, CU_GRAPH_NODE_TYPE_MEM_ALLOC)
CUPOOL_NUMBER(GraphNodeType::memory_free, CU_GRAPH_NODE_TYPE_MEM_FREE)
CUPOOL_NUMBER(GraphNodeType::batch_memory_operation, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
CUPOOL_NUMBER(GraphNodeType::conditional, CU_GRAPH_NODE_TYPE_CONDITIONAL)
CUPOOL_NUMBER(GraphUpdateResult::success, CU_GRAPH_EXEC_UPDATE_SUCCESS)
CUPOOL_NUMBER(GraphUpdateResult::error, CU_GRAPH_EXEC_UPDATE_ERROR)
CUPOOL_NUMBER(GraphUpdateResult::topology_changed, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED)
CUPOOL_NUMBER(GraphUpdateResult::node_type_changed, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED)
CUPOOL_NUMBER(GraphUpdateResult::function_changed, CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED)
CUPOOL_NUMBER(GraphUpdateResult::parameters_changed, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED)
CUPOOL_NUMBER(GraphUpdateResult::not_supported, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED)
CUPOOL_NUMBER(GraphUpdateResult::unsupported_function_change, CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE)
CUPOOL_NUMBER(GraphUpdateResult::attributes_changed, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED)
CUPOOL_NUMBER(FunctionAttribute::cache_mode_ca, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA)
CUPOOL_NUMBER(FunctionAttribute::preferred_shared_memory_carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
CUPOOL_NUMBER(FunctionAttribute::cluster_size_must_be_set, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET)
CUPOOL_NUMBER(FunctionAttribute::required_cluster_width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)
CUPOOL_NUMBER(FunctionAttribute::required_cluster_height, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT)
CUPOOL_NUMBER(FunctionAttribute::required_cluster_depth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)
CUPOOL_NUMBER(FunctionAttribute::non_portable_cluster_size_allowed, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
CUPOOL_NUMBER(FunctionAttribute::cluster_scheduling_policy, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
CUPOOL_NUMBER(LaunchAttributeId::ignore, CU_LAUNCH_ATTRIBUTE_IGNORE)
CUPOOL_NUMBER(LaunchAttributeId::cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
CUPOOL_NUMBER(LaunchAttributeId::cluster_dimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
CUPOOL_NUMBER(LaunchAttributeId::programmatic_stream_serialization, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
CUPOOL_NUMBER(LaunchAttributeId::priority, CU_LAUNCH_ATTRIBUTE_PRIORITY)
CUPOOL_NUMBER(ModuleLoadingMode::eager, CU_MODULE_EAGER_LOADING)
CUPOOL_NUMBER(ModuleLoadingMode::lazy, CU_MODULE_LAZY_LOADING)
CUPOOL_NUMBER(LibraryOption::host_universal_function_and_data_table, CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE)
CUPOOL_NUMBER(LibraryOption::binary_is_preserved, CU_LIBRARY_BINARY_IS_PRESERVED)
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
CUPOOL_NUMBER(MemoryLocationType::invalid, CU_MEM_LOCATION_TYPE_INVALID)
CUPOOL_NUMBER(MemoryLocationType::device, CU_MEM_LOCATION_TYPE_DEVICE)
CUPOOL_NUMBER(MemoryAllocationType::invalid, CU_MEM_ALLOCATION_TYPE_INVALID)
CUPOOL_NUMBER(MemoryAllocationType::pinned, CU_MEM_ALLOCATION_TYPE_PINNED)
CUPOOL_NUMBER(MemoryHandleType::none, CU_MEM_HANDLE_TYPE_NONE)
CUPOOL_NUMBER(MemoryHandleType::posix_file_descriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
CUPOOL_NUMBER(MemoryAccess::none, CU_MEM_ACCESS_FLAGS_PROT_NONE)
CUPOOL_NUMBER(MemoryAccess::read, CU_MEM_ACCESS_FLAGS_PROT_READ)
CUPOOL_NUMBER(MemoryAccess::read_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
CUPOOL_NUMBER(ProcAddressQueryResult::success, CU_GET_PROC_ADDRESS_SUCCESS)
CUPOOL_NUMBER(ProcAddressQueryResult::symbol_not_found, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)
CUPOOL_NUMBER(ProcAddressQueryResult::version_not_sufficient, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)
// clang-format on

#define CUPOOL_LAYOUT(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs), #ours);
#define CUPOOL_MEMBER(ours, our_member, theirs, their_member)                                                                     \
    static_assert(                                                                                                                \
        offsetof(ours, our_member) == offsetof(theirs, their_member) && sizeof(ours::our_member) == sizeof(theirs::their_member), \
        #ours "::" #our_member);

CUPOOL_LAYOUT(Uuid, CUuuid)
CUPOOL_MEMBER(Uuid, bytes, CUuuid, bytes)
CUPOOL_LAYOUT(MemoryLocation, CUmemLocation)
CUPOOL_MEMBER(MemoryLocation, type, CUmemLocation, type)
CUPOOL_MEMBER(MemoryLocation, id, CUmemLocation, id)
CUPOOL_LAYOUT(MemoryPoolProperties, CUmemPoolProps)
CUPOOL_MEMBER(MemoryPoolProperties, allocation_type, CUmemPoolProps, allocType)
CUPOOL_MEMBER(MemoryPoolProperties, handle_types, CUmemPoolProps, handleTypes)
CUPOOL_MEMBER(MemoryPoolProperties, location, CUmemPoolProps, location)
CUPOOL_MEMBER(MemoryPoolProperties, win32_security_attributes, CUmemPoolProps, win32SecurityAttributes)
CUPOOL_MEMBER(MemoryPoolProperties, max_size, CUmemPoolProps, maxSize)
CUPOOL_MEMBER(MemoryPoolProperties, usage, CUmemPoolProps, usage)
CUPOOL_MEMBER(MemoryPoolProperties, reserved, CUmemPoolProps, reserved)
CUPOOL_LAYOUT(MemoryAccessDescriptor, CUmemAccessDesc)
CUPOOL_MEMBER(MemoryAccessDescriptor, location, CUmemAccessDesc, location)
CUPOOL_MEMBER(MemoryAccessDescriptor, flags, CUmemAccessDesc, flags)
CUPOOL_LAYOUT(KernelNodeParameters, CUDA_KERNEL_NODE_PARAMS_v1)
CUPOOL_MEMBER(KernelNodeParameters, function, CUDA_KERNEL_NODE_PARAMS_v1, func)
CUPOOL_MEMBER(KernelNodeParameters, grid_x, CUDA_KERNEL_NODE_PARAMS_v1, gridDimX)
CUPOOL_MEMBER(KernelNodeParameters, grid_y, CUDA_KERNEL_NODE_PARAMS_v1, gridDimY)
CUPOOL_MEMBER(KernelNodeParameters, grid_z, CUDA_KERNEL_NODE_PARAMS_v1, gridDimZ)
CUPOOL_MEMBER(KernelNodeParameters, block_x, CUDA_KERNEL_NODE_PARAMS_v1, blockDimX)
CUPOOL_MEMBER(KernelNodeParameters, block_y, CUDA_KERNEL_NODE_PARAMS_v1, blockDimY)
CUPOOL_MEMBER(KernelNodeParameters, block_z, CUDA_KERNEL_NODE_PARAMS_v1, blockDimZ)
CUPOOL_MEMBER(KernelNodeParameters, dynamic_shared_bytes, CUDA_KERNEL_NODE_PARAMS_v1, sharedMemBytes)
CUPOOL_MEMBER(KernelNodeParameters, parameters, CUDA_KERNEL_NODE_PARAMS_v1, kernelParams)
CUPOOL_MEMBER(KernelNodeParameters, extra, CUDA_KERNEL_NODE_PARAMS_v1, extra)
CUPOOL_LAYOUT(CopyNodeParameters, CUDA_MEMCPY3D_v2)
#define CUPOOL_COPY_SIDE(our_side, their_side)                                                            \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, x_bytes) == \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##XInBytes));                                      \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, y) ==       \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##Y));                                             \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, z) ==       \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##Z));                                             \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, level) ==   \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##LOD));                                           \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, type) ==    \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##MemoryType));                                    \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, host) ==    \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##Host));                                          \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, device) ==  \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##Device));                                        \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, array) ==   \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##Array));                                         \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, pitch) ==   \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##Pitch));                                         \
    static_assert(offsetof(CopyNodeParameters, our_side) + offsetof(CopyNodeParameters::Side, height) ==  \
                  offsetof(CUDA_MEMCPY3D_v2, their_side##Height));
CUPOOL_COPY_SIDE(source, src)
CUPOOL_COPY_SIDE(target, dst)
CUPOOL_MEMBER(CopyNodeParameters, width_bytes, CUDA_MEMCPY3D_v2, WidthInBytes)
CUPOOL_MEMBER(CopyNodeParameters, height, CUDA_MEMCPY3D_v2, Height)
CUPOOL_MEMBER(CopyNodeParameters, depth, CUDA_MEMCPY3D_v2, Depth)
CUPOOL_LAYOUT(SetNodeParameters, CUDA_MEMSET_NODE_PARAMS_v1)
CUPOOL_MEMBER(SetNodeParameters, target, CUDA_MEMSET_NODE_PARAMS_v1, dst)
CUPOOL_MEMBER(SetNodeParameters, pitch, CUDA_MEMSET_NODE_PARAMS_v1, pitch)
CUPOOL_MEMBER(SetNodeParameters, value, CUDA_MEMSET_NODE_PARAMS_v1, value)
CUPOOL_MEMBER(SetNodeParameters, element_bytes, CUDA_MEMSET_NODE_PARAMS_v1, elementSize)
CUPOOL_MEMBER(SetNodeParameters, width, CUDA_MEMSET_NODE_PARAMS_v1, width)
CUPOOL_MEMBER(SetNodeParameters, height, CUDA_MEMSET_NODE_PARAMS_v1, height)
CUPOOL_LAYOUT(HostNodeParameters, CUDA_HOST_NODE_PARAMS_v1)
CUPOOL_MEMBER(HostNodeParameters, function, CUDA_HOST_NODE_PARAMS_v1, fn)
CUPOOL_MEMBER(HostNodeParameters, user_data, CUDA_HOST_NODE_PARAMS_v1, userData)
CUPOOL_LAYOUT(LaunchAttributeValue, CUlaunchAttributeValue)
CUPOOL_MEMBER(LaunchAttributeValue, bytes, CUlaunchAttributeValue, pad)
CUPOOL_MEMBER(LaunchAttributeValue, cooperative, CUlaunchAttributeValue, cooperative)
CUPOOL_MEMBER(LaunchAttributeValue, cluster_dimension, CUlaunchAttributeValue, clusterDim)
CUPOOL_MEMBER(LaunchAttributeValue, programmatic_stream_serialization, CUlaunchAttributeValue, programmaticStreamSerializationAllowed)
CUPOOL_MEMBER(LaunchAttributeValue, priority, CUlaunchAttributeValue, priority)
CUPOOL_LAYOUT(LaunchAttribute, CUlaunchAttribute)
CUPOOL_MEMBER(LaunchAttribute, id, CUlaunchAttribute, id)
CUPOOL_MEMBER(LaunchAttribute, value, CUlaunchAttribute, value)
CUPOOL_LAYOUT(LaunchConfig, CUlaunchConfig)
CUPOOL_MEMBER(LaunchConfig, grid_x, CUlaunchConfig, gridDimX)
CUPOOL_MEMBER(LaunchConfig, grid_y, CUlaunchConfig, gridDimY)
CUPOOL_MEMBER(LaunchConfig, grid_z, CUlaunchConfig, gridDimZ)
CUPOOL_MEMBER(LaunchConfig, block_x, CUlaunchConfig, blockDimX)
CUPOOL_MEMBER(LaunchConfig, block_y, CUlaunchConfig, blockDimY)
CUPOOL_MEMBER(LaunchConfig, block_z, CUlaunchConfig, blockDimZ)
CUPOOL_MEMBER(LaunchConfig, dynamic_shared_bytes, CUlaunchConfig, sharedMemBytes)
CUPOOL_MEMBER(LaunchConfig, stream, CUlaunchConfig, hStream)
CUPOOL_MEMBER(LaunchConfig, attributes, CUlaunchConfig, attrs)
CUPOOL_MEMBER(LaunchConfig, attribute_count, CUlaunchConfig, numAttrs)
CUPOOL_LAYOUT(MultiprocessorResource, CUdevSmResource)
CUPOOL_MEMBER(MultiprocessorResource, count, CUdevSmResource, smCount)
CUPOOL_MEMBER(MultiprocessorResource, min_partition_size, CUdevSmResource, minSmPartitionSize)
CUPOOL_MEMBER(MultiprocessorResource, coscheduled_alignment, CUdevSmResource, smCoscheduledAlignment)
CUPOOL_LAYOUT(DeviceResource, CUdevResource)
CUPOOL_MEMBER(DeviceResource, type, CUdevResource, type)
CUPOOL_MEMBER(DeviceResource, multiprocessors, CUdevResource, sm)

static_assert(is_compatible<HostFunction, CUhostFn>());
static_assert(std::is_same_v<BlockSizeToSharedBytes, CUoccupancyB2DSize>);
static_assert(is_compatible<DevicePointer, CUdeviceptr>());
static_assert(is_compatible<Device, CUdevice>());
static_assert(std::is_same_v<Context, CUcontext> && std::is_same_v<Module, CUmodule> && std::is_same_v<Function, CUfunction>);
static_assert(std::is_same_v<Stream, CUstream> && std::is_same_v<Event, CUevent> && std::is_same_v<MemoryPool, CUmemoryPool>);
static_assert(std::is_same_v<Graph, CUgraph> && std::is_same_v<GraphNode, CUgraphNode> && std::is_same_v<GraphExec, CUgraphExec>);
static_assert(std::is_same_v<UserObject, CUuserObject> && std::is_same_v<CodeLibrary, CUlibrary> &&
              std::is_same_v<LibraryKernel, CUkernel>);
static_assert(std::is_same_v<LinkState, CUlinkState> && std::is_same_v<GreenContext, CUgreenCtx>);
static_assert(std::is_same_v<ResourceDescription, CUdevResourceDesc> && std::is_same_v<Array, CUarray>);

}  // namespace

}  // namespace cupool::abi

#ifdef NVTX_VERSION
// What driver/src/profiler_range.cpp hands to profilers.
static_assert(NVTX_ETID_CALLBACKS == 1 && NVTX_ETID_VERSIONINFO == 3);
static_assert(NVTX_CBID_CORE_RangePushA == 9 && NVTX_CBID_CORE_RangePop == 11);
static_assert(NVTX_CB_MODULE_CORE == 1 && NVTX_CBID_CORE_SIZE == 16);
static_assert(NVTX_CB_MODULE_CUDA == 2 && NVTX_CBID_CUDA_SIZE == 9);
static_assert(NVTX_CB_MODULE_OPENCL == 3 && NVTX_CBID_OPENCL_SIZE == 15);
static_assert(NVTX_CB_MODULE_CUDART == 4 && NVTX_CBID_CUDART_SIZE == 7);
static_assert(NVTX_CB_MODULE_CORE2 == 5 && NVTX_CBID_CORE2_SIZE == 16);
static_assert(NVTX_CB_MODULE_SYNC == 6 && NVTX_CBID_SYNC_SIZE == 7);
#endif

TEST_CASE("every CUresult of cuda.h has its name and a text in the table") {
    struct Named {
        CUresult number;
        const char* name;
    };
#define CUPOOL_NAMES(name) \
    Named { name, #name }
    // clang-format off
    const Named all[] = {
        CUPOOL_NAMES(CUDA_SUCCESS),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_VALUE),
        CUPOOL_NAMES(CUDA_ERROR_OUT_OF_MEMORY),
        CUPOOL_NAMES(CUDA_ERROR_NOT_INITIALIZED),
        CUPOOL_NAMES(CUDA_ERROR_DEINITIALIZED),
        CUPOOL_NAMES(CUDA_ERROR_PROFILER_DISABLED),
        CUPOOL_NAMES(CUDA_ERROR_PROFILER_NOT_INITIALIZED),
        CUPOOL_NAMES(CUDA_ERROR_PROFILER_ALREADY_STARTED),
        CUPOOL_NAMES(CUDA_ERROR_PROFILER_ALREADY_STOPPED),
        CUPOOL_NAMES(CUDA_ERROR_STUB_LIBRARY),
        CUPOOL_NAMES(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER),
        CUPOOL_NAMES(CUDA_ERROR_DEVICE_UNAVAILABLE),
        CUPOOL_NAMES(CUDA_ERROR_NO_DEVICE),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_DEVICE),
        CUPOOL_NAMES(CUDA_ERROR_DEVICE_NOT_LICENSED),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_IMAGE),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_CONTEXT),
        CUPOOL_NAMES(CUDA_ERROR_CONTEXT_ALREADY_CURRENT),
        CUPOOL_NAMES(CUDA_ERROR_MAP_FAILED),
        CUPOOL_NAMES(CUDA_ERROR_UNMAP_FAILED),
        CUPOOL_NAMES(CUDA_ERROR_ARRAY_IS_MAPPED),
        CUPOOL_NAMES(CUDA_ERROR_ALREADY_MAPPED),
        CUPOOL_NAMES(CUDA_ERROR_NO_BINARY_FOR_GPU),
        CUPOOL_NAMES(CUDA_ERROR_ALREADY_ACQUIRED),
        CUPOOL_NAMES(CUDA_ERROR_NOT_MAPPED),
        CUPOOL_NAMES(CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
        CUPOOL_NAMES(CUDA_ERROR_NOT_MAPPED_AS_POINTER),
        CUPOOL_NAMES(CUDA_ERROR_ECC_UNCORRECTABLE),
        CUPOOL_NAMES(CUDA_ERROR_UNSUPPORTED_LIMIT),
        CUPOOL_NAMES(CUDA_ERROR_CONTEXT_ALREADY_IN_USE),
        CUPOOL_NAMES(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_PTX),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
        CUPOOL_NAMES(CUDA_ERROR_NVLINK_UNCORRECTABLE),
        CUPOOL_NAMES(CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
        CUPOOL_NAMES(CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
        CUPOOL_NAMES(CUDA_ERROR_JIT_COMPILATION_DISABLED),
        CUPOOL_NAMES(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY),
        CUPOOL_NAMES(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC),
        CUPOOL_NAMES(CUDA_ERROR_CONTAINED),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_SOURCE),
        CUPOOL_NAMES(CUDA_ERROR_FILE_NOT_FOUND),
        CUPOOL_NAMES(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND),
        CUPOOL_NAMES(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED),
        CUPOOL_NAMES(CUDA_ERROR_OPERATING_SYSTEM),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_HANDLE),
        CUPOOL_NAMES(CUDA_ERROR_ILLEGAL_STATE),
        CUPOOL_NAMES(CUDA_ERROR_LOSSY_QUERY),
        CUPOOL_NAMES(CUDA_ERROR_NOT_FOUND),
        CUPOOL_NAMES(CUDA_ERROR_NOT_READY),
        CUPOOL_NAMES(CUDA_ERROR_ILLEGAL_ADDRESS),
        CUPOOL_NAMES(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
        CUPOOL_NAMES(CUDA_ERROR_LAUNCH_TIMEOUT),
        CUPOOL_NAMES(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING),
        CUPOOL_NAMES(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
        CUPOOL_NAMES(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
        CUPOOL_NAMES(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE),
        CUPOOL_NAMES(CUDA_ERROR_CONTEXT_IS_DESTROYED),
        CUPOOL_NAMES(CUDA_ERROR_ASSERT),
        CUPOOL_NAMES(CUDA_ERROR_TOO_MANY_PEERS),
        CUPOOL_NAMES(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
        CUPOOL_NAMES(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
        CUPOOL_NAMES(CUDA_ERROR_HARDWARE_STACK_ERROR),
        CUPOOL_NAMES(CUDA_ERROR_ILLEGAL_INSTRUCTION),
        CUPOOL_NAMES(CUDA_ERROR_MISALIGNED_ADDRESS),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_ADDRESS_SPACE),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_PC),
        CUPOOL_NAMES(CUDA_ERROR_LAUNCH_FAILED),
        CUPOOL_NAMES(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
        CUPOOL_NAMES(CUDA_ERROR_TENSOR_MEMORY_LEAK),
        CUPOOL_NAMES(CUDA_ERROR_NOT_PERMITTED),
        CUPOOL_NAMES(CUDA_ERROR_NOT_SUPPORTED),
        CUPOOL_NAMES(CUDA_ERROR_SYSTEM_NOT_READY),
        CUPOOL_NAMES(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH),
        CUPOOL_NAMES(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE),
        CUPOOL_NAMES(CUDA_ERROR_MPS_CONNECTION_FAILED),
        CUPOOL_NAMES(CUDA_ERROR_MPS_RPC_FAILURE),
        CUPOOL_NAMES(CUDA_ERROR_MPS_SERVER_NOT_READY),
        CUPOOL_NAMES(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED),
        CUPOOL_NAMES(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED),
        CUPOOL_NAMES(CUDA_ERROR_MPS_CLIENT_TERMINATED),
        CUPOOL_NAMES(CUDA_ERROR_CDP_NOT_SUPPORTED),
        CUPOOL_NAMES(CUDA_ERROR_CDP_VERSION_MISMATCH),
        CUPOOL_NAMES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
        CUPOOL_NAMES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
        CUPOOL_NAMES(CUDA_ERROR_STREAM_CAPTURE_MERGE),
        CUPOOL_NAMES(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED),
        CUPOOL_NAMES(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
        CUPOOL_NAMES(CUDA_ERROR_STREAM_CAPTURE_ISOLATION),
        CUPOOL_NAMES(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
        CUPOOL_NAMES(CUDA_ERROR_CAPTURED_EVENT),
        CUPOOL_NAMES(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD),
        CUPOOL_NAMES(CUDA_ERROR_TIMEOUT),
        CUPOOL_NAMES(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE),
        CUPOOL_NAMES(CUDA_ERROR_EXTERNAL_DEVICE),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_CLUSTER_SIZE),
        CUPOOL_NAMES(CUDA_ERROR_FUNCTION_NOT_LOADED),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_RESOURCE_TYPE),
        CUPOOL_NAMES(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION),
        CUPOOL_NAMES(CUDA_ERROR_KEY_ROTATION),
        CUPOOL_NAMES(CUDA_ERROR_UNKNOWN),
    };
    // clang-format on
    for (const Named& named : all) {
        const auto result = static_cast<cupool::abi::Result>(named.number);
        CHECK(cupool::result_name(result) == named.name);
        CHECK_FALSE(cupool::result_text(result).empty());
    }
}
