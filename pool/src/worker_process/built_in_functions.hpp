#pragma once

#include <cupool/pool/kernel_work.hpp>
#include <cupool/pool/worker_pool.hpp>

#include "operand_reference.hpp"
#include "worker_job.hpp"

namespace cupool::detail {

/// The calls of cupool's own functions, as the pool writes them, and their results, as it reads them.

/// \param results  how many MSMs
template <Curve C>
WorkerCall msm_call(const OperandReference& scalars, const OperandReference& points, const MsmConfig& config, std::size_t results);
/// \param bases  id of the setup that prepared them
template <Curve C>
WorkerCall prepared_msm_call(const OperandReference& scalars, std::uint64_t bases, const MsmConfig& config, std::size_t results);
/// Writes all results. \return the worker's report \throws Error io where the answer is malformed; then nothing is written
template <Curve C>
RunReport read_msm_answer(std::span<const std::byte> answer, std::span<JacobianPoint<C>> results);

template <Curve C>
WorkerCall prepare_call(std::uint64_t setup, const OperandReference& points, const PrepareConfig& config);

template <class T, class R>
WorkerCall reduce_call(const OperandReference& input, ReduceOperation operation);
template <class R>
RunReport read_reduce_answer(std::span<const std::byte> answer, R& result);

WorkerCall kernel_call(const KernelWork& work);
/// \param sizes  of the expected arrays, in bytes
KernelOutputs read_kernel_answer(std::span<const std::byte> answer, std::span<const std::size_t> sizes);

}  // namespace cupool::detail
