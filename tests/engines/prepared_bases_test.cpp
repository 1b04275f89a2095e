#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/prepared_bases.hpp>

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// Points (i + 1) G but for two at infinity, and scalars for several MSMs over the first of them.
template <Curve C>
struct Batch {
    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> sums;
};

template <Curve C>
Batch<C> random_batch(std::size_t msm_count, std::size_t term_count, std::size_t base_count) {
    Batch<C> batch;
    batch.points = generator_multiples<C>(1, base_count);
    for (std::size_t msm = 0; msm < msm_count; ++msm) {
        std::vector<Scalar> scalars;
        for (std::size_t i = 0; i < term_count; ++i) scalars.push_back(random_scalar());
        scalars[0] = scalar_of(0);
        scalars[1] = shifted(group_order<C>(), -1);
        batch.scalars.insert(batch.scalars.end(), scalars.begin(), scalars.end());
        batch.sums.push_back(closed_form<C>(scalars));
    }
    return batch;
}

template <Curve C>
std::vector<AffinePoint<C>> affine(const std::vector<JacobianPoint<C>>& sums) {
    std::vector<AffinePoint<C>> points;
    for (const auto& sum : sums) points.push_back(to_affine(sum));
    return points;
}

std::string refusal_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        CHECK(error.category() == ErrorCategory::invalid_argument);
        return error.what();
    }
    return "";
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("bases prepared in any number of tables give the same sums, alone and in a batch", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    const auto batch = random_batch<C>(3, 20, 23);
    for (const DeviceContext& context : sampled_contexts()) {
        for (const int factor : {1, 3, 64}) {
            PrepareConfig prepare;
            prepare.ctx = context;
            prepare.precompute_factor = factor;
            const PreparedBases<C> bases(std::span<const AffinePoint<C>>(batch.points), prepare);
            CHECK(bases.size() == batch.points.size());
            MsmConfig config;
            config.ctx = context;
            std::vector<JacobianPoint<C>> sums(3);
            INFO(factor << " tables on " << context);
            msm<C>(std::span<const Scalar>(batch.scalars), bases, config, sums);
            CHECK(affine(sums) == batch.sums);
            JacobianPoint<C> sum;
            msm<C>(std::span<const Scalar>(batch.scalars).first(20), bases, config, sum);
            CHECK(to_affine(sum) == batch.sums[0]);
        }
    }
}

TEST_CASE("tables hold what their width asks for, and are no more than there are digits", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const auto batch = random_batch<C>(1, 20, 20);
    for (const DeviceContext& context : sampled_contexts()) {
        for (const int width : {3, 5, 10}) {
            PrepareConfig prepare;
            prepare.ctx = context;
            prepare.c = width;
            prepare.precompute_factor = 64;
            const PreparedBases<C> bases(std::span<const AffinePoint<C>>(batch.points), prepare);
            CHECK(bases.precompute_factor() <= 254 / width + 1);
            if (!context.is_host()) CHECK(bases.device_bytes() == 20 * sizeof(AffinePoint<C>) * bases.precompute_factor());
            MsmConfig config;
            config.ctx = context;
            config.c = width;
            JacobianPoint<C> sum;
            msm<C>(std::span<const Scalar>(batch.scalars), bases, config, sum);
            CHECK(to_affine(sum) == batch.sums[0]);
        }
    }
}

TEMPLATE_TEST_CASE_SIG("bases at infinity, on the device and in Montgomery form", CUPOOL_CURVES_AND_TWISTS) {
    if (engine_pool().is_host()) return;
    auto points = generator_multiples<C>(1, 12);
    points[3] = infinity<C>();
    points[11] = infinity<C>();
    std::vector<Scalar> scalars;
    for (std::size_t i = 0; i < points.size(); ++i) scalars.push_back(random_reduced_scalar<C>());
    const auto expected = sum_term_by_term<C>(scalars, points);
    const DeviceContext context = sampled_contexts().back();
    for (const bool is_montgomery : {false, true}) {
        if (is_montgomery) points_to_montgomery_form<C>(points);
        DeviceBuffer<AffinePoint<C>> there(points.size(), context);
        copy(there.span(), std::span<const AffinePoint<C>>(points), context.stream());
        PrepareConfig prepare;
        prepare.ctx = context;
        prepare.precompute_factor = 2;
        prepare.are_points_on_device = true;
        prepare.are_points_montgomery_form = is_montgomery;
        const PreparedBases<C> bases(there.span(), prepare);
        MsmConfig config;
        config.ctx = context;
        JacobianPoint<C> sum;
        msm<C>(std::span<const Scalar>(scalars), bases, config, sum);
        CHECK(to_affine(sum) == expected);
    }
}

TEMPLATE_TEST_CASE_SIG("a batch of MSMs over shared points and over points of their own", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    const auto batch = random_batch<C>(4, 9, 9);
    auto own_points = batch.points;
    for (int i = 1; i < 4; ++i) own_points.insert(own_points.end(), batch.points.begin(), batch.points.end());
    std::reverse(own_points.begin() + 9, own_points.begin() + 18);
    auto own_sums = batch.sums;
    own_sums[1] =
        sum_term_by_term<C>({batch.scalars.begin() + 9, batch.scalars.begin() + 18}, {own_points.begin() + 9, own_points.begin() + 18});
    for (const DeviceContext& context : sampled_contexts()) {
        MsmConfig config;
        config.ctx = context;
        config.batch_size = 4;
        std::vector<JacobianPoint<C>> sums(4);
        config.points_size = 9;
        msm<C>(std::span<const Scalar>(batch.scalars), std::span<const AffinePoint<C>>(batch.points), config, std::span(sums));
        CHECK(affine(sums) == batch.sums);
        config.points_size = 36;
        msm<C>(std::span<const Scalar>(batch.scalars), std::span<const AffinePoint<C>>(own_points), config, std::span(sums));
        CHECK(affine(sums) == own_sums);
        if (context.is_host()) continue;
        auto montgomery_points = own_points;
        points_to_montgomery_form<C>(montgomery_points);
        DeviceBuffer<AffinePoint<C>> there(own_points.size(), context);
        copy(there.span(), std::span<const AffinePoint<C>>(montgomery_points), context.stream());
        config.are_points_on_device = true;
        config.are_points_montgomery_form = true;
        msm<C>(std::span<const Scalar>(batch.scalars), there.span(), config, std::span(sums));
        for (auto& sum : sums) {
            std::vector<AffinePoint<C>> coordinates{{sum.x, sum.y}, {sum.z, {}}};
            points_from_montgomery_form<C>(coordinates);
            sum = {coordinates[0].x, coordinates[0].y, coordinates[1].x};
        }
        CHECK(affine(sums) == own_sums);
    }
}

TEMPLATE_TEST_CASE_SIG("a budget of device memory is kept, and the sums are the same", CUPOOL_CURVES_AND_TWISTS) {
    CUPOOL_SKIP_IF_SLOW(C);
    if (engine_pool().is_host()) return;
    const auto batch = random_batch<C>(2, 90, 90);
    const DeviceContext context = sampled_contexts().back();
    MsmConfig config;
    config.ctx = context;
    config.c = 4;
    std::vector<JacobianPoint<C>> sums(2);
    const auto run = [&] {
        return msm<C>(std::span<const Scalar>(batch.scalars), std::span<const AffinePoint<C>>(batch.points), config, std::span(sums));
    };
    const RunReport whole = run();
    CHECK(affine(sums) == batch.sums);
    for (const unsigned percent : {75, 60}) {
        config.memory_budget = whole.device_bytes * percent / 100;
        const RunReport report = run();
        INFO(percent << "% of " << whole.device_bytes);
        CHECK(report.device_bytes <= config.memory_budget);
        CHECK(affine(sums) == batch.sums);
    }
    config.memory_budget = 4096;
    CHECK_THAT(refusal_of(run), contains_text("memory_budget is 4096"));
}

TEST_CASE("a scalar that breaks its promise is named by its place in the whole batch, whatever the chunk", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const std::vector<AffinePoint<C>> points(60, generator<C>());
    std::vector<Scalar> scalars(180, scalar_of(3));
    scalars[155] = scalar_of(1 << 9);
    MsmConfig config;
    config.bitsize = 8;
    config.c = 4;
    std::vector<JacobianPoint<C>> sums(3);
    for (const DeviceContext& context : sampled_contexts()) {
        config.ctx = context;
        for (const std::uint64_t budget : {0, 50'000}) {
            config.memory_budget = budget;
            CHECK_THAT(refusal_of([&] {
                           msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), config, std::span(sums));
                       }),
                       contains_text("scalar 155 "));
        }
    }
}

TEST_CASE("what prepared bases and batches cannot take is refused", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const auto batch = random_batch<C>(1, 6, 6);
    const std::span<const AffinePoint<C>> points(batch.points);
    const std::span<const Scalar> scalars(batch.scalars);
    for (const DeviceContext& context : sampled_contexts()) {
        PrepareConfig prepare;
        prepare.ctx = context;
        const auto prepared_with = [&](auto change) {
            PrepareConfig changed = prepare;
            change(changed);
            return refusal_of([&] { PreparedBases<C>(points, changed); });
        };
        CHECK_THAT(prepared_with([](PrepareConfig& changed) { changed.precompute_factor = 0; }), contains_text("precompute_factor is 0"));
        CHECK_THAT(prepared_with([](PrepareConfig& changed) { changed.c = 22; }), contains_text("c is 22"));
        CHECK_THAT(prepared_with([](PrepareConfig& changed) { changed.bitsize = 300; }), contains_text("bitsize is 300"));
        CHECK_THAT(prepared_with([](PrepareConfig& changed) { changed.are_points_on_device = true; }),
                   contains_text("are_points_on_device"));

        prepare.precompute_factor = 2;
        prepare.c = 7;
        const PreparedBases<C> bases(points, prepare);
        MsmConfig config;
        config.ctx = context;
        std::vector<JacobianPoint<C>> sums(2);
        JacobianPoint<C> sum;
        const auto used_with = [&](auto change) {
            MsmConfig changed = config;
            change(changed);
            return refusal_of([&] { msm<C>(scalars, bases, changed, sum); });
        };
        CHECK_THAT(used_with([](MsmConfig& changed) { changed.c = 8; }), contains_text("prepared for digits of 7"));
        CHECK_THAT(used_with([](MsmConfig& changed) { changed.bitsize = 8; }), contains_text("bitsize is 8"));
        CHECK_THAT(used_with([](MsmConfig& changed) { changed.batch_size = 2; }), contains_text("batch_size is 2"));
        CHECK_THAT(refusal_of([&] { msm<C>(scalars.first(5), points, config, std::span(sums)); }),
                   contains_text("5 scalars do not divide"));
        CHECK_THAT(refusal_of([&] { msm<C>(scalars, points, config, std::span(sums).first(0)); }), contains_text("no room"));
        const std::vector<Scalar> many(7);
        CHECK_THAT(refusal_of([&] { msm<C>(std::span<const Scalar>(many), bases, config, sum); }),
                   contains_text("7 scalars an MSM, but 6"));
        config.points_size = 5;
        CHECK_THAT(refusal_of([&] { msm<C>(scalars, points, config, sum); }), contains_text("points_size is 5"));
    }
}
