// Holds cupool's own declarations of libcuda's interface against NVIDIA's cuda.h; compiled only where one is found.

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstddef>
#include <cupool/driver/entry_points.hpp>
#include <cupool/driver/error.hpp>
#include <string_view>
#include <type_traits>

#include "catch.hpp"

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
CUPOOL_SIGNATURE(device_get_physical_uuid, PFN_cuDeviceGetUuid_v9020)
CUPOOL_SIGNATURE(device_total_memory, PFN_cuDeviceTotalMem_v3020)
CUPOOL_SIGNATURE(device_get_attribute, PFN_cuDeviceGetAttribute_v2000)
CUPOOL_SIGNATURE(device_get_pci_bus_id, PFN_cuDeviceGetPCIBusId_v4010)
CUPOOL_SIGNATURE(device_get_by_pci_bus_id, PFN_cuDeviceGetByPCIBusId_v4010)
CUPOOL_SIGNATURE(device_can_access_peer, PFN_cuDeviceCanAccessPeer_v4000)
CUPOOL_SIGNATURE(device_get_peer_attribute, PFN_cuDeviceGetP2PAttribute_v8000)
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
CUPOOL_SIGNATURE(module_load_data, PFN_cuModuleLoadDataEx_v2010)
CUPOOL_SIGNATURE(module_unload, PFN_cuModuleUnload_v2000)
CUPOOL_SIGNATURE(module_get_function, PFN_cuModuleGetFunction_v2000)
CUPOOL_SIGNATURE(module_get_global, PFN_cuModuleGetGlobal_v3020)
CUPOOL_SIGNATURE(function_get_attribute, PFN_cuFuncGetAttribute_v2020)
CUPOOL_SIGNATURE(function_set_attribute, PFN_cuFuncSetAttribute_v9000)
CUPOOL_SIGNATURE(occupancy_max_active_blocks, PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050)
CUPOOL_SIGNATURE(launch_kernel, PFN_cuLaunchKernel_v4000)
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
CUPOOL_NUMBER(Result::host_memory_not_registered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
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
CUPOOL_NUMBER(DeviceAttribute::total_constant_memory_bytes, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)
CUPOOL_NUMBER(DeviceAttribute::warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE)
CUPOOL_NUMBER(DeviceAttribute::max_pitch_bytes, CU_DEVICE_ATTRIBUTE_MAX_PITCH)
CUPOOL_NUMBER(DeviceAttribute::max_registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)
CUPOOL_NUMBER(DeviceAttribute::clock_rate_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
CUPOOL_NUMBER(DeviceAttribute::texture_alignment, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)
CUPOOL_NUMBER(DeviceAttribute::gpu_overlap, CU_DEVICE_ATTRIBUTE_GPU_OVERLAP)
CUPOOL_NUMBER(DeviceAttribute::multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
CUPOOL_NUMBER(DeviceAttribute::kernel_exec_timeout, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT)
CUPOOL_NUMBER(DeviceAttribute::integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED)
CUPOOL_NUMBER(DeviceAttribute::can_map_host_memory, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)
CUPOOL_NUMBER(DeviceAttribute::compute_mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)
CUPOOL_NUMBER(DeviceAttribute::max_texture1d_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT)
CUPOOL_NUMBER(DeviceAttribute::max_texture3d_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture3d_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT)
CUPOOL_NUMBER(DeviceAttribute::max_texture3d_depth, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_layered_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_layered_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_layered_layers, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS)
CUPOOL_NUMBER(DeviceAttribute::surface_alignment, CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT)
CUPOOL_NUMBER(DeviceAttribute::concurrent_kernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS)
CUPOOL_NUMBER(DeviceAttribute::ecc_enabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED)
CUPOOL_NUMBER(DeviceAttribute::pci_bus_id, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
CUPOOL_NUMBER(DeviceAttribute::pci_device_id, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
CUPOOL_NUMBER(DeviceAttribute::tcc_driver, CU_DEVICE_ATTRIBUTE_TCC_DRIVER)
CUPOOL_NUMBER(DeviceAttribute::memory_clock_rate_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)
CUPOOL_NUMBER(DeviceAttribute::memory_bus_width_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::l2_cache_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
CUPOOL_NUMBER(DeviceAttribute::max_threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
CUPOOL_NUMBER(DeviceAttribute::async_engine_count, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT)
CUPOOL_NUMBER(DeviceAttribute::unified_addressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)
CUPOOL_NUMBER(DeviceAttribute::max_texture1d_layered_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture1d_layered_layers, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS)
CUPOOL_NUMBER(DeviceAttribute::can_tex2d_gather, CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_gather_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_gather_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT)
CUPOOL_NUMBER(DeviceAttribute::max_texture3d_width_alternate, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE)
CUPOOL_NUMBER(DeviceAttribute::max_texture3d_height_alternate, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE)
CUPOOL_NUMBER(DeviceAttribute::max_texture3d_depth_alternate, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE)
CUPOOL_NUMBER(DeviceAttribute::pci_domain_id, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
CUPOOL_NUMBER(DeviceAttribute::texture_pitch_alignment, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT)
CUPOOL_NUMBER(DeviceAttribute::max_texturecubemap_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texturecubemap_layered_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texturecubemap_layered_layers, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS)
CUPOOL_NUMBER(DeviceAttribute::max_surface1d_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_surface2d_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_surface2d_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT)
CUPOOL_NUMBER(DeviceAttribute::max_surface3d_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_surface3d_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT)
CUPOOL_NUMBER(DeviceAttribute::max_surface3d_depth, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH)
CUPOOL_NUMBER(DeviceAttribute::max_surface1d_layered_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_surface1d_layered_layers, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS)
CUPOOL_NUMBER(DeviceAttribute::max_surface2d_layered_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_surface2d_layered_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT)
CUPOOL_NUMBER(DeviceAttribute::max_surface2d_layered_layers, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS)
CUPOOL_NUMBER(DeviceAttribute::max_surfacecubemap_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_surfacecubemap_layered_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_surfacecubemap_layered_layers, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS)
CUPOOL_NUMBER(DeviceAttribute::max_texture1d_linear_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_linear_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_linear_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_linear_pitch, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_mipmapped_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::max_texture2d_mipmapped_height, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT)
CUPOOL_NUMBER(DeviceAttribute::compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
CUPOOL_NUMBER(DeviceAttribute::compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
CUPOOL_NUMBER(DeviceAttribute::max_texture1d_mipmapped_width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH)
CUPOOL_NUMBER(DeviceAttribute::stream_priorities_supported, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::global_l1_cache_supported, CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::local_l1_cache_supported, CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::max_shared_memory_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
CUPOOL_NUMBER(DeviceAttribute::max_registers_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)
CUPOOL_NUMBER(DeviceAttribute::managed_memory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)
CUPOOL_NUMBER(DeviceAttribute::multi_gpu_board, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD)
CUPOOL_NUMBER(DeviceAttribute::multi_gpu_board_group_id, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID)
CUPOOL_NUMBER(DeviceAttribute::host_native_atomic_supported, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::single_to_double_performance_ratio, CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)
CUPOOL_NUMBER(DeviceAttribute::pageable_memory_access, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)
CUPOOL_NUMBER(DeviceAttribute::concurrent_managed_access, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
CUPOOL_NUMBER(DeviceAttribute::compute_preemption_supported, CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::can_use_host_pointer_for_registered_memory, CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)
CUPOOL_NUMBER(DeviceAttribute::can_use_stream_memory_operations_v1, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1)
CUPOOL_NUMBER(DeviceAttribute::can_use_64_bit_stream_memory_operations_v1, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1)
CUPOOL_NUMBER(DeviceAttribute::can_use_stream_wait_value_nor_v1, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1)
CUPOOL_NUMBER(DeviceAttribute::cooperative_launch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)
CUPOOL_NUMBER(DeviceAttribute::cooperative_multi_device_launch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH)
CUPOOL_NUMBER(DeviceAttribute::max_shared_memory_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
CUPOOL_NUMBER(DeviceAttribute::can_flush_remote_writes, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES)
CUPOOL_NUMBER(DeviceAttribute::host_register_supported, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::pageable_memory_access_uses_host_page_tables, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES)
CUPOOL_NUMBER(DeviceAttribute::direct_managed_memory_access_from_host, CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST)
CUPOOL_NUMBER(DeviceAttribute::virtual_memory_management_supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::handle_type_posix_file_descriptor_supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::handle_type_win32_handle_supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::handle_type_win32_kmt_handle_supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::max_blocks_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)
CUPOOL_NUMBER(DeviceAttribute::generic_compression_supported, CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::max_persisting_l2_cache_bytes, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)
CUPOOL_NUMBER(DeviceAttribute::max_access_policy_window_bytes, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE)
CUPOOL_NUMBER(DeviceAttribute::gpu_direct_rdma_with_cuda_vmm_supported, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::reserved_shared_memory_per_block, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)
CUPOOL_NUMBER(DeviceAttribute::sparse_cuda_array_supported, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::read_only_host_register_supported, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::timeline_semaphore_interop_supported, CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::memory_pools_supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::gpu_direct_rdma_supported, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::gpu_direct_rdma_flush_writes_options, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS)
CUPOOL_NUMBER(DeviceAttribute::gpu_direct_rdma_writes_ordering, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING)
CUPOOL_NUMBER(DeviceAttribute::memory_pool_supported_handle_types, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES)
CUPOOL_NUMBER(DeviceAttribute::cluster_launch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)
CUPOOL_NUMBER(DeviceAttribute::deferred_mapping_cuda_array_supported, CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::can_use_64_bit_stream_memory_operations, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS)
CUPOOL_NUMBER(DeviceAttribute::can_use_stream_wait_value_nor, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR)
CUPOOL_NUMBER(DeviceAttribute::dma_buf_supported, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::ipc_event_supported, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::memory_sync_domain_count, CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT)
CUPOOL_NUMBER(DeviceAttribute::tensor_map_access_supported, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::handle_type_fabric_supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::unified_function_pointers, CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS)
CUPOOL_NUMBER(DeviceAttribute::numa_config, CU_DEVICE_ATTRIBUTE_NUMA_CONFIG)
CUPOOL_NUMBER(DeviceAttribute::numa_id, CU_DEVICE_ATTRIBUTE_NUMA_ID)
CUPOOL_NUMBER(DeviceAttribute::multicast_supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::mps_enabled, CU_DEVICE_ATTRIBUTE_MPS_ENABLED)
CUPOOL_NUMBER(DeviceAttribute::host_numa_id, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID)
CUPOOL_NUMBER(DeviceAttribute::d3d12_cig_supported, CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::memory_decompress_algorithm_mask, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK)
CUPOOL_NUMBER(DeviceAttribute::memory_decompress_maximum_length, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH)
CUPOOL_NUMBER(DeviceAttribute::vulkan_cig_supported, CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::gpu_pci_device_id, CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID)
CUPOOL_NUMBER(DeviceAttribute::gpu_pci_subsystem_id, CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID)
CUPOOL_NUMBER(DeviceAttribute::host_numa_virtual_memory_management_supported, CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::host_numa_memory_pools_supported, CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::host_numa_multinode_ipc_supported, CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::host_memory_pools_supported, CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::host_virtual_memory_management_supported, CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::host_alloc_dma_buf_supported, CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED)
CUPOOL_NUMBER(DeviceAttribute::only_partial_host_native_atomic_supported, CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED)
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
CUPOOL_NUMBER(EventFlags::interprocess, CU_EVENT_INTERPROCESS)
CUPOOL_NUMBER(HostAllocationFlags::portable, CU_MEMHOSTALLOC_PORTABLE)
CUPOOL_NUMBER(HostAllocationFlags::device_map, CU_MEMHOSTALLOC_DEVICEMAP)
CUPOOL_NUMBER(HostAllocationFlags::write_combined, CU_MEMHOSTALLOC_WRITECOMBINED)
CUPOOL_NUMBER(HostRegistrationFlags::portable, CU_MEMHOSTREGISTER_PORTABLE)
CUPOOL_NUMBER(HostRegistrationFlags::device_map, CU_MEMHOSTREGISTER_DEVICEMAP)
CUPOOL_NUMBER(HostRegistrationFlags::io_memory, CU_MEMHOSTREGISTER_IOMEMORY)
CUPOOL_NUMBER(HostRegistrationFlags::read_only, CU_MEMHOSTREGISTER_READ_ONLY)
CUPOOL_NUMBER(ManagedAttachment::global, CU_MEM_ATTACH_GLOBAL)
CUPOOL_NUMBER(ManagedAttachment::host, CU_MEM_ATTACH_HOST)
CUPOOL_NUMBER(MemoryAdvice::set_read_mostly, CU_MEM_ADVISE_SET_READ_MOSTLY)
CUPOOL_NUMBER(MemoryAdvice::unset_read_mostly, CU_MEM_ADVISE_UNSET_READ_MOSTLY)
CUPOOL_NUMBER(MemoryAdvice::set_preferred_location, CU_MEM_ADVISE_SET_PREFERRED_LOCATION)
CUPOOL_NUMBER(MemoryAdvice::unset_preferred_location, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
CUPOOL_NUMBER(MemoryAdvice::set_accessed_by, CU_MEM_ADVISE_SET_ACCESSED_BY)
CUPOOL_NUMBER(MemoryAdvice::unset_accessed_by, CU_MEM_ADVISE_UNSET_ACCESSED_BY)
CUPOOL_NUMBER(MemoryRangeAttribute::read_mostly, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)
CUPOOL_NUMBER(MemoryRangeAttribute::preferred_location, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION)
CUPOOL_NUMBER(MemoryRangeAttribute::last_prefetch_location, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION)
CUPOOL_NUMBER(host_device, CU_DEVICE_CPU)
CUPOOL_NUMBER(no_location, CU_DEVICE_INVALID)
CUPOOL_NUMBER(PointerAttribute::context, CU_POINTER_ATTRIBUTE_CONTEXT)
CUPOOL_NUMBER(PointerAttribute::memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
CUPOOL_NUMBER(PointerAttribute::device_pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
CUPOOL_NUMBER(PointerAttribute::host_pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER)
CUPOOL_NUMBER(PointerAttribute::is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED)
CUPOOL_NUMBER(PointerAttribute::device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
CUPOOL_NUMBER(PointerAttribute::range_start_address, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
CUPOOL_NUMBER(PointerAttribute::range_size, CU_POINTER_ATTRIBUTE_RANGE_SIZE)
CUPOOL_NUMBER(PointerAttribute::memory_pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE)
CUPOOL_NUMBER(PeerAttribute::performance_rank, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK)
CUPOOL_NUMBER(PeerAttribute::access_supported, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED)
CUPOOL_NUMBER(PeerAttribute::native_atomics_supported, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)
CUPOOL_NUMBER(PeerAttribute::array_access_supported, CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED)
CUPOOL_NUMBER(PeerAttribute::only_partial_native_atomics_supported, CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED)
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
CUPOOL_NUMBER(MemoryLocationType::invalid, CU_MEM_LOCATION_TYPE_INVALID)
CUPOOL_NUMBER(MemoryLocationType::device, CU_MEM_LOCATION_TYPE_DEVICE)
CUPOOL_NUMBER(MemoryAllocationType::invalid, CU_MEM_ALLOCATION_TYPE_INVALID)
CUPOOL_NUMBER(MemoryAllocationType::pinned, CU_MEM_ALLOCATION_TYPE_PINNED)
CUPOOL_NUMBER(MemoryHandleType::none, CU_MEM_HANDLE_TYPE_NONE)
CUPOOL_NUMBER(MemoryHandleType::posix_file_descriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
CUPOOL_NUMBER(AllocationGranularity::minimum, CU_MEM_ALLOC_GRANULARITY_MINIMUM)
CUPOOL_NUMBER(AllocationGranularity::recommended, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
CUPOOL_NUMBER(IpcMemoryFlags::lazy_enable_peer_access, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
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
CUPOOL_LAYOUT(MemoryPoolPointerExport, CUmemPoolPtrExportData)
CUPOOL_MEMBER(MemoryPoolPointerExport, reserved, CUmemPoolPtrExportData, reserved)
CUPOOL_LAYOUT(PhysicalMemoryProperties, CUmemAllocationProp)
CUPOOL_MEMBER(PhysicalMemoryProperties, type, CUmemAllocationProp, type)
CUPOOL_MEMBER(PhysicalMemoryProperties, requested_handle_types, CUmemAllocationProp, requestedHandleTypes)
CUPOOL_MEMBER(PhysicalMemoryProperties, location, CUmemAllocationProp, location)
CUPOOL_MEMBER(PhysicalMemoryProperties, win32_handle_metadata, CUmemAllocationProp, win32HandleMetaData)
CUPOOL_MEMBER(PhysicalMemoryProperties, flags, CUmemAllocationProp, allocFlags)
static_assert(offsetof(PhysicalMemoryProperties, flags.compression_type) == offsetof(CUmemAllocationProp, allocFlags.compressionType),
              "PhysicalMemoryProperties::flags.compression_type");
static_assert(offsetof(PhysicalMemoryProperties, flags.gpu_direct_rdma_capable) ==
                  offsetof(CUmemAllocationProp, allocFlags.gpuDirectRDMACapable),
              "PhysicalMemoryProperties::flags.gpu_direct_rdma_capable");
static_assert(offsetof(PhysicalMemoryProperties, flags.usage) == offsetof(CUmemAllocationProp, allocFlags.usage),
              "PhysicalMemoryProperties::flags.usage");
static_assert(offsetof(PhysicalMemoryProperties, flags.reserved) == offsetof(CUmemAllocationProp, allocFlags.reserved),
              "PhysicalMemoryProperties::flags.reserved");
CUPOOL_LAYOUT(Copy2D, CUDA_MEMCPY2D)
static_assert(offsetof(Copy2D, from.x_bytes) == offsetof(CUDA_MEMCPY2D, srcXInBytes), "Copy2D::from.x_bytes");
static_assert(offsetof(Copy2D, from.y) == offsetof(CUDA_MEMCPY2D, srcY), "Copy2D::from.y");
static_assert(offsetof(Copy2D, from.type) == offsetof(CUDA_MEMCPY2D, srcMemoryType), "Copy2D::from.type");
static_assert(offsetof(Copy2D, from.host) == offsetof(CUDA_MEMCPY2D, srcHost), "Copy2D::from.host");
static_assert(offsetof(Copy2D, from.device) == offsetof(CUDA_MEMCPY2D, srcDevice), "Copy2D::from.device");
static_assert(offsetof(Copy2D, from.array) == offsetof(CUDA_MEMCPY2D, srcArray), "Copy2D::from.array");
static_assert(offsetof(Copy2D, from.pitch_bytes) == offsetof(CUDA_MEMCPY2D, srcPitch), "Copy2D::from.pitch_bytes");
static_assert(offsetof(Copy2D, to.x_bytes) == offsetof(CUDA_MEMCPY2D, dstXInBytes), "Copy2D::to.x_bytes");
static_assert(offsetof(Copy2D, to.y) == offsetof(CUDA_MEMCPY2D, dstY), "Copy2D::to.y");
static_assert(offsetof(Copy2D, to.type) == offsetof(CUDA_MEMCPY2D, dstMemoryType), "Copy2D::to.type");
static_assert(offsetof(Copy2D, to.host) == offsetof(CUDA_MEMCPY2D, dstHost), "Copy2D::to.host");
static_assert(offsetof(Copy2D, to.device) == offsetof(CUDA_MEMCPY2D, dstDevice), "Copy2D::to.device");
static_assert(offsetof(Copy2D, to.array) == offsetof(CUDA_MEMCPY2D, dstArray), "Copy2D::to.array");
static_assert(offsetof(Copy2D, to.pitch_bytes) == offsetof(CUDA_MEMCPY2D, dstPitch), "Copy2D::to.pitch_bytes");
CUPOOL_MEMBER(Copy2D, width_bytes, CUDA_MEMCPY2D, WidthInBytes)
CUPOOL_MEMBER(Copy2D, height, CUDA_MEMCPY2D, Height)
CUPOOL_LAYOUT(IpcMemoryHandle, CUipcMemHandle)
CUPOOL_LAYOUT(IpcEventHandle, CUipcEventHandle)

static_assert(is_compatible<HostFunction, CUhostFn>());
static_assert(is_compatible<DevicePointer, CUdeviceptr>());
static_assert(is_compatible<Device, CUdevice>());
static_assert(is_compatible<MemoryHandle, CUmemGenericAllocationHandle>());
static_assert(std::is_same_v<Context, CUcontext> && std::is_same_v<Module, CUmodule> && std::is_same_v<Function, CUfunction>);
static_assert(std::is_same_v<Stream, CUstream> && std::is_same_v<Event, CUevent> && std::is_same_v<MemoryPool, CUmemoryPool>);
static_assert(std::is_same_v<Array, CUarray>);

}  // namespace

}  // namespace cupool::abi

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
