#pragma once

/// \file
/// What all reductions ask of their arguments.

#include <cupool/kernels/reduce.hpp>
#include <string>

#include "reduce/device_kernels.hpp"

namespace cupool::detail {

/// \param job  what messages call the function
template <class T>
void require_operation(const std::string& job, ReduceOperation operation) {
    require_enumerator(operation, ReduceOperation::max, "ReduceOperation");
    if (is_float_element<T> && operation == ReduceOperation::product)
        throw Error(ErrorCategory::unsupported, job + ": a product is for integers");
}

inline bool has_identity(ReduceOperation operation) { return operation == ReduceOperation::sum || operation == ReduceOperation::product; }

[[noreturn]] inline void throw_nothing(const std::string& job, const std::string& operation, const std::string& what) {
    throw Error(ErrorCategory::invalid_argument, job + ": " + what + " has no " + operation + "; give at least one element");
}

template <class T>
void require_place(const std::string& job, const std::string& what, DeviceSpan<T> span, const DeviceContext& context) {
    if (context.is_host()) {
        throw Error(ErrorCategory::invalid_argument,
                    job + ": the " + what + " is on device " + std::to_string(span.device()) + ", but the context is the host");
    }
    if (!span.empty() && span.device() != context.device()) {
        throw Error(ErrorCategory::wrong_context, job + ": the " + what + " is on device " + std::to_string(span.device()) +
                                                      ", but the context is device " + std::to_string(context.device()));
    }
    if (!span.empty() && span.pointer() == 0)
        throw Error(ErrorCategory::invalid_argument, job + ": the " + what + " is at address 0, where no array can be");
    if (span.pointer() % sizeof(T) != 0) {
        throw Error(ErrorCategory::invalid_argument,
                    job + ": the " + what + " must begin at a multiple of its element's " + std::to_string(sizeof(T)) + " bytes");
    }
}

template <class T>
void require_operand(const std::string& job, const std::string& what, const Operand<T>& operand, const DeviceContext& context) {
    if (operand.is_on_device()) require_place(job, what, operand.device(), context);
}

/// Refuses two arrays on one device that share bytes: kernels read the one while they write the other.
template <class A, class B>
void require_apart(const std::string& job, const std::string& what, DeviceSpan<A> span, const std::string& other_what,
                   DeviceSpan<B> other) {
    if (span.pointer() >= other.pointer() + other.size_bytes() || other.pointer() >= span.pointer() + span.size_bytes()) return;
    throw Error(ErrorCategory::invalid_argument,
                job + ": the " + what + " and the " + other_what + " overlap; give the " + what + " memory of its own");
}

/// The same for an operand, which a device array cannot overlap in host memory.
template <class A, class T>
void require_apart(const std::string& job, const std::string& what, DeviceSpan<A> span, const std::string& other_what,
                   const Operand<T>& operand) {
    if (operand.is_on_device()) require_apart(job, what, span, other_what, operand.device());
}

/// \param bytes  how many are needed
inline void require_workspace(const std::string& job, const ReduceConfig& config, std::size_t bytes) {
    const DeviceSpan<std::byte>& workspace = config.workspace;
    if (workspace.empty()) return;
    require_place(job, "workspace", workspace, config.ctx);
    if (workspace.pointer() % 16 != 0)
        throw Error(ErrorCategory::invalid_argument, job + ": the workspace must begin at a multiple of 16 bytes");
    if (workspace.size() < bytes) {
        throw Error(ErrorCategory::invalid_argument, job + ": the workspace has " + std::to_string(workspace.size()) + " bytes; it needs " +
                                                         std::to_string(bytes) + " (see reduce_workspace_bytes)");
    }
}

}  // namespace cupool::detail
