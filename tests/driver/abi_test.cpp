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

static_assert(is_compatible<HostFunction, CUhostFn>());
static_assert(is_compatible<DevicePointer, CUdeviceptr>());
static_assert(is_compatible<Device, CUdevice>());
static_assert(std::is_same_v<Context, CUcontext> && std::is_same_v<Module, CUmodule> && std::is_same_v<Function, CUfunction>);
static_assert(std::is_same_v<Stream, CUstream> && std::is_same_v<Event, CUevent> && std::is_same_v<MemoryPool, CUmemoryPool>);

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
