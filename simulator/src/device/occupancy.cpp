#include "device/occupancy.hpp"

#include <algorithm>

#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "checks/kernel_limits.hpp"
#include "memory/address_space.hpp"

namespace cupool::simulator {
namespace {

constexpr std::uint32_t shared_granule = 128;

std::uint32_t shared_bytes_of_block(std::uint32_t bytes) {
    return static_cast<std::uint32_t>(round_up(bytes + reserved_shared_bytes_per_block, shared_granule));
}

std::uint32_t registers_of_block(const ptx::Entry& entry, std::uint32_t threads) {
    const std::uint32_t warps = (threads + warp_size - 1) / warp_size;
    constexpr std::uint32_t granule = 256;
    return warps * static_cast<std::uint32_t>(round_up(std::max(entry.registers, 1U) * warp_size, granule));
}

}  // namespace

std::uint32_t active_blocks(const Function& kernel, std::uint32_t threads, std::size_t dynamic_shared_bytes) {
    if (threads > max_threads_per_block || dynamic_shared_bytes > kernel.max_dynamic_shared_bytes) {
        return 0;
    }
    const std::uint32_t shared = kernel.entry().shared_bytes + static_cast<std::uint32_t>(dynamic_shared_bytes);
    return std::min({max_blocks_per_multiprocessor,
                     max_threads_per_multiprocessor / static_cast<std::uint32_t>(round_up(threads, warp_size)),
                     shared_bytes_per_multiprocessor / shared_bytes_of_block(shared),
                     registers_per_multiprocessor / registers_of_block(kernel.entry(), threads)});
}

namespace exports {

Status occupancy_max_active_blocks(int* blocks, Function function, int block_size, std::size_t dynamic_shared_bytes) {
    return handle_call(EntryPoint::occupancy_max_active_blocks, [&] {
        require(blocks != nullptr && block_size > 0, Status::invalid_value);
        const Locked state;
        current_context(*state);
        *blocks =
            static_cast<int>(active_blocks(*function_of(*state, function), static_cast<std::uint32_t>(block_size), dynamic_shared_bytes));
    });
}

// The largest of the block sizes that maximise the number of resident threads.
Status occupancy_potential_block_size(int* min_grid_size, int* block_size, Function function, BlockSizeToSharedBytes shared_bytes_of,
                                      std::size_t dynamic_shared_bytes, int block_size_limit) {
    return handle_call(EntryPoint::occupancy_potential_block_size, [&] {
        require(min_grid_size != nullptr && block_size != nullptr && block_size_limit >= 0, Status::invalid_value);
        const Locked state;
        current_context(*state);
        const auto kernel = function_of(*state, function);
        std::uint32_t most = max_threads(kernel->entry());
        most = block_size_limit == 0 ? most : std::min(most, static_cast<std::uint32_t>(block_size_limit));
        std::uint32_t busiest = 0;
        *block_size = 0;
        for (std::uint32_t threads = static_cast<std::uint32_t>(round_up(most, warp_size)); threads > 0; threads -= warp_size) {
            const std::uint32_t size = std::min(threads, most);
            const std::size_t shared = shared_bytes_of == nullptr ? dynamic_shared_bytes : shared_bytes_of(static_cast<int>(size));
            const std::uint32_t blocks = active_blocks(*kernel, size, shared);
            if (blocks * size > busiest) {
                busiest = blocks * size;
                *block_size = static_cast<int>(size);
                *min_grid_size = static_cast<int>(blocks) * kernel->module->context->device.kind.multiprocessor_count;
            }
        }
        require(busiest > 0, Status::invalid_value);
    });
}

Status occupancy_available_dynamic_shared(std::size_t* bytes, Function function, int blocks, int block_size) {
    return handle_call(EntryPoint::occupancy_available_dynamic_shared, [&] {
        require(bytes != nullptr && blocks > 0 && block_size > 0, Status::invalid_value);
        const Locked state;
        current_context(*state);
        const auto kernel = function_of(*state, function);
        require(active_blocks(*kernel, static_cast<std::uint32_t>(block_size), 0) >= static_cast<std::uint32_t>(blocks),
                Status::invalid_value);
        const std::uint32_t share = shared_bytes_per_multiprocessor / static_cast<std::uint32_t>(blocks) / shared_granule * shared_granule;
        const std::uint32_t taken = kernel->entry().shared_bytes + reserved_shared_bytes_per_block;
        *bytes = std::min(share - std::min(share, taken), kernel->max_dynamic_shared_bytes);
    });
}

Status occupancy_max_active_clusters(int*, Function, const LaunchConfig*) {
    return handle_call(EntryPoint::occupancy_max_active_clusters, [] { fail(Status::not_supported); });
}

}  // namespace exports
}  // namespace cupool::simulator
