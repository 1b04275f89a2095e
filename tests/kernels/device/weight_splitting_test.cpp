// Weight splitting, with fewer buckets than it pays for.
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <random>

#include "catch.hpp"
#include "machine.hpp"
#include "msm/device/cost_model.hpp"
#include "msm/device/msm_on_device.hpp"
#include "terms_of_all_kinds.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr unsigned checks = cupool_sim_check_initialisation | cupool_sim_check_ordering | cupool_sim_check_context;
constexpr std::size_t no_bound = detail::carried_bit;

MsmConfig config_on(const Machine& machine) {
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    return config;
}

template <Curve C>
detail::DeviceMsmJob<C> job_of(const std::vector<Scalar>& scalars, const std::vector<AffinePoint<C>>& points, unsigned width) {
    return {.scalars = std::span<const Scalar>(scalars),
            .bases = std::span<const AffinePoint<C>>(points),
            .term_count = points.size(),
            .width = width};
}

detail::DeviceMsmLimits always_split_weights(std::size_t max_chunk_terms = no_bound) {
    return {.max_chunk_terms = max_chunk_terms, .min_weight_split_buckets = 2};
}

template <Curve C>
AffinePoint<C> sum_of(const detail::DeviceMsmJob<C>& job, const MsmConfig& config, const detail::DeviceMsmLimits& limits) {
    JacobianPoint<C> sum;
    detail::msm_on_device<C>(job, config, std::span(&sum, 1), limits);
    return to_affine(sum);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("weight splitting is right for distinct, equal, opposite and infinite points", "[msm][long]", ((Curve C), C),
                       Curve::bn254, Curve::bls12_381, Curve::bls12_377, Curve::bn254_g2, Curve::bls12_381_g2) {
    Machine machine(std::vector<SimulatedDevice>{small_device()});
    machine.simulator.set_checks(checks);
    const TermsOfAllKinds<C> terms(600);
    MsmConfig config = config_on(machine);
    config.bitsize = terms.bits;
    const auto job = job_of<C>(terms.scalars, terms.points, 4);
    const std::uint64_t earlier = machine.simulator.call_count("cuLaunchKernel");
    CHECK(sum_of(job, config, {}) == terms.sum);
    const std::uint64_t launches = machine.simulator.call_count("cuLaunchKernel") - earlier;
    CHECK(sum_of(job, config, always_split_weights()) == terms.sum);
    CHECK(machine.simulator.call_count("cuLaunchKernel") - earlier > 2 * launches);  // weights have been split
    // Chunks whose points go into the next one, and a last one too small for rounds: its buckets are reduced as they are.
    CHECK(sum_of(job, config, always_split_weights(230)) == terms.sum);
    CHECK(sum_of(job, config, always_split_weights(295)) == terms.sum);
}

TEST_CASE("weight splitting is right for few and for equal scalars", "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>{small_device()});
    machine.simulator.set_checks(checks);
    const auto points = generator_multiples<C>(1, 702);
    // Of 32, nothing is left of the first window of 5 bits, and an odd number of points of the second.
    for (const std::uint64_t value : {0U, 1U, 8U, 9U, 16U, 32U, 0x7777U}) {
        std::vector<Scalar> scalars(points.size(), Scalar{{value}});
        if (value != 32) scalars[5] = Scalar{{3}};
        AffinePoint<C> expected = infinity<C>();
        for (std::size_t i = 0; i < points.size(); ++i) expected = add(expected, multiply(points[i], scalars[i]));
        MsmConfig config = config_on(machine);
        config.bitsize = 64;
        CHECK(sum_of(job_of<C>(scalars, points, 5), config, always_split_weights()) == expected);
    }
}

TEST_CASE("several MSMs split weights, and one that has too few buckets does not", "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>{small_device()});
    machine.simulator.set_checks(checks);
    constexpr std::size_t msms = 5;
    constexpr std::size_t terms = 150;
    const auto points = generator_multiples<C>(1, msms * terms);
    std::vector<Scalar> scalars;
    std::mt19937_64 random(11);
    std::vector<AffinePoint<C>> expected(msms, infinity<C>());
    for (std::size_t i = 0; i < msms * terms; ++i) {
        scalars.push_back({{random(), random() >> 16}});
        expected[i / terms] = add(expected[i / terms], multiply(points[i], scalars[i]));
    }
    MsmConfig config = config_on(machine);
    config.bitsize = 112;
    config.are_results_on_device = GENERATE(false, true);
    detail::DeviceMsmJob<C> job = job_of<C>(scalars, points, 4);
    job.msm_count = msms;
    job.term_count = terms;
    job.have_own_bases = true;
    detail::DeviceMsmLimits limits = always_split_weights();
    limits.max_msms_per_allocation = 2;        // so the last one is alone
    limits.min_weight_split_buckets = 32 * 8;  // an MSM has 29 rows of 8 buckets
    DeviceBuffer<JacobianPoint<C>> there(msms, config.ctx);
    std::vector<JacobianPoint<C>> sums(msms);
    if (config.are_results_on_device) {
        detail::msm_on_device<C>(job, config, DeviceSpan<JacobianPoint<C>>(there.span()), limits);
        copy(std::span(sums), DeviceSpan<const JacobianPoint<C>>(there.span()), config.ctx.stream());
    } else {
        detail::msm_on_device<C>(job, config, std::span(sums), limits);
    }
    for (std::size_t i = 0; i < msms; ++i) CHECK(to_affine(sums[i]) == expected[i]);
}
