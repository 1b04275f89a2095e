// MSMs whose scalars are split in two, in every shape of a job.
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <cupool/pool/device_pool.hpp>
#include <random>

#include "../endomorphism_eigenvalue.hpp"
#include "catch.hpp"
#include "machine.hpp"
#include "msm/device/cost_model.hpp"
#include "msm/device/job_layout.hpp"
#include "msm/device/msm_on_device.hpp"
#include "terms_of_all_kinds.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr unsigned checks = cupool_sim_check_initialisation | cupool_sim_check_ordering | cupool_sim_check_context;
constexpr unsigned width = 5;

/// Equal MSMs over points of their own, of which one is infinity, and what they come to.
template <Curve C>
struct SplitMsms {
    SplitMsms(std::size_t msms, std::size_t terms) : points(generator_multiples<C>(1, msms * terms)), sums(msms, infinity<C>()) {
        const BigInteger r(group_order<C>());
        const BigInteger lambda = endomorphism_eigenvalue<C>();
        const std::vector<BigInteger> borders = {0, 1, r - 1, lambda, r - lambda, lambda + 1, BigInteger::power_of_two(128)};
        std::mt19937_64 random(3);
        points[1] = infinity<C>();
        for (std::size_t i = 0; i < points.size(); ++i) {
            const BigInteger any = BigInteger(random()) * random() * random() * random() % r;
            scalars.push_back((i % 3 == 0 ? borders[i / 3 % borders.size()] : any).template limbs<4>());
            sums[i / terms] = add(sums[i / terms], multiply(points[i], scalars[i]));
        }
    }

    detail::DeviceMsmJob<C> job() const {
        return {.scalars = std::span<const Scalar>(scalars),
                .bases = std::span<const AffinePoint<C>>(points),
                .msm_count = sums.size(),
                .term_count = points.size() / sums.size(),
                .have_own_bases = true,
                .width = width};
    }

    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> sums;
};

template <Curve C>
std::vector<AffinePoint<C>> affine(const std::vector<JacobianPoint<C>>& points) {
    std::vector<AffinePoint<C>> all;
    for (const auto& point : points) all.push_back(to_affine(point));
    return all;
}

template <Curve C>
bool splits(std::size_t terms) {
    return detail::choose_digits(terms, detail::scalar_range<C>(0), 1, width).are_scalars_split;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("MSMs over points of their own are right where scalars are split, at once and in chunks", "[msm]", ((Curve C), C),
                       Curve::bn254, Curve::bls12_381, Curve::bls12_377, Curve::bn254_g2, Curve::bls12_381_g2) {
    Machine machine(std::vector<SimulatedDevice>{small_device()});
    machine.simulator.set_checks(checks);
    const SplitMsms<C> msms(2, base_field_degree<C> == 2 ? 9 : 40);
    REQUIRE(splits<C>(msms.job().term_count));
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    for (const std::size_t max_terms : {std::size_t{detail::carried_bit}, std::size_t{14}}) {
        std::vector<JacobianPoint<C>> sums(2);
        detail::msm_on_device<C>(msms.job(), config, std::span(sums), {.max_chunk_terms = max_terms});
        CHECK(affine(sums) == msms.sums);
    }
}

TEST_CASE("a chunk has so many terms that points, images and what is carried are told apart", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine(std::vector<SimulatedDevice>(1));
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    const auto max_terms = [&config](unsigned tables, int bitsize) {
        MsmConfig own = config;
        own.bitsize = bitsize;
        detail::DeviceMsmJob<C> job{.scalars = std::span<const Scalar>(), .bases = std::span<const AffinePoint<C>>()};
        job.term_count = std::size_t{1} << 31;
        job.tables = tables;
        job.width = 18;
        const auto choice = detail::choose_digits(job.term_count, detail::scalar_range<C>(bitsize), tables, 18);
        return detail::MsmJobLayout(detail::work_of(job, own, {}), choice).cut({}).max_terms;
    };
    REQUIRE(detail::choose_digits(std::size_t{1} << 31, detail::scalar_range<C>(0), 1, 18).are_scalars_split);
    CHECK(max_terms(1, 0) == detail::carried_bit / 2);
    CHECK(max_terms(1, 128) == detail::carried_bit);
    CHECK(max_terms(4, 0) == detail::carried_bit / 4);
}

TEST_CASE("several MSMs over the same points, which lie on the device, and their results there, are right where scalars are split",
          "[msm]") {
    constexpr Curve C = Curve::bn254;
    Machine machine(std::vector<SimulatedDevice>{small_device()});
    machine.simulator.set_checks(checks);
    const SplitMsms<C> one(1, 30);
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    config.c = width;
    config.are_results_on_device = GENERATE(false, true);
    PrepareConfig prepare;
    prepare.ctx = config.ctx;
    const PreparedBases<C> bases(std::span<const AffinePoint<C>>(one.points), prepare);
    std::vector<Scalar> scalars = one.scalars;
    scalars.insert(scalars.end(), one.scalars.rbegin(), one.scalars.rend());
    AffinePoint<C> reversed = infinity<C>();
    for (std::size_t i = 0; i < 30; ++i) reversed = add(reversed, multiply(one.points[i], scalars[30 + i]));
    std::vector<JacobianPoint<C>> sums(2);
    DeviceBuffer<JacobianPoint<C>> there(2, config.ctx);
    if (config.are_results_on_device) {
        msm<C>(std::span<const Scalar>(scalars), bases, config, there.span());
        copy(std::span(sums), DeviceSpan<const JacobianPoint<C>>(there.span()), config.ctx.stream());
    } else {
        msm<C>(std::span<const Scalar>(scalars), bases, config, std::span(sums));
    }
    CHECK(affine(sums) == std::vector{one.sums[0], reversed});
}

TEST_CASE("devices share the digits of scalars that are split", "[msm]") {
    constexpr Curve C = Curve::bls12_381;
    const std::size_t devices = GENERATE(2, 3, 4);
    Machine machine((std::vector<SimulatedDevice>(devices, small_device())));
    const DevicePool pool = DevicePool::all(machine.driver);
    const SplitMsms<C> one(1, 41);
    MsmConfig config;
    config.c = width;
    REQUIRE(detail::choose_digits(41, detail::scalar_range<C>(0), 1, width, {.partition_count = static_cast<unsigned>(devices)})
                .are_scalars_split);
    JacobianPoint<C> sum;
    pool.msm<C>(std::span<const Scalar>(one.scalars), std::span<const AffinePoint<C>>(one.points), config, sum, MsmSpread::digit_partition);
    CHECK(to_affine(sum) == one.sums[0]);
}

TEST_CASE("scalars in Montgomery form are split as others are", "[msm]") {
    constexpr Curve C = Curve::bls12_377;
    const Machine machine(std::vector<SimulatedDevice>{small_device()});
    const SplitMsms<C> one(1, 20);
    std::vector<Scalar> scalars;
    for (const Scalar& scalar : one.scalars) scalars.push_back(detail::HostScalarField<C>::from_standard(scalar).montgomery());
    MsmConfig config;
    config.ctx = DeviceContext::for_device(machine.driver, 0);
    config.c = width;
    config.are_scalars_montgomery_form = true;
    JacobianPoint<C> sum;
    msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(one.points), config, sum);
    CHECK(to_affine(sum) == one.sums[0]);
}
