#pragma once

#include <cupool/pool/pool_operand.hpp>
#include <cupool/pool/pool_output_operand.hpp>
#include <string>
#include <vector>

#include "pool_state.hpp"
#include "transfer/operand_checks.hpp"

namespace cupool::detail {

/// The spans of device memory that an operand consists of; none if it is on the host.
template <class T>
std::vector<DeviceSpan<const T>> device_spans(const PoolOperand<T>& operand) {
    if (operand.is_on_host()) return {};
    if (!operand.is_sliced()) return {operand.device()};
    return {operand.slices().begin(), operand.slices().end()};
}

/// Refuses device memory that no job of this pool can use. \param job  the job's name \param name  of the memory in it
inline void require_in_pool(const std::string& job, const PoolState& pool, const DeviceSpan<const std::byte>& memory,
                            const std::string& name) {
    if (pool.is_host()) throw Error(ErrorCategory::unsupported, job + ": the " + name + " are on a device; the pool is the host");
    if (memory.empty()) return;
    if (pool.index_of(memory.device()) == pool.size()) {
        std::string devices;
        for (const int ordinal : pool.ordinals()) devices += (devices.empty() ? "" : ", ") + std::to_string(ordinal);
        throw Error(ErrorCategory::wrong_context, job + ": the " + name + " are on device " + std::to_string(memory.device()) +
                                                      ", which is not of the pool; it has devices " + devices);
    }
    require_alignment(job, memory.pointer(), name);
}
/// The same of each span of an operand.
template <class T>
void require_in_pool(const std::string& job, const PoolState& pool, const PoolOperand<T>& operand, const std::string& name) {
    for (const DeviceSpan<const T>& span : device_spans(operand))
        require_in_pool(job, pool, {span.pointer(), span.size_bytes(), span.device()}, name);
}

/// The arrays in one memory of which an operand consists.
template <class T>
std::vector<Operand<T>> pieces_of(const PoolOperand<T>& operand) {
    if (operand.is_on_host()) return {operand.host()};
    const auto spans = device_spans(operand);
    return {spans.begin(), spans.end()};
}
template <class T>
std::vector<OutputOperand<T>> pieces_of(const PoolOutputOperand<T>& operand) {
    if (operand.is_on_host()) return {operand.host()};
    if (!operand.is_sliced()) return {operand.device()};
    return {operand.slices().begin(), operand.slices().end()};
}

/// Throws if a job's inputs and outputs overlap anywhere: parts of a divided job see only their own.
template <class T>
void require_apart(const std::string& job, const PoolOperand<T>& inputs, const PoolOutputOperand<T>& outputs) {
    for (const Operand<T>& input : pieces_of(inputs)) {
        for (const OutputOperand<T>& output : pieces_of(outputs)) require_apart(job, input, output);
    }
}
/// The same unless they begin at the same places.
template <class T>
void require_same_or_apart(const std::string& job, const PoolOperand<T>& inputs, const PoolOutputOperand<T>& outputs) {
    for (const Operand<T>& input : pieces_of(inputs)) {
        for (const OutputOperand<T>& output : pieces_of(outputs)) require_same_or_apart(job, input, output);
    }
}

}  // namespace cupool::detail
