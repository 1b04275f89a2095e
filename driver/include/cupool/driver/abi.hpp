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
using Array = CUarray_st*;
/// Physical memory that has no address yet.
using MemoryHandle = std::uint64_t;
using HostFunction = void (*)(void* user_data);

/// CUresult. Open: drivers newer than this header answer numbers that are not named here.
enum class Result : int {
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
    not_permitted = 800,
    not_supported = 801,
    system_not_ready = 802,
    system_driver_mismatch = 803,
    compat_not_supported_on_device = 804,
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

/// CUctx_flags.
enum class ContextFlags : unsigned { schedule_auto = 0, schedule_spin = 1, schedule_yield = 2, schedule_blocking = 4 };

/// CUstream_flags.
enum class StreamFlags : unsigned { blocking = 0, non_blocking = 1 };

/// CUevent_flags; a bit set.
enum class EventFlags : unsigned { timing = 0, blocking_sync = 1, disable_timing = 2, interprocess = 4 };

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
    max_dynamic_shared_size_bytes = 8,
};

/// CUjit_option, as far as cupool passes them.
enum class JitOption : int {
    max_registers = 0,
    info_log_buffer = 3,
    info_log_buffer_size_bytes = 4,
    error_log_buffer = 5,
    error_log_buffer_size_bytes = 6,
    optimization_level = 7,
    log_verbose = 12,
    cache_mode = 14,
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

struct Uuid {
    unsigned char bytes[16];
};

struct MemoryLocation {
    MemoryLocationType type;
    int id;
};

struct MemoryPoolProperties {
    MemoryAllocationType allocation_type;
    MemoryHandleType handle_types;
    MemoryLocation location;
    void* win32_security_attributes;
    std::size_t max_size;
    unsigned short usage;
    unsigned char reserved[54];
};

struct MemoryAccessDescriptor {
    MemoryLocation location;
    MemoryAccess flags;
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

struct IpcMemoryHandle {
    char reserved[64];
};

struct IpcEventHandle {
    char reserved[64];
};

}  // namespace cupool::abi
