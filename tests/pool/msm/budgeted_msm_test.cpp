// MSMs within budgets that are too small for the digits that they would have without one.
#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <cupool/pool/device_pool.hpp>
#include <random>

#include "catch.hpp"
#include "machine.hpp"
#include "msm/device/budget.hpp"
#include "msm/device/msm_on_device.hpp"
#include "terms_of_all_kinds.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

#define CUPOOL_EACH_GROUP "[msm]", ((Curve C), C), Curve::bn254, Curve::bls12_381, Curve::bls12_377, Curve::bn254_g2, Curve::bls12_381_g2

/// The simulated driver takes three times as long for an addition in G2.
template <Curve C>
constexpr std::size_t few_terms = base_field_degree<C> == 2 ? 12 : 40;

/// MSMs over points of their own, with scalars up to r, and what the host's cores make of them.
template <Curve C>
struct Msms {
    Msms(std::size_t msm_count, std::size_t term_count)
        : points(generator_multiples<C>(1, msm_count * term_count)), scalars(points.size()), sums(msm_count) {
        std::mt19937_64 random(7);
        for (Scalar& scalar : scalars) scalar = {{random(), random(), random(), random() >> 4}};
        std::vector<JacobianPoint<C>> results(msm_count);
        msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), MsmConfig::default_for_host(),
               std::span(results));
        std::transform(results.begin(), results.end(), sums.begin(), [](const auto& sum) { return to_affine(sum); });
    }

    detail::DeviceMsmJob<C> job() const {
        return {.scalars = std::span<const Scalar>(scalars),
                .bases = std::span<const AffinePoint<C>>(points),
                .msm_count = sums.size(),
                .term_count = points.size() / sums.size(),
                .have_own_bases = sums.size() > 1};
    }

    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> sums;
};

/// What the work takes at least with these digits: in chunks of one term.
std::size_t min_bytes(const detail::MsmWork& work, detail::DigitChoice digits) {
    detail::MsmJobLayout layout(work, digits);
    layout.lay_out({{0, 1, 0, 1, false}, {0, 1, 1, 1, true}});
    return layout.bytes();
}

/// A budget that is too small for the digits that the work has without one.
template <Curve C>
std::uint64_t too_small_budget(const detail::DeviceMsmJob<C>& job, const MsmConfig& config) {
    const detail::MsmWork work = detail::work_of(job, config, {});
    return min_bytes(work, detail::choose_sub_batch(work, 0, {}).digits) - 1;
}

template <Curve C>
std::vector<AffinePoint<C>> affine(const std::vector<JacobianPoint<C>>& points) {
    std::vector<AffinePoint<C>> all;
    for (const auto& point : points) all.push_back(to_affine(point));
    return all;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("an MSM takes narrower digits where its budget asks for them", CUPOOL_EACH_GROUP) {
    const Machine machine(std::vector<SimulatedDevice>{small_device()});
    const Msms<C> msms(1, few_terms<C>);
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    config.memory_budget = too_small_budget(msms.job(), config);
    JacobianPoint<C> sum;
    const RunReport report = msm<C>(std::span<const Scalar>(msms.scalars), std::span<const AffinePoint<C>>(msms.points), config, sum);
    CHECK(to_affine(sum) == msms.sums[0]);
    CHECK(report.device_bytes <= config.memory_budget);
}

TEST_CASE("a budget is kept by operands on the device, whose memory does not count, and by results there", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine(std::vector<SimulatedDevice>{small_device()});
    const Msms<C> msms(1, few_terms<C>);
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    const PreparedBases<C> bases(std::span<const AffinePoint<C>>(msms.points), {.ctx = config.ctx});
    DeviceBuffer<Scalar> scalars(msms.scalars.size(), config.ctx);
    copy(scalars.span(), std::span<const Scalar>(msms.scalars), config.ctx.stream());
    config.are_scalars_on_device = true;
    const DeviceSpan<const AffinePoint<C>> any_points(scalars.span().pointer(), few_terms<C>, config.ctx.device());
    const detail::DeviceMsmJob<C> job{
        .scalars = scalars.span(), .bases = any_points, .term_count = few_terms<C>, .are_bases_in_montgomery_form = true};
    config.memory_budget = too_small_budget(job, config);
    JacobianPoint<C> sum;
    CHECK(msm<C>(scalars.span(), bases, config, sum).device_bytes <= config.memory_budget);
    CHECK(to_affine(sum) == msms.sums[0]);
    config.are_results_on_device = true;
    config.is_async = GENERATE(false, true);
    config.memory_budget = too_small_budget(job, config);
    DeviceBuffer<JacobianPoint<C>> there(1, config.ctx);
    CHECK(msm<C>(scalars.span(), bases, config, there.span()).device_bytes <= config.memory_budget);
    copy(std::span(&sum, 1), there.span(), config.ctx.stream());
    CHECK(to_affine(sum) == msms.sums[0]);
}

TEST_CASE("a batch whose sums alone are larger than the budget is done in several runs", "[msm][long]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine(std::vector<SimulatedDevice>{small_device()});
    const Msms<C> msms(70, 2);
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    const detail::MsmWork work = detail::work_of(msms.job(), config, {});
    const detail::DigitChoice digits = detail::choose_sub_batch(work, 0, {}).digits;
    config.memory_budget = detail::MsmJobLayout(work, digits).host_sums_bytes() * 3 / 4;
    const detail::SubBatch sub_batch = detail::choose_sub_batch(work, config.memory_budget, {});
    REQUIRE(sub_batch.msm_count < 70);
    REQUIRE(70 % sub_batch.msm_count != 0);  // the last sub-batch is a smaller one
    std::vector<JacobianPoint<C>> sums(70);
    RunReport report = msm<C>(std::span<const Scalar>(msms.scalars), std::span<const AffinePoint<C>>(msms.points), config, std::span(sums));
    CHECK(report.device_bytes <= config.memory_budget);
    CHECK(affine(sums) == msms.sums);
    config.are_results_on_device = true;
    DeviceBuffer<JacobianPoint<C>> there(70, config.ctx);
    report = msm<C>(std::span<const Scalar>(msms.scalars), std::span<const AffinePoint<C>>(msms.points), config, there.span());
    CHECK(report.device_bytes <= config.memory_budget);
    copy(std::span(sums), there.span(), config.ctx.stream());
    CHECK(affine(sums) == msms.sums);
    config.are_results_on_device = false;
    config.bitsize = 252;
    std::vector<Scalar> broken = msms.scalars;
    broken[139].limbs[3] = std::uint64_t{1} << 60;
    const Error refusal =
        error_of([&] { msm<C>(std::span<const Scalar>(broken), std::span<const AffinePoint<C>>(msms.points), config, std::span(sums)); });
    CHECK_THAT(refusal.what(), contains_text("scalar 139 "));
}

TEMPLATE_TEST_CASE_SIG("devices that share an MSM's digits agree about those that a budget asks for", "[msm][long]", ((Curve C), C),
                       Curve::bn254, Curve::bls12_381) {
    const unsigned devices = GENERATE(2, 3);
    const Machine machine((std::vector<SimulatedDevice>(devices, small_device())));
    const DevicePool pool = DevicePool::all(machine.driver);
    const Msms<C> msms(1, 600);
    MsmConfig config;
    std::vector<detail::MsmWork> works;
    for (unsigned partition = 0; partition < devices; ++partition) {
        detail::DeviceMsmJob<C> job = msms.job();
        job.partition = partition;
        job.partition_count = devices;
        config.ctx = pool.context_at(partition);
        works.push_back(detail::work_of(job, config, {}));
    }
    const detail::DigitChoice digits = detail::choose_shared_digits(works, 0, {});
    for (const detail::MsmWork& work : works) config.memory_budget = std::max(config.memory_budget, min_bytes(work, digits) - 1);
    JacobianPoint<C> sum;
    const RunReport report = pool.msm<C>(msms.scalars, msms.points, config, sum, MsmSpread::digit_partition);
    CHECK(to_affine(sum) == msms.sums[0]);
    CHECK(report.device_bytes <= config.memory_budget);
    CHECK(report.devices == pool.devices());
    CHECK(machine.simulator.call_count("cuMemcpyPeerAsync") > 0);  // digits were shared, not terms
    config.c = static_cast<int>(digits.width);
    const Error refusal = error_of([&] { pool.msm<C>(msms.scalars, msms.points, config, sum, MsmSpread::digit_partition); });
    CHECK(refusal.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(refusal.what(), contains_text("memory_budget is " + std::to_string(config.memory_budget)));
}

TEST_CASE("digits that the caller fixes are kept, and a budget that is too small for them is refused by what they take", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine(std::vector<SimulatedDevice>{small_device()});
    const Msms<C> msms(1, few_terms<C>);
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    config.c = 12;
    config.memory_budget = 200'000;
    JacobianPoint<C> sum;
    const auto run = [&] {
        return msm<C>(std::span<const Scalar>(msms.scalars), std::span<const AffinePoint<C>>(msms.points), config, sum);
    };
    const Error refusal = error_of(run);
    CHECK(refusal.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(refusal.what(), contains_text("memory_budget is 200000 bytes, but even 1 terms at a time take "));
    detail::DeviceMsmJob<C> job = msms.job();
    job.width = 12;
    const detail::MsmWork work = detail::work_of(job, config, {});
    const detail::DigitChoice digits = detail::choose_sub_batch(work, config.memory_budget, {}).digits;
    config.memory_budget = min_bytes(work, digits) + 4096;  // with the words of all chunks
    CHECK(run().device_bytes <= config.memory_budget);
    CHECK(to_affine(sum) == msms.sums[0]);
}
