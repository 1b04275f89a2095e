// The signatures of all entry points, compared with cudaTypedefs.h.

#include "abi/cuda_header.hpp"

#include <cudaProfiler.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>

#include <cupool/driver/entry_points.hpp>
#include <iterator>
#include <string_view>

// cudaTypedefs.h declares it only for the toolkit itself.
using PFN_cuGraphInstantiate_v11000 = CUresult (*)(CUgraphExec*, CUgraph, CUgraphNode*, char*, size_t);

namespace cupool::abi {

namespace {

template <class Ours, class Theirs>
struct SameSignature : std::false_type {};

template <class... Ours, class... Theirs>
requires(sizeof...(Ours) == sizeof...(Theirs)) struct SameSignature<Status (*)(Ours...), CUresult (*)(Theirs...)>
    : std::bool_constant<(is_compatible<Ours, Theirs>() && ...)> {
};

/// Whether a PFN_* name is that of the row: PFN_<base>_v<version>.
constexpr bool names_row(std::string_view type, const EntryPointInfo& row) {
    const std::string_view base = row.base;
    if (type.substr(0, 4) != "PFN_" || type.substr(4, base.size()) != base || type.substr(4 + base.size(), 2) != "_v") return false;
    int version = 0;
    for (const char digit : type.substr(6 + base.size())) version = version * 10 + (digit - '0');
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
CUPOOL_SIGNATURE(device_get_physical_uuid, PFN_cuDeviceGetUuid_v9020)
CUPOOL_SIGNATURE(device_total_memory, PFN_cuDeviceTotalMem_v3020)
CUPOOL_SIGNATURE(device_get_attribute, PFN_cuDeviceGetAttribute_v2000)
CUPOOL_SIGNATURE(device_get_pci_bus_id, PFN_cuDeviceGetPCIBusId_v4010)
CUPOOL_SIGNATURE(device_get_by_pci_bus_id, PFN_cuDeviceGetByPCIBusId_v4010)
CUPOOL_SIGNATURE(device_can_access_peer, PFN_cuDeviceCanAccessPeer_v4000)
CUPOOL_SIGNATURE(device_get_peer_attribute, PFN_cuDeviceGetP2PAttribute_v8000)
CUPOOL_SIGNATURE(device_get_execution_affinity_support, PFN_cuDeviceGetExecAffinitySupport_v11040)
CUPOOL_SIGNATURE(device_get_default_memory_pool, PFN_cuDeviceGetDefaultMemPool_v11020)
CUPOOL_SIGNATURE(primary_context_retain, PFN_cuDevicePrimaryCtxRetain_v7000)
CUPOOL_SIGNATURE(primary_context_release, PFN_cuDevicePrimaryCtxRelease_v11000)
CUPOOL_SIGNATURE(primary_context_get_state, PFN_cuDevicePrimaryCtxGetState_v7000)
CUPOOL_SIGNATURE(context_create, PFN_cuCtxCreate_v3020)
CUPOOL_SIGNATURE(context_create_with_affinity, PFN_cuCtxCreate_v11040)
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
CUPOOL_SIGNATURE(context_get_execution_affinity, PFN_cuCtxGetExecAffinity_v11040)
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
CUPOOL_SIGNATURE(memory_get_address_range, PFN_cuMemGetAddressRange_v3020)
CUPOOL_SIGNATURE(memory_allocate_pitch, PFN_cuMemAllocPitch_v3020)
CUPOOL_SIGNATURE(memory_allocate_managed, PFN_cuMemAllocManaged_v6000)
CUPOOL_SIGNATURE(memory_advise, PFN_cuMemAdvise_v8000)
CUPOOL_SIGNATURE(memory_prefetch_async, PFN_cuMemPrefetchAsync_v8000)
CUPOOL_SIGNATURE(memory_range_get_attribute, PFN_cuMemRangeGetAttribute_v8000)
CUPOOL_SIGNATURE(host_allocate, PFN_cuMemHostAlloc_v2020)
CUPOOL_SIGNATURE(host_free, PFN_cuMemFreeHost_v2000)
CUPOOL_SIGNATURE(host_get_device_pointer, PFN_cuMemHostGetDevicePointer_v3020)
CUPOOL_SIGNATURE(host_get_flags, PFN_cuMemHostGetFlags_v2030)
CUPOOL_SIGNATURE(host_register, PFN_cuMemHostRegister_v6050)
CUPOOL_SIGNATURE(host_unregister, PFN_cuMemHostUnregister_v4000)
CUPOOL_SIGNATURE(copy_unified, PFN_cuMemcpy_v4000)
CUPOOL_SIGNATURE(copy_host_to_device, PFN_cuMemcpyHtoD_v3020)
CUPOOL_SIGNATURE(copy_device_to_host, PFN_cuMemcpyDtoH_v3020)
CUPOOL_SIGNATURE(copy_device_to_device, PFN_cuMemcpyDtoD_v3020)
CUPOOL_SIGNATURE(copy_host_to_device_async, PFN_cuMemcpyHtoDAsync_v3020)
CUPOOL_SIGNATURE(copy_device_to_host_async, PFN_cuMemcpyDtoHAsync_v3020)
CUPOOL_SIGNATURE(copy_device_to_device_async, PFN_cuMemcpyDtoDAsync_v3020)
CUPOOL_SIGNATURE(copy_unified_async, PFN_cuMemcpyAsync_v4000)
CUPOOL_SIGNATURE(copy_peer, PFN_cuMemcpyPeer_v4000)
CUPOOL_SIGNATURE(copy_peer_async, PFN_cuMemcpyPeerAsync_v4000)
CUPOOL_SIGNATURE(copy_2d, PFN_cuMemcpy2D_v3020)
CUPOOL_SIGNATURE(copy_2d_unaligned, PFN_cuMemcpy2DUnaligned_v3020)
CUPOOL_SIGNATURE(copy_2d_async, PFN_cuMemcpy2DAsync_v3020)
CUPOOL_SIGNATURE(copy_3d_async, PFN_cuMemcpy3DAsync_v3020)
CUPOOL_SIGNATURE(copy_3d_peer_async, PFN_cuMemcpy3DPeerAsync_v4000)
CUPOOL_SIGNATURE(set_bytes, PFN_cuMemsetD8_v3020)
CUPOOL_SIGNATURE(set_halfwords, PFN_cuMemsetD16_v3020)
CUPOOL_SIGNATURE(set_words, PFN_cuMemsetD32_v3020)
CUPOOL_SIGNATURE(set_bytes_async, PFN_cuMemsetD8Async_v3020)
CUPOOL_SIGNATURE(set_words_async, PFN_cuMemsetD32Async_v3020)
CUPOOL_SIGNATURE(set_halfwords_async, PFN_cuMemsetD16Async_v3020)
CUPOOL_SIGNATURE(set_bytes_2d_async, PFN_cuMemsetD2D8Async_v3020)
CUPOOL_SIGNATURE(set_halfwords_2d_async, PFN_cuMemsetD2D16Async_v3020)
CUPOOL_SIGNATURE(set_words_2d_async, PFN_cuMemsetD2D32Async_v3020)
CUPOOL_SIGNATURE(pointer_get_attribute, PFN_cuPointerGetAttribute_v4000)
CUPOOL_SIGNATURE(pointer_get_attributes, PFN_cuPointerGetAttributes_v7000)
CUPOOL_SIGNATURE(memory_pool_create, PFN_cuMemPoolCreate_v11020)
CUPOOL_SIGNATURE(memory_pool_destroy, PFN_cuMemPoolDestroy_v11020)
CUPOOL_SIGNATURE(memory_pool_set_attribute, PFN_cuMemPoolSetAttribute_v11020)
CUPOOL_SIGNATURE(memory_pool_get_attribute, PFN_cuMemPoolGetAttribute_v11020)
CUPOOL_SIGNATURE(memory_pool_trim_to, PFN_cuMemPoolTrimTo_v11020)
CUPOOL_SIGNATURE(memory_pool_set_access, PFN_cuMemPoolSetAccess_v11020)
CUPOOL_SIGNATURE(memory_pool_get_access, PFN_cuMemPoolGetAccess_v11020)
CUPOOL_SIGNATURE(memory_pool_export, PFN_cuMemPoolExportToShareableHandle_v11020)
CUPOOL_SIGNATURE(memory_pool_import, PFN_cuMemPoolImportFromShareableHandle_v11020)
CUPOOL_SIGNATURE(memory_pool_export_pointer, PFN_cuMemPoolExportPointer_v11020)
CUPOOL_SIGNATURE(memory_pool_import_pointer, PFN_cuMemPoolImportPointer_v11020)
CUPOOL_SIGNATURE(memory_allocate_async, PFN_cuMemAllocAsync_v11020)
CUPOOL_SIGNATURE(memory_allocate_from_pool_async, PFN_cuMemAllocFromPoolAsync_v11020)
CUPOOL_SIGNATURE(memory_free_async, PFN_cuMemFreeAsync_v11020)
CUPOOL_SIGNATURE(address_reserve, PFN_cuMemAddressReserve_v10020)
CUPOOL_SIGNATURE(address_free, PFN_cuMemAddressFree_v10020)
CUPOOL_SIGNATURE(memory_create, PFN_cuMemCreate_v10020)
CUPOOL_SIGNATURE(memory_release, PFN_cuMemRelease_v10020)
CUPOOL_SIGNATURE(memory_map, PFN_cuMemMap_v10020)
CUPOOL_SIGNATURE(memory_unmap, PFN_cuMemUnmap_v10020)
CUPOOL_SIGNATURE(memory_set_access, PFN_cuMemSetAccess_v10020)
CUPOOL_SIGNATURE(memory_get_access, PFN_cuMemGetAccess_v10020)
CUPOOL_SIGNATURE(memory_get_granularity, PFN_cuMemGetAllocationGranularity_v10020)
CUPOOL_SIGNATURE(memory_export, PFN_cuMemExportToShareableHandle_v10020)
CUPOOL_SIGNATURE(memory_import, PFN_cuMemImportFromShareableHandle_v10020)
CUPOOL_SIGNATURE(memory_get_properties, PFN_cuMemGetAllocationPropertiesFromHandle_v10020)
CUPOOL_SIGNATURE(ipc_get_memory_handle, PFN_cuIpcGetMemHandle_v4010)
CUPOOL_SIGNATURE(ipc_open_memory_handle, PFN_cuIpcOpenMemHandle_v11000)
CUPOOL_SIGNATURE(ipc_close_memory_handle, PFN_cuIpcCloseMemHandle_v4010)
CUPOOL_SIGNATURE(ipc_get_event_handle, PFN_cuIpcGetEventHandle_v4010)
CUPOOL_SIGNATURE(ipc_open_event_handle, PFN_cuIpcOpenEventHandle_v4010)
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
CUPOOL_SIGNATURE(logs_current, PFN_cuLogsCurrent_v12090)
CUPOOL_SIGNATURE(logs_dump_to_memory, PFN_cuLogsDumpToMemory_v12090)
// clang-format on

// If a row has no line above, its name is undeclared here.
constexpr int held = 0
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) +member##_is_held
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
    ;
static_assert(held == std::size(all_entry_points));

}  // namespace

}  // namespace cupool::abi
