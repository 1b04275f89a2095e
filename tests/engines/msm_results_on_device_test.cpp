// MSMs whose results stay on the device, and those that return once their work is queued.
#include <atomic>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <future>
#include <memory>

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t terms = 5;

/// Random scalars for so many MSMs, over the points (i + 1) G.
template <Curve C>
struct Msms {
    explicit Msms(std::size_t count) : points(generator_multiples<C>(1, terms)) {
        for (std::size_t i = 0; i < count * terms; ++i) scalars.push_back(random_reduced_scalar<C>());
        for (std::size_t k = 0; k < count; ++k)
            sums.push_back(closed_form<C>({scalars.begin() + k * terms, scalars.begin() + (k + 1) * terms}));
    }

    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> sums;
};

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& values, const DeviceContext& context) {
    DeviceBuffer<T> buffer(values.size(), context);
    copy(buffer.span(), std::span<const T>(values), context.stream());
    return buffer;
}

MsmConfig to_device(const DeviceContext& context) {
    MsmConfig config;
    config.ctx = context;
    config.are_results_on_device = true;
    return config;
}

/// What lies there once the stream has come so far. \param is_montgomery_form  whether the coordinates are
template <Curve C>
std::vector<AffinePoint<C>> read(const DeviceBuffer<JacobianPoint<C>>& results, StreamView stream, bool is_montgomery_form = false) {
    std::vector<JacobianPoint<C>> points(results.size());
    copy(std::span(points), results.span(), stream);
    std::vector<AffinePoint<C>> all;
    for (const JacobianPoint<C>& point : points) {
        std::vector<AffinePoint<C>> coordinates{{point.x, point.y}, {point.z, {}}};
        if (is_montgomery_form) points_from_montgomery_form<C>(coordinates);
        all.push_back(to_affine(JacobianPoint<C>{coordinates[0].x, coordinates[0].y, coordinates[1].x}));
    }
    return all;
}

/// The category of what `action` throws.
template <class Action>
ErrorCategory failure_of(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.category();
    }
    FAIL("nothing was thrown");
    return ErrorCategory::internal;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("results stay on the device, in either form", CUPOOL_CURVES_AND_TWISTS) {
    if (engine_pool().is_host()) return;
    const Msms<C> msms(1);
    auto montgomery_points = msms.points;
    points_to_montgomery_form<C>(montgomery_points);
    const DeviceContext context = engine_contexts().back();
    DeviceBuffer<JacobianPoint<C>> results(1, context);
    for (const bool is_montgomery_form : {false, true}) {
        MsmConfig config = to_device(context);
        config.are_points_montgomery_form = is_montgomery_form;
        const std::span<const AffinePoint<C>> points(is_montgomery_form ? montgomery_points : msms.points);
        const RunReport report = msm<C>(std::span<const Scalar>(msms.scalars), points, config, results.span());
        CHECK(read(results, context.stream(), is_montgomery_form) == msms.sums);
        CHECK(report.engine == Engine::gpu);
        CHECK(report.devices == std::vector<int>{context.device()});
    }
}

TEMPLATE_TEST_CASE_SIG("results of MSMs over prepared bases stay on the device", "[msm]", ((Curve C), C), Curve::bn254, Curve::bls12_377) {
    if (engine_pool().is_host()) return;
    const Msms<C> msms(2);
    const DeviceContext context = engine_contexts().back();
    DeviceBuffer<JacobianPoint<C>> results(2, context);
    for (const bool is_async : {false, true}) {
        PrepareConfig prepare;
        prepare.ctx = context;
        prepare.precompute_factor = is_async ? 1 : 3;
        const PreparedBases<C> bases(std::span<const AffinePoint<C>>(msms.points), prepare);
        MsmConfig config = to_device(context);
        config.is_async = is_async;
        config.are_points_montgomery_form = is_async;
        msm<C>(std::span<const Scalar>(msms.scalars), bases, config, results.span());
        CHECK(read(results, context.stream(), is_async) == msms.sums);
    }
}

TEST_CASE("more results than a block of the device joins, infinity among them", "[msm]") {
    if (engine_pool().is_host()) return;
    constexpr Curve C = Curve::bn254;
    constexpr std::size_t count = 33;
    const DeviceContext context = engine_contexts().back();
    const std::vector<AffinePoint<C>> points{generator<C>(), negate(generator<C>())};
    std::vector<Scalar> scalars;
    std::vector<AffinePoint<C>> expected;
    for (std::uint64_t k = 0; k < count; ++k) {
        scalars.push_back(scalar_of(k % 16));
        scalars.push_back(scalar_of(k / 16));
        expected.push_back(multiply(points[k % 16 < k / 16 ? 1 : 0], scalar_of(k % 16 < k / 16 ? k / 16 - k % 16 : k % 16 - k / 16)));
    }
    MsmConfig config = to_device(context);
    config.c = 3;
    config.bitsize = 5;
    DeviceBuffer<JacobianPoint<C>> results(count, context);
    msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), config, results.span());
    CHECK(read(results, context.stream()) == expected);
    fill_bytes_async(results.span(), 0xff, context.stream());
    msm<C>(std::span<const Scalar>(), std::span<const AffinePoint<C>>(), config, results.span());
    CHECK(read(results, context.stream()) == std::vector<AffinePoint<C>>(count, infinity<C>()));
}

TEMPLATE_TEST_CASE_SIG("MSMs queued on two streams at once", "[msm]", ((Curve C), C), Curve::bn254, Curve::bls12_381) {
    if (engine_pool().is_host()) return;
    const DeviceContext context = engine_contexts().back();
    struct Queue {
        explicit Queue(const DeviceContext& device) : stream(device.context()), context(device.with_stream(stream)), results(2, context) {}

        Stream stream;
        DeviceContext context;
        Msms<C> first{1};
        Msms<C> second{1};
        DeviceBuffer<JacobianPoint<C>> results;
        std::vector<JacobianPoint<C>> arrived{2};
    };
    Queue queues[] = {Queue(context), Queue(context)};
    for (Queue& queue : queues) {
        MsmConfig config = to_device(queue.context);
        config.are_scalars_on_device = true;
        config.are_points_on_device = true;
        config.is_async = true;
        const std::pair<const Msms<C>*, std::size_t> jobs[] = {{&queue.first, 0}, {&queue.second, 1}};
        for (const auto& [msms, place] : jobs) {
            // Freed in the stream's order, so after the work.
            const auto scalars = on_device(msms->scalars, queue.context);
            const auto points = on_device(msms->points, queue.context);
            msm<C>(scalars.span(), points.span(), config, queue.results.span().subspan(place, 1));
        }
        copy_async(std::span(queue.arrived), queue.results.span(), queue.stream);
    }
    for (Queue& queue : queues) {
        queue.stream.synchronize();
        CHECK(to_affine(queue.arrived[0]) == queue.first.sums[0]);
        CHECK(to_affine(queue.arrived[1]) == queue.second.sums[0]);
    }
}

TEST_CASE("an asynchronous MSM returns while its stream is held up", "[msm]") {
    if (engine_pool().is_host()) return;
    constexpr Curve C = Curve::bn254;
    const Msms<C> msms(2);
    const DeviceContext device = engine_contexts().back();
    const Stream stream(device.context());
    const DeviceContext context = device.with_stream(stream);
    const auto scalars = on_device(msms.scalars, context);
    const auto points = on_device(msms.points, context);
    PrepareConfig prepare;
    prepare.ctx = context;
    const PreparedBases<C> bases(std::span<const AffinePoint<C>>(msms.points), prepare);
    DeviceBuffer<JacobianPoint<C>> results(3, context);
    MsmConfig config = to_device(context);
    config.are_scalars_on_device = true;
    config.is_async = true;
    const auto queue_msms = [&] {
        msm<C>(scalars.span().subspan(0, terms), bases, config, results.span().subspan(0, 1));
        MsmConfig of_points = config;
        of_points.are_points_on_device = true;
        msm<C>(scalars.span(), points.span(), of_points, results.span().subspan(1, 2));
    };
    queue_msms();  // loads the kernels, for which a driver may wait
    stream.synchronize();
    fill_bytes_async(results.span(), 0xff, stream);

    struct Hold {
        std::promise<void> go;
        std::shared_future<void> gone = go.get_future().share();
        std::atomic<bool> was_let_go{false};
    };
    const auto hold = std::make_shared<Hold>();
    stream.view().launch_host_function([hold] {
        constexpr std::chrono::seconds until_given_up{30};
        hold->was_let_go = hold->gone.wait_for(until_given_up) == std::future_status::ready;
    });
    queue_msms();
    hold->go.set_value();
    const std::vector<AffinePoint<C>> sums = read(results, stream.view());
    CHECK(hold->was_let_go);
    CHECK(sums == std::vector<AffinePoint<C>>{msms.sums[0], msms.sums[0], msms.sums[1]});
}

TEST_CASE("asynchronous on request means nothing for results on the host", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const Msms<C> msms(1);
    for (const DeviceContext& context : engine_contexts()) {
        MsmConfig config;
        config.ctx = context;
        config.is_async = true;
        CHECK(run_msm<C>(msms.scalars, msms.points, config) == msms.sums[0]);
        config.bitsize = 1;
        CHECK(failure_of([&] { run_msm<C>(msms.scalars, msms.points, config); }) == ErrorCategory::invalid_argument);
    }
}

TEST_CASE("results that are not where a flag says, or cannot be, are refused", "[msm]") {
    constexpr Curve C = Curve::bn254;
    const Msms<C> msms(1);
    const std::span<const Scalar> scalars(msms.scalars);
    const std::span<const AffinePoint<C>> points(msms.points);
    for (const DeviceContext& context : engine_contexts()) {
        PrepareConfig prepare;
        prepare.ctx = context;
        const PreparedBases<C> bases(points, prepare);
        std::vector<JacobianPoint<C>> on_host(1);
        const MsmConfig config = to_device(context);
        CHECK(failure_of([&] { msm<C>(scalars, points, config, on_host[0]); }) == ErrorCategory::invalid_argument);
        CHECK(failure_of([&] { msm<C>(scalars, bases, config, on_host); }) == ErrorCategory::invalid_argument);
    }
    MsmConfig of_pool;
    of_pool.are_results_on_device = true;
    JacobianPoint<C> sum;
    CHECK(failure_of([&] { engine_pool().msm<C>(scalars, points, of_pool, sum); }) == ErrorCategory::invalid_argument);
    if (engine_pool().is_host()) return;

    const DeviceContext& context = engine_pool().context_at(0);
    DeviceBuffer<JacobianPoint<C>> results(2, context);
    const DeviceSpan<JacobianPoint<C>> one = results.span().subspan(0, 1);
    MsmConfig config = to_device(context);
    config.are_results_on_device = false;
    CHECK(failure_of([&] { msm<C>(scalars, points, config, one); }) == ErrorCategory::invalid_argument);
    config = to_device(DeviceContext::host());
    CHECK(failure_of([&] { msm<C>(scalars, points, config, one); }) == ErrorCategory::invalid_argument);
    config = to_device(context);
    const DeviceSpan<JacobianPoint<C>> misaligned(one.pointer() + 8, 1, context.device());
    CHECK(failure_of([&] { msm<C>(scalars, points, config, misaligned); }) == ErrorCategory::invalid_argument);
    if (engine_pool().device_count() > 1) {
        config = to_device(engine_pool().context_at(1));
        CHECK(failure_of([&] { msm<C>(scalars, points, config, one); }) == ErrorCategory::wrong_context);
    }
}

TEST_CASE("a promise about scalars is held to where results stay on the device, and none can be made asynchronously", "[msm]") {
    if (engine_pool().is_host()) return;
    constexpr Curve C = Curve::bn254;
    const DeviceContext context = engine_contexts().back();
    const Msms<C> msms(1);
    std::vector<Scalar> scalars(terms, scalar_of(3));
    const std::span<const AffinePoint<C>> points(msms.points);
    DeviceBuffer<JacobianPoint<C>> results(1, context);
    MsmConfig config = to_device(context);
    config.bitsize = 8;
    msm<C>(std::span<const Scalar>(scalars), points, config, results.span());
    CHECK(read(results, context.stream())[0] == closed_form<C>(scalars));
    scalars[3] = scalar_of(1 << 8);
    CHECK(failure_of([&] { msm<C>(std::span<const Scalar>(scalars), points, config, results.span()); }) == ErrorCategory::invalid_argument);
    config.is_async = true;
    CHECK(failure_of([&] { msm<C>(std::span<const Scalar>(scalars), points, config, results.span()); }) == ErrorCategory::unsupported);
    PrepareConfig prepare;
    prepare.ctx = context;
    prepare.bitsize = 8;
    const PreparedBases<C> bases(points, prepare);
    config.bitsize = 0;
    CHECK(failure_of([&] { msm<C>(std::span<const Scalar>(scalars), bases, config, results.span()); }) == ErrorCategory::unsupported);
    config.bitsize = 254;
    msm<C>(std::span<const Scalar>(scalars), points, config, results.span());
    CHECK(read(results, context.stream())[0] == closed_form<C>(scalars));
}
