#include <algorithm>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/reduce_by_function.hpp>
#include <optional>

#include "reduce/busy_blocks.hpp"
#include "reduce/checks.hpp"
#include "reduce/function_module.hpp"
#include "reduce/operand_on_device.hpp"
#include "reduce/order.hpp"
#include "reduce/reports.hpp"
#include "transfer/operand_checks.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool {

namespace {

constexpr const char* job = "reduce_by_function";

std::uint64_t tiles_of(std::uint64_t count, std::uint64_t element_bytes) {
    return count == 0 ? 0 : (count - 1) / detail::function_tile_elements(count, element_bytes) + 1;
}

void require_elements(const std::string& what, std::size_t bytes, std::size_t element_bytes) {
    if (bytes != element_bytes)
        detail::refuse(job, what + " has " + std::to_string(bytes) + " bytes; elements have " + std::to_string(element_bytes));
}

void check(const Operand<std::byte>& input, const PtxOperation& operation, const ReduceConfig& config, std::size_t result_bytes) {
    if (config.ctx.is_host()) throw Error(ErrorCategory::unsupported, std::string(job) + ": PTX runs on a device; the context is the host");
    const std::size_t bytes = operation.element_bytes;
    if (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)) != 0)
        detail::refuse(job, "elements of " + std::to_string(bytes) + " bytes; there are ones of 1, 2, 4, 8 and 16");
    if (input.size() % bytes != 0)
        detail::refuse(job,
                       "the input has " + std::to_string(input.size()) + " bytes, which are no whole elements of " + std::to_string(bytes));
    require_elements("the result", result_bytes, bytes);
    if (!operation.identity.empty()) require_elements("the identity", operation.identity.size(), bytes);
    if (input.size() == 0 && operation.identity.empty())
        detail::refuse(job, "nothing has no result, as the operation has no identity; give at least one element");
    detail::require_operand(job, "input", input, config.ctx);
    if (input.is_on_device() && input.device().pointer() % bytes != 0)
        detail::refuse(job, "the input must begin at a multiple of its element's " + std::to_string(bytes) + " bytes");
    detail::require_workspace(job, config, reduce_by_function_workspace_bytes(input.size() / bytes, bytes));
    detail::require_apart(job, "workspace", config.workspace, "input", input);
}

/// Tiles to values, and values to the result where there are several.
/// \param workspace  for the values \pre there is an element
void enqueue(UntypedKernel kernel, abi::DevicePointer input, std::uint64_t count, std::size_t element_bytes, const DeviceContext& context,
             abi::DevicePointer workspace, abi::DevicePointer result) {
    const auto launch = [&](abi::DevicePointer from, std::uint64_t elements, std::uint64_t tile, abi::DevicePointer to) {
        const auto blocks = static_cast<unsigned>(std::min((elements - 1) / tile + 1, detail::busy_blocks(context)));
        void* parameters[] = {&from, &elements, &tile, &to};
        kernel.launch_raw({.grid = blocks, .block = detail::reduce_lanes}, context.stream(), parameters);
    };
    const std::uint64_t tiles = tiles_of(count, element_bytes);
    launch(input, count, detail::function_tile_elements(count, element_bytes), tiles == 1 ? result : workspace);
    if (tiles != 1) launch(workspace, tiles, detail::function_tile_elements(tiles * detail::function_max_tiles, element_bytes), result);
}

RunReport run(const Operand<std::byte>& input, const PtxOperation& operation, const ReduceConfig& config, DeviceSpan<std::byte> result) {
    const auto start = std::chrono::steady_clock::now();
    const StreamView stream = config.ctx.stream();
    const UntypedKernel kernel = config.ctx.resource<detail::FunctionModules>()->kernel(operation);
    std::optional<detail::SynchronizeOnExit> wait_for_copy;
    if (!input.is_on_device()) wait_for_copy.emplace(stream);
    const detail::OperandOnDevice<std::byte> elements(input, config.ctx);
    const std::uint64_t count = input.size() / operation.element_bytes;
    const std::size_t needed = config.workspace.empty() ? reduce_by_function_workspace_bytes(count, operation.element_bytes) : 0;
    const DeviceBuffer<std::byte> own_workspace(needed, config.ctx);
    const abi::DevicePointer workspace = needed == 0 ? config.workspace.pointer() : own_workspace.span().pointer();
    enqueue(kernel, elements.span().pointer(), count, operation.element_bytes, config.ctx, workspace, result.pointer());
    const std::uint64_t copied = elements.copied_bytes();
    if (!config.is_async || copied != 0) stream.synchronize();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::gpu,
            .devices = {config.ctx.device()},
            .milliseconds = elapsed.count(),
            .bytes = copied,
            .device_bytes = copied + needed};
}

}  // namespace

std::size_t reduce_by_function_workspace_bytes(std::size_t count, std::size_t element_bytes) {
    const std::uint64_t tiles = tiles_of(count, element_bytes);
    return tiles < 2 ? 0 : tiles * element_bytes;
}

RunReport reduce_by_function(const Operand<std::byte>& input, const PtxOperation& operation, const ReduceConfig& config,
                             std::span<std::byte> result, SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        check(input, operation, config, result.size());
        if (input.size() == 0) {
            std::copy(operation.identity.begin(), operation.identity.end(), result.begin());
            return detail::report_of_nothing(config.ctx);
        }
        DeviceBuffer<std::byte> there(result.size(), config.ctx);
        RunReport report = run(input, operation, config, there.span());
        copy(result, DeviceSpan<const std::byte>(there.span()), config.ctx.stream());
        report.bytes += result.size();
        report.device_bytes += result.size();
        return report;
    });
}

RunReport reduce_by_function(const Operand<std::byte>& input, const PtxOperation& operation, const ReduceConfig& config,
                             DeviceSpan<std::byte> result, SourceLocation where) {
    return detail::report_at(where, [&]() -> RunReport {
        check(input, operation, config, result.size());
        detail::require_place(job, "result", result, config.ctx);
        if (result.pointer() % operation.element_bytes != 0)
            detail::refuse(job, "the result must begin at a multiple of its " + std::to_string(operation.element_bytes) + " bytes");
        detail::require_apart(job, "result", result, "input", input);
        detail::require_apart(job, "result", result, "workspace", config.workspace);
        if (input.size() != 0) return run(input, operation, config, result);
        const detail::SynchronizeOnExit wait_for_copy(config.ctx.stream());
        copy_async(result, std::span<const std::byte>(operation.identity), config.ctx.stream());
        return detail::report_of_nothing(config.ctx);
    });
}

}  // namespace cupool
