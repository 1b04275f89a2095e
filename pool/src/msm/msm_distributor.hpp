#pragma once

#include <cstddef>
#include <cupool/kernels/run_report.hpp>
#include <cupool/pool/division.hpp>
#include <cupool/pool/load_balancer.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "msm/digit_partitioner.hpp"
#include "msm/msm_part.hpp"

namespace cupool::detail {

class PoolState;

/// Distributes the MSMs of a pool over its members: chooses members, divides MSMs or terms among them, and leases the members for their
/// parts. Each pool has one. Thread-safe.
class MsmDistributor {
public:
    explicit MsmDistributor(PoolState& pool) : pool_(pool), digit_partitioner_(pool) {}

    /// Chooses the `count` members that would finish first if each got that much work (see msm_work()); fewer if fewer are available. The
    /// result is in the pool's order.
    /// \param fits  whether a member can do the work; empty if all can \throws Error no_device
    std::vector<std::size_t> choose_members(std::size_t count, double work, const std::function<bool(std::size_t)>& fits = {});

    /// Divides MSMs of `terms` terms among these members by their weights. The result has no empty parts.
    std::vector<MsmPart> parts_of_msms(std::span<const std::size_t> members, std::size_t msms, std::size_t terms);
    /// Divides the terms of some MSMs among these members by their weights. The result has no empty parts, but one part if there are no
    /// terms.
    std::vector<MsmPart> parts_of_terms(std::span<const std::size_t> members, const Slice& msms, std::size_t terms);
    /// Makes a part of each slice of the operands, on the slice's device. \throws Error invalid_argument if a device is quarantined
    std::vector<MsmPart> parts_of_slices(const Division& division, std::size_t msms) const;

    /// Leases the members for all parts of one job. \param work_per_term  in the unit of msm_work()
    void lease(std::vector<MsmPart>& parts, double work_per_term);
    /// Calls function(), which computes a part on the calling thread, measures its time, and counts its bytes in the member's metrics.
    RunReport run_part(const MsmPart& part, const std::function<RunReport()>& function);

    DigitPartitioner& digit_partitioner() { return digit_partitioner_; }

    /// Tells the balancer that a device was quarantined or readmitted.
    void set_available(int ordinal, bool available);

private:
    LoadBalancer& balancer();

    PoolState& pool_;
    DigitPartitioner digit_partitioner_;
    std::mutex mutex_;  // guards the creation of balancer_
    std::unique_ptr<LoadBalancer> balancer_;
};

}  // namespace cupool::detail
