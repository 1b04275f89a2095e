#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accessor.hpp"
#include "address_space.hpp"
#include "answer.hpp"
#include "device_fault.hpp"
#include "device_speed.hpp"
#include "fault_plan.hpp"
#include "kernel_limits.hpp"
#include "launch_checks.hpp"
#include "state.hpp"

namespace cupool::simulator {
namespace {

/// Device memory as a kernel of one context sees it.
class KernelMemory : public ptx::GlobalMemory {
public:
    explicit KernelMemory(Accessor accessor) : accessor_(std::move(accessor)) {}

    ptx::MemoryRange find(std::uint64_t address) override {
        auto allocation = allocation_at(address);
        if (!allocation || !accessor_.may_access(*allocation)) {
            return {};
        }
        std::byte* const initialised = allocation->initialised ? allocation->initialised->data() : nullptr;
        const ptx::MemoryRange range{allocation->start, allocation->bytes, allocation->backing->data(), true, initialised};
        in_use_.insert(std::move(allocation));
        return range;
    }

    std::string describe(std::uint64_t address) override { return describe_address(address); }

private:
    Accessor accessor_;
    // What the kernel has touched stays as long as it runs.
    std::set<std::shared_ptr<Allocation>> in_use_;
};

Accessor accessor_of(abi::Context context) {
    const Locked state;
    return Accessor(*context_of(*state, context));
}

/// One launch, checked and complete: what runs when its turn comes.
struct PreparedLaunch {
    ptx::Program program;
    ptx::Launch launch;
    std::vector<std::byte> parameters;
    std::vector<std::uint64_t> variable_addresses;
    abi::Context context;
    int device;
    CupoolSimDevice device_kind;
    /// That it dies of when it runs.
    std::optional<PlannedLaunchFault> planned_fault{};

    const ptx::Entry& entry() const { return program.entries()[launch.entry]; }
};

Time run(const PreparedLaunch& prepared, std::uint64_t seed) {
    if (const auto& fault = prepared.planned_fault) {
        let_last(fault->duration, fault->result, prepared.device, "kernel '" + prepared.entry().name + "'");
        return {};
    }
    KernelMemory memory(accessor_of(prepared.context));
    ptx::Launch launch = prepared.launch;
    launch.parameters = prepared.parameters;
    launch.variable_addresses = prepared.variable_addresses;
    launch.seed = seed;
    launch.checks = checks();
    ptx::Limits limits;
    limits.multiprocessors = static_cast<std::uint32_t>(prepared.device_kind.multiprocessor_count);
    const ptx::Outcome outcome = ptx::execute(prepared.program, launch, memory, limits);
    if (!outcome) {
        raise_device_fault(static_cast<abi::Result>(outcome.fault), outcome.report);
    }
    return kernel_time(prepared.device_kind, outcome.lane_instructions);
}

// Whether the launch succeeds and the kernel fails; else it is the launch that fails.
bool lasts(const PlannedLaunchFault& fault) { return fault.duration == cupool_sim_sticky || fault.duration == cupool_sim_lost; }

void check_shape(const Function& function, const ptx::Dimensions& grid, const ptx::Dimensions& block, unsigned dynamic_shared_bytes) {
    using abi::Result;
    require(grid.x > 0 && grid.y > 0 && grid.z > 0 && block.x > 0 && block.y > 0 && block.z > 0, Result::invalid_value);
    require(grid.x <= 2'147'483'647 && grid.y <= 65535 && grid.z <= 65535, Result::invalid_value);
    require(block.x <= 1024 && block.y <= 1024 && block.z <= 64 && block.count() <= most_threads_per_block, Result::invalid_value);
    require(block.count() <= most_threads(function.entry()), Result::invalid_value);
    const auto& required = function.entry().required_threads;
    require(required[0] == 0 || (block.x == required[0] && block.y == std::max(required[1], 1U) && block.z == std::max(required[2], 1U)),
            Result::invalid_value);
    require(dynamic_shared_bytes <= function.most_dynamic_shared_bytes, Result::invalid_value);
}

std::vector<std::byte> gather(const ptx::Entry& entry, void** parameters) {
    std::vector<std::byte> buffer(entry.parameter_bytes);
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
        require(parameters != nullptr && parameters[i] != nullptr, abi::Result::invalid_value);
        std::memcpy(buffer.data() + entry.parameters[i].offset, parameters[i], entry.parameters[i].size);
    }
    return buffer;
}

// Parameters as one packed buffer: the launch's `extra` list of CU_LAUNCH_PARAM_BUFFER_POINTER (1), _SIZE (2) and _END (0).
std::vector<std::byte> unpack(const ptx::Entry& entry, void** extra) {
    const std::byte* packed = nullptr;
    std::size_t size = 0;
    for (; *extra != nullptr; extra += 2) {
        const auto tag = reinterpret_cast<std::uintptr_t>(*extra);
        require(tag == 1 || tag == 2, abi::Result::invalid_value);
        if (tag == 1) {
            packed = static_cast<const std::byte*>(extra[1]);
        } else {
            size = *static_cast<const std::size_t*>(extra[1]);
        }
    }
    require(size <= entry.parameter_bytes, abi::Result::launch_out_of_resources);
    require(packed != nullptr && size == entry.parameter_bytes, abi::Result::invalid_value);
    return {packed, packed + entry.parameter_bytes};
}

std::uint32_t shared_bytes_of_block(std::uint32_t bytes) {
    constexpr std::uint32_t granule = 128;
    return static_cast<std::uint32_t>(round_up(bytes + reserved_shared_bytes_per_block, granule));
}

std::uint32_t registers_of_block(const ptx::Entry& entry, std::uint32_t threads) {
    const std::uint32_t warps = (threads + warp_size - 1) / warp_size;
    constexpr std::uint32_t granule = 256;
    return warps * static_cast<std::uint32_t>(round_up(std::max(entry.registers, 1U) * warp_size, granule));
}

}  // namespace

namespace exports {

Result launch_kernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                     unsigned block_z, unsigned dynamic_shared_bytes, Stream stream, void** parameters, void** extra) {
    return answer(EntryPoint::launch_kernel, [&] {
        const Locked state;
        const auto kernel = function_of(*state, function);
        const auto queue = stream_of(*state, stream);
        simulator::Context& context = *queue->context;
        require(kernel->module->context == &context, Result::invalid_handle);
        require(parameters == nullptr || extra == nullptr, Result::invalid_value);

        PreparedLaunch prepared{kernel->module->program, {}, {}, {}, context.handle, context.device.ordinal, context.device.kind};
        prepared.launch.entry = kernel->entry_index;
        prepared.launch.grid = {grid_x, grid_y, grid_z};
        prepared.launch.block = {block_x, block_y, block_z};
        prepared.launch.dynamic_shared_bytes = dynamic_shared_bytes;
        check_shape(*kernel, prepared.launch.grid, prepared.launch.block, dynamic_shared_bytes);
        prepared.parameters = extra != nullptr ? unpack(kernel->entry(), extra) : gather(kernel->entry(), parameters);
        for (const auto& variable : kernel->module->variables) {
            prepared.variable_addresses.push_back(variable->start);
        }
        const auto planned = planned_launch_fault(kernel->entry().name, context.device.ordinal);
        require(!planned || lasts(*planned), planned ? planned->result : Result::success);
        prepared.planned_fault = planned;
        auto run_it = [prepared = std::move(prepared)](std::uint64_t seed) { return run(prepared, seed); };
        enqueue(*state, *queue, {Work::Kind::kernel, kernel->entry().name, std::move(run_it)});
    });
}

Result occupancy_max_active_blocks(int* blocks, Function function, int block_size, std::size_t dynamic_shared_bytes) {
    return answer(EntryPoint::occupancy_max_active_blocks, [&] {
        require(blocks != nullptr && block_size > 0, Result::invalid_value);
        const Locked state;
        current_context(*state);
        const auto kernel = function_of(*state, function);
        const auto threads = static_cast<std::uint32_t>(block_size);
        if (threads > most_threads_per_block || dynamic_shared_bytes > kernel->most_dynamic_shared_bytes) {
            *blocks = 0;
            return;
        }
        const std::uint32_t shared = kernel->entry().shared_bytes + static_cast<std::uint32_t>(dynamic_shared_bytes);
        *blocks = static_cast<int>(std::min({most_blocks_per_multiprocessor,
                                             most_threads_per_multiprocessor / static_cast<std::uint32_t>(round_up(threads, warp_size)),
                                             shared_bytes_per_multiprocessor / shared_bytes_of_block(shared),
                                             registers_per_multiprocessor / registers_of_block(kernel->entry(), threads)}));
    });
}

}  // namespace exports
}  // namespace cupool::simulator
