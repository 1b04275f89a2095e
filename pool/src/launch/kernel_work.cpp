#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/pool/kernel_work.hpp>

#include "launch/loaded_modules.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool {

namespace {

bool is_array(const KernelOperand& operand) { return operand.kind != KernelOperand::Kind::value; }

bool comes_back(const KernelOperand& operand) {
    return operand.kind == KernelOperand::Kind::output || operand.kind == KernelOperand::Kind::inout;
}

std::size_t parameter_bytes(const KernelOperand& operand) { return is_array(operand) ? sizeof(abi::DevicePointer) : operand.bytes.size(); }

/// "3 of 8, 8, 4 bytes"
std::string sizes_text(const std::vector<std::size_t>& sizes) {
    std::string text = std::to_string(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? " of " : ", ") + std::to_string(sizes[i]);
    return text + (sizes.empty() ? "" : " bytes");
}

void check_operands(const UntypedKernel& kernel, const std::vector<KernelOperand>& operands) {
    if (kernel.context().driver().api().function_get_parameter_info == nullptr) return;
    std::vector<std::size_t> expected;
    for (const KernelParameterInfo& parameter : kernel.parameters()) expected.push_back(parameter.bytes);
    std::vector<std::size_t> given;
    for (const KernelOperand& operand : operands) given.push_back(parameter_bytes(operand));
    if (given == expected) return;
    ErrorDetails details;
    details.category = ErrorCategory::invalid_argument;
    details.call = entry_point_info<&EntryPoints::function_get_parameter_info>.base;
    details.device = kernel.context().ordinal();
    details.message = "kernel " + kernel.name() + " takes other parameters than the work has operands: " + sizes_text(expected) +
                      ", and not " + sizes_text(given) + ", as " + details.call + " tells";
    throw Error(std::move(details));
}

/// The operands on a device.
class PlacedOperands {
public:
    PlacedOperands(const std::vector<KernelOperand>& operands, const DeviceContext& context) {
        for (const KernelOperand& operand : operands) {
            arrays_.emplace_back(is_array(operand) ? operand.bytes.size() : 0, context);
            addresses_.push_back(arrays_.back().span().pointer());
            values_.push_back(operand.bytes);
        }
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const bool is_placed = is_array(operands[i]);
            parameters_.push_back(is_placed ? static_cast<void*>(&addresses_[i]) : static_cast<void*>(values_[i].data()));
            if (is_placed && !operands[i].bytes.empty()) copy_async(arrays_[i].span(), std::span(operands[i].bytes), context.stream());
        }
        parameters_.push_back(nullptr);
    }

    DeviceSpan<std::byte> array(std::size_t index) { return arrays_[index].span(); }
    void** parameters() { return parameters_.data(); }

private:
    std::vector<DeviceBuffer<std::byte>> arrays_;
    std::vector<abi::DevicePointer> addresses_;
    std::vector<std::vector<std::byte>> values_;
    std::vector<void*> parameters_;
};

KernelOutputs run_checked(const KernelWork& work, const DeviceContext& context) {
    if (context.is_host()) throw Error(ErrorCategory::unsupported, "a kernel of the program's own needs a GPU; the context is the host's");
    const std::shared_ptr<const Module> module = context.resource<detail::LoadedModules>()->load(work.ptx);
    const UntypedKernel kernel = module->untyped_kernel(work.kernel);
    check_operands(kernel, work.operands);

    const StreamView stream = context.stream();
    KernelOutputs outputs;
    const detail::SynchronizeOnExit wait_for_copies(stream);
    PlacedOperands placed(work.operands, context);
    kernel.launch_raw(work.shape, stream, placed.parameters());
    for (std::size_t i = 0; i < work.operands.size(); ++i) {
        if (is_array(work.operands[i])) outputs.bytes_moved += work.operands[i].bytes.size();
        if (!comes_back(work.operands[i])) continue;
        std::vector<std::byte>& array = outputs.arrays.emplace_back(work.operands[i].bytes.size());
        outputs.bytes_moved += array.size();
        if (!array.empty()) copy_async(std::span(array), placed.array(i), stream);
    }
    stream.synchronize();
    return outputs;
}

}  // namespace

KernelOutputs run_kernel(const KernelWork& work, const DeviceContext& context, SourceLocation where) {
    return detail::report_at(where, [&] { return run_checked(work, context); });
}

}  // namespace cupool
