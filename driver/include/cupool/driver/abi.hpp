#pragma once

/// \file
/// The part of libcuda's binary interface that cupool speaks: handles, numbers and layouts.
///
/// The handle types are the same opaque global struct tags that NVIDIA's cuda.h uses, so both headers can be included
/// in one translation unit. Numbers and layouts are those of the CUDA Driver API documentation; where a cuda.h is found at build
/// time, `tests/driver/abi_test.cpp` holds every one of them against it.

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUmemPoolHandle_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
struct CUuserObject_st;
struct CUlib_st;
struct CUkern_st;
struct CUlinkState_st;
struct CUgreenCtx_st;
struct CUdevResourceDesc_st;
struct CUarray_st;

/// What libcuda's C interface looks like from here. Nothing in this namespace calls anything.
namespace cupool::abi {

using Device = int;
using DevicePointer = std::uint64_t;
using Context = CUctx_st*;
using Module = CUmod_st*;
using Function = CUfunc_st*;
using Stream = CUstream_st*;
using Event = CUevent_st*;
using MemoryPool = CUmemPoolHandle_st*;
using Graph = CUgraph_st*;
using GraphNode = CUgraphNode_st*;
using GraphExec = CUgraphExec_st*;
using UserObject = CUuserObject_st*;
using CodeLibrary = CUlib_st*;
using LibraryKernel = CUkern_st*;
using LinkState = CUlinkState_st*;
using GreenContext = CUgreenCtx_st*;
using ResourceDescription = CUdevResourceDesc_st*;
using Array = CUarray_st*;
/// Physical memory that has no address yet.
using MemoryHandle = std::uint64_t;
using HostFunction = void (*)(void* user_data);
using BlockSizeToSharedBytes = std::size_t (*)(int block_size);

/// CUresult. Open: drivers newer than this header answer numbers that are not named here.
enum class Status : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    deinitialized = 4,
    stub_library = 34,
    device_unavailable = 46,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    no_binary_for_gpu = 209,
    ecc_uncorrectable = 214,
    unsupported_limit = 215,
    peer_access_unsupported = 217,
    invalid_ptx = 218,
    unsupported_ptx_version = 222,
    unsupported_execution_affinity = 224,
    invalid_source = 300,
    file_not_found = 301,
    shared_object_init_failed = 303,
    operating_system = 304,
    invalid_handle = 400,
    illegal_state = 401,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    primary_context_active = 708,
    context_is_destroyed = 709,
    assert_failed = 710,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    illegal_instruction = 715,
    misaligned_address = 716,
    launch_failed = 719,
    cooperative_launch_too_large = 720,
    not_permitted = 800,
    not_supported = 801,
    system_not_ready = 802,
    system_driver_mismatch = 803,
    compat_not_supported_on_device = 804,
    stream_capture_unsupported = 900,
    stream_capture_invalidated = 901,
    stream_capture_merge = 902,
    stream_capture_unmatched = 903,
    stream_capture_unjoined = 904,
    stream_capture_isolation = 905,
    stream_capture_implicit = 906,
    captured_event = 907,
    stream_capture_wrong_thread = 908,
    graph_exec_update_failure = 910,
    invalid_cluster_size = 912,
    invalid_resource_type = 914,
    invalid_resource_configuration = 915,
    unknown = 999,
};

/// CUdevice_attribute, as CUDA 13.0 has them.
enum class DeviceAttribute : int {
#define CUPOOL_DEVICE_ATTRIBUTE(name, number) name = number,
#include <cupool/driver/device_attributes.def>
#undef CUPOOL_DEVICE_ATTRIBUTE
};

/// CUcomputemode.
enum class ComputeMode : int { standard = 0, prohibited = 2, exclusive_process = 3 };

/// CUctx_flags; a bit set, of whose scheduling choices one may be taken.
enum class ContextFlags : unsigned {
    schedule_auto = 0,
    schedule_spin = 1,
    schedule_yield = 2,
    schedule_blocking = 4,
    map_host = 8,
    local_memory_resize_to_max = 16,
    synchronous_memory_operations = 128,
};

/// CUlimit, as far as every driver knows them.
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

/// CUdevResourceType.
enum class ResourceType : int { invalid = 0, multiprocessors = 1 };

/// CUstream_flags.
enum class StreamFlags : unsigned { blocking = 0, non_blocking = 1 };

/// CUevent_flags; a bit set.
enum class EventFlags : unsigned { timing = 0, blocking_sync = 1, disable_timing = 2, interprocess = 4 };

/// CUevent_record_flags.
enum class EventRecordFlags : unsigned { none = 0, external = 1 };

/// CUstreamWaitValue_flags, without the bit that flushes remote writes.
enum class WaitCondition : unsigned { greater_or_equal = 0, equal = 1, any_bit = 2, not_all_bits = 3 };

/// CUstreamCaptureMode.
enum class CaptureMode : int { global = 0, this_thread = 1, relaxed = 2 };

/// CUstreamCaptureStatus.
enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };

/// CUgraphNodeType.
enum class GraphNodeType : int {
    kernel = 0,
    copy = 1,
    set = 2,
    host_function = 3,
    child_graph = 4,
    empty = 5,
    event_wait = 6,
    event_record = 7,
    external_semaphore_signal = 8,
    external_semaphore_wait = 9,
    memory_allocation = 10,
    memory_free = 11,
    batch_memory_operation = 12,
    conditional = 13,
};

/// CUgraphExecUpdateResult.
enum class GraphUpdateResult : int {
    success = 0,
    error = 1,
    topology_changed = 2,
    node_type_changed = 3,
    function_changed = 4,
    parameters_changed = 5,
    not_supported = 6,
    unsupported_function_change = 7,
    attributes_changed = 8,
};

/// CU_MEMHOSTALLOC_*; a bit set.
enum class HostAllocationFlags : unsigned { none = 0, portable = 1, device_map = 2, write_combined = 4 };

/// CU_MEMHOSTREGISTER_*; a bit set.
enum class HostRegistrationFlags : unsigned { none = 0, portable = 1, device_map = 2, io_memory = 4, read_only = 8 };

/// CU_MEM_ATTACH_*, as far as cupool passes them.
enum class ManagedAttachment : unsigned { global = 1, host = 2 };

/// CUmem_advise.
enum class MemoryAdvice : int {
    set_read_mostly = 1,
    unset_read_mostly = 2,
    set_preferred_location = 3,
    unset_preferred_location = 4,
    set_accessed_by = 5,
    unset_accessed_by = 6,
};

/// CUmem_range_attribute, as far as cupool asks for them.
enum class MemoryRangeAttribute : int { read_mostly = 1, preferred_location = 2, last_prefetch_location = 4 };

/// What stands for the host where managed memory's calls want a device, and for nowhere in what they answer.
inline constexpr Device host_device = -1;
inline constexpr Device no_location = -2;

/// CUpointer_attribute, as far as cupool asks for them.
enum class PointerAttribute : int {
    context = 1,
    memory_type = 2,
    device_pointer = 3,
    host_pointer = 4,
    is_managed = 8,
    device_ordinal = 9,
    range_start_address = 11,
    range_size = 12,
    memory_pool = 17,
};

/// CUdevice_P2PAttribute.
enum class PeerAttribute : int {
    performance_rank = 1,
    access_supported = 2,
    native_atomics_supported = 3,
    array_access_supported = 4,
    only_partial_native_atomics_supported = 5,
};

/// CUmemorytype.
enum class MemoryType : unsigned { host = 1, device = 2, array = 3, unified = 4 };

/// CUmemPool_attribute.
enum class MemoryPoolAttribute : int {
    reuse_follow_event_dependencies = 1,
    reuse_allow_opportunistic = 2,
    reuse_allow_internal_dependencies = 3,
    release_threshold = 4,
    reserved_memory_current = 5,
    reserved_memory_high = 6,
    used_memory_current = 7,
    used_memory_high = 8,
};

/// CUfunction_attribute, as far as cupool asks for them.
enum class FunctionAttribute : int {
    max_threads_per_block = 0,
    shared_size_bytes = 1,
    const_size_bytes = 2,
    local_size_bytes = 3,
    register_count = 4,
    ptx_version = 5,
    binary_version = 6,
    cache_mode_ca = 7,
    max_dynamic_shared_size_bytes = 8,
    preferred_shared_memory_carveout = 9,
    cluster_size_must_be_set = 10,
    required_cluster_width = 11,
    required_cluster_height = 12,
    required_cluster_depth = 13,
    non_portable_cluster_size_allowed = 14,
    cluster_scheduling_policy = 15,
};

/// CUlaunchAttributeID, as far as cupool passes them.
enum class LaunchAttributeId : int {
    ignore = 0,
    cooperative = 2,
    cluster_dimension = 4,
    programmatic_stream_serialization = 6,
    priority = 8,
};

/// CUmoduleLoadingMode.
enum class ModuleLoadingMode : int { eager = 1, lazy = 2 };

/// CUlibraryOption, of which cupool passes none.
enum class LibraryOption : int { host_universal_function_and_data_table = 0, binary_is_preserved = 1 };

/// CUjitInputType.
enum class LinkInput : int { cubin = 0, ptx = 1, fat_binary = 2, object = 3, library = 4 };

/// CUjit_fallback.
enum class JitFallback : int { prefer_ptx = 0, prefer_binary = 1 };

/// CUjit_cacheMode: what loads do with the first level of cache.
enum class JitCacheMode : int { none = 0, global_level_only = 1, all_levels = 2 };

/// CUjit_option, as far as cupool passes them.
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

/// CUmemLocationType.
enum class MemoryLocationType : int { invalid = 0, device = 1 };

/// CUmemAllocationType.
enum class MemoryAllocationType : int { invalid = 0, pinned = 1 };

/// CUmemAllocationHandleType.
enum class MemoryHandleType : int { none = 0, posix_file_descriptor = 1 };

/// CUmemAllocationGranularity_flags.
enum class AllocationGranularity : int { minimum = 0, recommended = 1 };

/// CUipcMem_flags.
enum class IpcMemoryFlags : unsigned { lazy_enable_peer_access = 1 };

/// CUmemAccess_flags.
enum class MemoryAccess : int { none = 0, read = 1, read_write = 3 };

/// CUdriverProcAddressQueryResult.
enum class ProcAddressQueryResult : int { success = 0, symbol_not_found = 1, version_not_sufficient = 2 };

/// CUuuid.
struct Uuid {
    unsigned char bytes[16];
};

/// CUmemLocation.
struct MemoryLocation {
    MemoryLocationType type;
    int id;
};

/// CUmemPoolProps.
struct MemoryPoolProperties {
    MemoryAllocationType allocation_type;
    MemoryHandleType handle_types;
    MemoryLocation location;
    void* win32_security_attributes;
    std::size_t max_size;
    unsigned short usage;
    unsigned char reserved[54];
};

/// CUmemAccessDesc.
struct MemoryAccessDescriptor {
    MemoryLocation location;
    MemoryAccess flags;
};

/// CUDA_KERNEL_NODE_PARAMS_v1.
struct KernelNodeParameters {
    Function function;
    unsigned grid_x;
    unsigned grid_y;
    unsigned grid_z;
    unsigned block_x;
    unsigned block_y;
    unsigned block_z;
    unsigned dynamic_shared_bytes;
    void** parameters;
    void** extra;
};

/// CUDA_MEMCPY3D_v2, and CUDA_MEMCPY3D_PEER: half of it twice, source and target.
struct Copy3D {
    /// One end: where its rows and slices lie.
    struct Side {
        std::size_t x_bytes;
        std::size_t y;
        std::size_t z;
        std::size_t level;
        MemoryType type;
        void* host;
        DevicePointer device;
        Array array;
        Context context;  ///< null but in a copy between contexts
        std::size_t pitch;
        std::size_t height;
    };

    Side source;
    Side target;
    std::size_t width_bytes;
    std::size_t height;
    std::size_t depth;
};

/// CUDA_MEMSET_NODE_PARAMS_v1.
struct SetNodeParameters {
    DevicePointer target;
    std::size_t pitch;
    unsigned value;
    unsigned element_bytes;
    std::size_t width;
    std::size_t height;
};

/// CUDA_HOST_NODE_PARAMS_v1.
struct HostNodeParameters {
    HostFunction function;
    void* user_data;
};

/// How many blocks of a cluster there are in each dimension.
struct ClusterDimension {
    unsigned x;
    unsigned y;
    unsigned z;
};

/// CUlaunchAttributeValue.
union LaunchAttributeValue {
    alignas(8) char bytes[64];
    int cooperative;
    ClusterDimension cluster_dimension;
    int programmatic_stream_serialization;
    int priority;
};

/// CUlaunchAttribute.
struct LaunchAttribute {
    LaunchAttributeId id;
    char padding[4];
    LaunchAttributeValue value;
};

/// CUlaunchConfig.
struct LaunchConfig {
    unsigned grid_x;
    unsigned grid_y;
    unsigned grid_z;
    unsigned block_x;
    unsigned block_y;
    unsigned block_z;
    unsigned dynamic_shared_bytes;
    Stream stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};

/// CUexecAffinityParam.
struct ExecutionAffinity {
    ExecutionAffinityType type;
    unsigned multiprocessor_count;
};

/// CUdevSmResource.
struct MultiprocessorResource {
    unsigned count;
    unsigned min_partition_size;
    unsigned coscheduled_alignment;
};

/// CUdevResource.
struct DeviceResource {
    ResourceType type;
    unsigned char driver_own[92];
    union {
        MultiprocessorResource multiprocessors;
        unsigned char reserved[48];
    };
};

/// How another process finds memory of a pool it has imported.
struct MemoryPoolPointerExport {
    unsigned char reserved[64];
};

/// CUmemAllocationProp.
struct PhysicalMemoryProperties {
    MemoryAllocationType type;
    MemoryHandleType requested_handle_types;
    MemoryLocation location;
    void* win32_handle_metadata;
    struct {
        unsigned char compression_type;
        unsigned char gpu_direct_rdma_capable;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};

/// One side of a Copy2D: where its rows lie. Of the three places, the type says which counts.
struct CopyPlane2D {
    std::size_t x_bytes;
    std::size_t y;
    MemoryType type;
    void* host;
    DevicePointer device;
    Array array;
    std::size_t pitch_bytes;
};

/// CUDA_MEMCPY2D.
struct Copy2D {
    CopyPlane2D from;
    CopyPlane2D to;
    std::size_t width_bytes;
    std::size_t height;
};

/// CUipcMemHandle.
struct IpcMemoryHandle {
    char reserved[64];
};

/// CUipcEventHandle.
struct IpcEventHandle {
    char reserved[64];
};

}  // namespace cupool::abi
