// One call's MSMs as jobs of several workers.
#include <signal.h>

#include <algorithm>

#include "msm_cases.hpp"
#include "workers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr Curve curve = Curve::bn254;
constexpr std::size_t terms = 100;
using Points = std::vector<AffinePoint<curve>>;
using Results = std::vector<JacobianPoint<curve>>;

WorkerOptions dividing_workers(int devices, std::size_t divide_from = terms) {
    WorkerOptions options = workers_of_simulated_devices(devices);
    options.divide_from = divide_from;
    return options;
}

std::uint64_t jobs_of(const WorkerPool& pool) { return sum_of(pool.metrics(), &WorkerStatus::jobs); }

void check_sums(const Results& results, std::span<const Scalar> scalars, const Points& points) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        CHECK(to_affine(results[i]) == host_msm<curve>(scalars.subspan(i * points.size(), points.size()), points));
    }
}

}  // namespace

TEST_CASE("one MSM is divided over all idle devices") {
    const WorkerPool pool = WorkerPool::start(dividing_workers(3));
    const Points points = generator_multiples<curve>(5, terms + 1);  // a number that three does not divide
    const std::vector<Scalar> scalars = scalars_of(terms + 1);
    Results result(1);

    SECTION("its parts add up") {
        const RunReport report = pool.msm<curve>(scalars, points, {}, std::span(result));
        check_sums(result, scalars, points);
        CHECK(report.engine == Engine::gpu);
        CHECK(report.devices == std::vector<int>{0, 1, 2});
        CHECK(report.milliseconds > 0);
        CHECK(jobs_of(pool) == 3);
    }
    SECTION("of operands in lent memory") {
        const SharedArray<Scalar> lent_scalars = pool.lend<Scalar>(scalars.size());
        const SharedArray<AffinePoint<curve>> lent_points = pool.lend<AffinePoint<curve>>(points.size());
        std::copy(scalars.begin(), scalars.end(), lent_scalars.begin());
        std::copy(points.begin(), points.end(), lent_points.begin());
        pool.msm<curve>(lent_scalars.span(), lent_points.span(), {}, std::span(result));
        check_sums(result, scalars, points);
        CHECK(jobs_of(pool) == 3);
    }
    SECTION("in Montgomery form") {
        Points converted = points;
        points_to_montgomery_form<curve>(converted);
        MsmConfig config;
        config.are_points_montgomery_form = true;
        pool.msm<curve>(scalars, converted, config, std::span(result));
        Results whole(1);
        config.ctx = DeviceContext::host();
        msm<curve>(Operand<Scalar>(std::span<const Scalar>(scalars)),
                   Operand<AffinePoint<curve>>(std::span<const AffinePoint<curve>>(converted)), config, std::span(whole));
        std::vector<AffinePoint<curve>> coordinates;
        for (const Results& given : {result, whole}) {
            std::vector<AffinePoint<curve>> parts{{given[0].x, given[0].y}, {given[0].z, {}}};
            points_from_montgomery_form<curve>(parts);
            coordinates.push_back(to_affine(JacobianPoint<curve>{parts[0].x, parts[0].y, parts[1].x}));
        }
        CHECK(coordinates[0] == coordinates[1]);
    }
    SECTION("a worker that is killed costs its part another attempt") {
        ::kill(pool.metrics().workers[1].process, SIGKILL);
        pool.msm<curve>(scalars, points, {}, std::span(result));
        check_sums(result, scalars, points);
        CHECK(sum_of(pool.metrics(), &WorkerStatus::deaths) == 1);
    }
    SECTION("a promised width of the scalars is checked over the whole") {
        MsmConfig config;
        config.bitsize = 100;
        const Error error = error_of([&] { pool.msm<curve>(scalars, points, config, std::span(result)); });
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK(jobs_of(pool) == 1);
    }
    SECTION("sizes that contradict each other are one job's error") {
        const Error error = error_of([&] { pool.msm<curve>(scalars, std::span(points).first(terms), {}, std::span(result)); });
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK(jobs_of(pool) == 1);
    }
}

TEST_CASE("the error of a part is reported once, when no part reads the operands any more") {
    const WorkerPool pool = WorkerPool::start(dividing_workers(2));
    const Points points = generator_multiples<curve>(5, terms);
    MsmConfig config;
    config.c = 1000;
    Results result(1);
    const int line = __LINE__ + 1;
    const Error error = error_of([&] { pool.msm<curve>(scalars_of(terms), points, config, std::span(result)); });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK(error.location().line == line);
    CHECK(jobs_of(pool) == 2);
    CHECK(sum_of(pool.metrics(), &WorkerStatus::errors) == 2);
}

TEST_CASE("several MSMs of a call are divided between MSMs") {
    constexpr std::size_t msms = 5;
    const WorkerPool pool = WorkerPool::start(dividing_workers(2));
    const Points points = generator_multiples<curve>(5, terms);
    const std::vector<Scalar> scalars = scalars_of(msms * terms);
    MsmConfig config;
    config.batch_size = msms;
    config.points_size = terms;
    Results results(msms);

    SECTION("of points") { CHECK(pool.msm<curve>(scalars, points, config, std::span(results)).devices == std::vector<int>{0, 1}); }
    SECTION("of prepared bases") {
        const WorkerBases<curve> bases = pool.prepare<curve>(points, {});
        CHECK(pool.msm<curve>(scalars, bases, config, std::span(results)).devices == std::vector<int>{0, 1});
    }
    check_sums(results, scalars, points);
    CHECK(jobs_of(pool) == 2);
}

TEST_CASE("calls are not divided that are small, over prepared bases, or on the host") {
    const Points points = generator_multiples<curve>(5, terms);
    const std::vector<Scalar> scalars = scalars_of(terms);
    Results result(1);
    const auto jobs_in = [&](const WorkerOptions& options, bool prepares) {
        const WorkerPool pool = WorkerPool::start(options);
        if (prepares) {
            pool.msm<curve>(scalars, pool.prepare<curve>(points, {}), {}, std::span(result));
        } else {
            pool.msm<curve>(scalars, points, {}, std::span(result));
        }
        check_sums(result, scalars, points);
        return jobs_of(pool);
    };
    CHECK(jobs_in(dividing_workers(2, terms + 1), false) == 1);
    CHECK(jobs_in(dividing_workers(2, 0), false) == 1);
    CHECK(jobs_in(dividing_workers(2), true) == 1);
    WorkerOptions on_host = host_workers(2);
    on_host.divide_from = terms;
    CHECK(jobs_in(on_host, false) == 1);
}

TEST_CASE("parts go to different devices where a device has several workers") {
    WorkerOptions options = dividing_workers(2);
    options.workers_per_device = 2;
    const WorkerPool pool = WorkerPool::start(options);
    const Points points = generator_multiples<curve>(5, terms);
    const std::vector<Scalar> scalars = scalars_of(terms);
    Results result(1);
    CHECK(pool.msm<curve>(scalars, points, {}, std::span(result)).devices == std::vector<int>{0, 1});
    check_sums(result, scalars, points);
    CHECK(jobs_of(pool) == 2);
}
