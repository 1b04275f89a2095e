#pragma once

#include <chrono>
#include <cstddef>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/run_report.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <cupool/pool/pool_output_operand.hpp>
#include <functional>
#include <string>
#include <vector>

#include "pool_state.hpp"

namespace cupool::detail {

/// The least host memory that is worth another device.
inline constexpr std::size_t min_bytes_a_device = std::size_t{4} << 20;
/// What a device takes at once of operands in host memory, unless one item is larger.
inline constexpr std::size_t max_step_bytes = std::size_t{1} << 30;

/// A job of many equal items, such as transforms or hashes, which are computed one apart from the other.
struct BatchShape {
    std::string job;                          ///< its name, for messages
    std::string item;                         ///< what an item is called there: "transforms"
    std::size_t item_inputs;                  ///< elements that an item takes, at least 1
    std::size_t item_outputs;                 ///< elements that it gives, at least 1
    std::size_t step_bytes = max_step_bytes;  ///< of inputs
};

/// The items of one member of the pool, with operands in host memory or on its device.
struct BatchPart {
    std::size_t member;  ///< index in the pool
    Operand<Scalar> inputs;
    OutputOperand<Scalar> outputs;
};

/// Divides a batch: as the slices are divided if there are any; to the device of the operands if they lie on one; otherwise by
/// PoolState::weights() among as many devices as there is work for.
/// \throws Error invalid_argument (the operands' sizes do not fit; a slice does not hold whole items; operands on different devices; two
/// slices on one device, or one on a quarantined device), wrong_context (device memory outside of the pool), unsupported (device memory;
/// the pool is the host)
std::vector<BatchPart> divided_batch(PoolState& pool, const BatchShape& shape, const PoolOperand<Scalar>& inputs,
                                     const PoolOutputOperand<Scalar>& outputs);

/// The spans of an operand on devices that have elements. \throws Error invalid_argument if two are on one device, or one is on a
/// quarantined device, and what require_in_pool() throws
std::vector<DeviceSpan<const Scalar>> checked_spans(const std::string& job, PoolState& pool, const PoolOperand<Scalar>& operand,
                                                    const std::string& name);

/// The report of what several members did since `start`. \param reports  one for each member of the pool
RunReport joined_report(const PoolState& pool, const std::vector<std::size_t>& members, const std::vector<RunReport>& reports,
                        std::chrono::steady_clock::time_point start);

/// Computes some items of a batch, with operands as in a BatchPart, on the context.
using RunItems =
    std::function<RunReport(const DeviceContext& context, const Operand<Scalar>& inputs, const OutputOperand<Scalar>& outputs)>;

/// Runs all parts at once, each on its member's thread, or a single one on the calling thread, and waits for them. A part with an operand
/// in host memory goes in steps.
RunReport run_batch(PoolState& pool, const BatchShape& shape, const std::vector<BatchPart>& parts, const RunItems& run_items);

}  // namespace cupool::detail
