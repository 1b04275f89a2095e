#pragma once

#include <cupool/driver/error.hpp>
#include <cupool/kernels/operand.hpp>
#include <string>

#include "msm/device/kernel_params.hpp"

namespace cupool::detail {

/// Throws invalid_argument for a job called `job`.
[[noreturn]] inline void refuse(const std::string& job, const std::string& message) {
    throw Error(ErrorCategory::invalid_argument, job + ": " + message);
}

/// Kernels read 16 bytes at a time; a misaligned read would be a fault of the whole process.
inline constexpr abi::DevicePointer device_operand_alignment = 16;

/// Throws if the flag named after an array says that it lies elsewhere.
inline void require_flag(const std::string& job, bool is_on_device, bool flag, const std::string& name) {
    if (is_on_device == flag) return;
    refuse(job, "are_" + name + "_on_device is " + (flag ? "set, but the " : "not set, but the ") + name + " are " +
                    (flag ? "in host memory" : "on a device"));
}

/// Throws if device memory is not aligned as kernels read it.
inline void require_alignment(const std::string& job, abi::DevicePointer pointer, const std::string& name) {
    if (pointer % device_operand_alignment == 0) return;
    refuse(job, "the " + name + " begin at a device address that is no multiple of " + std::to_string(device_operand_alignment) +
                    ", in which the kernels read");
}

/// Throws if an operand does not lie where its flag and the context say.
template <class T>
void require_place(const std::string& job, const Operand<T>& operand, bool flag, const std::string& name, const DeviceContext& context) {
    require_flag(job, operand.is_on_device(), flag, name);
    if (!operand.is_on_device()) return;
    require_alignment(job, operand.device().pointer(), name);
    if (context.is_host())
        refuse(job, "the " + name + " are on device " + std::to_string(operand.device().device()) + ", but config.ctx is the host");
    if (operand.size() != 0 && operand.device().device() != context.device()) {
        throw Error(ErrorCategory::wrong_context, job + ": the " + name + " are on device " + std::to_string(operand.device().device()) +
                                                      ", but config.ctx is device " + std::to_string(context.device()));
    }
}

template <class T>
std::uint64_t begin_of(const Operand<T>& operand) {
    return operand.is_on_device() ? operand.device().pointer() : reinterpret_cast<std::uintptr_t>(operand.host().data());
}

template <class T>
bool do_overlap(const Operand<T>& left, const Operand<T>& right) {
    return left.is_on_device() == right.is_on_device() && begin_of(left) < begin_of(right) + right.size() * sizeof(T) &&
           begin_of(right) < begin_of(left) + left.size() * sizeof(T);
}

/// Throws if a job's inputs and outputs overlap.
template <class T>
void require_apart(const std::string& job, const Operand<T>& inputs, const OutputOperand<T>& outputs) {
    if (do_overlap(inputs, outputs.as_input())) refuse(job, "inputs and outputs overlap; give arrays that are apart");
}

/// Throws unless a job's inputs and outputs, of equal sizes, are the same array or do not overlap.
template <class T>
void require_same_or_apart(const std::string& job, const Operand<T>& inputs, const OutputOperand<T>& outputs) {
    if (!do_overlap(inputs, outputs.as_input()) || begin_of(inputs) == begin_of(outputs.as_input())) return;
    refuse(job, "inputs and outputs overlap in part; give the same array for both, or arrays that are apart");
}

/// Throws if the width of a digit or a promised bitsize is out of range.
inline void require_digits(const std::string& job, int width, int bitsize) {
    if (width < 0 || width > static_cast<int>(widest_digit))
        refuse(job, "c is " + std::to_string(width) + "; it must be 1 to " + std::to_string(widest_digit) + ", or 0 to choose by size");
    if (bitsize < 0 || bitsize > 256)
        refuse(job, "bitsize is " + std::to_string(bitsize) + "; it must be 1 to 256, or 0 for the width of r");
}

}  // namespace cupool::detail
