#include "scheduling/launch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "checks/kernel_budget.hpp"
#include "checks/kernel_limits.hpp"
#include "checks/launch_checks.hpp"
#include "checks/suppressions.hpp"
#include "device/device_speed.hpp"
#include "device/occupancy.hpp"
#include "faults/device_fault.hpp"
#include "faults/fault_plan.hpp"
#include "memory/accessor.hpp"
#include "memory/address_space.hpp"
#include "objects/library.hpp"

namespace cupool::simulator {
namespace {

/// Device memory as a kernel of one context can access it.
class KernelMemory : public ptx::GlobalMemory {
public:
    explicit KernelMemory(Accessor accessor) : accessor_(std::move(accessor)) {}

    ptx::MemoryRange find(std::uint64_t address) override {
        auto allocation = allocation_at(address);
        if (!allocation || !accessor_.may_access(*allocation)) {
            return {};
        }
        note_use(*allocation);
        std::byte* const initialised = allocation->initialised ? allocation->initialised->data() : nullptr;
        const ptx::MemoryRange range{allocation->start, allocation->bytes, allocation->backing->data(), true, initialised};
        in_use_.insert(std::move(allocation));
        return range;
    }

    std::string describe(std::uint64_t address) override {
        const auto allocation = allocation_at(address);
        const bool closed = allocation && !accessor_.may_access(*allocation);
        return describe_address(address) + (closed ? ", which the kernel's context may not access" : "");
    }

private:
    Accessor accessor_;
    // Keeps memory that the kernel has accessed alive while it runs.
    std::set<std::shared_ptr<Allocation>> in_use_;
};

Accessor accessor_of(abi::Context context) {
    const Locked state;
    return Accessor(*context_of(*state, context));
}

Time run(const PreparedLaunch& prepared, std::uint64_t seed) {
    KernelMemory memory(accessor_of(prepared.context));
    ptx::Launch launch = prepared.launch;
    launch.parameters = prepared.parameters;
    launch.variable_addresses = prepared.variable_addresses;
    launch.seed = seed;
    launch.checks = checks();
    launch.suppressions = &suppressions();
    ptx::Limits limits;
    limits.device_stack_bytes = prepared.stack_bytes;
    limits.warp_instructions = kernel_budget().warp_instructions;
    limits.seconds = kernel_budget().seconds;
    limits.multiprocessors = static_cast<std::uint32_t>(prepared.device_kind.multiprocessor_count);
    const ptx::Outcome outcome = ptx::execute(prepared.program, launch, memory, limits);
    if (outcome.is_finding) {
        report_finding(prepared.device, {outcome.report});
    } else if (!outcome) {
        raise_device_fault_of(prepared.device, static_cast<abi::Status>(outcome.fault), {outcome.report});
    }
    return kernel_time(prepared.device_kind, outcome.lane_instructions);
}

// Whether the planned fault is a fault of the kernel; otherwise the launch call returns it.
bool lasts(const DueFault& fault) { return fault.duration == cupool_sim_sticky || fault.duration == cupool_sim_lost; }

void check_shape(const Function& function, const ptx::Dimensions& grid, const ptx::Dimensions& block, unsigned dynamic_shared_bytes) {
    using abi::Status;
    require(grid.x > 0 && grid.y > 0 && grid.z > 0 && block.x > 0 && block.y > 0 && block.z > 0, Status::invalid_value);
    require(grid.x <= 2'147'483'647 && grid.y <= 65535 && grid.z <= 65535, Status::invalid_value);
    require(block.x <= 1024 && block.y <= 1024 && block.z <= 64 && block.count() <= max_threads_per_block, Status::invalid_value);
    require(block.count() <= max_threads(function.entry()), Status::invalid_value);
    const auto& required = function.entry().required_threads;
    require(required[0] == 0 || (block.x == required[0] && block.y == std::max(required[1], 1U) && block.z == std::max(required[2], 1U)),
            Status::invalid_value);
    require(dynamic_shared_bytes <= function.max_dynamic_shared_bytes, Status::invalid_value);
}

// A kernel with instructions that the interpreter does not support is loaded with its module and refused here.
void check_runs(const ptx::Entry& entry) {
    if (entry.refusal.empty()) {
        return;
    }
    std::fprintf(stderr, "libcupool-sim.so: kernel '%s' is not launched: %s", entry.name.c_str(), entry.refusal.c_str());
    fail(abi::Status::not_supported);
}

std::vector<std::byte> gather(const ptx::Entry& entry, void** parameters) {
    std::vector<std::byte> buffer(entry.parameter_bytes);
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
        require(parameters != nullptr && parameters[i] != nullptr, abi::Status::invalid_value);
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
        require(tag == 1 || tag == 2, abi::Status::invalid_value);
        if (tag == 1) {
            packed = static_cast<const std::byte*>(extra[1]);
        } else {
            size = *static_cast<const std::size_t*>(extra[1]);
        }
    }
    require(size <= entry.parameter_bytes, abi::Status::launch_out_of_resources);
    require(packed != nullptr && size == entry.parameter_bytes, abi::Status::invalid_value);
    return {packed, packed + entry.parameter_bytes};
}

// How many blocks can be resident on the device at once.
std::uint64_t resident_blocks(const Function& kernel, const LaunchShape& shape) {
    return std::uint64_t{active_blocks(kernel, static_cast<std::uint32_t>(shape.block.count()), shape.dynamic_shared_bytes)} *
           static_cast<std::uint64_t>(kernel.module->context->device.kind.multiprocessor_count);
}

// Clusters have no effect on kernels here; their shape only has to be valid.
void check_cluster(const abi::ClusterDimension& cluster, const Function& kernel, const LaunchShape& shape) {
    constexpr std::uint64_t max_blocks = 8;
    const bool whole = cluster.x > 0 && cluster.y > 0 && cluster.z > 0 && shape.grid.x % cluster.x == 0 && shape.grid.y % cluster.y == 0 &&
                       shape.grid.z % cluster.z == 0;
    const bool possible = whole && std::uint64_t{cluster.x} * cluster.y * cluster.z <= max_blocks;
    require(possible && kernel.module->context->device.kind.compute_capability_major >= 9, abi::Status::invalid_cluster_size);
}

void apply(const abi::LaunchAttribute& attribute, const Function& kernel, LaunchShape& shape) {
    // CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING of CUDA 13.
    constexpr int last_attribute = 16;
    switch (attribute.id) {
        case abi::LaunchAttributeId::cooperative: shape.cooperative = attribute.value.cooperative != 0; return;
        case abi::LaunchAttributeId::cluster_dimension: return check_cluster(attribute.value.cluster_dimension, kernel, shape);
        case abi::LaunchAttributeId::ignore:
        case abi::LaunchAttributeId::priority:                                   // has no effect
        case abi::LaunchAttributeId::programmatic_stream_serialization: return;  // permits an early start and requires nothing
    }
    const bool exists = static_cast<int>(attribute.id) >= 0 && static_cast<int>(attribute.id) <= last_attribute;
    fail(exists ? abi::Status::not_supported : abi::Status::invalid_value);
}

/// A function and the stream to launch it in.
struct Target {
    std::shared_ptr<Stream> queue;
    std::shared_ptr<Function> kernel;
};

Target target_of(State& state, abi::Function function, abi::Stream stream) {
    // The function handle is validated before the stream.
    if (!state.functions.find(function) && !state.library_kernels.find(reinterpret_cast<abi::LibraryKernel>(function))) {
        fail(abi::Status::invalid_handle);
    }
    Target target{stream_of(state, stream), nullptr};
    target.kernel = launched_function(state, function, *target.queue->context);
    return target;
}

void launch(State& state, const Target& target, const LaunchShape& shape, void** parameters, void** extra) {
    require(target.kernel->module->context == target.queue->context, abi::Status::invalid_handle);
    enqueue(state, *target.queue, prepare_launch(*target.kernel, shape, parameters, extra));
}

}  // namespace

PreparedLaunch prepare_launch(const Function& kernel, const LaunchShape& shape, void** parameters, void** extra) {
    require(parameters == nullptr || extra == nullptr, abi::Status::invalid_value);
    const Context& context = *kernel.module->context;
    PreparedLaunch prepared{kernel.handle, kernel.module->program, {}, {}, {}, context.handle, context.device.ordinal, context.device.kind};
    prepared.launch.entry = kernel.entry_index;
    prepared.launch.grid = shape.grid;
    prepared.launch.block = shape.block;
    prepared.launch.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    prepared.launch.cooperative = shape.cooperative;
    check_shape(kernel, shape.grid, shape.block, shape.dynamic_shared_bytes);
    check_runs(kernel.entry());
    const std::uint64_t resident = resident_blocks(kernel, shape);
    require(!shape.cooperative || shape.grid.count() <= resident, abi::Status::cooperative_launch_too_large);
    prepared.launch.resident_blocks = std::max<std::uint64_t>(resident, 1);
    prepared.stack_bytes =
        static_cast<std::uint32_t>(std::min<std::size_t>(context.limits.at(abi::ContextLimit::stack_bytes), max_stack_bytes));
    prepared.parameters = extra != nullptr ? unpack(kernel.entry(), extra) : gather(kernel.entry(), parameters);
    for (const auto& variable : kernel.module->variables) {
        prepared.variable_addresses.push_back(variable->start);
    }
    return prepared;
}

Work work_of(const PreparedLaunch& prepared) {
    const std::string& name = prepared.entry().name;
    const auto planned = planned_launch_fault(name, prepared.device);
    require(!planned || lasts(*planned), planned ? planned->result : abi::Status::success);
    if (planned) {
        const auto fail = [fault = *planned, device = prepared.device, what = "kernel '" + name + "'"](std::uint64_t) {
            apply_lasting_fault(fault, device, what);
            return Time{0};
        };
        return {Work::Kind::kernel, name, fail};
    }
    return {Work::Kind::kernel, name, [prepared](std::uint64_t seed) { return run(prepared, seed); }};
}

namespace exports {

Status launch_kernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                     unsigned block_z, unsigned dynamic_shared_bytes, Stream stream, void** parameters, void** extra) {
    return handle_call(EntryPoint::launch_kernel, [&] {
        const Locked state;
        const LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_shared_bytes};
        launch(*state, target_of(*state, function, stream), shape, parameters, extra);
    });
}

Status launch_cooperative_kernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned dynamic_shared_bytes, Stream stream, void** parameters) {
    return handle_call(EntryPoint::launch_cooperative_kernel, [&] {
        const Locked state;
        const LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_shared_bytes, true};
        launch(*state, target_of(*state, function, stream), shape, parameters, nullptr);
    });
}

Status launch_kernel_ex(const LaunchConfig* config, Function function, void** parameters, void** extra) {
    return handle_call(EntryPoint::launch_kernel_ex, [&] {
        require(config != nullptr && (config->attribute_count == 0 || config->attributes != nullptr), Status::invalid_value);
        const Locked state;
        const Target target = target_of(*state, function, config->stream);
        LaunchShape shape{{config->grid_x, config->grid_y, config->grid_z},
                          {config->block_x, config->block_y, config->block_z},
                          config->dynamic_shared_bytes};
        std::for_each(config->attributes, config->attributes + config->attribute_count,
                      [&](const LaunchAttribute& attribute) { apply(attribute, *target.kernel, shape); });
        launch(*state, target, shape, parameters, extra);
    });
}

}  // namespace exports
}  // namespace cupool::simulator
