#include "device/device_attributes.hpp"

#include "api/handle_call.hpp"
#include "device/device.hpp"

namespace cupool::simulator {

// Attributes that CupoolSimDevice does not define are those of an H200 with driver 580, or 0 for features that are not simulated.
// clang-format off: one attribute per line
int attribute_of(const Device& device, abi::DeviceAttribute attribute) {
    using abi::DeviceAttribute;
    switch (attribute) {
        case DeviceAttribute::max_threads_per_block: return 1024;
        case DeviceAttribute::max_block_dim_x: return 1024;
        case DeviceAttribute::max_block_dim_y: return 1024;
        case DeviceAttribute::max_block_dim_z: return 64;
        case DeviceAttribute::max_grid_dim_x: return 2147483647;
        case DeviceAttribute::max_grid_dim_y: return 65535;
        case DeviceAttribute::max_grid_dim_z: return 65535;
        case DeviceAttribute::max_shared_memory_per_block: return 49152;
        case DeviceAttribute::total_constant_memory_bytes: return 65536;
        case DeviceAttribute::warp_size: return 32;
        case DeviceAttribute::max_pitch_bytes: return 2147483647;
        case DeviceAttribute::max_registers_per_block: return 65536;
        case DeviceAttribute::clock_rate_khz: return device.kind.clock_khz;
        case DeviceAttribute::texture_alignment: return 512;
        case DeviceAttribute::gpu_overlap: return 1;
        case DeviceAttribute::multiprocessor_count: return device.kind.multiprocessor_count;
        case DeviceAttribute::kernel_exec_timeout: return 0;
        case DeviceAttribute::integrated: return 0;
        case DeviceAttribute::can_map_host_memory: return 1;
        case DeviceAttribute::compute_mode: return device.kind.compute_mode;
        case DeviceAttribute::max_texture1d_width: return 131072;
        case DeviceAttribute::max_texture2d_width: return 131072;
        case DeviceAttribute::max_texture2d_height: return 65536;
        case DeviceAttribute::max_texture3d_width: return 16384;
        case DeviceAttribute::max_texture3d_height: return 16384;
        case DeviceAttribute::max_texture3d_depth: return 16384;
        case DeviceAttribute::max_texture2d_layered_width: return 32768;
        case DeviceAttribute::max_texture2d_layered_height: return 32768;
        case DeviceAttribute::max_texture2d_layered_layers: return 2048;
        case DeviceAttribute::surface_alignment: return 512;
        case DeviceAttribute::concurrent_kernels: return 1;
        case DeviceAttribute::ecc_enabled: return 1;
        case DeviceAttribute::pci_bus_id: return pci_bus_of(device.card);
        case DeviceAttribute::pci_device_id: return 0;
        case DeviceAttribute::tcc_driver: return 0;
        case DeviceAttribute::memory_clock_rate_khz: return 3201000;
        case DeviceAttribute::memory_bus_width_bits: return 6016;
        case DeviceAttribute::l2_cache_bytes: return 62914560;
        case DeviceAttribute::max_threads_per_multiprocessor: return 2048;
        case DeviceAttribute::async_engine_count: return 3;
        case DeviceAttribute::unified_addressing: return 1;
        case DeviceAttribute::max_texture1d_layered_width: return 32768;
        case DeviceAttribute::max_texture1d_layered_layers: return 2048;
        case DeviceAttribute::can_tex2d_gather: return 1;
        case DeviceAttribute::max_texture2d_gather_width: return 32768;
        case DeviceAttribute::max_texture2d_gather_height: return 32768;
        case DeviceAttribute::max_texture3d_width_alternate: return 8192;
        case DeviceAttribute::max_texture3d_height_alternate: return 8192;
        case DeviceAttribute::max_texture3d_depth_alternate: return 32768;
        case DeviceAttribute::pci_domain_id: return 0;
        case DeviceAttribute::texture_pitch_alignment: return 32;
        case DeviceAttribute::max_texturecubemap_width: return 32768;
        case DeviceAttribute::max_texturecubemap_layered_width: return 32768;
        case DeviceAttribute::max_texturecubemap_layered_layers: return 2046;
        case DeviceAttribute::max_surface1d_width: return 32768;
        case DeviceAttribute::max_surface2d_width: return 131072;
        case DeviceAttribute::max_surface2d_height: return 65536;
        case DeviceAttribute::max_surface3d_width: return 16384;
        case DeviceAttribute::max_surface3d_height: return 16384;
        case DeviceAttribute::max_surface3d_depth: return 16384;
        case DeviceAttribute::max_surface1d_layered_width: return 32768;
        case DeviceAttribute::max_surface1d_layered_layers: return 2048;
        case DeviceAttribute::max_surface2d_layered_width: return 32768;
        case DeviceAttribute::max_surface2d_layered_height: return 32768;
        case DeviceAttribute::max_surface2d_layered_layers: return 2048;
        case DeviceAttribute::max_surfacecubemap_width: return 32768;
        case DeviceAttribute::max_surfacecubemap_layered_width: return 32768;
        case DeviceAttribute::max_surfacecubemap_layered_layers: return 2046;
        case DeviceAttribute::max_texture1d_linear_width: return 268435456;
        case DeviceAttribute::max_texture2d_linear_width: return 131072;
        case DeviceAttribute::max_texture2d_linear_height: return 65000;
        case DeviceAttribute::max_texture2d_linear_pitch: return 2097120;
        case DeviceAttribute::max_texture2d_mipmapped_width: return 32768;
        case DeviceAttribute::max_texture2d_mipmapped_height: return 32768;
        case DeviceAttribute::compute_capability_major: return device.kind.compute_capability_major;
        case DeviceAttribute::compute_capability_minor: return device.kind.compute_capability_minor;
        case DeviceAttribute::max_texture1d_mipmapped_width: return 32768;
        case DeviceAttribute::stream_priorities_supported: return 1;
        case DeviceAttribute::global_l1_cache_supported: return 1;
        case DeviceAttribute::local_l1_cache_supported: return 1;
        case DeviceAttribute::max_shared_memory_per_multiprocessor: return 233472;
        case DeviceAttribute::max_registers_per_multiprocessor: return 65536;
        case DeviceAttribute::managed_memory: return 1;
        case DeviceAttribute::multi_gpu_board: return 0;
        case DeviceAttribute::multi_gpu_board_group_id: return 0;
        case DeviceAttribute::host_native_atomic_supported: return 0;
        case DeviceAttribute::single_to_double_performance_ratio: return 2;
        case DeviceAttribute::pageable_memory_access: return 0;
        case DeviceAttribute::concurrent_managed_access: return 1;
        case DeviceAttribute::compute_preemption_supported: return 1;
        case DeviceAttribute::can_use_host_pointer_for_registered_memory: return 1;
        case DeviceAttribute::can_use_stream_memory_operations_v1: return 0;
        case DeviceAttribute::can_use_64_bit_stream_memory_operations_v1: return 0;
        case DeviceAttribute::can_use_stream_wait_value_nor_v1: return 0;
        case DeviceAttribute::cooperative_launch: return 1;
        case DeviceAttribute::cooperative_multi_device_launch: return 1;
        case DeviceAttribute::max_shared_memory_per_block_optin: return 232448;
        case DeviceAttribute::can_flush_remote_writes: return 0;
        case DeviceAttribute::host_register_supported: return 1;
        case DeviceAttribute::pageable_memory_access_uses_host_page_tables: return 0;
        case DeviceAttribute::direct_managed_memory_access_from_host: return 0;
        case DeviceAttribute::virtual_memory_management_supported: return 1;
        case DeviceAttribute::handle_type_posix_file_descriptor_supported: return 0;
        case DeviceAttribute::handle_type_win32_handle_supported: return 0;
        case DeviceAttribute::handle_type_win32_kmt_handle_supported: return 0;
        case DeviceAttribute::max_blocks_per_multiprocessor: return 32;
        case DeviceAttribute::generic_compression_supported: return 1;
        case DeviceAttribute::max_persisting_l2_cache_bytes: return 39321600;
        case DeviceAttribute::max_access_policy_window_bytes: return 134217728;
        case DeviceAttribute::gpu_direct_rdma_with_cuda_vmm_supported: return 1;
        case DeviceAttribute::reserved_shared_memory_per_block: return 1024;
        case DeviceAttribute::sparse_cuda_array_supported: return 1;
        case DeviceAttribute::read_only_host_register_supported: return 0;
        case DeviceAttribute::timeline_semaphore_interop_supported: return 1;
        case DeviceAttribute::memory_pools_supported: return device.kind.memory_pools_supported;
        case DeviceAttribute::gpu_direct_rdma_supported: return 1;
        case DeviceAttribute::gpu_direct_rdma_flush_writes_options: return 1;
        case DeviceAttribute::gpu_direct_rdma_writes_ordering: return 100;
        case DeviceAttribute::memory_pool_supported_handle_types: return 0;
        case DeviceAttribute::cluster_launch: return device.kind.compute_capability_major >= 9 ? 1 : 0;
        case DeviceAttribute::deferred_mapping_cuda_array_supported: return 1;
        case DeviceAttribute::can_use_64_bit_stream_memory_operations: return 1;
        case DeviceAttribute::can_use_stream_wait_value_nor: return 1;
        case DeviceAttribute::dma_buf_supported: return 0;
        case DeviceAttribute::ipc_event_supported: return 0;
        case DeviceAttribute::memory_sync_domain_count: return 4;
        case DeviceAttribute::tensor_map_access_supported: return 1;
        case DeviceAttribute::handle_type_fabric_supported: return 0;
        case DeviceAttribute::unified_function_pointers: return 1;
        case DeviceAttribute::numa_config: return 0;
        case DeviceAttribute::numa_id: return -1;
        case DeviceAttribute::multicast_supported: return 0;
        case DeviceAttribute::mps_enabled: return 0;
        case DeviceAttribute::host_numa_id: return 0;
        case DeviceAttribute::d3d12_cig_supported: return 0;
        case DeviceAttribute::memory_decompress_algorithm_mask: return 0;
        case DeviceAttribute::memory_decompress_maximum_length: return 0;
        case DeviceAttribute::vulkan_cig_supported: return 0;
        case DeviceAttribute::gpu_pci_device_id: return 590680286;
        case DeviceAttribute::gpu_pci_subsystem_id: return 415174878;
        case DeviceAttribute::host_numa_virtual_memory_management_supported: return 0;
        case DeviceAttribute::host_numa_memory_pools_supported: return 0;
        case DeviceAttribute::host_numa_multinode_ipc_supported: return 0;
        case DeviceAttribute::host_memory_pools_supported: return 0;
        case DeviceAttribute::host_virtual_memory_management_supported: return 0;
        case DeviceAttribute::host_alloc_dma_buf_supported: return 0;
        case DeviceAttribute::only_partial_host_native_atomic_supported: return 0;
    }
    fail(abi::Status::invalid_value);
}
// clang-format on

}  // namespace cupool::simulator
