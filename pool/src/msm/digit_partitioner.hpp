#pragma once

#include <cstddef>
#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/msm.hpp>
#include <cupool/pool/msm_spread.hpp>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "msm/digit_partitioned_msm.hpp"
#include "msm/msm_part.hpp"

namespace cupool::detail {

class PoolState;

/// Decides whether the devices of an MSM divide the digits instead of the terms, and runs such MSMs. Each pool has one. Thread-safe.
class DigitPartitioner {
public:
    explicit DigitPartitioner(PoolState& pool) : pool_(pool) {}

    /// The digit width if the devices of these parts should divide the digits; nullopt if they should divide the terms.
    /// \param operands  host memory that the MSM reads
    template <Curve C>
    std::optional<unsigned> width(const std::vector<MsmPart>& parts, std::size_t terms, const std::vector<const void*>& operands,
                                  const MsmConfig& config, MsmSpread spread);

    /// Returns the terms that a part has of MSM number `msm`.
    template <Curve C>
    using TermsOfPart = std::function<DeviceTerms<C>(std::size_t msm, const MsmPart& part, const DeviceContext& context)>;
    /// Runs the MSMs of these parts one after another on the calling thread, in a task of the first part's member. Each part has some terms
    /// of each MSM, and the devices divide the digits.
    /// \param config  its ctx is ignored \param terms  of each MSM
    template <Curve C>
    RunReport run(const std::vector<MsmPart>& parts, const MsmConfig& config, unsigned width, std::size_t terms,
                  const TermsOfPart<C>& terms_of_part, std::span<JacobianPoint<C>> sums);

private:
    bool can_forward_between_all(const std::vector<MsmPart>& parts, MsmSpread spread);
    bool have_equal_weights(const std::vector<MsmPart>& parts);
    bool are_page_locked(const MsmPart& part, const std::vector<const void*>& operands);

    PoolState& pool_;
    /// Serialises these MSMs: a second one would hold memory while it waits for the devices.
    std::mutex mutex_;
};

}  // namespace cupool::detail
