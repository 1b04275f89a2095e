#pragma once

#include "msm/brought_operands.hpp"
#include "msm/operand_checks.hpp"
#include "msm/oversized_scalar.hpp"
#include "msm/sizes.hpp"
#include "pool_state.hpp"

namespace cupool {

/// What a pool was asked for: MSMs of the scalars given, whatever their points are, and where the results go.
template <Curve C>
struct DevicePool::State::GivenMsms {
    /// \throws Error as detail::msm_sizes() does
    GivenMsms(PoolOperand<Scalar> the_scalars, const MsmConfig& the_config, const detail::MsmResults<C>& the_results)
        : scalars(std::move(the_scalars)),
          config(the_config),
          results(the_results),
          sizes(detail::msm_sizes(scalars.size(), results.size(), config)) {}

    PoolOperand<Scalar> scalars;
    MsmConfig config;
    detail::MsmResults<C> results;
    detail::MsmSizes sizes;

    std::size_t count() const { return sizes.msm_count; }
    std::size_t terms() const { return sizes.term_count; }

    /// Which elements of an operand with a run of elements for each MSM a part reads. Of slices, each of which has its device's terms of
    /// all MSMs one behind the other, a part has one.
    template <class T>
    detail::ArrayRuns runs_of(const PoolOperand<T>& operand, const MsmPart& part) const {
        if (operand.is_sliced()) return {count() * part.terms.offset, part.msms.count, part.terms.count, part.terms.count};
        return {part.msms.offset * terms() + part.terms.offset, part.msms.count, part.terms.count, terms()};
    }

    /// For a part's own call of cupool::msm().
    MsmConfig config_of_part(const DeviceContext& context, const Operand<Scalar>& own_scalars, const detail::MsmResults<C>& sums) const {
        MsmConfig own = config_of_one();
        own.ctx = context;
        own.are_scalars_on_device = own_scalars.is_on_device();
        own.are_results_on_device = sums.is_on_device();
        return own;
    }
    /// For one of the MSMs, with its result on the host.
    MsmConfig config_of_one() const {
        MsmConfig own = config;
        own.batch_size = 0;
        own.points_size = 0;
        own.are_results_on_device = false;
        own.is_async = false;
        return own;
    }

    /// Names a scalar by its place in the whole array. \param local  where a part's scalars are \param place  there
    [[noreturn]] static void throw_oversized_scalar(const detail::ArrayRuns& runs, const detail::ArrayRuns& local,
                                                    const detail::OversizedScalar& error) {
        const std::size_t run = error.index() / local.stride;
        detail::throw_oversized_scalar(runs.first + run * runs.stride + error.index() % local.stride, error.bits());
    }
};

template <Curve C>
DevicePool::State::GivenMsms<C> DevicePool::State::given_msms(const PoolOperand<Scalar>& scalars, const MsmConfig& config,
                                                              const detail::MsmResults<C>& results) const {
    GivenMsms<C> given(scalars, config, results);
    require_msm_operand(scalars, config.are_scalars_on_device, "scalars");
    detail::require_flag("msm", results.is_on_device(), config.are_results_on_device, "results");
    if (results.is_on_device()) {
        const DeviceSpan<JacobianPoint<C>> there = results.device();
        require_msm_memory({there.pointer(), there.size_bytes(), there.device()}, "results");
    }
    faults_.check();
    return given;
}

template <class T>
void DevicePool::State::require_msm_operand(const PoolOperand<T>& operand, bool flag, const std::string& name) const {
    detail::require_flag("msm", !operand.is_on_host(), flag, name);
    detail::for_each_device_span(operand, [&](const DeviceSpan<const T>& span) {
        require_msm_memory({span.pointer(), span.size_bytes(), span.device()}, name);
    });
}

template <class T>
std::optional<std::size_t> DevicePool::State::home_of(const PoolOperand<T>& operand) const {
    if (operand.is_on_host() || operand.is_sliced() || operand.size() == 0) return std::nullopt;
    const std::size_t home = index_of(operand.device().device());
    return member(home).quarantine() ? std::nullopt : std::optional(home);
}

/// \throws Error unsupported where a call that waits is asked not to
inline void require_no_async(const MsmConfig& config) {
    if (!config.is_async) return;
    throw Error(ErrorCategory::unsupported,
                "msm: is_async is set, but DevicePool::msm() returns when the results are there; use DevicePool::submit_msm()");
}

}  // namespace cupool
