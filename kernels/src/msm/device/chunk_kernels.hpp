#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/kernels/msm.hpp>

#include "msm/device/device_msm_job.hpp"
#include "msm/device/device_msm_memory.hpp"
#include "msm/device/kernels.hpp"

namespace cupool::detail {

/// Enqueues the kernels of a chunk, in the order of the stages. All of them run in the stream of the job.
template <Curve C>
class ChunkKernels {
public:
    /// All parameters outlive this.
    ChunkKernels(const DeviceMsmJob<C>& job, const MsmConfig& config, const DeviceMsmMemory& memory, MsmKernels<C>& kernels);

    /// Loads the kernels that the chunks need and that are not loaded yet.
    void load() const;

    /// Enqueues the kernels of a chunk whose operands are on the device, or are uploaded by work that the stream waits for.
    void enqueue(std::size_t i) const;

private:
    typename MsmKernels<C>::Steps needed_steps() const;
    unsigned multiprocessors() const { return memory_.layout().work().multiprocessors; }

    // The parameters of the kernels.
    MsmPlan placed_plan(std::size_t i) const;
    void place_operands(MsmKernelParams& params, std::size_t i) const;
    void place_carried(MsmKernelParams& params) const;

    // Stages, in the order in which they run.
    void map_bases(const MsmKernelParams& params) const;
    void sum_buckets(MsmPlan& plan) const;
    void add_pairs(const MsmKernelParams& params, std::uint32_t rows) const;
    void carry_sums(const MsmKernelParams& params, std::uint32_t rows) const;
    void accumulate(const MsmKernelParams& params, std::uint32_t rows) const;
    void join_buckets(const MsmKernelParams& params) const;
    void split_weights(std::size_t i, const MsmKernelParams& terms) const;
    void reduce_buckets(const MsmKernelParams& params) const;
    void join_bit_sums(const MsmChunk& chunk) const;

    const DeviceMsmJob<C>& job_;
    const MsmConfig& config_;
    const DeviceMsmMemory& memory_;
    MsmKernels<C>& kernels_;
    StreamView stream_;
};

}  // namespace cupool::detail
