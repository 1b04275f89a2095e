#pragma once

#include <cstddef>
#include <cupool/pool/division.hpp>
#include <cupool/pool/load_balancer.hpp>
#include <memory>

#include "scheduling/part_times.hpp"

namespace cupool::detail {

/// The part of a job that one member works on: some terms of some MSMs.
struct MsmPart {
    std::size_t member = 0;  ///< index in the pool
    Slice msms;
    Slice terms;  ///< of each of these MSMs
    std::shared_ptr<LoadBalancer::Lease> lease = nullptr;
    std::shared_ptr<PartTimes> times = nullptr;  ///< null if the job has no other part
};

}  // namespace cupool::detail
