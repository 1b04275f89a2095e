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

/// CUdevice_attribute, as far as cupool asks for them.
enum class DeviceAttribute : int {
    max_threads_per_block = 1,
    max_block_dim_x = 2,
    max_block_dim_y = 3,
    max_block_dim_z = 4,
    max_grid_dim_x = 5,
    max_grid_dim_y = 6,
    max_grid_dim_z = 7,
    max_shared_memory_per_block = 8,
    warp_size = 10,
    max_registers_per_block = 12,
    clock_rate_khz = 13,
    multiprocessor_count = 16,
    integrated = 18,
    compute_mode = 20,
    ecc_enabled = 32,
    pci_bus_id = 33,
    pci_device_id = 34,
    memory_clock_rate_khz = 36,
    memory_bus_width_bits = 37,
    l2_cache_bytes = 38,
    max_threads_per_multiprocessor = 39,
    unified_addressing = 41,
    pci_domain_id = 50,
    compute_capability_major = 75,
    compute_capability_minor = 76,
    max_shared_memory_per_multiprocessor = 81,
    managed_memory = 83,
    max_shared_memory_per_block_optin = 97,
    memory_pools_supported = 115,
};

/// CUcomputemode.
enum class ComputeMode : int { standard = 0, prohibited = 2, exclusive_process = 3 };

/// CUctx_flags.
enum class ContextFlags : unsigned { schedule_auto = 0, schedule_spin = 1, schedule_yield = 2, schedule_blocking = 4 };

/// CUstream_flags.
enum class StreamFlags : unsigned { blocking = 0, non_blocking = 1 };

/// CUevent_flags; a bit set.
enum class EventFlags : unsigned { timing = 0, blocking_sync = 1, disable_timing = 2 };

/// CU_MEMHOSTALLOC_*; a bit set.
enum class HostAllocationFlags : unsigned { none = 0, portable = 1, device_map = 2, write_combined = 4 };

/// CUpointer_attribute, as far as cupool asks for them.
enum class PointerAttribute : int { context = 1, memory_type = 2, device_ordinal = 9, range_start_address = 11, range_size = 12 };

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

}  // namespace cupool::abi
