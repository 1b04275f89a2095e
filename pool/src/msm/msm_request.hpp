#pragma once

#include <cupool/kernels/msm.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <utility>

#include "msm/local_operands.hpp"
#include "msm/msm_part.hpp"
#include "msm/operand_checks.hpp"
#include "msm/oversized_scalar.hpp"
#include "msm/results.hpp"
#include "msm/sizes.hpp"

namespace cupool::detail {

/// What the caller of a pool's MSMs passed, but for the points: scalars, configuration, and where the results go.
template <Curve C>
class MsmRequest {
public:
    /// Checks what MSMs of points and of prepared bases have in common. \throws Error as msm_sizes() does, and for operands that the pool
    /// cannot use
    MsmRequest(const PoolState& pool, PoolOperand<Scalar> the_scalars, const MsmConfig& the_config, const MsmResults<C>& the_results)
        : scalars(std::move(the_scalars)),
          config(the_config),
          results(the_results),
          sizes(msm_sizes(scalars.size(), results.size(), config)) {
        require_msm_operand(pool, scalars, config.are_scalars_on_device, "scalars");
        require_flag("msm", results.is_on_device(), config.are_results_on_device, "results");
        if (results.is_on_device()) {
            const DeviceSpan<JacobianPoint<C>> there = results.device();
            require_in_pool("msm", pool, {there.pointer(), there.size_bytes(), there.device()}, "results");
        }
        pool.faults().check();
    }

    std::size_t count() const { return sizes.msm_count; }
    std::size_t terms() const { return sizes.term_count; }

    /// The elements of an operand that a part reads; the operand has one row for each MSM. A slice of an operand has its device's terms of
    /// all MSMs one after the other, and a part reads a whole slice.
    template <class T>
    StridedRange range_of(const PoolOperand<T>& operand, const MsmPart& part) const {
        if (operand.is_sliced()) return {count() * part.terms.offset, part.msms.count, part.terms.count, part.terms.count};
        return {part.msms.offset * terms() + part.terms.offset, part.msms.count, part.terms.count, terms()};
    }

    /// The configuration with which a part calls cupool::msm().
    MsmConfig config_of_part(const DeviceContext& context, const Operand<Scalar>& own_scalars, const MsmResults<C>& sums) const {
        MsmConfig own = config_of_one();
        own.ctx = context;
        own.are_scalars_on_device = own_scalars.is_on_device();
        own.are_results_on_device = sums.is_on_device();
        return own;
    }
    /// The configuration of a single MSM of the request, with its result on the host.
    MsmConfig config_of_one() const {
        MsmConfig own = config;
        own.batch_size = 0;
        own.points_size = 0;
        own.are_results_on_device = false;
        own.is_async = false;
        return own;
    }

    /// Reports an oversized scalar of a part by its index in the whole array. \param range  of the part, in the whole array
    /// \param local  of the part, in the array to which the error's index belongs
    [[noreturn]] static void throw_oversized_scalar(const StridedRange& range, const StridedRange& local, const OversizedScalar& error) {
        const std::size_t row = error.index() / local.stride;
        detail::throw_oversized_scalar(range.first + row * range.stride + error.index() % local.stride, error.bits());
    }

    PoolOperand<Scalar> scalars;
    MsmConfig config;
    MsmResults<C> results;
    MsmSizes sizes;
};

}  // namespace cupool::detail
